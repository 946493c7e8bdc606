// What a launch has found wrong with its kernel, and how a launch stops.
#pragma once

#include <string>

#include "../error.hpp"

namespace gpu::engine {

/// Which finding the message is about. A race often causes reads of unwritten memory, so it comes first.
enum class Rank { stopped, race, unwritten };

/// Forgets what earlier launches have found.
void begin_faults();
/// Something wrong that the kernel survives.
void report(Rank rank, const Symptom& symptom, const std::string& text);
/// Adds to what was reported with this symptom, and makes it another fault.
void amend(const Symptom& symptom, Fault fault, const std::string& more);
/// Something wrong that the block does not survive.
void report_and_stop(const Symptom& symptom, const std::string& text);
/// Something wrong that the running thread does not survive: it never runs again. `text` ends with who did it and where.
[[noreturn]] void stop(const Symptom& symptom, const std::string& text);

bool has_stopped();
bool has_findings();
/// Throws what was found as NotWritten or Error, if anything.
void throw_findings(const void* kernel);

/// "  by thread (5,0,0) of block (2,0,0) at student/x.cu:57"
std::string by_whom(const std::string& line);
/// The symptom of an access outside of all arrays, next to `array`; next to none: the host's memory.
Symptom outside(const std::string& array, bool written);

}  // namespace gpu::engine
