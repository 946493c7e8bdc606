// Checks one function of lab 06 by central differences, which are the student's too, or measures it; ./course gradcheck starts
// this program for each function, and draws.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <new>

#include "gradients.hpp"
#include "peak_memory.hpp"
#include "program.hpp"
#include "random.hpp"

namespace {

using namespace linattn;

constexpr double step = 1e-5, epsilon = 0.5, agrees = 1e-6;
constexpr unsigned most_seconds = 60;
constexpr rlim_t most_bytes = rlim_t{4} << 30;
constexpr std::size_t long_n = 2048, width = 64, chunk = 32;

// A gradient to check: of a loss with respect to one argument, at these numbers.
struct Check {
    std::string argument;
    Tensor at;
    ScalarFunction loss;
    std::function<Tensor()> gradient;
};

Tensor elu_features(const Tensor& x) { return where(x > 0.0, x + 1.0, exp(minimum(x, 0.0))); }

Tensor attention(const Tensor& phi_Q, const Tensor& phi_K, const Tensor& V) {
    const Tensor place = arange(length(V, -2));
    const Tensor A = matmul(phi_Q, matrix_transpose(phi_K)) * (expand_dims(place, -1) - place >= 0.0);
    return matmul(A, V) / (sum(A, -1, keep_dims) + epsilon);
}

using Backward = std::function<AttentionGradients(const Tensor& phi_Q, const Tensor& phi_K, const Tensor& V,
                                                  const Tensor& dO, double epsilon, std::size_t chunk)>;

template <class Function>
Backward without_chunk(Function function) {
    return [function](const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& dO, double eps, std::size_t) {
        return function(Q, K, V, dO, eps);
    };
}

const std::map<std::string, Backward> forms{
    {"attention_backward_quadratic", without_chunk(attention_backward_quadratic)},
    {"causal_attention_backward_parallel", without_chunk(causal_attention_backward_parallel)},
    {"causal_attention_backward", without_chunk(causal_attention_backward)},
    {"causal_attention_backward_chunkwise", causal_attention_backward_chunkwise}};

// The loss is the sum of dO ⊙ O.
std::vector<Check> checks_of_attention(const Backward& backward) {
    constexpr std::size_t n = 7, c = 3, d_v = 2;
    const Tensor Q = elu_features(normal({2, n, c}, 1)), K = elu_features(normal({2, n, c}, 2)),
                 V = normal({2, n, d_v}, 3), dO = normal({2, n, d_v}, 4);
    const auto check = [=](const char* argument, const Tensor& at, const auto& seen, Tensor AttentionGradients::*part) {
        return Check{argument, at, {"loss", [=](const Tensor& x) { return total(dO * seen(x)); }}, [=] {
                         return backward(Q, K, V, dO, epsilon, 3).*part;
                     }};
    };
    return {check(
                "φ(Q)", Q, [=](const Tensor& x) { return attention(x, K, V); }, &AttentionGradients::phi_Q),
            check(
                "φ(K)", K, [=](const Tensor& x) { return attention(Q, x, V); }, &AttentionGradients::phi_K),
            check(
                "V", V, [=](const Tensor& x) { return attention(Q, K, x); }, &AttentionGradients::V)};
}

std::vector<Check> checks_of(const std::string& function) {
    const Tensor x = normal({2, 5, 3}, 1), dY = normal(shape_of(x), 2);
    const auto only = [&](const char* name, const auto& loss, const auto& gradient) {
        return std::vector<Check>{{"x", x, {name, loss}, gradient}};
    };
    if (function == "central_differences")  // of a loss that couples its entries: each has to be put back
        return only(
            "square of a sum", [](const Tensor& at) { return std::pow(total(exp(at)), 2); },
            [=] { return 2.0 * total(exp(x)) * exp(x); });
    if (function == "elu_plus_one_backward")
        return only(
            "elu", [=](const Tensor& at) { return total(dY * elu_features(at)); },
            [=] { return elu_plus_one_backward(x, dY); });
    if (function == "reverse_cumsum")
        return only(
            "cumsum", [=](const Tensor& at) { return total(dY * cumsum(at, -2)); },
            [=] { return reverse_cumsum(dY, -2); });
    return checks_of_attention(forms.at(function));
}

// The loss of the chapter's worked example, in which the gate a_i multiplies S_{i-1} and z_{i-1}.
double gated_loss(const Tensor& a) {
    const Tensor Q{{1, 1}, {2, 1}, {1, 0}}, K{{1, 1}, {1, 3}, {2, 0}}, V{{1, 0, 2}, {0, 1, 1}, {3, 0, 1}},
        dO{{2, 0, 0}, {0, 8, 0}, {4, 0, 4}};
    Tensor S = zeros({2, 3}), z = zeros({2});
    double loss = 0.0;
    for (std::size_t i = 0; i < length(Q, 0); ++i) {
        const Tensor k = token(K, i), q = token(Q, i);
        S = a(i) * S + expand_dims(k, -1) * token(V, i);
        z = a(i) * z + k;
        loss += total(token(dO, i) * sum(expand_dims(q, -1) * S, 0)) / total(q * z);
    }
    return loss;
}

void print_gates() {
    const Tensor found = central_differences({"gated", gated_loss}, ones({3}), step);
    std::printf("\nda_1, da_2, da_3 of section 6.6 by your 6.1: %.7g, %.7g, %.7g\n", found(0), found(1), found(2));
}

std::string place_of(std::size_t entry, const Shape& shape) {
    std::string text = "]";
    for (std::size_t axis = shape.size(); axis-- > 0; entry /= shape[axis])
        text = (axis > 0 ? ", " : "[") + std::to_string(entry % shape[axis]) + text;
    return text;
}

struct Furthest {
    double error, own, differences;
    std::size_t at;
};

// Where the gradient is furthest from the differences, relative to the larger of both, or, for entries near 0, to a
// hundredth of the largest entry.
Furthest furthest(const Check& check, double h) {
    const Tensor own = check.gradient(), differences = central_differences(check.loss, check.at, h);
    const Shape shape = shape_of(check.at);
    for (const auto& [name, found] : {std::pair("central_differences", differences), std::pair("the gradient", own)})
        if (shape_of(found) != shape)
            throw std::runtime_error(std::string(name) + " has shape " + to_string(shape_of(found)) + ", not " +
                                     to_string(shape));
    double floor = 1e-300;
    for (const double entry : differences) floor = std::max(floor, 1e-2 * std::fabs(entry));
    Furthest found{-1.0, 0.0, 0.0, 0};
    for (std::size_t e = 0; e < own.size() && !std::isnan(found.error); ++e) {
        const double a = own.data()[e], b = differences.data()[e];
        const double error = std::fabs(a - b) / std::max({std::fabs(a), std::fabs(b), floor});
        if (!(error <= found.error)) found = {error, a, b, e};
    }
    return found;
}

std::string number(double x) { return std::isfinite(x) ? format("%.7g", x) : "no number"; }

void print_row(const std::string& function, const std::string& argument, const std::string& error,
               const std::string& at, const std::string& own, const std::string& differences,
               const std::string& verdict) {
    const auto is_continued = [](char byte) { return (byte & 0xC0) == 0x80; };  // bytes that take no column
    const auto more = static_cast<int>(std::count_if(argument.begin(), argument.end(), is_continued));
    std::printf("%-37s  %-*s  %13s  %-10s  %13s  %13s  %s\n", function.c_str(), 8 + more, argument.c_str(),
                error.c_str(), at.c_str(), own.c_str(), differences.c_str(), verdict.c_str());
}

// \return whether the gradient agrees
bool print_check(const std::string& function, const Check& check, bool is_judge_wrong) {
    const Furthest found = furthest(check, step);
    const bool is_right = found.error <= agrees;
    print_row(function, check.argument, std::isfinite(found.error) ? format("%.1e", found.error) : "no number",
              place_of(found.at, shape_of(check.at)), number(found.own), number(found.differences),
              is_judge_wrong ? "NOT CHECKED: 6.1 is wrong"
              : is_right     ? "ok"
                             : "WRONG");
    return is_right;
}

// Appends the largest error over all arguments, for steps from 10⁻¹ down to 10⁻¹³.
void write_curve(const std::string& function, const std::vector<Check>& checks, const std::string& file) {
    for (int half_decades = -2; half_decades >= -26; --half_decades) {
        const double h = std::pow(10.0, 0.5 * half_decades);
        double largest = 0.0;
        for (const Check& check : checks) {
            const double error = furthest(check, h).error;
            largest = std::max(largest, std::isfinite(error) ? error : 1.0);
        }
        std::ofstream(file, std::ios::app) << function << "," << exact(h) << "," << exact(largest) << std::endl;
    }
}

// The shortest of several runs, and what one allocates at its peak beside its arguments and the gradients.
void print_cost(const std::string& function) {
    const Tensor Q = elu_features(normal({long_n, width}, 1)), K = elu_features(normal({long_n, width}, 2)),
                 V = normal({long_n, width}, 3), dO = normal({long_n, width}, 4);
    double shortest = INFINITY, bytes = 0.0;
    for (const double began = processor_seconds(); processor_seconds() < began + 1.0;) {
        restart_peak();
        const double before = processor_seconds();
        const AttentionGradients d = forms.at(function)(Q, K, V, dO, 1e-6, chunk);
        shortest = std::min(shortest, processor_seconds() - before);
        bytes = static_cast<double>(peak_bytes() - held_bytes());
    }
    const std::string time = shortest >= 1 ? format("%.2f s", shortest) : format("%.3g ms", 1e3 * shortest),
                      memory = bytes >= 1e6 ? format("%.0f MB", bytes / 1e6) : format("%.0f KB", bytes / 1e3);
    std::printf("%-37s  %8s  %8s\n", function.c_str(), time.c_str(), memory.c_str());
}

enum Outcome { right = 0, wrong = 1, unwritten = 3 };

// A part of the work, which is not done where a function is not written or throws. \param print_reason says so
Outcome outcome_of(const std::string& function, const std::function<bool()>& work,
                   const std::function<void(const std::string&)>& print_reason) {
    try {
        return work() ? right : wrong;
    } catch (const NotImplemented& missing) {
        print_reason(missing.function() == function ? "TODO" : "TODO: waits for " + missing.function());
        return unwritten;
    } catch (const std::bad_alloc&) {
        print_reason("FAILED: needs more than 4 GB of memory");
    } catch (const std::exception& error) {
        print_reason(std::string("FAILED: ") + error.what());
    }
    return wrong;
}

// Right where what is written agrees; what is wrong counts more.
int check_gradients(const std::string& function, const Arguments& in) {
    const std::vector<Check> checks = checks_of(function);
    Outcome all = unwritten;
    const auto add = [&](Outcome each) { all = all == wrong || each == unwritten ? all : each; };
    for (const Check& each : checks)
        add(outcome_of(
            function, [&] { return print_check(function, each, in.is_set("judge_is_wrong")); },
            [&](const std::string& reason) { print_row(function, each.argument, "", "", "", "", reason); }));
    add(outcome_of(
        function, [&] { return write_curve(function, checks, in.text("curves")), true; }, [](const std::string&) {}));
    return all;
}

int run(const Arguments& in) {
    end_when_asked();
    const rlimit limit{most_bytes, most_bytes};
    setrlimit(RLIMIT_AS, &limit);
    alarm(most_seconds);
    const std::string function = in.text("function");
    if (in.text("part") == "gradients") return check_gradients(function, in);
    const bool is_gates = in.text("part") == "gates";
    return outcome_of(
        function, [&] { return is_gates ? print_gates() : print_cost(function), true; },
        [&](const std::string& reason) {
            if (!is_gates) std::printf("%-37s  %s\n", function.c_str(), reason.c_str());
        });
}

}  // namespace

int main(int count, char** values) { return run_program(count, values, run); }
