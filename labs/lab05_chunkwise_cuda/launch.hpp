// Launches a kernel of lab 05, whichever it is: the one you wrote, or a wrong one that explains a wrong answer.
#pragma once

#include <string>

#include "chunkwise.hpp"

namespace linattn {

using FeatureMapKernel = void (*)(const float* x, float* y, int count);
using ForwardKernel = void (*)(const float* Q, const float* K, const float* V, float* O, Sizes sizes, int chunk,
                               float epsilon);
using StatesKernel = void (*)(const float* K, const float* V, float* S, float* z, Sizes sizes, int chunk);
using ScanKernel = void (*)(float* S, float* z, Sizes sizes, int chunks);
using OutputsKernel = void (*)(const float* Q, const float* K, const float* V, const float* S, const float* z, float* O,
                               Sizes sizes, int chunk, float epsilon);
using PackedKernel = void (*)(const float* Q, const float* K, const float* V, const int* borders, float* O, Sizes sizes,
                              int chunk, float epsilon);

using Values = std::span<const float>;

/// "CPU run: not GPU-verified", or the GPU's name.
std::string where_kernels_run();

/// Whether the tiles of chunkwise_forward and chunk_outputs fit in the shared memory that one block may have here. In the
/// CPU run and on an H100 they do for all sizes that the suites use; on smaller cards not for the widest.
bool fits_a_block(const Sizes& sizes, int chunk);

Array launch_feature_map(FeatureMapKernel kernel, Values x, const gpu::RunOptions& run);
Array launch_forward(ForwardKernel kernel, Values Q, Values K, Values V, const Sizes& sizes, int chunk, float epsilon,
                     const gpu::RunOptions& run);
States launch_states(StatesKernel kernel, Values K, Values V, const Sizes& sizes, int chunk,
                     const gpu::RunOptions& run);
States launch_scan(ScanKernel kernel, Values S, Values z, const Sizes& sizes, int chunk, const gpu::RunOptions& run);
Array launch_outputs(OutputsKernel kernel, Values Q, Values K, Values V, Values S, Values z, const Sizes& sizes,
                     int chunk, float epsilon, const gpu::RunOptions& run);
Array launch_packed(PackedKernel kernel, Values Q, Values K, Values V, std::span<const int> borders, const Sizes& sizes,
                    int chunk, float epsilon, const gpu::RunOptions& run);

}  // namespace linattn
