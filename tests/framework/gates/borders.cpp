// Answers that are right up to a border: entries from 8, 16, 32, …, 4096 on of an axis of an argument or of the result, or the
// last block of up to 128, are taken for 0. And null answers (null_answers.hpp). Linked with every lab's suite; with
// LINATTN_BORDERS=FILE every expectation is tried on all of them, and the file tells which were refused. border_matrix.py asks
// that all are.
#include <array>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include "call.hpp"
#include "null_answers.hpp"

namespace linattn::testing {
namespace {

enum class Axis { leading, tokens, width };
constexpr std::array axes{Axis::leading, Axis::tokens, Axis::width};
const char* name_of(Axis axis) {
    return axis == Axis::leading ? "leading" : axis == Axis::tokens ? "axis -2" : "axis -1";
}

enum class Lost { after_first_block, after_last_block, last_block };  // after: what is left when blocks are counted off
constexpr std::array losses{Lost::after_first_block, Lost::after_last_block, Lost::last_block};
const char* name_of(Lost lost) {
    return lost == Lost::after_first_block  ? "from entry"
           : lost == Lost::after_last_block ? "the rest after blocks of"
                                            : "the last of whole blocks of";
}

struct Border {
    Axis axis;
    Lost lost;
    std::size_t block;

    /// The first entry that is lost on an axis of this length; the length when none is.
    std::size_t first(std::size_t length) const {
        const std::size_t rest = length % block;
        if (length < block) return length;
        if (lost == Lost::after_first_block) return block;
        if (lost == Lost::after_last_block) return length - rest;
        return rest == 0 ? length - block : length;
    }
};

// An array seen as (before, axis, after) entries.
struct Seen {
    std::size_t before = 1, length = 0, after = 1;
    Seen(const Shape& shape, Axis axis) {
        const std::size_t behind = axis == Axis::leading ? 2 : axis == Axis::tokens ? 1 : 0;
        if (shape.size() <= behind) return;
        const std::size_t at = shape.size() - 1 - behind;
        length = 1;
        for (std::size_t a = 0; a < shape.size(); ++a) {
            const bool in_axis = axis == Axis::leading ? a <= at : a == at;
            (in_axis ? length : a < at ? before : after) *= shape[a];
        }
    }
};

void cut(Tensor& x, const Border& border) {
    const Seen seen(shape_of(x), border.axis);
    const std::size_t first = border.first(seen.length);
    for (std::size_t b = 0; b < seen.before; ++b)
        std::fill(x.data() + (b * seen.length + first) * seen.after, x.data() + (b + 1) * seen.length * seen.after,
                  0.0);
}

bool cuts(const Border& border, const Shape& shape) {
    const std::size_t length = Seen(shape, border.axis).length;
    return border.first(length) < length;
}

Outcome with_cut_result(const Outcome& outcome, std::size_t number, const Border& border) {
    Outcome result = outcome;
    auto& value = result.parts[number].value;
    if (auto* tensor = std::get_if<Tensor>(&value)) cut(*tensor, border);
    if (auto* words = std::get_if<std::vector<std::string>>(&value))
        for (std::size_t i = border.first(words->size()); i < words->size(); ++i) (*words)[i].clear();
    return result;
}

void try_borders(const ComparedCall& call, bool right) {
    if (!right) return;
    const Outcome& outcome = call.outcome;
    const auto again = [&] { return call.run(call.subject); };
    const auto refused = [&](const Outcome& cut) { return call.check(cut).has_value(); };
    static std::ofstream log(std::getenv("LINATTN_BORDERS"), std::ios::app);
    static std::set<std::string> told;
    const auto tell = [&](const std::string& line) {
        if (told.insert(line).second) log << line << std::endl;
    };
    const auto try_array = [&](const std::string& array, const Shape& shape, const auto& with) {
        for (const Axis axis : axes) {
            const std::string place = call.exercise + "\t" + array + ", " + name_of(axis);
            const std::size_t length = Seen(shape, axis).length;
            const bool one_each = axis == Axis::width && length == 1;  // kernels: a number for each token has no width
            if (length == 0 || one_each) continue;
            tell("has\t" + place + "\t" + std::to_string(length));
            for (const Lost lost : losses)
                for (std::size_t block = 8; block <= (lost == Lost::after_first_block ? 4096 : 128); block *= 2) {
                    const Border border{axis, lost, block};
                    const std::string line = "refused\t" + place + "\t" + name_of(lost) + " " + std::to_string(block);
                    if (cuts(border, shape) && !told.contains(line) && refused(with(border))) tell(line);
                }
        }
    };
    for (std::size_t p = 0; p < outcome.parts.size(); ++p) {
        const auto& part = outcome.parts[p];
        const auto* tensor = std::get_if<Tensor>(&part.value);
        const Shape shape =
            tensor != nullptr ? shape_of(*tensor) : Shape{std::get<std::vector<std::string>>(part.value).size()};
        try_array("result" + (part.name.empty() ? "" : " " + part.name), shape,
                  [&](const Border& border) { return with_cut_result(outcome, p, border); });
    }
    std::map<std::string, Tensor> arguments;
    {
        const ChangeScope scope([&](const std::string& name, const Tensor& x) { arguments[name] = x; });
        again();
    }
    for (const auto& [name, null] : null_answers(outcome, arguments)) {
        tell("null\t" + call.exercise + "\t" + name);
        if (refused(null)) tell("null refused\t" + call.exercise + "\t" + name);
    }
    for (const auto& [argument, values] : arguments)
        try_array(argument, shape_of(values), [&, name = argument](const Border& border) {
            const ChangeScope scope([&](const std::string& each, Tensor& x) {
                if (each == name) cut(x, border);
            });
            return again();
        });
}

const bool asked_for = [] {
    if (std::getenv("LINATTN_BORDERS") != nullptr) on_compared = try_borders;
    return on_compared != nullptr;
}();

}  // namespace
}  // namespace linattn::testing
