// Whether a kernel, as the compiler made it, computes in double precision: a GPU does 1 such operation where it does 2 to
// 64 in float.
#pragma once

#include <cstddef>

namespace linattn::testing {

/// How many instructions that add, subtract, multiply or divide doubles stand in this function and in the kernels'
/// functions that it calls; 0 too where objdump (binutils) is missing or the processor is not an x86.
/// \param kernel a function of linattn::kernels
std::size_t double_operations_in(const void* kernel);

}  // namespace linattn::testing
