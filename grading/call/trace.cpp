#include "trace.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>

#include "case_log.hpp"
#include "escape.hpp"
#include "reporter.hpp"

namespace linattn::testing {
namespace {

constexpr rlim_t most_seconds = 10;
bool is_tracing = false;

// One line that tools/course/commands/trace.py reads: "@trace yours S 2,3 1 0 2 1 0 2".
void print(const char* kind, const std::string& name, const Shape& shape, const std::vector<std::string>& words) {
    std::string line = std::string("@trace ") + kind + " " + (name.empty() ? "output" : name) + " ";
    if (shape.empty()) line += ",";
    for (const std::size_t length : shape) line += std::to_string(length) + ",";
    for (const std::string& word : words) line += " " + word;
    std::printf("\n%s\n", line.c_str());  // what the student printed may lack the end of its line
    std::fflush(stdout);
}

void print_tensor(const char* kind, const std::string& name, const Tensor& x) {
    std::vector<std::string> words;
    words.reserve(x.size());
    for (std::size_t e = 0; e < x.size(); ++e) words.push_back(number(x.data()[e]));
    print(kind, name, shape_of(x), words);
}

void print_words(const char* kind, std::string text) {
    std::ranges::replace(text, '\n', ' ');
    print(kind, "-", {}, {escape(text)});
}

// Token i of what has one entry, or one row, for each token.
Tensor of_token(const Tensor& x, std::size_t i) { return shape_of(x).size() == 1 ? Tensor(x(i)) : token(x, i); }

// Q with every query the unit vector of this entry.
Tensor unit_queries(const Tensor& Q, std::size_t entry) {
    Tensor asked = zeros(shape_of(Q));
    for (std::size_t i = 0; i < length(Q, -2); ++i) asked(i, entry) = 1.0;
    return asked;
}

}  // namespace

void begin_trace() {
    is_tracing = true;
    const rlimit limit{most_seconds, most_seconds + 1};
    ::setrlimit(RLIMIT_CPU, &limit);
}
bool tracing() { return is_tracing; }
void trace_call(const std::string& arguments) { print_words("call", arguments); }

void print_step(const std::vector<Input>& inputs, const Parts& parts, const std::vector<Expected>& expected) {
    const auto is_part = [&](const Input& in) { return std::ranges::count(parts, in.name, &Part::name) > 0; };
    print("step", "", {}, {});
    for (const Input& input : inputs)
        if (input.value != nullptr && !input.name.empty() && !is_part(input))
            print_tensor("input", input.name, *input.value);
    bool alike = true;
    for (std::size_t p = 0; p < expected.size(); ++p) {
        const auto& got = std::get<Tensor>(parts[p].value);
        print_tensor("yours", parts[p].name, got);
        print_tensor("right", parts[p].name, expected[p].value);
        alike = alike && shape_of(got) == shape_of(expected[p].value);
        if (shape_of(got) != shape_of(expected[p].value)) continue;
        std::vector<std::string> wrong;
        for (const std::size_t e : wrong_entries(got, expected[p])) wrong.push_back(std::to_string(e));
        print("wrong", parts[p].name, {}, wrong);
    }
    if (!alike) throw CaseOver();
}

void end_trace() {
    const Case& traced = current_case();
    if (!traced.todo.empty()) print_words("todo", traced.todo);
    for (const Failure& failure : traced.failures) print_words("failed", failure.what);
    print("end", "", {}, {});
}

void trace_states(const std::function<Call<Tensor>(const Tensor& Q)>& run,
                  const std::function<Expected(const Tensor& Q)>& expected, const Tensor& Q,
                  const std::vector<Input>& inputs) {
    const std::size_t n = length(Q, -2), rows = length(Q, -1);
    std::vector<Tensor> came;
    std::vector<Expected> right;
    for (std::size_t row = 0; row <= rows; ++row) {
        const Tensor asked = row == 0 ? Q : unit_queries(Q, row - 1);
        right.push_back(expected(asked));
        came.push_back(result_of_shape(run(asked), shape_of(right.back().value)));
    }
    for (std::size_t i = 0; i < n; ++i) {
        Tensor S = zeros({rows, length(right[0].value, -1)});
        Expected output{token(right[0].value, i), token(right[0].tolerance, i), "", false}, state{S, S, "", false};
        for (std::size_t row = 0; row < rows; ++row) {
            set_token(S, row, token(came[row + 1], i));
            set_token(state.value, row, token(right[row + 1].value, i));
            set_token(state.tolerance, row, token(right[row + 1].tolerance, i));
        }
        std::vector<Tensor> kept{token(Q, i)};
        for (const Input& input : inputs) kept.push_back(of_token(*input.value, i));
        std::vector<Input> shown{{"q", &kept[0]}};
        for (std::size_t at = 0; at < inputs.size(); ++at) shown.push_back({inputs[at].name, &kept[at + 1]});
        print_step(shown, {{"output", token(came[0], i)}, {"S", S}}, {output, state});
    }
}

}  // namespace linattn::testing
