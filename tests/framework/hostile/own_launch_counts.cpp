// class: kernels
// The given launch code and its counters, defined a second time by the student's file.
// file: lab05_chunkwise_kernel.cu
// expects: lab05 *=build|todo|fail|crash
#include "kernels.hpp"

namespace linattn {
Array chunkwise_forward(std::span<const float>, std::span<const float>, std::span<const float> V, const Sizes& sizes,
                        int, float, const gpu::RunOptions&) {
    return {
        {static_cast<std::size_t>(sizes.heads), static_cast<std::size_t>(sizes.n), static_cast<std::size_t>(sizes.d_v)},
        {V.begin(), V.end()}};
}
}
