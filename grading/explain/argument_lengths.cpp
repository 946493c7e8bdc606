#include "argument_lengths.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "call.hpp"

namespace linattn::testing {
namespace {

// The shapes in a message, each once: (4, 5), but not (…, n, d), which has letters in it.
std::vector<Shape> shapes_in(const std::string& message) {
    std::vector<Shape> found;
    for (std::size_t open = message.find('('); open != std::string::npos; open = message.find('(', open + 1)) {
        Shape lengths;
        const char* at = message.c_str() + open + 1;
        while (*at >= '0' && *at <= '9') {
            char* end = nullptr;
            lengths.push_back(std::strtoul(at, &end, 10));
            at = end + std::strspn(end, ", ");
        }
        if (*at == ')' && !lengths.empty() && std::ranges::count(found, lengths) == 0) found.push_back(lengths);
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
    const bool is_product = message.starts_with("matmul");
    const std::vector<Shape> shapes = shapes_in(message);
    if (shapes.empty() || shapes.size() > 2 || shapes.front().size() != shapes.back().size()) return "";
    if (is_product && shapes.front().size() > 1) {
        const Shape &left = shapes.front(), &right = shapes.back();
        const std::string width = names_with(left.back(), 1, inputs),
                          rows = names_with(right[right.size() - 2], 2, inputs);
        if (width.empty() || rows.empty()) return "";
        return std::to_string(left.back()) + " is the width of " + width + ", " +
               std::to_string(right[right.size() - 2]) + " the number of rows of " + rows +
               ": is a transpose missing, or one too many?";
    }
    for (std::size_t axis = 0; axis < shapes.front().size() && !is_product; ++axis) {
        const std::size_t length = shapes.front()[axis], other = shapes.back()[axis];
        const std::string width = names_with(length, 1, inputs), other_width = names_with(other, 1, inputs);
        if (length != other && !width.empty() && !other_width.empty())
            return std::to_string(length) + " is the width of " + width + ", " + std::to_string(other) + " that of " +
                   other_width + ": does one of them stand where the other should?";
    }
    return "";
}

}  // namespace linattn::testing
