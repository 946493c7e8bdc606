// class: closures
// The judge evaluates the feature map: it is asked for that of an enormous tensor, again and again.
// expects: lab02 linear_attention_recurrent=fail|crash|timeout, *=todo
#include "linear_attention.hpp"

namespace linattn {
Tensor linear_attention_recurrent(const Tensor&, const Tensor&, const Tensor& V, const FeatureMap& phi) {
    for (std::size_t size = 1 << 20; size < (std::size_t{1} << 27); size *= 2) phi(ones({size}));
    return V;
}
}
