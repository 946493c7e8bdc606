// The exercises as the suite calls them: each launches the student's kernel of its name. Given.
#include "kernels.hpp"
#include "launch.hpp"

namespace linattn {

Array feature_map_fused(Values x, const gpu::RunOptions& run) {
    return launch_feature_map(kernels::apply_feature_map, x, run);
}

Array chunkwise_forward(Values Q, Values K, Values V, const Sizes& sizes, int chunk, float epsilon,
                        const gpu::RunOptions& run) {
    require_attention_arrays(Q, K, V, sizes, chunk);
    return launch_forward(kernels::chunkwise_forward, Q, K, V, sizes, chunk, epsilon, run);
}

States chunk_states(Values K, Values V, const Sizes& sizes, int chunk, const gpu::RunOptions& run) {
    require_attention_arrays(K, K, V, sizes, chunk);
    return launch_states(kernels::chunk_states, K, V, sizes, chunk, run);
}

States scan_states(Values S, Values z, const Sizes& sizes, int chunk, const gpu::RunOptions& run) {
    require_states(S, z, sizes, chunk);
    return launch_scan(kernels::scan_states, S, z, sizes, chunk, run);
}

Array chunk_outputs(Values Q, Values K, Values V, Values S, Values z, const Sizes& sizes, int chunk, float epsilon,
                    const gpu::RunOptions& run) {
    require_attention_arrays(Q, K, V, sizes, chunk);
    require_states(S, z, sizes, chunk);
    return launch_outputs(kernels::chunk_outputs, Q, K, V, S, z, sizes, chunk, epsilon, run);
}

Array packed_chunkwise_forward(Values Q, Values K, Values V, std::span<const int> borders, const Sizes& sizes,
                               int chunk, float epsilon, const gpu::RunOptions& run) {
    require_attention_arrays(Q, K, V, sizes, chunk);
    require_borders(borders, sizes);
    return launch_packed(kernels::packed_chunkwise_forward, Q, K, V, borders, sizes, chunk, epsilon, run);
}

}  // namespace linattn
