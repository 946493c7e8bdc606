// Central differences with settings, and what people turn wrong in them.
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "call.hpp"
#include "evidence.hpp"
#include "gradient_arguments.hpp"
#include "gradients.hpp"
#include "mutations.hpp"
#include "random_inputs.hpp"

namespace linattn::testing::central_differences_mistakes {

/// What the difference is divided by.
enum class Over { twice_h, times_twice_h, two, times_h, h, half_of_inverse_h, nothing, h_squared, four_h };
/// How far an entry is moved.
enum class Step { given, half, times_entry, times_size_of_entry, times_one_and_size };
/// Which entries move together.
enum class Moved { one, all, all_up_to_own };
/// Where an entry is left, as the next ones are computed.
enum class Left { where_it_was, up, down, one_step_too_high };

struct DifferenceSettings {
    std::array<double, 5> times = {0.0, -1.0, 0.0, 1.0, 0.0};  ///< f at x - 2h, x - h, x, x + h and x + 2h
    Over over = Over::twice_h;
    Step step = Step::given;
    Moved moved = Moved::one;
    Left left = Left::where_it_was;
    bool writes_argument = false, in_float = false, only_first = false, only_last = false, flat = false,
         all_but_first = false, all_but_last = false;
    bool as_many_as_first_axis = false;
    std::optional<double> fixed_step;
    bool operator==(const DifferenceSettings&) const = default;
};

double value_at(const ScalarFunction& f, const Tensor& x, bool in_float) {
    const double value = f(x);
    return in_float ? static_cast<double>(static_cast<float>(value)) : value;
}

Tensor differences(const DifferenceSettings& s, const ScalarFunction& f, const Tensor& x, double given) {
    require_step(given);
    const double h = s.fixed_step.value_or(given);
    Tensor gradient = zeros(s.flat ? Shape{x.size()} : shape_of(x)), start = x;
    for (std::size_t e = 0; e < x.size(); ++e) {
        const double own = start.data()[e];
        double step = h;
        if (s.step == Step::half) step = h / 2.0;
        if (s.step == Step::times_entry) step = h * own;
        if (s.step == Step::times_size_of_entry) step = h * std::max(1.0, std::fabs(own));
        if (s.step == Step::times_one_and_size) step = h * (1.0 + std::fabs(own));
        double difference = 0.0;
        for (std::size_t point = 0; point < s.times.size(); ++point) {
            Tensor moved = start;
            for (std::size_t other = 0; other < x.size(); ++other)
                if (other == e || s.moved == Moved::all || (s.moved == Moved::all_up_to_own && other < e))
                    moved.data()[other] += (static_cast<double>(point) - 2.0) * step;
            const double value = value_at(f, moved, s.in_float);
            if (s.times[point] != 0.0) difference += s.times[point] * value;
        }
        double divisor = 2.0 * step;
        switch (s.over) {
            case Over::twice_h: break;
            case Over::times_twice_h: divisor = 0.5 / step; break;
            case Over::times_h: divisor = 1.0 / step; break;
            case Over::two: divisor = 2.0; break;
            case Over::h: divisor = step; break;
            case Over::half_of_inverse_h: divisor = 2.0 / step; break;
            case Over::nothing: divisor = 1.0; break;
            case Over::h_squared: divisor = step * step; break;
            case Over::four_h: divisor = 4.0 * step; break;
        }
        const bool written = (!s.as_many_as_first_axis || e < length(x, 0)) && (!s.only_first || e == 0) &&
                             (!s.only_last || e + 1 == x.size()) && (!s.all_but_first || e > 0) &&
                             (!s.all_but_last || e + 1 < x.size());
        gradient.data()[e] = written ? difference / divisor : 0.0;
        if (s.left == Left::up) start.data()[e] = own + step;
        if (s.left == Left::down) start.data()[e] = own - step;
        if (s.left == Left::one_step_too_high) start.data()[e] = own + 2.0 * step;
    }
    if (s.writes_argument && x.size() > 0) const_cast<Tensor&>(x).data()[x.size() - 1] -= h;
    return gradient;
}

const MutationTable<DifferenceSettings> table{
    {
        {"the two sides", "one-sided differences",
         "(f(x + h) - f(x)) / h is off by h/2 times the second derivative: take both sides, 2h apart.", 0,
         SET(s.times = {0, 0, -1, 1, 0}, s.over = Over::h)},
        {"the two sides", "one-sided differences, backwards",
         "(f(x) - f(x - h)) / h is off by h/2 times the second derivative: take both sides, 2h apart.", 0,
         SET(s.times = {0, -1, 1, 0, 0}, s.over = Over::h)},
        {"the two sides", "one side, divided by 2h", "Two points that are 2h apart: f(x + h) and f(x - h).", 0,
         SET(s.times = {0, 0, -1, 1, 0})},
        {"the two sides", "sides exchanged", "f(x + h) - f(x - h): the upper point comes first.", 0,
         SET(s.times = {0, 1, 0, -1, 0})},
        {"the two sides", "second difference", "The second difference estimates f'': take f(x + h) - f(x - h).", 0,
         SET(s.times = {0, 1, -2, 1, 0}, s.over = Over::h_squared)},
        {"the two sides", "a formula of higher order",
         "A better approximation than the contract asks for: (f(x + h) - f(x - h)) / 2h, and nothing else.", 0,
         SET(s.times = {1 / 6., -8 / 6., 0, 8 / 6., -1 / 6.})},
        {"what divides", "divided by h, not by 2h", "The two points are 2h apart: divide by 2h.", 0,
         SET(s.over = Over::h)},
        {"what divides", "divided by 2, multiplied by h", "`/ 2 * h` is read from the left: put 2 * h in parentheses.",
         0, SET(s.over = Over::half_of_inverse_h)},
        {"what divides", "not divided", "Divide the difference by 2h.", 0, SET(s.over = Over::nothing)},
        {"what divides", "divided by 2, h forgotten", "The two points are 2h apart: divide by 2h.", 0,
         SET(s.over = Over::two)},
        {"what divides", "multiplied by 2h", "A slope is a difference divided by how far its points are apart: 2h.", 0,
         SET(s.over = Over::times_twice_h)},
        {"what divides", "multiplied by h", "A slope is a difference divided by how far its points are apart: 2h.", 0,
         SET(s.over = Over::times_h)},
        {"the two sides", "both sides added", "The slope is in the difference: f(x + h) - f(x - h).", 0,
         SET(s.times = {0, 1, 0, 1, 0})},
        {"the two sides", "one side below, divided by 2h", "Two points that are 2h apart: f(x + h) and f(x - h).", 0,
         SET(s.times = {0, -1, 1, 0, 0})},
        {"what divides", "divided by h²", "Divide the difference by 2h.", 0, SET(s.over = Over::h_squared)},
        {"what divides", "divided by 4h", "The two points are 2h apart: divide by 2h.", 0, SET(s.over = Over::four_h)},
        {"the step", "half the step", "The step is h to each side, not h/2.", 0, SET(s.step = Step::half)},
        {"the step", "a step of h times the entry", "The step is h for every entry, whatever its size.", 0,
         SET(s.step = Step::times_entry)},
        {"the step", "a step that grows with the entry", "The step is h for every entry, whatever its size.", 0,
         SET(s.step = Step::times_size_of_entry)},
        {"the step", "a step of h times 1 + the size of the entry", "The step is h for every entry, whatever its size.",
         0, SET(s.step = Step::times_one_and_size)},
        {"what moves", "all entries moved at once", "One entry is moved at a time, all others stay.", 0,
         SET(s.moved = Moved::all)},
        {"what moves", "earlier entries moved too", "One entry is moved at a time, all others stay.", 0,
         SET(s.moved = Moved::all_up_to_own)},
        {"what moves", "x not restored, left at x - h",
         "Put an entry back before the next one is moved: take x.data()[e] from the argument again.", 0,
         SET(s.left = Left::down)},
        {"what moves", "x not restored, left at x + h",
         "Put an entry back before the next one is moved: take x.data()[e] from the argument again.", 0,
         SET(s.left = Left::up)},
        {"what moves", "x not restored, 2h too high", "After the lower point an entry is h below x: add h once.", 0,
         SET(s.left = Left::one_step_too_high)},
        {"what moves", "argument modified", "x belongs to the caller: change a copy.", 0,
         SET(s.writes_argument = true)},
        {"what is written", "only the first entry", "Every entry has a slope: loop over all of x.size().", 0,
         SET(s.only_first = true)},
        {"what is written", "as many entries as the first axis is long",
         "Every entry has a slope: loop over all of x.size(), not length(x, 0).", 0,
         SET(s.as_many_as_first_axis = true)},
        {"what is written", "only the last entry", "Every entry has a slope: write it in every turn of the loop.", 0,
         SET(s.only_last = true)},
        {"what is written", "first entry left at 0", "Entries are counted from 0: the loop begins there.", 0,
         SET(s.all_but_first = true)},
        {"what is written", "last entry left at 0", "Every entry has a slope: the loop ends before x.size().", 0,
         SET(s.all_but_last = true)},
        {"what is written", "the entries in one row", "The result has the shape of x: zeros(shape_of(x)).", 0,
         SET(s.flat = true)},
        {"what is written", "f kept in a float",
         "A difference of nearly equal numbers needs all digits: keep what f returns in a double.", 0,
         SET(s.in_float = true)},
    },
    {{"%s in place of h", "h is an argument: take that.", 0, SET_TO(s.fixed_step = x), 1e-9, 10.0}}};

const DifferenceSettings right;
const MutationsOf difference_mutations("central_differences", table, 0, right, &differences);

// A function in which every entry counts with every other, and whose third derivatives are not 0.
const Probes difference_probes("central_differences", [] {
    const ScalarFunction f("the probe", [](const Tensor& x) {
        double all = 1.0, cubes = 0.0;
        for (std::size_t e = 0; e < x.size(); ++e) {
            all *= x.data()[e];
            cubes += std::pow(x.data()[e], 3.0) * static_cast<double>(e + 1);
        }
        return all + cubes;
    });
    return std::vector{probe(&linattn::central_differences, f, random_tensor({2, 3}, 901, 0.5, 2.0), 0.25)};
});

}  // namespace linattn::testing::central_differences_mistakes
