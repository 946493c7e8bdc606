// The templates that every graded file uses. Without these lines each file instantiates them again, which costs half a
// second from edit to verdict; with them the work is done in instantiated_once*.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "xtensor_releases.hpp"

namespace xt {
using DoubleArray = xarray_container<uvector<double>, layout_type::row_major, dynamic_shape<std::size_t>>;
}

// clang-format off
#ifdef LINATTN_XTENSOR_IS_OLD
#define LINATTN_STORAGE_TEMPLATES(keyword)             \
    keyword template class xt::uvector<double>;        \
    keyword template class xt::svector<std::size_t, 4>; \
    keyword template class xt::svector<std::ptrdiff_t, 4>;
#else
#define LINATTN_STORAGE_TEMPLATES(keyword)
#endif

#define LINATTN_XTENSOR_TEMPLATES(keyword)                                                                             \
    LINATTN_STORAGE_TEMPLATES(keyword)                                                                                 \
    keyword template class xt::xsharable_expression<xt::DoubleArray>;                                                  \
    keyword template class xt::xsemantic_base<xt::DoubleArray>;                                                        \
    keyword template class xt::xcontainer_semantic<xt::DoubleArray>;                                                   \
    keyword template class xt::xcontainer<xt::DoubleArray>;                                                            \
    keyword template class xt::xstrided_container<xt::DoubleArray>;                                                    \
    keyword template class xt::xarray_container<xt::uvector<double>, xt::layout_type::row_major,                       \
                                                xt::dynamic_shape<std::size_t>>;                                       \
    keyword template double& xt::xcontainer<xt::DoubleArray>::operator()(std::size_t);                                 \
    keyword template double& xt::xcontainer<xt::DoubleArray>::operator()(std::size_t, std::size_t);                    \
    keyword template double& xt::xcontainer<xt::DoubleArray>::operator()(std::size_t, std::size_t, std::size_t);       \
    keyword template const double& xt::xcontainer<xt::DoubleArray>::operator()(std::size_t) const;                     \
    keyword template const double& xt::xcontainer<xt::DoubleArray>::operator()(std::size_t, std::size_t) const;        \
    keyword template const double& xt::xcontainer<xt::DoubleArray>::operator()(std::size_t, std::size_t, std::size_t) const;

#define LINATTN_STANDARD_TEMPLATES(keyword)           \
    keyword template class std::vector<std::size_t>;  \
    keyword template class std::vector<std::string>;  \
    keyword template class std::basic_string<char>;
// clang-format on

LINATTN_XTENSOR_TEMPLATES(extern)
#ifdef __GLIBCXX__  // other standard libraries do this by themselves
LINATTN_STANDARD_TEMPLATES(extern)
#endif
