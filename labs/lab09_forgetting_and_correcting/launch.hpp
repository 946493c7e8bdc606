// Launches a kernel for exercise 9.14, whichever it is: the one you wrote, or a wrong one that explains a wrong answer.
#pragma once

#include "delta_kernel.hpp"

namespace linattn {

using DeltaKernel = void (*)(const float* Q, const float* K, const float* V, const float* beta, const float* log_decay,
                             float* O, Sizes sizes, int chunk);

/// "CPU run: not GPU-verified", or the GPU's name.
std::string where_kernels_run();

/// Whether the tiles fit in the shared memory that one block may have here. In the CPU run and on an H100 they do for all
/// sizes that the suite uses; on smaller cards not for the widest.
bool fits_a_block(const Sizes& sizes, int chunk);

Array launch_delta(DeltaKernel kernel, std::span<const float> Q, std::span<const float> K, std::span<const float> V,
                   std::span<const float> beta, std::span<const float> log_decay, const Sizes& sizes, int chunk,
                   const gpu::RunOptions& run);

}  // namespace linattn
