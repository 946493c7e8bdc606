// class: template bombs
// Each type has two different ones inside: 2⁹⁰⁰ of them before the depth that a compiler allows is reached.
// expects: lab01 *=build
#include "feature_maps.hpp"

template <int depth, class Path>
struct Twice {
    static constexpr long value = Twice<depth - 1, const Path*>::value + Twice<depth - 1, Path**>::value;
};
template <class Path>
struct Twice<0, Path> {
    static constexpr long value = 1;
};
constexpr long endless = Twice<800, int>::value;
