// The running program's own file, and what addr2line (binutils) knows about the code in it. Plain C++: nothing of CUDA.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gpu {

/// The program's path; empty where the system does not tell.
std::string executable_path();

/// "reference/x.cu" out of a path: its file and the folder around it.
std::string short_path(const std::string& path);

/// What addr2line prints about these offsets into a program; empty if it is not installed.
/// \param options its own, such as -i
std::string addr2line(const std::string& program, const std::vector<std::string>& options,
                      const std::vector<std::uintptr_t>& offsets);

/// Answers instead of addr2line, where set: for a process that may start no other.
inline std::string (*ask_for_addr2line)(const std::vector<std::string>& options,
                                        const std::vector<std::uintptr_t>& offsets) = nullptr;

/// "/home/ada/student/x.cu:57" for every call at these offsets, inlined calls too, innermost first. Offsets without a
/// source line are left out.
std::vector<std::string> source_lines(const std::string& program, const std::vector<std::uintptr_t>& offsets);

}  // namespace gpu
