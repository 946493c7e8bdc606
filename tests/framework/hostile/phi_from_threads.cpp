// class: closures
// Eight threads ask at the same time, so that questions and answers mix.
// expects: lab02 linear_attention_recurrent=fail|crash|timeout, *=todo
#include <thread>
#include <vector>

#include "linear_attention.hpp"

namespace linattn {
Tensor linear_attention_recurrent(const Tensor& Q, const Tensor&, const Tensor& V, const FeatureMap& phi) {
    std::vector<std::jthread> all;
    for (int i = 0; i < 8; ++i)
        all.emplace_back([&] {
            for (int turn = 0; turn < 50; ++turn) phi(Q);
        });
    return V;
}
}
