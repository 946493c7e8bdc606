// Does not compile: the test gpu.refuses_atomic looks for the sentence that says why.
#include "gpu/gpu.hpp"

__global__ void finds_the_largest(const float* x, float* largest) { atomicMax(largest, x[threadIdx.x]); }
