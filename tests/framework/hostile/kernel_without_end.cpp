// class: kernels
// A kernel whose first thread waits for ever.
// file: lab05_chunkwise_kernel.cu
// expects: lab05 chunkwise_forward=timeout|crash|fail, *=todo
#include <unistd.h>

#include "kernels.hpp"

namespace linattn::kernels {
__global__ void __launch_bounds__(threads_per_block)
    chunkwise_forward(const float*, const float*, const float*, float*, Sizes, int, float) {
    for (;;) ::pause();
}
}
