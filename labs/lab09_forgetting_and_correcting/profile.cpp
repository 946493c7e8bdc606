// lab09_profile lab09 d chunk [kernel]: what your kernel does in one block. For people, ./course profile lab09 prints it.
#include "kernels/profile.hpp"

#include "delta_kernel.hpp"

int main(int argc, char** argv) {
    using namespace linattn;
    return profile(argc, argv, [](const Sizes& sizes, int chunk, const gpu::RunOptions& run) {
        const auto all = [&](int width, float value) {
            return std::vector<float>(static_cast<std::size_t>(sizes.n * width), value);
        };
        const std::vector<float> K = all(sizes.d_k, 0.0f), V = all(sizes.d_v, 1.0f), beta = all(1, 1.0f),
                                 decay = all(1, -0.1f);
        return std::vector<ProfiledKernel>{
            {"gated_delta_forward", [=] { gated_delta_forward(K, K, V, beta, decay, sizes, chunk, run); }}};
    });
}
