#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "interpreter.hpp"

namespace ptx {
namespace {

constexpr Number never_written = 0xdeadbeefdeadbeef;  // what a register holds at first

std::string trimmed(const std::string& text) {
    const std::size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
    return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

bool begins(const std::string& line, const std::string& with) { return line.rfind(with, 0) == 0; }

/// Takes a module apart, line by line.
class Reader {
public:
    explicit Reader(const std::string& text) : lines_(text) {}

    std::unique_ptr<Module> read() {
        for (std::string line; next(line);) {
            if (begins(line, ".visible .entry ")) read_kernel(line.substr(16, line.find('(') - 16));
            if (begins(line, ".global ")) read_variable(line);
            if (begins(line, ".file"))  // .file 1 "/somewhere/kernel.cu"
                files_[std::stoi(line.substr(5))] =
                    line.substr(line.find_last_of('/') + 1, line.rfind('"') - line.find_last_of('/') - 1);
        }
        for (auto& [name, kernel] : module_->kernels)
            for (Instruction& each : kernel.code) {
                const std::size_t space = each.source.find(' ');  // in "1 57"
                if (space != std::string::npos)
                    each.source = files_[std::stoi(each.source)] + ":" + each.source.substr(space + 1);
            }
        return std::move(module_);
    }

private:
    bool next(std::string& line) {
        if (!std::getline(lines_, line)) return false;
        line = trimmed(line.substr(0, line.find("//")));
        return true;
    }

    // .global .align 1 .b8 name[4] = {78, 111, 0};
    void read_variable(const std::string& line) {
        const std::size_t bracket = line.find('['), name = line.rfind(' ', bracket) + 1, values = line.find('{');
        std::vector<char>& bytes = module_->variables[line.substr(name, bracket - name)];
        bytes.resize(std::stoul(line.substr(bracket + 1)));
        std::istringstream list(values == std::string::npos ? "" : line.substr(values + 1));
        std::string value;
        for (char& byte : bytes)
            if (std::getline(list, value, ',')) byte = static_cast<char>(std::stoi(value));
    }

    void read_kernel(const std::string& name) {
        kernel_ = &module_->kernels[name];
        places_.clear();
        labels_.clear();
        branches_.clear();
        parameters_.clear();
        for (const char* each : special_registers) place_of(each);
        std::string line;
        while (next(line) && line != "{")
            if (begins(line, ".param")) read_parameter(line);
        for (int depth = 1; next(line);) {
            depth += line == "{" ? 1 : line == "}" ? -1 : 0;
            if (depth == 0) break;
            read_line(line);
        }
        for (const auto& [instruction, label] : branches_) kernel_->code[instruction].target = labels_.at(label);
    }

    // .param .align 4 .b8 name[16],
    void read_parameter(const std::string& line) {
        std::istringstream words(line);
        std::string word, type;
        std::size_t align = 0, count = 1, end = 0;
        while (words >> word) {
            if (word == ".align") words >> align;
            if (word[0] == '.') type = word;
        }
        if (const std::size_t bracket = word.find('['); bracket != std::string::npos)
            count = std::stoul(word.substr(bracket + 1));
        const std::size_t bytes = std::stoul(type.substr(2)) / 8;
        align = std::max(align, bytes);
        if (!kernel_->parameters.empty()) end = kernel_->parameters.back().offset + kernel_->parameters.back().bytes;
        kernel_->parameters.push_back({(end + align - 1) / align * align, bytes * count});
        parameters_[word.substr(0, word.find_first_of("[,"))] = kernel_->parameters.back().offset;
    }

    void read_line(std::string line) {
        if (begins(line, ".loc")) {  // .loc 1 57 9
            std::istringstream words(line.substr(4));
            std::string file, number;
            words >> file >> number;
            location_ = file + " " + number;
        } else if (!line.empty() && line.back() == ':') {
            labels_[line.substr(0, line.size() - 1)] = kernel_->code.size();
        } else {  // also "{ .reg .b64 %tmp;" and "cvta.shared.u64 %rd1, %tmp; }"
            std::istringstream statements(begins(line, "{") ? line.substr(1) : line);
            for (std::string text; std::getline(statements, text, ';');) {
                text = trimmed(text);
                if (!text.empty() && text[0] != '.' && text != "}") read_instruction(text);
            }
        }
    }

    void read_instruction(const std::string& text) {
        Instruction instruction{text, location_};
        std::istringstream words(text);
        std::string name, operands;
        words >> name;
        if (name[0] == '@') {
            instruction.guarded = true;
            instruction.guard_negated = name[1] == '!';
            instruction.guard = place_of(name.substr(instruction.guard_negated ? 2 : 1));
            words >> name;
        }
        std::getline(words, operands);
        using Kind = Instruction::Kind;
        if (name == "ret") {
            instruction.kind = Kind::exit;
        } else if (name == "bar.sync") {
            instruction.kind = Kind::barrier;
        } else if (name == "bra" || name == "bra.uni") {
            instruction.kind = Kind::branch;
            branches_.emplace_back(kernel_->code.size(), trimmed(operands));
        } else {
            if (begins(name, "wmma.") || name == "bar.warp.sync") instruction.kind = Kind::warp;
            instruction.execute = find_instruction(name);
            if (instruction.execute == nullptr)
                throw std::runtime_error("the PTX interpreter does not know this instruction: " + text);
            read_operands(instruction, name, operands);
        }
        kernel_->code.push_back(std::move(instruction));
    }

    // {%f1, %f2}, [%rd3+8], 0f3F800000
    void read_operands(Instruction& instruction, const std::string& name, std::string text) {
        if (begins(name, "ld.global") || begins(name, "st.global")) instruction.space = Space::global;
        if (begins(name, "ld.shared") || begins(name, "st.shared")) instruction.space = Space::shared;
        if (begins(name, "ld.param")) instruction.space = Space::parameter;
        if (const std::size_t plus = text.find('+'); plus != std::string::npos) {
            std::size_t digits = 0;
            instruction.offset = static_cast<Number>(std::stoll(text.substr(plus + 1), &digits));
            text.erase(plus, digits + 1);
        }
        std::erase_if(text, [](char c) { return std::string("{[ \t]}").find(c) != std::string::npos; });
        std::istringstream operands(text);
        for (std::string operand; std::getline(operands, operand, ',');)
            instruction.operands.push_back(place_of(operand));
    }

    std::size_t place_of(const std::string& operand) {
        const auto [found, is_new] = places_.try_emplace(operand, kernel_->initial.size());
        if (is_new) kernel_->initial.push_back(value_of(operand));
        return found->second;
    }

    Number value_of(const std::string& operand) {
        if (begins(operand, "%") || begins(operand, "__$")) return never_written;  // registers
        if (begins(operand, "0f")) return std::stoul(operand.substr(2), nullptr, 16);
        if (begins(operand, "-")) return static_cast<Number>(std::stoll(operand));
        if (operand[0] >= '0' && operand[0] <= '9') return std::stoull(operand, nullptr, 0);
        if (const auto found = parameters_.find(operand); found != parameters_.end()) return found->second;
        if (const auto found = module_->variables.find(operand); found != module_->variables.end())
            return reinterpret_cast<Number>(found->second.data());
        if (operand.find("gpu_dynamic_shared_memory") != std::string::npos) return 0;  // where it begins
        throw std::runtime_error("the PTX interpreter does not know this operand: " + operand);
    }

    std::istringstream lines_;
    std::unique_ptr<Module> module_ = std::make_unique<Module>();
    std::map<int, std::string> files_;
    Kernel* kernel_ = nullptr;  // the one that is read, and of it:
    std::map<std::string, std::size_t> places_, labels_, parameters_;
    std::vector<std::pair<std::size_t, std::string>> branches_;
    std::string location_;
};

}  // namespace

std::unique_ptr<Module> read_module(const std::string& text) { return Reader(text).read(); }

}  // namespace ptx
