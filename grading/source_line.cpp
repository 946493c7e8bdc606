#include "source_line.hpp"

#include <cstdio>
#include <filesystem>
#include <sstream>

namespace linattn::testing {

std::string program_path() {
    std::error_code error;
    const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
    return error ? std::string() : path.string();
}

std::string output_of(const std::string& command) {
    std::string output;
    if (std::FILE* pipe = ::popen(command.c_str(), "r")) {
        char buffer[4096];
        while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe)) output.append(buffer, got);
        ::pclose(pipe);
    }
    return output;
}

std::string source_line(const std::string& call_stack, const std::string& program,
                        const std::vector<std::string>& sources) {
    if (call_stack.empty() || program.empty()) return "";
    if (call_stack.find_first_not_of("0123456789abcdefx ") != std::string::npos) return "";  // it goes to a shell
    std::istringstream lines(output_of("addr2line -e '" + program + "' " + call_stack + " 2>/dev/null"));
    for (std::string line; std::getline(lines, line);) {  // "/somewhere/student/lab02.cpp:41 (discriminator 2)"
        const std::size_t colon = line.rfind(':');
        if (colon == std::string::npos || line[colon + 1] == '?') continue;
        const std::filesystem::path file(line.substr(0, colon));
        for (const std::string& source : sources)
            if (file.filename() == source)
                return (file.parent_path().filename() / source).string() + ":" +
                       line.substr(colon + 1, line.find_first_not_of("0123456789", colon + 1) - colon - 1);
    }
    return "";
}

}  // namespace linattn::testing
