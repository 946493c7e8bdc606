// A call made again with other numbers in its arguments: to see whether the function remembers an earlier call, and
// what an answer would give that reads only a part of its arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "tensor.hpp"

namespace linattn::testing {

/// What is done to each argument that is an array, just before the function is called. A list of words comes as a Tensor
/// of ones, one for each word; a word whose number is changed is changed.
using ArgumentChange = std::function<void(const std::string& argument, Tensor& values)>;

/// For as long as it lives, all calls are made with changed arguments.
class ChangeScope {
public:
    explicit ChangeScope(ArgumentChange change);
    ~ChangeScope();
    ChangeScope(const ChangeScope&) = delete;
    ChangeScope& operator=(const ChangeScope&) = delete;

    /// Null when no scope is open.
    static const ArgumentChange* current();
};

ArgumentChange all_but_the_first_entry();

inline void change(const ArgumentChange& by, const std::string& argument, Tensor& values, const Shape&) {
    by(argument, values);
}
void change(const ArgumentChange& by, const std::string& argument, std::vector<std::string>& words, const Shape&);
/// \param rows the leading axes of an array that does not know its shape
void change(const ArgumentChange& by, const std::string& argument, std::vector<float>& values, const Shape& rows);
/// The same for patterns of bfloat16, each the upper half of a float.
void change(const ArgumentChange& by, const std::string& argument, std::vector<std::uint16_t>& patterns,
            const Shape& rows);
template <class T>
void change(const ArgumentChange& by, const std::string& argument, T& value, const Shape& rows) {
    if constexpr (requires { value.S, value.z; }) {
        change(by, argument + ".S", value.S, rows);
        change(by, argument + ".z", value.z, rows);
    }
}

/// (heads, n) where an argument tells the sizes of all arrays.
template <class T>
void find_rows(const T& value, Shape& rows) {
    if constexpr (requires { value.heads, value.n; })
        rows = {static_cast<std::size_t>(value.heads), static_cast<std::size_t>(value.n)};
}

template <class Arguments>
void change_arguments(Arguments& arguments) {
    const ArgumentChange* by = ChangeScope::current();
    if (by == nullptr) return;
    std::apply(
        [&](auto&... each) {
            Shape rows;
            (find_rows(each, rows), ...);
            std::size_t number = 0;
            (change(*by, "argument " + std::to_string(++number), each, rows), ...);
        },
        arguments);
}

}  // namespace linattn::testing
