// Does not compile: the test gpu.refuses_ptx looks for the sentence that says why.
#include "gpu/gpu.hpp"

__global__ void numbers_lanes(unsigned* lanes) { asm volatile("mov.u32 %0, %%laneid;" : "=r"(lanes[threadIdx.x])); }
