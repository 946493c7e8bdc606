// class: memory
// One thread fills the memory while another keeps the judge busy with questions. Whoever gets that far answers rightly.
// expects: lab02 linear_attention_recurrent=crash|fail|timeout, *=todo
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "linear_attention.hpp"

namespace linattn {
static Tensor token_of(const Tensor& x, std::size_t row, std::size_t width) {
    Tensor token = zeros({width});
    std::copy_n(x.data() + row * width, width, token.data());
    return token;
}
Tensor linear_attention_recurrent(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    static bool filled = false;
    if (!filled) {
        std::atomic<bool> full = false;
        std::jthread filler([&] {
            constexpr std::size_t step = std::size_t{64} << 20;
            for (int i = 0; i < 56; ++i) {
                void* const memory = ::mmap(nullptr, step, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                if (memory == MAP_FAILED) continue;
                std::fill_n(static_cast<volatile char*>(memory), step, '\1');
            }
            full = true;
        });
        while (!full) phi(ones({2}));
        filled = true;
    }
    Tensor output = zeros(shape_of(V));
    for (std::size_t row = 0; row < V.size() / std::max<std::size_t>(shape.d_v, 1); ++row) {
        static Tensor S;
        const Tensor phi_k = phi(token_of(K, row, shape.d_k)), phi_q = phi(token_of(Q, row, shape.d_k));
        if (row % shape.n == 0) S = zeros({phi_k.size(), shape.d_v});
        for (std::size_t a = 0; a < phi_k.size(); ++a)
            for (std::size_t b = 0; b < shape.d_v; ++b) {
                S(a, b) += phi_k(a) * V.data()[row * shape.d_v + b];
                output.data()[row * shape.d_v + b] += phi_q(a) * S(a, b);
            }
    }
    return output;
}
}
