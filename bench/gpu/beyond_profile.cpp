// gpu_beyond_profile d_k d_v chunk columns: what lab05_profile prints, of the kernel on tensor cores.
#include <cstdlib>
#include <vector>

#include "kernels/profile.hpp"

namespace linattn {
Array chunkwise_forward_tensor_cores(std::span<const float> Q, std::span<const float> K, std::span<const float> V,
                                     const Sizes& sizes, int chunk, int columns, float epsilon,
                                     const gpu::RunOptions& run);
}

int main(int argc, char** argv) {
    using namespace linattn;
    if (argc != 5) {
        std::fprintf(stderr, "usage: %s d_k d_v chunk columns\n", argv[0]);
        return 2;
    }
    const int d_k = std::atoi(argv[1]), d_v = std::atoi(argv[2]), chunk = std::atoi(argv[3]),
              columns = std::atoi(argv[4]);
    profile("chunkwise_forward_tensor_cores", d_k, d_v, chunk, [&](const Sizes& sizes, const gpu::RunOptions& run) {
        const std::vector<float> Q(static_cast<std::size_t>(sizes.n * d_k), 1.0f),
            V(static_cast<std::size_t>(sizes.n * d_v), 1.0f);
        chunkwise_forward_tensor_cores(Q, Q, V, sizes, chunk, columns, 1e-6f, run);
    });
    return 0;
}
