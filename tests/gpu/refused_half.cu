// Does not compile: the test gpu.refuses_half looks for the sentence that says why.
#include "gpu/gpu.hpp"

__global__ void adds(float* x) {
    __half sum = x[0];
    x[1] = sum;
}
