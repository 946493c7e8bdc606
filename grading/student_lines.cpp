#include "student_lines.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "gpu/executable.hpp"

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
    const auto commands = nlohmann::json::parse(database, nullptr, false);
    for (const auto& each : commands.is_array() ? commands : nlohmann::json::array()) {
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
    static const std::regex kind(R"(.*\[-W.*uninitialized.*\])");
    static const std::regex declared(R"(([^:]+):(\d+):\d+: note: (?:initialize the variable )?('[^']+') .*)");
    for (const Compilation& each : compilations(sources)) {
        std::istringstream words(output_of(each.go_there + "LC_ALL=C " + each.command + more_options));
        bool about_a_variable = false;
        std::smatch match;
        for (std::string line; std::getline(words, line);) {
            if (line.size() > 2000) continue;  // one of the source: std::regex recurses for every character
            if (line.find(": warning: ") != std::string::npos || line.find(": error: ") != std::string::npos)
                about_a_variable = std::regex_match(line, kind);
            if (!about_a_variable || !std::regex_match(line, match, declared) || match[1] != each.file.string())
                continue;
            const std::string file = (each.file.parent_path().filename() / each.file.filename()).string();
            const std::string place = file + ":" + match[2].str() + ", where " + match[3].str() + " is declared";
            if (std::find(remarks.begin(), remarks.end(), place) == remarks.end()) remarks.push_back(place);
        }
    }
    return remarks;
}

std::set<std::string> passed_over(const std::vector<std::string>& sources) {
    // The mangled name of a template in xt itself. The file's own function need not be in the object: nothing calls it.
    static const std::regex of_xtensor("_ZN2xt([0-9]{1,3})([a-z_0-9]+)I.*"), object("-o (\\S+)");
    std::set<std::string> found;
    for (const Compilation& each : compilations(sources)) {
        std::smatch match;
        if (!std::regex_search(each.command, match, object)) continue;
        std::istringstream symbols(output_of(each.go_there + "nm --defined-only " + match[1].str() + " 2>/dev/null"));
        std::set<std::string> of_file;
        for (std::string symbol; symbols >> symbol;) {
            if (symbol.size() > 200) symbol.resize(200);  // std::regex recurses for every character
            if (std::regex_match(symbol, match, of_xtensor))
                of_file.insert(match[2].str().substr(0, std::stoul(match[1])));
        }
        std::ifstream file(each.file);
        const std::string text(std::istreambuf_iterator<char>(file), {});
        std::ranges::copy_if(of_file, std::inserter(found, found.end()), [&](const std::string& name) {
            const std::regex definition("[\\w>] *[&*]? +" + name + R"(\([^;{}]{0,300}\)\s*\{)");
            return text.find(" " + name + "(") != std::string::npos && std::regex_search(text, definition);
        });
    }
    return found;
}

}  // namespace linattn::testing
