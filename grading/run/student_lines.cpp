#include "student_lines.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "gpu/executable.hpp"
#include "pattern.hpp"

namespace linattn::testing {
namespace {

// Later options win over those of the build. g++ follows a variable through loops and calls only when it optimises, as
// long as it does not optimise the unset branch away; clang insists on the options of its precompiled header.
#ifdef __clang__
constexpr const char* more_options = " -Wuninitialized -Wconditional-uninitialized -o /dev/null 2>&1";
#else
constexpr const char* more_options =
    " -O1 -fno-tree-ccp -fno-tree-fre -fno-tree-dominator-opts -fno-tree-forwprop -fno-sanitize=all"
    " -ftrivial-auto-var-init=uninitialized -Wuninitialized -Wmaybe-uninitialized -o /dev/null 2>&1";
#endif

std::string output_of(const std::string& command) {
    std::string output;
    if (std::FILE* pipe = ::popen(command.c_str(), "r")) {
        char buffer[4096];
        while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe)) output.append(buffer, got);
        ::pclose(pipe);
    }
    return output;
}

// How a file is compiled.
struct Compilation {
    std::filesystem::path file;
    std::string go_there, command;
};

std::vector<Compilation> compilations(const std::vector<std::string>& sources) {
    std::vector<Compilation> found;
    std::ifstream database(std::filesystem::path(gpu::executable_path()).replace_filename("compile_commands.json"));
    const auto commands = nlohmann::ordered_json::parse(database, nullptr, false);
    for (const auto& each : commands.is_array() ? commands : nlohmann::ordered_json::array()) {
        const std::filesystem::path file(each.value("file", ""));
        if (std::ranges::count(sources, file.filename().string()) > 0)
            found.push_back({file, "cd '" + each.value("directory", "") + "' && ", each.value("command", "")});
    }
    return found;
}

}  // namespace

std::string source_line(const std::string& call_stack, const std::string& program,
                        const std::vector<std::string>& sources) {
    std::vector<std::uintptr_t> offsets;
    std::istringstream stack(call_stack);
    for (std::uintptr_t offset = 0; stack >> std::hex >> offset;) offsets.push_back(offset);
    std::string inner, outer;
    for (const std::string& line : gpu::source_lines(program, offsets)) {
        const std::filesystem::path file(line.substr(0, line.rfind(':')));
        if (std::ranges::count(sources, file.filename().string()) == 0) continue;
        outer = gpu::short_path(line);
        if (inner.empty()) inner = outer;
    }
    if (inner == outer) return inner;
    const std::size_t colon = outer.rfind(':');
    return inner + ", called from " +
           (inner.starts_with(outer.substr(0, colon + 1)) ? "line " + outer.substr(colon + 1) : outer);
}

std::vector<std::string> unset_locals(const std::vector<std::string>& sources) {
    std::vector<std::string> remarks;
    static const Pattern kind(R"(\[-W.*uninitialized.*\]$)");
    static const Pattern declared("^([^:]+):([0-9]+):[0-9]+: note: (initialize the variable )?('[^']+') ");
    for (const Compilation& each : compilations(sources)) {
        std::istringstream words(output_of(each.go_there + "LC_ALL=C " + each.command + more_options));
        bool about_a_variable = false;
        for (std::string line; std::getline(words, line);) {
            if (line.find(": warning: ") != std::string::npos || line.find(": error: ") != std::string::npos)
                about_a_variable = !kind.find(line).empty();
            const auto parts = about_a_variable ? declared.find(line) : std::vector<std::string>();
            if (parts.empty() || parts[1] != each.file.string()) continue;
            const std::string file = (each.file.parent_path().filename() / each.file.filename()).string();
            const std::string place = file + ":" + parts[2] + ", where " + parts[4] + " is declared";
            if (std::find(remarks.begin(), remarks.end(), place) == remarks.end()) remarks.push_back(place);
        }
    }
    return remarks;
}

std::set<std::string> passed_over(const std::vector<std::string>& sources) {
    // The mangled name of a template in xt itself. The file's own function need not be in the object: nothing calls it.
    static const Pattern of_xtensor("^_ZN2xt([0-9]{1,3})([a-z_0-9]+)I"), object("-o ([^ ]+)");
    std::set<std::string> found;
    for (const Compilation& each : compilations(sources)) {
        const auto output = object.find(each.command);
        if (output.empty()) continue;
        std::istringstream symbols(output_of(each.go_there + "nm --defined-only " + output[1] + " 2>/dev/null"));
        std::set<std::string> of_file;
        for (std::string symbol; symbols >> symbol;)
            if (const auto parts = of_xtensor.find(symbol); !parts.empty())
                of_file.insert(parts[2].substr(0, std::stoul(parts[1])));
        std::ifstream file(each.file);
        const std::string text(std::istreambuf_iterator<char>(file), {});
        std::ranges::copy_if(of_file, std::inserter(found, found.end()), [&](const std::string& name) {
            const Pattern definition("[[:alnum:]_>] *[&*]? +" + name + R"(\([^;{}]*\)[[:space:]]*\{)");
            return text.find(" " + name + "(") != std::string::npos && !definition.find(text).empty();
        });
    }
    return found;
}

}  // namespace linattn::testing
