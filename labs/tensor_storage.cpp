// The one place where xtensor's array is instantiated (see xtensor_cxx20.hpp). Compiled as C++17, because C++20 removed
// std::allocator::max_size, which a full instantiation of xtensor 0.24 still names; the two have the same binary layout.
#include "xtensor_cxx20.hpp"

namespace xt {
template class uvector<double>;
template class svector<std::size_t, 4>;
template class svector<std::ptrdiff_t, 4>;
template class xsharable_expression<DoubleArray>;
template class xsemantic_base<DoubleArray>;
template class xcontainer_semantic<DoubleArray>;
template class xcontainer<DoubleArray>;
template class xstrided_container<DoubleArray>;
template class xarray_container<uvector<double>, layout_type::row_major, dynamic_shape<std::size_t>>;
}  // namespace xt
