// The kernels that the tests of the CPU run call legal, for nvcc: it has to agree.
#include "engine_kernels.hpp"
#include "legal_cuda_kernels.hpp"
#include "tensor_core_kernels.hpp"

namespace legal {

template __global__ void transpose<8>(const float*, float*, int, int);
template __global__ void names_it_in_a_template<1>(unsigned*);
template __global__ void multiply<wmma::row_major, wmma::row_major>(const float*, const float*, const float*, float*);
template __global__ void multiply<wmma::row_major, wmma::col_major>(const float*, const float*, const float*, float*);
template __global__ void multiply<wmma::col_major, wmma::row_major>(const float*, const float*, const float*, float*);
template __global__ void multiply<wmma::col_major, wmma::col_major>(const float*, const float*, const float*, float*);

}  // namespace legal
