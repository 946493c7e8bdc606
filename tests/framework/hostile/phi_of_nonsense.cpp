// class: closures
// The judge is asked for the features of a tensor without axes, without numbers, with NaN, and of a hollow one.
// expects: lab02 linear_attention_recurrent=fail|crash, *=todo
#include <limits>

#include "linear_attention.hpp"

namespace linattn {
Tensor linear_attention_recurrent(const Tensor&, const Tensor&, const Tensor& V, const FeatureMap& phi) {
    Tensor hollow = ones({4, 4});
    hollow.storage().resize(0);
    for (const Tensor& x : {Tensor{}, zeros({0}), zeros({3, 0, 2}), ones(Shape(200, 1)), hollow,
                            full({5}, std::numeric_limits<double>::quiet_NaN())}) {
        try {
            phi(x);
        } catch (...) {
        }
    }
    return V;
}
}
