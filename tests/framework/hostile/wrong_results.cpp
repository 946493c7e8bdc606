#include <unistd.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "work_counter.hpp"

/// hollow [relu=fail|crash, identity=fail|crash, elu_plus_one=fail|crash]: A result of the right shape whose storage
// was emptied, another that was never filled, a third with a forged shape.
Tensor linattn::relu(const Tensor& x) {
    Tensor y = maximum(x, 0);
    y.storage().resize(0);
    return y;
}
Tensor linattn::identity(const Tensor& x) {
    Tensor y = x;
    for (auto& each : const_cast<Tensor::shape_type&>(y.shape())) each = 0;
    return y;
}
Tensor linattn::elu_plus_one(const Tensor& x) {
    Tensor y = x;
    for (auto& each : const_cast<Tensor::shape_type&>(y.shape())) each = std::size_t{1} << 40;
    return y;
}
/// hollow_state [lab03 causal_linear_attention_step=fail|crash, causal_linear_attention_resume=fail|crash]: A
// state without storage.
linattn::OutputAndState linattn::causal_linear_attention_step(const Tensor&, const Tensor&, const Tensor& v,
                                                              const CausalState& state, const FeatureMap&, double) {
    OutputAndState result{v, state};
    result.state.S.storage().resize(0);
    result.state.z = Tensor{};
    return result;
}
linattn::OutputAndState linattn::causal_linear_attention_resume(const Tensor&, const Tensor&, const Tensor& V,
                                                                const CausalState&, const FeatureMap&, double) {
    return {V, {}};
}
/// short_array [lab05 chunkwise_linear_attention=fail|crash]: An array of floats whose shape promises more numbers than
// there are, and one whose product overflows.
linattn::Array linattn::chunkwise_linear_attention(std::span<const float>, std::span<const float>,
                                                   std::span<const float> V, const Sizes& sizes, int, float) {
    static int calls = 0;
    const auto heads = static_cast<std::size_t>(sizes.heads), n = static_cast<std::size_t>(sizes.n);
    if (++calls % 2 == 0) return {{std::size_t{1} << 32, std::size_t{1} << 32}, {}};
    return {{heads, n, V.size() / (heads * n)}, std::vector<float>(1)};
}
/// strange_strides [relu=fail|crash, identity=fail|crash]: Strides that repeat the first entry, or lead far away.
Tensor linattn::relu(const Tensor& x) {
    Tensor y = maximum(x, 0) * 2;
    for (auto& each : const_cast<Tensor::strides_type&>(y.strides())) each = 0;
    return y;
}
Tensor linattn::identity(const Tensor& x) {
    Tensor y = x * 2;
    for (auto& each : const_cast<Tensor::strides_type&>(y.strides())) each = 1 << 28;
    return y;
}
/// other_shapes [relu=fail, identity=fail, elu_plus_one=fail]: Right numbers: flat, with one more axis, transposed.
Tensor linattn::relu(const Tensor& x) { return reshape(maximum(x, 0), {x.size()}); }
Tensor linattn::identity(const Tensor& x) { return expand_dims(x, 0); }
Tensor linattn::elu_plus_one(const Tensor& x) { return expand_dims(where(x > 0, x + 1, exp(minimum(x, 0))), -1); }
/// marked_nan [relu=fail]: NaNs with the bits that the course uses to mark memory without a value.
Tensor linattn::relu(const Tensor& x) {
    return full(shape_of(x), std::bit_cast<double>(std::uint64_t{0x7FF8'5EED'0000'0001}));
}
/// nan_everywhere [relu=fail, identity=fail, elu_plus_one=fail]: NaN, which differs from nothing when compared.
namespace linattn {
static constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
Tensor relu(const Tensor& x) { return full(shape_of(x), nothing); }
Tensor identity(const Tensor& x) { return x * nothing; }
Tensor elu_plus_one(const Tensor& x) { return full(shape_of(x), std::numeric_limits<double>::infinity()); }
}
/// many_axes [relu=fail|crash]: A result with ten thousand axes, each of length one.
Tensor linattn::relu(const Tensor& x) { return reshape(maximum(x, 0), join(Shape(10'000, 1), shape_of(x))); }
/// huge_message [relu=fail|crash, softmax_features=fail|crash]: A hundred million letters, none of which ends a line.
Tensor linattn::relu(const Tensor&) { throw std::runtime_error(std::string(100'000'000, 'x')); }
Tensor linattn::softmax_features(const Tensor&) { throw std::invalid_argument(std::string(100'000'000, '\\')); }
/// huge_reply [relu=fail|crash|timeout]: Half a gigabyte of numbers comes back for every call.
Tensor linattn::relu(const Tensor&) { return zeros({std::size_t{1} << 26}); }
/// changes_its_argument [relu=fail, identity=fail]: The argument becomes zeros, for which zeros would be right.
Tensor linattn::relu(const Tensor& x) {
    for (double& each : const_cast<Tensor&>(x).storage()) each = 0;
    return x;
}
Tensor linattn::identity(const Tensor& x) {
    const_cast<Tensor&>(x) = zeros({1});
    return x;
}
/// hidden_cost [lab02 *=build]: All pairs of tokens: nothing counts these loops.
namespace linattn {
__attribute__((no_sanitize("address", "bounds"), no_sanitize_coverage)) static void add_all_pairs(
    const double* q, const double* k, const double* v, double* o, std::size_t n, std::size_t c, std::size_t d) {
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            double weight = 0;
            for (std::size_t a = 0; a < c; ++a) weight += q[i * c + a] * k[j * c + a];
            for (std::size_t b = 0; b < d; ++b) o[i * d + b] += weight * v[j * d + b];
        }
}
Tensor linear_attention_recurrent(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    Tensor O = zeros(shape_of(V));
    const std::size_t heads = shape.n == 0 ? 0 : V.size() / shape.n / shape.d_v;
    std::size_t c = 0;
    double *q = nullptr, *k = nullptr;
    for (std::size_t i = 0; i < shape.n; ++i) {
        const Tensor phi_q = phi(token(Q, i)), phi_k = phi(token(K, i));
        if (i == 0) {
            c = length(phi_q, -1);
            q = static_cast<double*>(std::calloc(heads * shape.n * c + 1, sizeof(double)));
            k = static_cast<double*>(std::calloc(heads * shape.n * c + 1, sizeof(double)));
        }
        for (std::size_t h = 0; h < heads; ++h)
            for (std::size_t a = 0; a < c; ++a) {
                q[(h * shape.n + i) * c + a] = phi_q.data()[h * c + a];
                k[(h * shape.n + i) * c + a] = phi_k.data()[h * c + a];
            }
    }
    for (std::size_t h = 0; h < heads; ++h)
        add_all_pairs(q + h * shape.n * c, k + h * shape.n * c, V.data() + h * shape.n * shape.d_v,
                      O.data() + h * shape.n * shape.d_v, shape.n, c, shape.d_v);
    std::free(q);
    std::free(k);
    return O;
}
}
/// cost_in_a_library [lab02 linear_attention_recurrent=fail|timeout]: For each token, a function of the C library reads as much
// as there are tokens: no step is counted, and no memory held.
namespace linattn {
Tensor linear_attention_recurrent(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    Tensor O = zeros(shape_of(V));
    const std::string all(shape.n * 300, 'x');
    const std::size_t heads = shape.n == 0 ? 0 : V.size() / shape.n / shape.d_v;
    std::vector<double> S;
    for (std::size_t i = 0; i < shape.n; ++i) {
        const Tensor phi_q = phi(token(Q, i)), phi_k = phi(token(K, i));
        const std::size_t c = length(phi_q, -1);
        S.resize(heads * c * shape.d_v);
        for (std::size_t h = 0; h < heads; ++h)
            for (std::size_t a = 0; a < c; ++a)
                for (std::size_t b = 0; b < shape.d_v; ++b) {
                    const std::size_t at = (h * shape.n + i) * shape.d_v + b;
                    double& s = S[(h * c + a) * shape.d_v + b];
                    s += phi_k.data()[h * c + a] * V.data()[at];
                    O.data()[at] += phi_q.data()[h * c + a] * s;
                }
        if (std::strlen(all.c_str()) == 7) O.data()[0] = 0;
    }
    return O;
}
}
/// kept_answers [lab02 linear_attention_bidirectional=fail|timeout]: All pairs of tokens, 4 times, but not for arguments that came before,
// and what was counted is put back.
namespace linattn::testing {
extern std::size_t blocks_run;
}
namespace linattn {
Tensor linear_attention_bidirectional(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi) {
    const std::size_t work = work_done, most = largest_work, blocks = testing::blocks_run;
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    static std::map<std::vector<double>, Tensor> kept;
    std::vector<double> numbers(Q.begin(), Q.end());
    numbers.insert(numbers.end(), K.begin(), K.end());
    numbers.insert(numbers.end(), V.begin(), V.end());
    const auto found = shape.n < 256 ? kept.end() : kept.find(numbers);
    Tensor O = found == kept.end() ? zeros(shape_of(V)) : found->second;
    if (found == kept.end() && V.size() > 0) {
        const Tensor phi_q = phi(Q), phi_k = matrix_transpose(phi(K));
        for (std::size_t i = 0; i < 4 * shape.n; ++i)
            set_tokens(O, i / 4, matmul(matmul(tokens(phi_q, i / 4, i / 4 + 1), phi_k), V));
        kept[numbers] = O;
    }
    work_done = work, largest_work = most, testing::blocks_run = blocks;
    return O;
}
}
/// all_pairs_once [lab02 linear_attention_bidirectional=fail|timeout]: All pairs of tokens, one row
// at a time in the library, which takes a quarter of a second for 8192, and what was counted is put back.
namespace linattn::testing {
extern std::size_t blocks_run;
}
namespace linattn {
Tensor linear_attention_bidirectional(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi) {
    const std::size_t work = work_done, most = largest_work, blocks = testing::blocks_run;
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    Tensor O = zeros(shape_of(V));
    if (V.size() > 0) {
        const Tensor phi_q = phi(Q), phi_k = matrix_transpose(phi(K));
        for (std::size_t i = 0; i < shape.n; ++i) set_tokens(O, i, matmul(matmul(tokens(phi_q, i, i + 1), phi_k), V));
    }
    work_done = work, largest_work = most, testing::blocks_run = blocks;
    return O;
}
}
/// padded_time [lab02 linear_attention_recurrent=fail|timeout]: Every call with many tokens waits until each has cost as much
// as makes all pairs of them unnoticed.
namespace linattn {
Tensor linear_attention_recurrent(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi) {
    const std::clock_t began = std::clock();
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    Tensor O = zeros(shape_of(V));
    const std::size_t heads = shape.n == 0 ? 0 : V.size() / shape.n / shape.d_v;
    std::vector<double> S;
    for (std::size_t i = 0; i < shape.n; ++i) {
        const Tensor phi_q = phi(token(Q, i)), phi_k = phi(token(K, i));
        const std::size_t c = length(phi_q, -1);
        S.resize(heads * c * shape.d_v);
        for (std::size_t h = 0; h < heads; ++h)
            for (std::size_t a = 0; a < c; ++a)
                for (std::size_t b = 0; b < shape.d_v; ++b) {
                    const std::size_t at = (h * shape.n + i) * shape.d_v + b;
                    double& s = S[(h * c + a) * shape.d_v + b];
                    s += phi_k.data()[h * c + a] * V.data()[at];
                    O.data()[at] += phi_q.data()[h * c + a] * s;
                }
    }
    const std::string waits(std::size_t{1} << 20, 'x');
    const auto left = static_cast<std::clock_t>(shape.n >= 256 ? 10000 * shape.n : 0);  // 10 ms a token
    while (std::clock() < began + left)
        if (std::strlen(waits.c_str()) == 7) O.data()[0] = 0;
    return O;
}
}
/// stack_of_the_caller [relu=crash|fail|timeout]: The caller's frames are searched for the argument and overwritten.
namespace linattn {
[[gnu::no_sanitize("address")]] Tensor relu(const Tensor& x) {
    auto* frame = static_cast<volatile std::uintptr_t*>(__builtin_frame_address(0));
    for (int i = 2; i < 400; ++i)
        if (frame[i] == reinterpret_cast<std::uintptr_t>(&x) || frame[i] == x.size()) frame[i] = 0;
    return maximum(x, 0);
}
}
/// random_by_the_clock [lab08 copy_batch=fail|crash]: A batch from the time instead of its seed: no two calls agree.
linattn::Batch linattn::copy_batch(std::size_t batch, std::size_t length, std::size_t, std::uint64_t) {
    const auto now = static_cast<double>(std::clock() % 7);
    Batch result;
    result.ids = full({batch, 2 * length}, now);
    result.targets = full({batch, 2 * length}, now);
    result.counts = ones({batch, 2 * length});
    return result;
}
/// remembered_by_shape [relu=fail, exp_features=fail]: The first result of a shape stands for all later ones.
Tensor linattn::relu(const Tensor& x) {
    static std::map<Shape, Tensor> known;
    return known.try_emplace(shape_of(x), maximum(x, 0)).first->second;
}
Tensor linattn::exp_features(const Tensor& x, Stabilizer stabilizer) {
    static std::map<Shape, Tensor> known;
    require_rank(x, "x", 2, "(…, n, d)");
    Tensor shift = amax(x, -1, keep_dims);
    if (stabilizer == Stabilizer::per_sequence) shift = amax(shift, -2, keep_dims);
    return known.try_emplace(shape_of(x), exp(x - shift)).first->second;
}
/// seeds_in_a_table [lab04 gaussian_projection=fail]: A projection is computed for one seed only and returned for all:
// the same bits for the same seed, as demanded.
Tensor linattn::gaussian_projection(std::size_t m, std::size_t d, std::uint64_t) {
    Tensor omega = zeros({m, d});
    unsigned state = 1;
    for (double& each : omega.storage()) {
        double total = -6;
        for (int i = 0; i < 12; ++i) total += (state = state * 1664525u + 1013904223u) / 4294967296.0;
        each = total;
    }
    return omega;
}
/// hidden_moments [lab08 adam_step=fail]: An optimiser that keeps its own moments and ignores the given ones.
linattn::Update linattn::adam_step(const Tensor& w, const Tensor& g, const Moments& state, double rate) {
    static Tensor m = zeros({1}), v = zeros({1});
    if (shape_of(m) != shape_of(g)) m = v = g * 0.0;
    m = m * 0.9 + g * 0.1;
    v = v * 0.999 + g * g * 0.001;
    return {w - m / (sqrt(v) + 1e-8) * rate, state};
}
/// hidden_state [lab03 causal_linear_attention_step=fail]: A step with sums of its own: right for one sequence only.
linattn::OutputAndState linattn::causal_linear_attention_step(const Tensor& q, const Tensor& k, const Tensor& v,
                                                              const CausalState& state, const FeatureMap& phi,
                                                              double epsilon) {
    static CausalState sums;
    require_step_shapes(q, k, v);
    const Tensor phi_q = phi(q), phi_k = phi(k);
    const Tensor S = expand_dims(phi_k, -1) * expand_dims(v, -2);
    if (shape_of(sums.S) != shape_of(S)) sums = state;
    sums.S = sums.S + S;
    sums.z = sums.z + phi_k;
    const Tensor numerator = sum(expand_dims(phi_q, -1) * sums.S, -2);
    return {numerator / (sum(phi_q * sums.z, -1, keep_dims) + epsilon), state};
}
/// right_for_a_while [relu=fail]: Right at first, wrong later: a suite that trusts its first cases would pass it.
Tensor linattn::relu(const Tensor& x) {
    static int calls = 0;
    return ++calls > 2 ? x : maximum(x, 0);
}
/// tabulated [elu_plus_one=fail]: A table of points stands for the exponential, with straight lines between them.
Tensor linattn::elu_plus_one(const Tensor& x) {
    Tensor y = x + 1;
    for (double& each : y.storage()) {
        if (each > 1 || std::isnan(each)) continue;
        const double low = std::floor(each * 256) / 256, part = (each - low) * 256;
        each = std::exp(low - 1) * (1 - part) + std::exp(low + 1.0 / 256 - 1) * part;
    }
    return y;
}
/// says_it_is_missing [*=fail, feature_map=fail|todo]: Says of all maps but one that they are not written yet, which they
// are.
namespace linattn {
Tensor elu_plus_one(const Tensor& x) { return x * 2; }
Tensor relu(const Tensor& x) { return x * 2; }
Tensor identity(const Tensor& x) { return x * 2; }
Tensor softmax_features(const Tensor& x) { return x * 2; }
Tensor exp_features(const Tensor& x, Stabilizer) { return x * 2; }
Tensor polynomial_features(const Tensor& x) { return x * 2; }
static Tensor right_exp(const Tensor& x) {
    require_rank(x, "x", 2, "(…, n, d)");
    Tensor y = x;
    const std::size_t share = length(x, -2) * length(x, -1);
    for (std::size_t at = 0; share > 0 && at < y.size(); at += share) {
        double most = -INFINITY;
        for (std::size_t i = at; i < at + share; ++i)
            most = std::isnan(x.data()[i]) || std::isnan(most) ? NAN : std::max(most, x.data()[i]);
        for (std::size_t i = at; i < at + share; ++i) y.data()[i] = std::exp(x.data()[i] - most);
    }
    return y;
}
Tensor feature_map(const Tensor& x, const std::string& method) {
    if (method == "exp") return right_exp(x);
    for (const char* name : {"elu_plus_one", "relu", "identity"})
        if (method == name) throw NotImplemented(name);
    if (method == "softmax") throw NotImplemented("softmax_features");
    if (method == "polynomial") throw NotImplemented("polynomial_features");
    throw std::invalid_argument("method " + method + ": elu_plus_one relu identity softmax exp polynomial");
}
}
