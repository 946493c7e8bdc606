// class: symbols of the suite
// The exercise itself is an indirect function, which is resolved before main.
// expects: lab01 relu=fail|build|crash, *=todo|build|crash
#include "feature_maps.hpp"

static linattn::Tensor same(const linattn::Tensor& x) { return x; }
extern "C" {
using Map = linattn::Tensor(const linattn::Tensor&);
[[gnu::no_sanitize("address")]] static Map* choose() { return &same; }
}
namespace linattn {
[[gnu::ifunc("choose")]] Tensor relu(const Tensor& x);
}
