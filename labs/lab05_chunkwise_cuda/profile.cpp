// lab05_profile lab05 d chunk [kernel]: what your kernels do in one block. For people, ./course profile prints it.
#include "kernels/profile.hpp"

#include "chunkwise.hpp"

int main(int argc, char** argv) {
    using namespace linattn;
    return profile(argc, argv, [](const Sizes& sizes, int chunk, const gpu::RunOptions& run) {
        const auto ones = [](int count) { return std::vector<float>(static_cast<std::size_t>(count), 1.0f); };
        const std::vector<float> Q = ones(sizes.n * sizes.d_k), V = ones(sizes.n * sizes.d_v),
                                 S = ones(2 * sizes.d_k * sizes.d_v), z = ones(2 * sizes.d_k);
        const std::vector<int> one_sequence{0, sizes.n};
        return std::vector<ProfiledKernel>{
            {"chunkwise_forward", [=] { chunkwise_forward(Q, Q, V, sizes, chunk, 1e-6f, run); }},
            {"chunk_states", [=] { chunk_states(Q, V, sizes, chunk, run); }},
            {"scan_states", [=] { scan_states(S, z, sizes, chunk, run); }},
            {"chunk_outputs", [=] { chunk_outputs(Q, Q, V, S, z, sizes, chunk, 1e-6f, run); }},
            {"packed_chunkwise_forward",
             [=] { packed_chunkwise_forward(Q, Q, V, one_sequence, sizes, chunk, 1e-6f, run); }}};
    });
}
