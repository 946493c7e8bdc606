// xtensor's array type and its views, from 0.24.3 to 0.27: whatever differs between releases is here, and in the lines of
// cmake/dependencies.cmake that ask for LINATTN_XTENSOR_IS_OLD.
//
//   before 0.26   all headers lie in one folder, and the shape of an array must be put right, see below; the classes can be
//                 instantiated once, compiled as C++17 (instantiated_once.hpp)
//   since 0.26    the headers lie in folders; C++20 is understood (0.27 demands it), and the containers' own storage cannot
//                 be instantiated once
#pragma once

#if __has_include(<xtensor/containers/xarray.hpp>)  // since 0.26
#include <xtensor/containers/xarray.hpp>
#else
#define LINATTN_XTENSOR_IS_OLD
#include <xtensor/xtensor_config.hpp>
// xtensor_config.hpp must come first: it carries the version number.
#include <xtensor/xexpression_traits.hpp>
#include <xtensor/xstorage.hpp>
// xtensor chooses a shape's container by `__cplusplus == 201703L`, so in C++20 mode g++ takes a dynamic shape for one of
// exactly four axes, and results are silently wrong. These specialisations put that right.
#if defined(__GNUC__) && !defined(__clang__) && __cplusplus > 201703L
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
