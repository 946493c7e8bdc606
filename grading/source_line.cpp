#include "source_line.hpp"

#include <cstdio>
#include <filesystem>
#include <regex>
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

std::string source_line(const std::string& call_stack, const std::vector<std::string>& sources) {
    const std::string program = program_path();
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

std::string stack_of_report(const std::string& report) {
    const std::string program = std::filesystem::path(program_path()).filename().string();
    static const std::regex frame(R"(#\d+ 0x[0-9a-f]+ +\((.+)\+(0x[0-9a-f]+)\))");
    std::string stack;
    for (std::sregex_iterator match(report.begin(), report.end(), frame), end; match != end; ++match) {
        if (std::filesystem::path((*match)[1].str()).filename() != program) continue;
        stack += (*match)[2].str() + " ";
    }
    return stack;
}

std::string summary_of_report(const std::string& report) {
    std::smatch match;
    static const std::regex kind(R"(AddressSanitizer:? (?:attempting )?([A-Za-z-]+))"),
        access(R"((READ|WRITE) of size (\d+))");
    const std::string name = std::regex_search(report, match, kind) ? match[1].str() : "error";
    std::string what;
    if (name == "heap-buffer-overflow" || name == "stack-buffer-overflow" || name == "global-buffer-overflow")
        what = "went outside an array";
    else if (name == "heap-use-after-free")
        what = "used memory that was already freed";
    else if (name == "double-free" || name == "free" || report.find("malloc_usable_size") != std::string::npos)
        what = "freed memory that was freed already, or that was never allocated";
    else if (name == "stack-use-after-scope")
        what = "used a variable that no longer exists";
    else if (name == "stack-overflow")
        what = "called itself without end (stack overflow)";
    else if (name == "SEGV")
        what = "used memory that does not belong to the program (segmentation fault)";
    else if (name == "FPE")
        what = "divided an integer by zero";
    else if (name == "ILL")  // what -fsanitize=bounds stops with
        what = "went outside an array of fixed size";
    else if (name == "ABRT")
        what = "called abort: a failed assertion, or an exception that nothing can catch";
    else
        what = "was stopped: " + name;
    if (std::regex_search(report, match, access))
        what += std::string(": ") + (match[1] == "READ" ? "read " : "wrote ") + match[2].str() + " bytes";
    return what;
}

}  // namespace linattn::testing
