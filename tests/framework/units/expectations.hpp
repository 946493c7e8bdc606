// What the unit tests in C++ share.
#pragma once

#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tensor.hpp"

namespace linattn {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();

/// (n, 1); in braces alone {{1}, {2}} would be ambiguous.
inline Tensor column(const Tensor& values) { return reshape(values, {values.size(), 1}); }

/// Whether the text is this one, in which each … stands for anything.
inline bool fits(std::string_view text, std::string_view pattern) {
    const std::string_view anything = "…";
    const std::size_t gap = pattern.find(anything);
    if (gap == pattern.npos) return text == pattern;
    if (!text.starts_with(pattern.substr(0, gap))) return false;
    for (std::size_t at = gap; at <= text.size(); ++at)
        if (fits(text.substr(at), pattern.substr(gap + anything.size()))) return true;
    return false;
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

template <class Error, class Function>
std::string words_of(const Function& function) {
    try {
        function();
    } catch (const Error& error) {
        return error.what();
    }
    return "nothing of this kind was thrown";
}

}  // namespace linattn

#define FITS(text, pattern)         \
    do {                            \
        const std::string t = text; \
        INFO(t);                    \
        CHECK(fits(t, pattern));    \
    } while (false)
#define REFUSED(pattern, ...) \
    FITS(linattn::words_of<std::invalid_argument>([&] { static_cast<void>(__VA_ARGS__); }), pattern)
#define ABSENT(pattern, ...) \
    FITS(linattn::words_of<std::out_of_range>([&] { static_cast<void>(__VA_ARGS__); }), pattern)
