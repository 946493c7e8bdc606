// What ended a program: what the address sanitizer found, the signal, and what the C++ runtime printed about it.
#pragma once

#include <string>

namespace linattn::testing {

/// What the address sanitizer found, in words. \param found its own name for it, and what was done to how many bytes:
/// "heap-buffer-overflow wrote 8"
std::string finding_in_words(const std::string& found);

/// What a signal ended the program for; empty where the signal says nothing.
std::string signal_in_words(int signal);

/// What the C++ runtime printed as it called abort, in our words: which exception nothing could catch, which index a
/// container refused. Takes it out of what was printed; empty when there is none.
std::string take_runtime_output(std::string& printed);

}  // namespace linattn::testing
