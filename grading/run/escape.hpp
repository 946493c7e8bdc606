// Text that a student's program made, as a terminal, JSON and XML can take it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace linattn::testing {

/// The text with every control character but tab and line feed spelled out, "\x1b", a carriage return as a line feed,
/// and U+FFFD in the place of bytes that are not UTF-8.
std::string escape(std::string_view text);

/// The text with each of its lines behind four blanks.
std::string indented(const std::string& text);

/// The text without its end where it has more than `most` bytes.
std::string shortened(const std::string& text, std::size_t most);

}  // namespace linattn::testing
