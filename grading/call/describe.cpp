#include "describe.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <map>

#include "parameter_names.hpp"

namespace linattn::testing {
namespace {

// Of an argument's own text what a student knows: the name of a parameter (Q for in.Q, sizes for worked_example::sizes, q for
// token(in.Q, i)), and nothing of another expression, or of a name that the value repeats.
std::string name_to_show(std::string name, const std::string& value) {
    name.erase(0, name.find_first_not_of(' '));
    if (const std::string of_token = "token("; name.starts_with(of_token)) {
        if (value.empty()) return "";
        name = name_to_show(name.substr(of_token.size(), name.find(',') - of_token.size()), value);
        std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        return name;
    }
    if (name.find_first_of("({\" ") != std::string::npos || std::isdigit(static_cast<unsigned char>(name[0])))
        return "";
    if (name.starts_with(value) && !value.empty()) return "";  // relu_map relu, Mask::causal
    name.erase(0, name.find_last_of(".:") + 1);                // npos + 1 is 0
    const std::size_t bracket = value.find('(');
    const bool tells_itself =
        !value.empty() && std::isalpha(static_cast<unsigned char>(value[0])) &&
        (value.find(", ") != std::string::npos || (bracket != std::string::npos && value[bracket - 1] != ' '));
    return tells_itself ? "" : name;  // S (2, 3), z (3,); shuffled(3)
}

// "(2, 3)", and not "(1 head, n = 4)".
bool is_shape(const std::string& value) {
    return value.starts_with('(') && value.find_first_not_of("(0123456789, )") == std::string::npos;
}

// The text of the next argument, which is taken off.
std::string next_argument(std::string_view& rest) {
    int depth = 0;
    std::size_t end = 0;
    while (end < rest.size() && (depth > 0 || rest[end] != ',')) {
        if (rest[end] == '(' || rest[end] == '{') ++depth;
        if (rest[end] == ')' || rest[end] == '}') --depth;
        ++end;
    }
    std::string argument(rest.substr(0, end));
    rest.remove_prefix(std::min(rest.size(), end + 1));
    return argument;
}

}  // namespace

std::size_t fingerprint(const Tensor& x) {
    std::size_t digest = 14695981039346656037u;  // FNV-1a over the bits of the entries
    for (std::size_t i = 0; i < x.size(); ++i) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, x.data() + i, sizeof bits);
        digest = (digest ^ bits) * 1099511628211u;
    }
    return digest;
}

std::string describe(const Tensor& x) { return to_string(shape_of(x)); }

std::string describe(double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", x);
    return text;
}

std::string describe(Mask mask) { return mask == Mask::none ? "Mask::none" : "Mask::causal"; }

std::string describe(Stabilizer stabilizer) {
    return stabilizer == Stabilizer::per_token ? "Stabilizer::per_token" : "Stabilizer::per_sequence";
}

std::string describe(const std::vector<std::string>& words) { return "n = " + std::to_string(words.size()); }

std::string describe(const std::vector<float>& numbers) { return "(" + std::to_string(numbers.size()) + " numbers)"; }

std::string describe(const std::vector<int>& borders) { return to_string(Shape(borders.begin(), borders.end())); }

std::vector<Input> inputs_of(const char* names, const std::vector<const Tensor*>& values,
                             const std::vector<std::string>& parameters) {
    std::vector<Input> inputs;
    inputs.reserve(values.size());
    std::string_view rest(names);
    for (const Tensor* value : values) {
        const std::string name = name_to_show(next_argument(rest), "");
        inputs.push_back({inputs.size() < parameters.size() ? parameters[inputs.size()] : name, value});
    }
    return inputs;
}

const std::vector<std::string>& parameters_of(const char* exercise) {
    static std::map<std::string, std::vector<std::string>> known;
    const auto [at, is_new] = known.try_emplace(exercise);
    if (is_new && !manifest_of_run.empty()) at->second = parameter_names(manifest_of_run, exercise);
    return at->second;
}

std::string describe_call(const char* names, const std::vector<std::string>& values,
                          const std::vector<std::string>& parameters) {
    std::string text;
    std::string_view rest(names);
    for (std::size_t at = 0; at < values.size(); ++at) {
        const std::string& value = values[at];
        std::string name = name_to_show(next_argument(rest), value);
        const bool tells_nothing = !value.empty() && (std::isdigit(static_cast<unsigned char>(value[0])) ||
                                                      value[0] == '-' || is_shape(value));
        if (at < parameters.size() && (tells_nothing || !name.empty())) name = parameters[at];
        if (name.empty() && value.empty()) continue;
        text += (text.empty() ? "" : ", ") + name + (name.empty() || value.empty() ? "" : " ") + value;
    }
    return text;
}

}  // namespace linattn::testing
