// lab09_profile d_k d_v chunk: what your kernel does in one block. For people, ./course profile lab09 prints it.
#include "kernels/profile.hpp"

#include <cstdlib>
#include <vector>

#include "delta_kernel.hpp"

int main(int argc, char** argv) {
    using namespace linattn;
    if (argc != 4) {
        std::fprintf(stderr, "usage: %s d_k d_v chunk\n", argv[0]);
        return 2;
    }
    const int d_k = std::atoi(argv[1]), d_v = std::atoi(argv[2]), chunk = std::atoi(argv[3]);
    profile("gated_delta_forward", d_k, d_v, chunk, [&](const Sizes& sizes, const gpu::RunOptions& run) {
        const auto all = [&](int width, float value) {
            return std::vector<float>(static_cast<std::size_t>(sizes.n * width), value);
        };
        const std::vector<float> keys = all(d_k, 0.0f);
        gated_delta_forward(keys, keys, all(d_v, 1.0f), all(1, 1.0f), all(1, -0.1f), sizes, chunk, run);
    });
    return 0;
}
