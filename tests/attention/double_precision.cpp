#include "double_precision.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <set>
#include <string>

#include "pattern.hpp"

namespace linattn::testing {
namespace {

// The instructions of the function that begins at this offset of the program, as objdump prints them.
std::vector<std::string> listing(const std::string& offset) {
    // The program by its number: in the shell, /proc/self would be the shell. A function ends at an empty line.
    const std::string command = "objdump -d --no-show-raw-insn --start-address=" + offset + " /proc/" +
                                std::to_string(::getpid()) + "/exe 2>/dev/null";
    std::vector<std::string> lines;
    std::FILE* pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr) return lines;
    char line[1024];
    bool inside = false;
    while (std::fgets(line, sizeof line, pipe) != nullptr) {
        const std::string words = line;
        if (inside && words == "\n") break;
        if (words.find(">:\n") != std::string::npos) inside = true;
        if (inside) lines.push_back(words);
    }
    ::pclose(pipe);
    return lines;
}

}  // namespace

std::size_t double_operations_in(const void* kernel) {
    Dl_info program{};
    if (dladdr(kernel, &program) == 0) return 0;
    const auto offset = reinterpret_cast<std::uintptr_t>(kernel) - reinterpret_cast<std::uintptr_t>(program.dli_fbase);
    char first[32];
    std::snprintf(first, sizeof first, "%#zx", static_cast<std::size_t>(offset));
    static const Pattern arithmetic("\tv?(add|sub|mul|div|sqrt|fn?m(add|sub)[0-9]*)[sp]d ");
    static const Pattern call("\t(call|jmp) +([0-9a-f]+) <[^>+]*7kernels[^>+]*>");
    std::set<std::string> seen{first}, next{first};
    std::size_t found = 0;
    while (!next.empty() && seen.size() < 8) {
        const std::vector<std::string> instructions = listing(*next.begin());
        next.erase(next.begin());
        for (const std::string& each : instructions) {
            if (!arithmetic.find(each).empty()) ++found;
            if (const auto parts = call.find(each); !parts.empty() && seen.insert("0x" + parts[2]).second)
                next.insert("0x" + parts[2]);
        }
    }
    return found;
}

}  // namespace linattn::testing
