// class: compile-time bombs
// The compiler evaluates constants for hours: each of them stays below its limit of operations.
// expects: lab01 *=build
#include "feature_maps.hpp"

constexpr long slow(int n) {
    long sum = n;
    for (long i = 0; i < 100'000; ++i)
        for (long j = 0; j < 10; ++j) sum += i ^ j;
    return sum;
}
template <int n>
struct Many : Many<n - 1> {
    static_assert(slow(n) != 7);
};
template <>
struct Many<0> {};
Many<880> endless;
