// xtensor's array type, made sound and quick to compile under C++20.
//
// Two things stand between xtensor 0.24 and C++20. It chooses a shape's container by `__cplusplus == 201703L`, so in
// C++20 mode g++ takes a dynamic shape for one of exactly four axes and results are silently wrong; the specialisations
// below put that right. And every file that touches an array instantiates it again, a quarter of a second each time; the
// `extern template` lines leave that work to tensor_storage.cpp.
#pragma once

#if __has_include(<xtensor/containers/xarray.hpp>)  // the layout since 0.26
#include <xtensor/containers/xarray.hpp>
#else
#include <xtensor/xtensor_config.hpp>
// xtensor_config.hpp must come first: it carries the version number.
#include <xtensor/xexpression_traits.hpp>
#include <xtensor/xstorage.hpp>
#if XTENSOR_VERSION_MINOR < 26 && defined(__GNUC__) && !defined(__clang__) && __cplusplus > 201703L
namespace xt::detail {
template <>
struct xtype_for_shape<svector<std::size_t, 4>> {
    template <class T, layout_type L>
    using type = xarray<T, L>;
};
template <>
struct xtype_for_shape<svector<std::ptrdiff_t, 4>> {
    template <class T, layout_type L>
    using type = xarray<T, L>;
};
}  // namespace xt::detail
#endif
#include <xtensor/xarray.hpp>
#endif

namespace xt {
using DoubleArray = xarray_container<uvector<double>, layout_type::row_major, dynamic_shape<std::size_t>>;
extern template class uvector<double>;
extern template class svector<std::size_t, 4>;
extern template class svector<std::ptrdiff_t, 4>;
extern template class xsharable_expression<DoubleArray>;
extern template class xsemantic_base<DoubleArray>;
extern template class xcontainer_semantic<DoubleArray>;
extern template class xcontainer<DoubleArray>;
extern template class xstrided_container<DoubleArray>;
extern template class xarray_container<uvector<double>, layout_type::row_major, dynamic_shape<std::size_t>>;
}  // namespace xt
