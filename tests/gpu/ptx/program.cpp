#include "program.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace ptx {
namespace {

constexpr std::uint64_t never_written = 0xdeadbeefdeadbeef;  // what a register holds at first

std::string trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
    return begin == std::string_view::npos ? "" : std::string(text.substr(begin, end - begin + 1));
}

bool begins(const std::string& line, const char* with) { return line.rfind(with, 0) == 0; }

std::size_t bytes_of_type(const std::string& type) { return std::stoul(type.substr(2)) / 8; }  // ".b32"

/// Takes a module apart, line by line.
class Reader {
public:
    explicit Reader(const std::string& text) : lines_(text) {}

    std::unique_ptr<Module> read() {
        for (std::string line; next(line);) {
            if (begins(line, ".visible .entry ")) read_kernel(line.substr(16, line.find('(') - 16));
            if (begins(line, ".global ") || begins(line, ".visible .global ")) read_variable(line);
            if (begins(line, ".file")) read_file(line);
        }
        for (auto& [name, kernel] : module_->kernels)
            for (Instruction& each : kernel.code) each.source = place(each.source);
        return std::move(module_);
    }

private:
    bool next(std::string& line) {
        if (!std::getline(lines_, line)) return false;
        line = trimmed(std::string_view(line).substr(0, line.find("//")));
        return true;
    }

    // .global .align 1 .b8 name[4] = {78, 111, 0};
    void read_variable(const std::string& line) {
        const std::size_t bracket = line.find('['), type = line.rfind('.', bracket), name = line.find(' ', type) + 1;
        if (bracket == std::string::npos || line.compare(type, 3, ".b8") != 0)
            throw std::runtime_error("the PTX interpreter does not know this variable: " + line);
        std::vector<char>& bytes = module_->variables[line.substr(name, bracket - name)];
        bytes.resize(std::stoul(line.substr(bracket + 1)));
        const std::size_t values = line.find('{');
        std::istringstream list(values == std::string::npos ? "" : line.substr(values + 1));
        for (char& byte : bytes) {
            std::string value;
            if (std::getline(list, value, ',')) byte = static_cast<char>(std::stoi(value));
        }
    }

    // .file 1 "/somewhere/kernel.cu", and ".loc 1 57 9, …", of which "1 57" was kept.
    void read_file(const std::string& line) {
        const std::size_t slash = line.find_last_of("/\""), begin = line.rfind('/');
        const std::size_t name = begin == std::string::npos ? line.find('"') + 1 : begin + 1;
        (void)slash;
        files_[std::stoi(line.substr(5))] = line.substr(name, line.rfind('"') - name);
    }

    std::string place(const std::string& location) const {
        const auto file = location.empty() ? files_.end() : files_.find(std::stoi(location));
        return file == files_.end() ? "" : file->second + ":" + location.substr(location.find(' ') + 1);
    }

    void read_kernel(const std::string& name) {
        kernel_ = &module_->kernels[name];
        places_.clear();
        labels_.clear();
        branches_.clear();
        parameters_.clear();
        location_.clear();
        for (std::size_t i = 0; i < special_names.size(); ++i)
            kernel_->special.emplace_back(place_of(special_names[i]), i);
        std::string line;
        while (next(line) && line != "{")
            if (begins(line, ".param")) read_parameter(line);
        while (next(line) && line != "}") read_line(line);
        for (const auto& [instruction, label] : branches_) kernel_->code[instruction].target = labels_.at(label);
    }

    // .param .align 4 .b8 name[16],
    void read_parameter(const std::string& line) {
        std::istringstream words(line);
        std::string word, type;
        std::size_t align = 0, count = 1;
        while (words >> word) {
            if (word == ".align") words >> align;
            if (word[0] == '.') type = word;
        }
        if (word.back() == ',') word.pop_back();
        if (const std::size_t bracket = word.find('['); bracket != std::string::npos) {
            count = std::stoul(word.substr(bracket + 1));
            word.resize(bracket);
        }
        const std::size_t bytes = bytes_of_type(type) * count;
        align = std::max(align, bytes_of_type(type));
        const auto& all = kernel_->parameters;
        const std::size_t end = all.empty() ? 0 : all.back().offset + all.back().bytes;
        kernel_->parameters.push_back({(end + align - 1) / align * align, bytes});
        parameters_[word] = kernel_->parameters.back().offset;
    }

