// xtensor's array type, made sound under C++20. xtensor 0.24 chooses a shape's container by `__cplusplus == 201703L`, so
// in C++20 mode g++ takes a dynamic shape for one of exactly four axes, and results are silently wrong. The specialisations
// below put that right.
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
struct xtype_for_shape<svector<std::size_t, 4> > {
    template <class T, layout_type L>
    using type = xarray<T, L>;
};
template <>
struct xtype_for_shape<svector<std::ptrdiff_t, 4> > {
    template <class T, layout_type L>
    using type = xarray<T, L>;
};
}  // namespace xt::detail
#endif
#include <xtensor/xarray.hpp>
#endif
