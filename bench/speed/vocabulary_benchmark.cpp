// The vocabulary's loops before and after they became faster, on a batch as lab 08 trains with: 32 sequences of 16 tokens,
// 64 numbers each. `before` has the loops of labs/vocabulary/tensor.cpp as they were: the operation is chosen anew for
// each entry, every result is filled with 0 first, an operand that is stretched or a number becomes a whole Tensor, and
// sums go through memory.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tensor.hpp"
#include "xtensor_support/xtensor_views.hpp"

namespace {

using linattn::Shape;
using linattn::Tensor;
using linattn::eager::Binary;
using linattn::eager::Unary;

namespace before {

Tensor make(const Shape& shape, double value) { return Tensor(Tensor::shape_type(shape.begin(), shape.end()), value); }
Shape shape_of(const Tensor& x) { return Shape(x.shape().begin(), x.shape().end()); }

double compute(Unary operation, double x) {
    switch (operation) {
        case Unary::negate: return -x;
        case Unary::exp: return std::exp(x);
        case Unary::log: return std::log(x);
        case Unary::sqrt: return std::sqrt(x);
        case Unary::abs: return std::fabs(x);
        case Unary::sin: return std::sin(x);
        case Unary::cos: return std::cos(x);
        default: return x;
    }
}
double maximum_of(double a, double b) { return std::isnan(a) || a >= b ? a : b; }
double minimum_of(double a, double b) { return std::isnan(a) || a <= b ? a : b; }
double compute(Binary operation, double a, double b) {
    switch (operation) {
        case Binary::add: return a + b;
        case Binary::subtract: return a - b;
        case Binary::multiply: return a * b;
        case Binary::divide: return a / b;
        case Binary::maximum: return maximum_of(a, b);
        case Binary::minimum: return minimum_of(a, b);
        case Binary::less: return a < b ? 1.0 : 0.0;
        case Binary::less_equal: return a <= b ? 1.0 : 0.0;
        case Binary::greater: return a > b ? 1.0 : 0.0;
        case Binary::greater_equal: return a >= b ? 1.0 : 0.0;
        default: return a;
    }
}

Tensor broadcast_to(const Tensor& x, const Shape& shape) {
    if (shape_of(x) == shape) return x;
    Tensor result = make(shape, 0.0);
    if (result.size() > 0) result = xt::broadcast(x, shape);
    return result;
}

Tensor apply(Unary operation, const Tensor& x) {
    Tensor result = make(shape_of(x), 0.0);
    std::transform(x.data(), x.data() + x.size(), result.data(), [&](double v) { return compute(operation, v); });
    return result;
}
Tensor apply(Binary operation, const Tensor& a, const Tensor& b) {
    const Shape shape = shape_of(a);
    Tensor result = broadcast_to(a, shape);
    const Tensor right = broadcast_to(b, shape);
    std::transform(result.data(), result.data() + result.size(), right.data(), result.data(),
                   [&](double x, double y) { return compute(operation, x, y); });
    return result;
}
Tensor apply(Binary operation, double a, const Tensor& b) { return before::apply(operation, make(shape_of(b), a), b); }

Tensor sum_of_rows(const Tensor& x) {
    Shape shape = shape_of(x);
    const std::size_t length = shape.back(), rows = x.size() / length;
    shape.pop_back();
    Tensor result = make(shape, 0.0);
    for (std::size_t o = 0; o < rows; ++o)
        for (std::size_t l = 0; l < length; ++l) {
            double& entry = result.data()[o];
            entry = entry + x.data()[o * length + l];
        }
    return result;
}

}  // namespace before

Tensor random_tensor(const Shape& shape, unsigned seed) {
    std::mt19937 engine(seed);
    std::normal_distribution<double> normal;
    Tensor x = linattn::zeros(shape);
    std::generate(x.data(), x.data() + x.size(), [&] { return normal(engine); });
    return x;
}

const Tensor x = random_tensor({32, 16, 64}, 1), y = random_tensor({32, 16, 64}, 2), row = random_tensor({64}, 3);

// The vocabulary is a library: its loops do not know the operation when they are compiled.
volatile Binary add = Binary::add, multiply = Binary::multiply, subtract = Binary::subtract;
volatile Unary exponential = Unary::exp;

struct Pair {
    const char* name;
    Tensor (*before)();
    Tensor (*now)();
};
const Pair pairs[] = {
    {"x + y", [] { return before::apply(add, x, y); }, [] { return linattn::eager::apply(add, x, y); }},
    {"x * row", [] { return before::apply(multiply, x, row); }, [] { return linattn::eager::apply(multiply, x, row); }},
    {"1 - x", [] { return before::apply(subtract, 1.0, x); }, [] { return linattn::eager::apply(subtract, 1.0, x); }},
    {"exp(x)", [] { return before::apply(exponential, x); }, [] { return linattn::eager::apply(exponential, x); }},
    {"sum(x, -1)", [] { return before::sum_of_rows(x); }, [] { return linattn::sum(x, -1); }},
};

void measure(benchmark::State& state, const Pair& pair, Tensor (*form)()) {
    const Tensor old = pair.before(), now = pair.now();
    if (old.shape() != now.shape() || !std::equal(old.data(), old.data() + old.size(), now.data()))
        return state.SkipWithError("before and now do not give the same bits");
    for (auto _ : state) benchmark::DoNotOptimize(form());
}

const bool registered = [] {
    for (const Pair& pair : pairs) {
        const std::string name = pair.name;
        benchmark::RegisterBenchmark(("before/" + name).c_str(), [&pair](benchmark::State& state) {
            measure(state, pair, pair.before);
        })->Unit(benchmark::kMicrosecond);
        benchmark::RegisterBenchmark(("now/" + name).c_str(), [&pair](benchmark::State& state) {
            measure(state, pair, pair.now);
        })->Unit(benchmark::kMicrosecond);
    }
    return true;
}();

}  // namespace
