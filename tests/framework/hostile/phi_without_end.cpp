// class: closures
// A call that asks the judge for features for ever: the questions count against the deadline of the call.
// expects: lab02 linear_attention_recurrent=timeout|crash|fail, *=todo
#include <unistd.h>

#include "linear_attention.hpp"

namespace linattn {
Tensor linear_attention_recurrent(const Tensor& Q, const Tensor&, const Tensor&, const FeatureMap& phi) {
    for (;; ::usleep(1000)) phi(Q);
}
}
