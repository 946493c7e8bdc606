// class: exceptions
// The types that a suite throws to end a case early, when its verdict has been sent: thrown here by name.
// expects: lab01 relu=fail|crash, identity=fail|crash, *=todo
#include "feature_maps.hpp"

namespace linattn::testing {
struct CaseOver {};
}
namespace doctest::detail {
struct TestFailureException {};
}
namespace linattn {
Tensor relu(const Tensor&) { throw testing::CaseOver{}; }
Tensor identity(const Tensor&) { throw doctest::detail::TestFailureException{}; }
}
