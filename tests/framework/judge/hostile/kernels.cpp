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
