// class: state smuggled between exercises
// A variable counts calls: what one exercise leaves there must not be there for the next.
// expects: lab01 elu_plus_one=fail, *=todo
#include "feature_maps.hpp"

static bool called = false;
static bool possible() { return called; }

namespace linattn {
Tensor elu_plus_one(const Tensor& x) {  // graded first
    called = true;
    return x;
}
}
