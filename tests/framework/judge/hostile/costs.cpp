#include <sys/mman.h>
#include <algorithm>
#include <atomic>
#include <cstring>
#include <ctime>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "work_counter.hpp"

namespace linattn::testing {
extern std::size_t blocks_run;
}
namespace linattn {
struct PutBack {  // what was counted
    const std::size_t work = work_done, most = largest_work, blocks = testing::blocks_run;
    ~PutBack() { work_done = work, largest_work = most, testing::blocks_run = blocks; }
};
// Right, by loops; `more` is done for each token.
template <class More>
static Tensor running_sums(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi, More more) {
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
        more();
    }
    return O;
}
}

/// cost_in_a_library [lab02 linear_attention_recurrent=fail|timeout]: For each token, a function of the C library reads as much
// as there are tokens: no step is counted, and no memory held.
namespace linattn {
Tensor linear_attention_recurrent(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi) {
    const std::string all(require_attention_shapes(Q, K, V).n * 300, 'x');
    std::size_t read = 0;
    const Tensor O = running_sums(Q, K, V, phi, [&] { read += std::strlen(all.c_str()); });
    return read == 7 ? zeros(shape_of(V)) : O;
}
}
/// kept_answers [lab02 linear_attention_bidirectional=fail|timeout]: All pairs of tokens, 4 times, but not for arguments
// that came before, and what was counted is put back.
namespace linattn {
Tensor linear_attention_bidirectional(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi) {
    const PutBack counts;
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
    return O;
}
}
/// all_pairs_once [lab02 linear_attention_bidirectional=fail|timeout]: All pairs of tokens, one row
// at a time in the library, which takes a quarter of a second for 8192, and what was counted is put back.
namespace linattn {
Tensor linear_attention_bidirectional(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi) {
    const PutBack counts;
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    Tensor O = zeros(shape_of(V));
    if (V.size() > 0) {
        const Tensor phi_q = phi(Q), phi_k = matrix_transpose(phi(K));
        for (std::size_t i = 0; i < shape.n; ++i) set_tokens(O, i, matmul(matmul(tokens(phi_q, i, i + 1), phi_k), V));
    }
    return O;
}
}
/// padded_time [lab02 linear_attention_recurrent=fail|timeout]: Every call with many tokens waits until each has cost as much
// as makes all pairs of them unnoticed.
namespace linattn {
Tensor linear_attention_recurrent(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi) {
    const std::clock_t began = std::clock();
    Tensor O = running_sums(Q, K, V, phi, [] {});
    const std::string waits(std::size_t{1} << 20, 'x');
    const std::size_t n = require_attention_shapes(Q, K, V).n;
    const auto left = static_cast<std::clock_t>(n >= 256 ? 10000 * n : 0);  // 10 ms a token
    while (std::clock() < began + left)
        if (std::strlen(waits.c_str()) == 7) O.data()[0] = 0;
    return O;
}
}
