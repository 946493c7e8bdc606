#include "escape.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>

namespace linattn::testing {
namespace {

unsigned byte(std::string_view text, std::size_t at) {
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u;
}

// How many bytes the UTF-8 character that begins here has; 0 when none does.
std::size_t length_of_character(std::string_view text, std::size_t at) {
    const unsigned first = byte(text, at), second = byte(text, at + 1);
    if (first < 0x80) return 1;
    const std::size_t length = first >= 0xC2 && first <= 0xDF   ? 2
                               : first >= 0xE0 && first <= 0xEF ? 3
                               : first >= 0xF0 && first <= 0xF4 ? 4
                                                                : 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(text, at + i) & 0xC0) != 0x80) return 0;
    const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
    const bool no_character = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
    return overlong || no_character ? 0 : length;
}

}  // namespace

std::string escape(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    for (std::size_t at = 0, length = 0; at < text.size(); at += std::max<std::size_t>(length, 1)) {
        length = length_of_character(text, at);
        const unsigned first = byte(text, at), second = byte(text, at + 1);
        const bool control = length == 1 && (first < 0x20 || first == 0x7F) && first != '\t' && first != '\n';
        if (first == '\r') {
            if (second != '\n') result += '\n';
        } else if (control || (length == 2 && first == 0xC2 && second < 0xA0)) {
            char name[8];
            std::snprintf(name, sizeof name, "\\x%02x", length == 1 ? first : second);
            result += name;
        } else {
            result += length == 0 ? "\xEF\xBF\xBD" : text.substr(at, length);
        }
    }
    return result;
}

std::string indented(const std::string& text) {
    std::string result = "    ";
    for (const char c : text) {
        result += c;
        if (c == '\n') result += "    ";
    }
    return result;
}

std::string shortened(const std::string& text, std::size_t most) {
    if (text.size() <= most) return text;
    return escape(text.substr(0, most - 3)) + "…";  // what is left of a character that was cut is not UTF-8
}

}  // namespace linattn::testing
