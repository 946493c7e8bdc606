#include "parameter_names.hpp"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

namespace linattn::testing {
namespace {

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string without_comments(const std::filesystem::path& header) {
    std::ifstream file(header);
    std::string code;
    for (std::string line; std::getline(file, line);) code += line.substr(0, line.find("//")) + "\n";
    return code;
}

// The last name of `const Tensor& Q = {}`, before what it is set to.
std::string name_of(std::string_view parameter) {
    parameter = parameter.substr(0, parameter.find('='));
    std::size_t end = parameter.size();
    while (end > 0 && !in_name(parameter[end - 1])) --end;
    std::size_t begin = end;
    while (begin > 0 && in_name(parameter[begin - 1])) --begin;
    return std::string(parameter.substr(begin, end - begin));
}

// Of what stands behind the opening parenthesis of a declaration.
std::vector<std::string> names_in(std::string_view declaration) {
    std::vector<std::string> names;
    int depth = 0;
    for (std::size_t begin = 0, at = 0; at < declaration.size(); ++at) {
        const char c = declaration[at];
        if (depth == 0 && (c == ',' || c == ')')) {
            if (const std::string name = name_of(declaration.substr(begin, at - begin)); !name.empty())
                names.push_back(name);
            begin = at + 1;
            if (c == ')') break;
        }
        if (c == '(' || c == '<' || c == '{') ++depth;
        if (c == ')' || c == '>' || c == '}') --depth;
    }
    return names;
}

}  // namespace

std::vector<std::string> parameter_names(const std::string& manifest, const std::string& function) {
    std::error_code error;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(manifest).parent_path(), error)) {
        if (entry.path().extension() != ".hpp") continue;
        const std::string code = without_comments(entry.path()), call = " " + function + "(";
        for (std::size_t at = code.find(call); at != std::string::npos; at = code.find(call, at + 1)) {
            const std::size_t line = code.rfind('\n', at) + 1;
            if (code.compare(line, 10, "__global__") != 0)  // a suite calls what launches it
                return names_in(std::string_view(code).substr(at + call.size()));
        }
    }
    return {};
}

}  // namespace linattn::testing
