// See instantiated_once.hpp. Before xtensor 0.26 this is compiled as C++17, because C++20 removed std::allocator::max_size,
// which a full instantiation of its storage still names; the two have the same binary layout.
#include "instantiated_once.hpp"

LINATTN_XTENSOR_TEMPLATES()
