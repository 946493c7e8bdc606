// The grade of tests that a student wrote: functions are passed to them, and what they say of each is compared with what is
// known of it. Wrong ones are the mistakes of the exercise that they test.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "call.hpp"
#include "escape.hpp"

namespace linattn::testing {

/// A function that tests are tried with. All have the same name, so that nothing but their results tells them apart.
template <class Signature>
struct Candidate {
    std::string name;  ///< of the mistake; of a right function: what it does and may do, after "this function"
    std::function<Signature> function;
    const char* refused_by = nullptr;  ///< of a right function: the name of the mistake that tests make which refuse it
    bool essential = false;            ///< of a wrong one: tests must refuse it in any case
};

/// The definition of an exercise with all settings right.
template <class Signature>
std::function<Signature> right_definition(const char* exercise) {
    return std::any_cast<std::function<Signature>>(not_offered(exercise).right);
}

/// FNV-1a: a name's place among others, with any compiler.
inline std::uint64_t digest_of(std::string_view name) {
    std::uint64_t digest = 0xcbf2'9ce4'8422'2325;
    for (const char c : name) digest = (digest ^ static_cast<unsigned char>(c)) * 0x100'0000'01b3;
    return digest;
}

/// Of the mistakes of an exercise that give wrong results some from everywhere in its table, and `more`. A table grows: they are
/// drawn by their names, so that a new mistake takes the place of one other at most.
/// \param essential the names of those that are drawn in any case, and must be refused
/// \param without those that good tests need not see
template <class Signature>
std::vector<Candidate<Signature>> wrong_functions(const char* exercise, const std::set<std::string>& essential,
                                                  std::vector<Candidate<Signature>> more,
                                                  const std::set<std::string>& without = {}) {
    for (const std::string& name : essential)
        if (find_mistake(exercise, name) == nullptr) throw std::logic_error("no mistake is called " + name);
    std::vector<Candidate<Signature>> wrong;
    for (const Mistake& mistake : mistakes())
        if (std::string_view(mistake.exercise) == exercise && !mistake.only_cost && !without.contains(mistake.name))
            wrong.push_back({mistake.name, std::any_cast<std::function<Signature>>(mistake.function), nullptr,
                             essential.contains(mistake.name)});
    constexpr std::size_t most = 50;  // each costs what a student's tests cost
    std::ranges::sort(wrong, {}, [&](const auto& each) { return std::pair(!each.essential, digest_of(each.name)); });
    if (wrong.size() > most) wrong.erase(wrong.begin() + most, wrong.end());
    std::move(more.begin(), more.end(), std::back_inserter(wrong));
    return wrong;
}

/// The function, with `otherwise` in place of its std::invalid_argument.
template <class Result, class... Parameters>
std::function<Result(Parameters...)> where_rejected(std::function<Result(Parameters...)> function,
                                                    Result (*otherwise)(Parameters...)) {
    return [=](Parameters... parameters) {
        try {
            return function(parameters...);
        } catch (const std::invalid_argument&) {
            return otherwise(parameters...);
        }
    };
}

/// The function, with a std::invalid_argument that has other words.
template <class Result, class... Parameters>
std::function<Result(Parameters...)> in_other_words(std::function<Result(Parameters...)> function) {
    return where_rejected(
        function, +[](Parameters...) -> Result { throw std::invalid_argument("no"); });
}

/// The function, with an exception where there are no tokens.
template <class Result, class... More>
std::function<Result(const Tensor&, More...)> needing_a_token(std::function<Result(const Tensor&, More...)> function) {
    return [=](const Tensor& Q, More... more) {
        if (length(Q, -2) == 0) throw std::out_of_range("there is no token 0");
        return function(Q, more...);
    };
}

/// A tensor of a result: its name, and where it lies.
template <class Result>
using ResultTensor = std::pair<std::string, Tensor& (*)(Result&)>;

/// Adds the function with a single wrong entry in a tensor of its result, the first or the last one. Tests must refuse each.
template <class Result, class... Parameters>
void add_one_wrong_entry(std::vector<Candidate<Result(Parameters...)>>& wrong,
                         const std::function<Result(Parameters...)>& function,
                         const std::vector<ResultTensor<Result>>& tensors) {
    struct Fault {
        const char* name;
        bool last;
        double error;
    };
    for (const auto& [name, of] : tensors)
        for (const Fault& fault : {Fault{"the first entry is wrong by 1e-3 in ", false, 1e-3},
                                   {"the last entry is wrong by 1e-3 in ", true, 1e-3},
                                   {"the last entry is NaN in ", true, std::nan("")}})
            wrong.push_back({fault.name + name,
                             [=, of = of](Parameters... parameters) {
                                 Result result = function(parameters...);
                                 Tensor& x = of(result);
                                 if (x.size() == 0) return result;
                                 double& entry = x.data()[fault.last ? x.size() - 1 : 0];
                                 entry += fault.error * std::max(1.0, std::fabs(entry));
                                 return result;
                             },
                             nullptr, true});
}

/// What tests say of a function.
using Objections = Call<std::vector<std::string>>;

/// Whether they found nothing wrong. An exception refuses the function, but for that of a stub: then there are no tests.
inline bool accepted(const Objections& call) {
    return (call.error().empty() || !call.missing().empty()) && call.result().empty();
}

/// \param test calls the exercise
/// \param right the first is the definition: what refuses it has its name only if all others are refused as well
template <class Signature, class Test>
void accepts_right_functions(const Test& test, const std::vector<Candidate<Signature>>& right) {
    std::vector<Objections> calls;
    for (const Candidate<Signature>& each : right) calls.push_back(test(each.function));
    const bool none = std::ranges::none_of(calls, accepted);
    for (std::size_t i = 0; i < right.size(); ++i) {
        const std::string words = calls[i].result().empty() ? "" : calls[i].result().front();
        calls[i].satisfies(calls[i].result().empty(),
                           "the tests reject a right function; they say: " + shortened(words, 200) +
                               "\nthis function " + right[i].name,
                           i == 0 && !none ? nullptr : right[i].refused_by);
    }
}

/// Wrong functions and right ones in an order that nobody knows, since tests might count the calls. Nine of ten wrong ones
/// must be refused, and all that are essential. A mistake of the name "nothing checked" refuses none.
template <class Signature, class Test>
void refuses_wrong_functions(const Test& test, const std::vector<Candidate<Signature>>& right,
                             const std::vector<Candidate<Signature>>& wrong) {
    std::vector<std::size_t> order(wrong.size() + right.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), std::random_device());
    std::vector<std::size_t> missed;
    for (const std::size_t at : order) {
        const bool is_wrong = at < wrong.size();
        const Objections call = test(is_wrong ? wrong[at].function : right[at - wrong.size()].function);
        if (is_wrong && accepted(call)) missed.push_back(at);
        if (!is_wrong)
            call.satisfies(accepted(call),
                           "the tests reject a function that they accepted before: do they count calls?");
    }
    const std::size_t refused = wrong.size() - missed.size(), least = (9 * wrong.size() + 9) / 10;
    std::sort(missed.begin(), missed.end());
    const auto found = std::ranges::find_if(missed, [&](std::size_t at) { return wrong[at].essential; });
    if (refused >= least && found == missed.end()) return;
    const Candidate<Signature>& first = wrong[found == missed.end() ? missed.front() : *found];
    std::string others;  // from the middle and the end of what they accept, which is about other things
    for (const std::size_t at : {missed[missed.size() / 2], missed.back()})
        if (wrong[at].name != first.name && others.find("; " + wrong[at].name) == std::string::npos)
            others += "; " + wrong[at].name;
    test(first.function)
        .satisfies(false,
                   "the tests reject " + std::to_string(refused) + " of " + std::to_string(wrong.size()) +
                       (refused < least ? " wrong functions, and must reject " + std::to_string(least)
                                        : " wrong functions, but not one that they must reject in any case") +
                       (others.empty() ? "\none that they accept: " : "\nsome that they accept: ") + first.name +
                       others,
                   refused == 0 ? "nothing checked" : nullptr);
}

}  // namespace linattn::testing
