// class: closures
// The feature map is built by the submission and throws, or jumps out of a question that the judge has not answered yet.
// expects: lab02 linear_attention_recurrent=fail|crash, linear_attention_bidirectional=fail|crash, *=todo
#include <csetjmp>
#include <csignal>

#include "linear_attention.hpp"

namespace linattn {
static std::jmp_buf place;
Tensor linear_attention_recurrent(const Tensor& Q, const Tensor&, const Tensor& V, const FeatureMap& phi) {
    std::signal(SIGALRM, [](int) { std::longjmp(place, 1); });
    if (setjmp(place) == 0) {
        std::raise(SIGALRM);
        phi(Q);
    }
    return V;
}
Tensor linear_attention_bidirectional(const Tensor& Q, const Tensor&, const Tensor&, const FeatureMap&) {
    const FeatureMap own("relu", [](const Tensor&) -> Tensor { throw NotImplemented("phi"); });
    try {
        return own(Q);
    } catch (const NotImplemented&) {
        throw 7;
    }
}
}
