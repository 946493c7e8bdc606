// See instantiated_once.hpp. Compiled as C++17, because C++20 removed std::allocator::max_size, which a full instantiation of
// xtensor 0.24 still names; the two have the same binary layout.
#include "instantiated_once.hpp"

LINATTN_XTENSOR_TEMPLATES()