    void read_line(std::string line) {
        if (begins(line, ".loc")) {  // .loc 1 57 9
            std::istringstream words(line.substr(4));
            std::string file, number;
            words >> file >> number;
            location_ = file + " " + number;
            return;
        }
        if (line.empty() || line[0] == '.') return;  // .reg, .pragma
        if (line.back() == ':') {
            labels_[line.substr(0, line.size() - 1)] = kernel_->code.size();
            return;
        }
        if (line[0] == '{') line.erase(0, 1);  // a block with registers of its own: "{ .reg …", "…; }"
        std::istringstream statements(line);
        for (std::string statement; std::getline(statements, statement, ';');) {
            statement = trimmed(statement);
            if (!statement.empty() && statement[0] != '.' && statement != "}") read_instruction(statement);
        }
    }

    void read_instruction(const std::string& text) {
        Instruction instruction{text, location_};
        std::string name = text.substr(0, text.find_first_of(" \t")), rest = trimmed(text.substr(name.size()));
        if (name[0] == '@') {
            instruction.guarded = true;
            instruction.guard_negated = name[1] == '!';
            instruction.guard = place_of(name.substr(instruction.guard_negated ? 2 : 1));
            name = rest.substr(0, rest.find_first_of(" \t"));
            rest = trimmed(rest.substr(name.size()));
        }
        using Kind = Instruction::Kind;
        const bool warp = begins(name, "wmma.") || name == "bar.warp.sync";
        instruction.kind = name == "bra" || name == "bra.uni" ? Kind::branch
                           : name == "ret"                    ? Kind::exit
                           : name == "bar.sync"               ? Kind::block_barrier
                           : warp                             ? Kind::warp
                                                              : Kind::plain;
        if (instruction.kind == Kind::branch) {
            branches_.emplace_back(kernel_->code.size(), rest);
        } else if (instruction.kind == Kind::plain || warp) {
            instruction.execute = find_instruction(name);
            if (instruction.execute == nullptr)
                throw std::runtime_error("the PTX interpreter does not know this instruction: " + text);
            read_operands(instruction, name, rest);
        }
        kernel_->code.push_back(std::move(instruction));
    }

    // {%f1, %f2}, [%rd3+8], 0f3F800000
    void read_operands(Instruction& instruction, const std::string& name, std::string text) {
        const auto names_space = [&](const char* space) { return name.find(space) != std::string::npos; };
        const bool access = begins(name, "ld.") || begins(name, "st.");
        if (access && names_space(".global.")) instruction.space = Space::global;
        if (access && names_space(".shared.")) instruction.space = Space::shared;
        if (access && names_space(".param.")) instruction.space = Space::parameter;
        if (const std::size_t plus = text.find('+'); plus != std::string::npos) {
            std::size_t digits = 0;
            instruction.offset = static_cast<std::uint64_t>(std::stoll(text.substr(plus + 1), &digits));
            text.erase(plus, digits + 1);
        }
        std::erase_if(text, [](char c) { return c == '{' || c == '}' || c == '[' || c == ']' || c == ' '; });
        std::istringstream operands(text);
        for (std::string operand; std::getline(operands, operand, ',');)
            instruction.operands.push_back(place_of(operand));
    }

    std::size_t place_of(const std::string& operand) {
        const auto [found, is_new] = places_.try_emplace(operand, kernel_->initial.size());
        if (is_new) kernel_->initial.push_back(value_of(operand));
        return found->second;
    }

    std::uint64_t value_of(const std::string& operand) {
        if (operand[0] == '%') return never_written;
        if (begins(operand, "0f")) return std::stoul(operand.substr(2), nullptr, 16);
        if (operand[0] == '-') return static_cast<std::uint64_t>(std::stoll(operand));
        if (operand[0] >= '0' && operand[0] <= '9') return std::stoull(operand, nullptr, 0);
        if (const auto found = parameters_.find(operand); found != parameters_.end()) return found->second;
        if (const auto found = module_->variables.find(operand); found != module_->variables.end())
            return reinterpret_cast<std::uint64_t>(found->second.data());
        if (operand.find("gpu_dynamic_shared_memory") != std::string::npos) return 0;  // where it begins
        throw std::runtime_error("the PTX interpreter does not know this operand: " + operand);
    }

    std::istringstream lines_;
    std::unique_ptr<Module> module_ = std::make_unique<Module>();
    std::map<int, std::string> files_;
    Kernel* kernel_ = nullptr;  // and of this one:
    std::map<std::string, std::size_t> places_, labels_, parameters_;
    std::vector<std::pair<std::size_t, std::string>> branches_;
    std::string location_;
};

}  // namespace

std::unique_ptr<Module> read_module(const std::string& text) { return Reader(text).read(); }

}  // namespace ptx
