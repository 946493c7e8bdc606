#include "lengths.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "exercise.hpp"

namespace linattn::testing {
namespace {

// The numbers of a message that may be lengths, each once, in their order: not those of an axis.
std::vector<std::size_t> lengths_named(std::string_view message) {
    std::vector<std::size_t> found;
    const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
    for (std::size_t i = 0; i < message.size(); ++i) {
        if (!is_digit(message[i])) continue;
        const std::size_t begin = i;
        std::size_t length = 0;
        for (; i < message.size() && is_digit(message[i]); ++i)
            length = 10 * length + static_cast<std::size_t>(message[i] - '0');
        const char before = begin == 0 ? ' ' : message[begin - 1];
        const bool is_axis = message.substr(0, begin).ends_with("axis ");
        if (!is_axis && (before == ' ' || before == '(') && std::ranges::count(found, length) == 0)
            found.push_back(length);
    }
    return found;
}

// "Q, K and V": those whose axis has this length.
std::string names_with(std::size_t length, std::size_t axis_from_the_end, const std::vector<Input>& inputs) {
    std::vector<std::string> names;
    for (const Input& input : inputs) {
        if (input.value == nullptr || input.name.empty()) continue;
        const Shape shape = shape_of(*input.value);
        if (shape.size() >= axis_from_the_end && shape[shape.size() - axis_from_the_end] == length)
            names.push_back(input.name);
    }
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i)
        text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
    return text;
}

}  // namespace

std::string lengths_in(const std::string& message, const std::vector<Input>& inputs) {
    if (message.find("reshape") != std::string::npos) return "";  // the lengths of which it speaks are products
    std::string widths, rows;
    int count = 0;
    for (const std::size_t length : lengths_named(message)) {
        const std::string width_of = names_with(length, 1, inputs), rows_of = names_with(length, 2, inputs);
        if (!width_of.empty()) {
            widths += (count == 0 ? "" : ", ") + std::to_string(length) +
                      (count == 0 ? " is the width of " : " that of ") + width_of;
            ++count;
        } else if (!rows_of.empty() && rows.empty())
            rows = ", " + std::to_string(length) + " the number of rows of " + rows_of;
    }
    if (count > 1) return widths + ": does one of them stand where another should?";
    return widths.empty() || rows.empty() || message.find("matmul") == std::string::npos
               ? ""
               : widths + rows + ": is a transpose missing, or one too many?";
}

}  // namespace linattn::testing
