// class: template specialisations
// Specialisations that a suite in the same program would share with the submission: closures that do nothing.
// expects: lab01 relu=fail|crash, *=todo|crash|build
#include <functional>

#include "feature_maps.hpp"

template <>
void std::function<void()>::operator()() const {}
template <>
linattn::Tensor std::function<linattn::Tensor(const linattn::Tensor&)>::operator()(const linattn::Tensor& x) const {
    return x;
}

namespace linattn {
Tensor relu(const Tensor& x) { return x; }
}
