#include <unistd.h>

/// kernel_out_of_bounds [lab05 lab05_chunkwise_kernel.cu chunkwise_forward=crash|fail, *=todo|crash]: A kernel that
// writes far outside of its arrays, into the program that launched it, and then ends the process.
namespace linattn::kernels {
__global__ void __launch_bounds__(threads_per_block)
    chunkwise_forward(const float*, const float*, const float*, float* O, Sizes sizes, int, float) {
    for (long i = 0; i < 1 << 16; ++i) const_cast<volatile float*>(O)[i * 1024 - (1 << 20)] = 0;
    if (sizes.n > 0) ::_exit(0);
}
}
/// kernel_without_end [lab05 lab05_chunkwise_kernel.cu chunkwise_forward=timeout|crash|fail]: A kernel whose first
// thread waits for ever.
namespace linattn::kernels {
__global__ void __launch_bounds__(threads_per_block)
    chunkwise_forward(const float*, const float*, const float*, float*, Sizes, int, float) {
    for (;;) ::pause();
}
}
/// own_launch_counts [lab05 lab05_chunkwise_kernel.cu *=build|todo|fail|crash]: The given launch code and its counters,
// defined a second time by the student's file.
linattn::Array linattn::chunkwise_forward(std::span<const float>, std::span<const float>, std::span<const float> V,
                                          const Sizes& sizes, int, float, const gpu::RunOptions&) {
    return {
        {static_cast<std::size_t>(sizes.heads), static_cast<std::size_t>(sizes.n), static_cast<std::size_t>(sizes.d_v)},
        {V.begin(), V.end()}};
}
