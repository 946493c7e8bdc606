// The checks of delta_kernel.hpp. Given.
#include "delta_kernel.hpp"
#include "forgetting_arguments.hpp"

namespace linattn {

void require_delta_arrays(std::span<const float> Q, std::span<const float> K, std::span<const float> V,
                          std::span<const float> beta, std::span<const float> log_decay, const Sizes& sizes, int chunk,
                          const char* caller) {
    require_tokens_in_chunk(chunk, caller);
    require_array(Q, "Q", "(heads, n, d_k)", {sizes.heads, sizes.n, sizes.d_k}, caller);
    require_array(K, "K", "(heads, n, d_k)", {sizes.heads, sizes.n, sizes.d_k}, caller);
    require_array(V, "V", "(heads, n, d_v)", {sizes.heads, sizes.n, sizes.d_v}, caller);
    require_array(beta, "beta", "(heads, n)", {sizes.heads, sizes.n}, caller);
    require_array(log_decay, "log_decay", "(heads, n)", {sizes.heads, sizes.n}, caller);
    Tensor in_double = zeros({log_decay.size()});
    for (std::size_t i = 0; i < log_decay.size(); ++i) in_double.data()[i] = static_cast<double>(log_decay[i]);
    require_decays(in_double, caller);
}

}  // namespace linattn
