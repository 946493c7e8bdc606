// lab05_profile d_k d_v chunk: what your kernels do in one block. For people, ./course profile prints it.
#include "kernels/profile.hpp"

#include <cstdlib>
#include <vector>

#include "chunkwise.hpp"

int main(int argc, char** argv) {
    using namespace linattn;
    if (argc != 4) {
        std::fprintf(stderr, "usage: %s d_k d_v chunk\n", argv[0]);
        return 2;
    }
    const int d_k = std::atoi(argv[1]), d_v = std::atoi(argv[2]), chunk = std::atoi(argv[3]);
    const auto ones = [](int count) { return std::vector<float>(static_cast<std::size_t>(count), 1.0f); };
    const std::vector<float> Q = ones(3 * chunk * d_k), V = ones(3 * chunk * d_v);
    const std::vector<float> S = ones(3 * d_k * d_v), z = ones(3 * d_k);
    const auto of = [](const std::vector<float>& x, int count) {
        return std::span(x).first(static_cast<std::size_t>(count));
    };
    profile("chunkwise_forward", d_k, d_v, chunk, [&](const Sizes& sizes, const gpu::RunOptions& run) {
        const auto keys = of(Q, sizes.n * d_k);
        chunkwise_forward(keys, keys, of(V, sizes.n * d_v), sizes, chunk, 1e-6f, run);
    });
    profile("chunk_states", d_k, d_v, chunk, [&](const Sizes& sizes, const gpu::RunOptions& run) {
        chunk_states(of(Q, sizes.n * d_k), of(V, sizes.n * d_v), sizes, chunk, run);
    });
    profile("scan_states", d_k, d_v, chunk, [&](const Sizes& sizes, const gpu::RunOptions& run) {
        const int chunks = chunks_of(sizes, chunk);
        scan_states(of(S, chunks * d_k * d_v), of(z, chunks * d_k), sizes, chunk, run);
    });
    profile("chunk_outputs", d_k, d_v, chunk, [&](const Sizes& sizes, const gpu::RunOptions& run) {
        const auto keys = of(Q, sizes.n * d_k);
        const int chunks = chunks_of(sizes, chunk);
        chunk_outputs(keys, keys, of(V, sizes.n * d_v), of(S, chunks * d_k * d_v), of(z, chunks * d_k), sizes, chunk,
                      1e-6f, run);
    });
    profile("packed_chunkwise_forward", d_k, d_v, chunk, [&](const Sizes& sizes, const gpu::RunOptions& run) {
        const auto keys = of(Q, sizes.n * d_k);
        const std::vector<int> one_sequence{0, sizes.n};
        packed_chunkwise_forward(keys, keys, of(V, sizes.n * d_v), one_sequence, sizes, chunk, 1e-6f, run);
    });
    return 0;
}
