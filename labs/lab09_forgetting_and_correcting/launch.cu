// The host's side of exercise 9.14: buffers, launch, result. Given.
#include "launch.hpp"

#include "kernels.hpp"

namespace linattn {

std::string where_kernels_run() { return kernels::where_they_run(kernels::DeltaTiles::bytes({1, 1, 128, 128}, 64)); }

bool fits_a_block(const Sizes& sizes, int chunk) {
    return kernels::DeltaTiles::bytes(sizes, chunk) <= gpu::most_shared_bytes();
}

Array launch_delta(DeltaKernel kernel, std::span<const float> Q, std::span<const float> K, std::span<const float> V,
                   std::span<const float> beta, std::span<const float> log_decay, const Sizes& sizes, int chunk,
                   const gpu::RunOptions& run) {
    const gpu::RunScope scope(run);
    Array O = make_array({sizes.heads, sizes.n, sizes.d_v});
    if (O.values.empty()) return O;
    const gpu::Buffer<float> device_Q(Q, "Q"), device_K(K, "K"), device_V(V, "V"), device_beta(beta, "beta"),
        device_log_decay(log_decay, "log_decay"), device_O(O.values.size(), "O");
    kernels::launch(kernel, static_cast<unsigned>(sizes.heads), kernels::DeltaTiles::bytes(sizes, chunk),
                    device_Q.data(), device_K.data(), device_V.data(), device_beta.data(), device_log_decay.data(),
                    device_O.data(), sizes, chunk);
    device_O.copy_to(O.values);
    return O;
}

}  // namespace linattn
