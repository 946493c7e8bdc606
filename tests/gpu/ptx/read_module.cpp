#include <iterator>
#include <sstream>

#include "interpreter.hpp"

namespace ptx {
namespace {

constexpr Number never_written = 0xdeadbeefdeadbeef;  // what a register holds at first

/// Of a statement or a line: "@%p1", "ld.global.v2.f32", "%f1", "%f2", "%rd3+8".
using Words = std::vector<std::string>;

std::vector<Words> statements_in(std::string text) {
    std::replace(text.begin(), text.end(), ';', '\n');
    const auto divides = [](char c) { return std::string_view("{}[](),=:\"").find(c) != std::string_view::npos; };
    std::replace_if(text.begin(), text.end(), divides, ' ');
    std::vector<Words> statements;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line.substr(0, line.find("//")));
        Words statement{std::istream_iterator<std::string>(words), {}};
        if (!statement.empty()) statements.push_back(std::move(statement));
    }
    return statements;
}

struct Reader {
    Module& module;
    std::map<std::string, std::string> files{};  // number → name
    std::map<std::string, Number> addresses{};   // of variables and parameters
    std::string source{};
    Kernel* kernel = nullptr;  // the one that is read, and of it:
    std::map<std::string, std::size_t> places{};

    void read(const std::vector<Words>& statements) {
        for (const Words& words : statements)  // .file 1 /somewhere/kernel.cu; they are at the end
            if (words[0] == ".file") files[words[1]] = words[2].substr(words[2].find_last_of('/') + 1);
        for (const Words& words : statements) {
            const std::string& first = words[0];
            if (first == ".visible") begin_kernel(words[2]);                 // .visible .entry name
            if (first == ".param") read_parameter(words);                    // .param .align 4 .b8 name 16
            if (first == ".global") read_variable(words);                    // .global .align 1 .b8 name 3 79 107 0
            if (first == ".extern") addresses[words.back()] = shared_begin;  // .extern .shared .align 128 .b8 name
            if (first == ".loc") source = files[words[1]] + ":" + words[2];  // .loc 1 57 9
            if (first == ".section") break;                                  // for debuggers
            if (first[0] == '$') kernel->initial[place_of(first)] = kernel->code.size();  // a label
            if (first[0] != '.' && first[0] != '$') read_instruction(words);
        }
    }

    void begin_kernel(const std::string& name) {
        kernel = &(module.kernels[name] = {});
        places.clear();
        for (const std::string special : {"%tid", "%ntid", "%ctaid", "%nctaid"})
            for (const char* axis : {".x", ".y", ".z"}) place_of(special + axis);
    }

    void read_parameter(const Words& words) {
        const bool is_struct = words[1] == ".align";  // else .param .u64 name
        addresses[words[is_struct ? 4 : 2]] = address_of_parameter(kernel->parameters.size());
        kernel->parameters.push_back(is_struct ? std::stoul(words[5]) : std::stoul(words[1].substr(2)) / 8);
    }

    void read_variable(const Words& words) {
        std::vector<char>& bytes = module.variables.emplace(words[4], std::stoul(words[5]))->second;
        for (std::size_t i = 6; i < words.size(); ++i) bytes.at(i - 6) = static_cast<char>(std::stoi(words[i]));
        addresses[words[4]] = reinterpret_cast<Number>(bytes.data());
    }

    void read_instruction(const Words& words) {
        auto word = words.begin();
        const bool guarded = word->front() == '@', negated = word->starts_with("@!");
        const std::size_t guard = place_of(guarded ? (word++)->substr(negated ? 2 : 1) : "1");
        Instruction instruction{source + ", " + *word, find_operation(*word), guard, negated};
        while (++word != words.end()) {
            const std::size_t plus = word->find('+');
            if (plus != std::string::npos) instruction.offset = static_cast<Number>(std::stoll(word->substr(plus + 1)));
            instruction.operands.push_back(place_of(word->substr(0, plus)));
        }
        kernel->code.push_back(std::move(instruction));
    }

    std::size_t place_of(const std::string& operand) {
        const auto [found, is_new] = places.try_emplace(operand, kernel->initial.size());
        if (is_new) kernel->initial.push_back(value_of(operand));
        return found->second;
    }

    Number value_of(const std::string& operand) const {
        if (const auto found = addresses.find(operand); found != addresses.end()) return found->second;
        if (operand.starts_with("0f")) return std::stoul(operand.substr(2), nullptr, 16);
        if (operand.find_first_of("-0123456789") == 0) return std::stoull(operand, nullptr, 0);
        for (const char* begin : {"%", "__$", "$L"})  // registers, and labels further down
            if (operand.starts_with(begin)) return never_written;
        throw std::runtime_error("the PTX interpreter does not know this operand: " + operand);
    }
};

}  // namespace

void read_module(const std::string& text, Module& module) { Reader{module}.read(statements_in(text)); }

}  // namespace ptx
