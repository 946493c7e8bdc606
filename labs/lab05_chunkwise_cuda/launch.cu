// The host's side of lab 05: checks, buffers, launches, results. Given.
#include "launch.hpp"

#include "kernels.hpp"

#include <algorithm>

namespace linattn {
namespace {

unsigned blocks_for(std::size_t count) {
    return static_cast<unsigned>((count + kernels::threads_per_block - 1) / kernels::threads_per_block);
}

Array make_S(const Sizes& sizes, int chunk) {
    return make_array({sizes.heads, chunks_of(sizes, chunk), sizes.d_k, sizes.d_v});
}
Array make_z(const Sizes& sizes, int chunk) { return make_array({sizes.heads, chunks_of(sizes, chunk), sizes.d_k}); }

dim3 block_per_chunk_and_head(const Sizes& sizes, int chunk) {
    return {static_cast<unsigned>(chunks_of(sizes, chunk)), static_cast<unsigned>(sizes.heads)};
}

}  // namespace

std::string where_kernels_run() { return kernels::where_they_run(kernels::ForwardTiles::bytes({1, 1, 128, 128}, 64)); }

bool fits_a_block(const Sizes& sizes, int chunk) {
    const std::size_t needed =
        std::max(kernels::ForwardTiles::bytes(sizes, chunk), kernels::OutputTiles::bytes(sizes, chunk));
    return needed <= gpu::most_shared_bytes();
}

Array launch_feature_map(FeatureMapKernel kernel, Values x, const gpu::RunOptions& run) {
    const gpu::RunScope scope(run);
    Array y = make_array({static_cast<int>(x.size())});
    if (x.empty()) return y;
    const gpu::Buffer<float> device_x(x, "x"), device_y(x.size(), "y");
    kernels::launch(kernel, blocks_for(x.size()), 0, device_x.data(), device_y.data(), x.size());
    device_y.copy_to(y.values);
    return y;
}

Array launch_forward(ForwardKernel kernel, Values Q, Values K, Values V, const Sizes& sizes, int chunk, float epsilon,
                     const gpu::RunOptions& run) {
    const gpu::RunScope scope(run);
    Array O = make_array({sizes.heads, sizes.n, sizes.d_v});
    if (O.values.empty()) return O;
    const gpu::Buffer<float> device_Q(Q, "Q"), device_K(K, "K"), device_V(V, "V"), device_O(O.values.size(), "O");
    kernels::launch(kernel, static_cast<unsigned>(sizes.heads), kernels::ForwardTiles::bytes(sizes, chunk),
                    device_Q.data(), device_K.data(), device_V.data(), device_O.data(), sizes, chunk, epsilon);
    device_O.copy_to(O.values);
    return O;
}

States launch_states(StatesKernel kernel, Values K, Values V, const Sizes& sizes, int chunk,
                     const gpu::RunOptions& run) {
    const gpu::RunScope scope(run);
    States states{make_S(sizes, chunk), make_z(sizes, chunk)};
    if (states.z.values.empty()) return states;
    const gpu::Buffer<float> device_K(K, "K"), device_V(V, "V"), device_S(states.S.values.size(), "S"),
        device_z(states.z.values.size(), "z");
    kernels::launch(kernel, block_per_chunk_and_head(sizes, chunk), kernels::StateTiles::bytes(sizes, chunk),
                    device_K.data(), device_V.data(), device_S.data(), device_z.data(), sizes, chunk);
    device_S.copy_to(states.S.values);
    device_z.copy_to(states.z.values);
    return states;
}

States launch_scan(ScanKernel kernel, Values S, Values z, const Sizes& sizes, int chunk, const gpu::RunOptions& run) {
    const gpu::RunScope scope(run);
    States states{make_S(sizes, chunk), make_z(sizes, chunk)};
    if (states.z.values.empty()) return states;
    const gpu::Buffer<float> device_S(S, "S"), device_z(z, "z");
    const std::size_t entries = static_cast<std::size_t>(sizes.heads) * sizes.d_k * (sizes.d_v + std::size_t{1});
    kernels::launch(kernel, blocks_for(entries), 0, device_S.data(), device_z.data(), sizes, chunks_of(sizes, chunk));
    device_S.copy_to(states.S.values);
    device_z.copy_to(states.z.values);
    return states;
}

Array launch_outputs(OutputsKernel kernel, Values Q, Values K, Values V, Values S, Values z, const Sizes& sizes,
                     int chunk, float epsilon, const gpu::RunOptions& run) {
    const gpu::RunScope scope(run);
    Array O = make_array({sizes.heads, sizes.n, sizes.d_v});
    if (O.values.empty()) return O;
    const gpu::Buffer<float> device_Q(Q, "Q"), device_K(K, "K"), device_V(V, "V"), device_S(S, "S"), device_z(z, "z"),
        device_O(O.values.size(), "O");
    kernels::launch(kernel, block_per_chunk_and_head(sizes, chunk), kernels::OutputTiles::bytes(sizes, chunk),
                    device_Q.data(), device_K.data(), device_V.data(), device_S.data(), device_z.data(),
                    device_O.data(), sizes, chunk, epsilon);
    device_O.copy_to(O.values);
    return O;
}

Array launch_packed(PackedKernel kernel, Values Q, Values K, Values V, std::span<const int> borders, const Sizes& sizes,
                    int chunk, float epsilon, const gpu::RunOptions& run) {
    const gpu::RunScope scope(run);
    Array O = make_array({sizes.heads, sizes.n, sizes.d_v});
    if (O.values.empty()) return O;
    const gpu::Buffer<float> device_Q(Q, "Q"), device_K(K, "K"), device_V(V, "V"), device_O(O.values.size(), "O");
    const gpu::Buffer<int> device_borders(borders, "borders");
    const dim3 block_per_sequence_and_head(static_cast<unsigned>(borders.size() - 1),
                                           static_cast<unsigned>(sizes.heads));
    kernels::launch(kernel, block_per_sequence_and_head, kernels::ForwardTiles::bytes(sizes, chunk), device_Q.data(),
                    device_K.data(), device_V.data(), device_borders.data(), device_O.data(), sizes, chunk, epsilon);
    device_O.copy_to(O.values);
    return O;
}

}  // namespace linattn
