// class: closures
// A copy of the closure is kept and used in a later call, and in a thread that outlives the call.
// expects: lab02 linear_attention_recurrent=fail|crash|timeout, *=todo
#include <unistd.h>

#include <optional>
#include <thread>

#include "linear_attention.hpp"

namespace linattn {
Tensor linear_attention_recurrent(const Tensor& Q, const Tensor&, const Tensor& V, const FeatureMap& phi) {
    static std::optional<FeatureMap> kept;
    if (kept) (*kept)(Q);
    kept.emplace(phi);
    std::thread([x = Q, map = phi] {
        for (;; ::usleep(20)) map(x);
    }).detach();
    ::usleep(1000);
    return V;
}
}
