// The kernels that the tests of the CPU run call legal, for nvcc: it has to agree.
#include "legal_kernels.hpp"

namespace legal {

template __global__ void transpose<8>(const float*, float*, int, int);
template __global__ void names_it_in_a_template<1>(unsigned*);

}  // namespace legal
