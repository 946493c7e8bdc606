// exp and erf of several numbers at a time. What a number gives does not depend on its place in the array.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <xsimd/xsimd.hpp>

namespace linattn {

// result[i] = f(x[i]) for vectors of this kind; f gets some zeros after the last number.
template <class Vector, class F>
void by_vectors(const double* x, std::size_t count, double* result, F f) {
    constexpr std::size_t width = Vector::size;
    std::size_t i = 0;
    for (; i + width <= count; i += width) f(Vector::load_unaligned(x + i)).store_unaligned(result + i);
    std::array<double, width> rest{};
    std::copy(x + i, x + count, rest.begin());
    f(Vector::load_unaligned(rest.data())).store_unaligned(rest.data());
    std::copy_n(rest.begin(), count - i, result + i);
}

/// By xsimd: 1 unit of error in the last place at most, but what is below 2.3e-308 may be 0.
inline void vector_exp(const double* x, std::size_t count, double* result) {
    using Vector = xsimd::batch<double>;
    by_vectors<Vector>(x, count, result, [](const Vector& v) { return xsimd::exp(v); });
}

#if defined(LINATTN_LIBMVEC) && defined(__AVX2__)
#define LINATTN_VECTOR_ERF
extern "C" __m256d _ZGVdN4v_erf(__m256d);

/// By glibc's libmvec, which is off by 1.5 units in the last place, but by 2.5 between 1e-5 and 0.01: near 0 by its series.
/// (xsimd's own is off by 68.)
inline void vector_erf(const double* x, std::size_t count, double* result) {
    using Vector = xsimd::batch<double, xsimd::avx2>;
    by_vectors<Vector>(x, count, result, [](const Vector& v) {
        const Vector square = v * v;
        // 2/√π (1, -1/3, 1/10, -1/42), the first less 1
        const Vector tail =
            square * (-0.376126389031837525 + square * (0.112837916709551257 - square * 0.0268661706451312517));
        const Vector near_zero = v + v * (0.128379167095512574 + tail);
        return xsimd::select(xsimd::abs(v) < Vector(0.01), near_zero, Vector(_ZGVdN4v_erf(v)));
    });
}
#endif

}  // namespace linattn
