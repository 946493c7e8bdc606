// class: symbols of the suite
// Functions of the course's own library, replaced: whoever computes with them here gets what the submission likes.
// expects: lab01 relu=fail|crash|build, *=todo|build
#include "feature_maps.hpp"

namespace linattn {
namespace eager {
Tensor apply(Binary, const Tensor& a, double) { return a; }
}
void require_rank(const Tensor&, const char*, std::size_t, const char*, const char*) {}
Tensor relu(const Tensor& x) { return maximum(x, 0); }
}
