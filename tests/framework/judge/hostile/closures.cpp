#include <unistd.h>
#include <csetjmp>
#include <csignal>
#include <limits>
#include <optional>
#include <thread>
#include <vector>

/// exception_through_phi [lab02 linear_attention_recurrent=fail|crash]: A jump out of a question that the judge has not
// answered yet.
Tensor linattn::linear_attention_recurrent(const Tensor& Q, const Tensor&, const Tensor& V, const FeatureMap& phi) {
    static std::jmp_buf place;
    std::signal(SIGALRM, [](int) { std::longjmp(place, 1); });
    if (setjmp(place) == 0) {
        std::raise(SIGALRM);
        phi(Q);
    }
    return V;
}
/// phi_after_the_call [lab02 linear_attention_recurrent=fail|crash|timeout]: A copy of the closure is kept and used in
// a later call, and in a thread that outlives the call.
Tensor linattn::linear_attention_recurrent(const Tensor& Q, const Tensor&, const Tensor& V, const FeatureMap& phi) {
    static std::optional<FeatureMap> kept;
    if (kept) (*kept)(Q);
    kept.emplace(phi);
    std::thread([x = Q, map = phi] {
        for (;; ::usleep(20)) map(x);
    }).detach();
    ::usleep(1000);
    return V;
}
/// phi_of_nonsense [lab02 linear_attention_recurrent=fail|crash]: Features of empty, NaN and hollow tensors.
Tensor linattn::linear_attention_recurrent(const Tensor&, const Tensor&, const Tensor& V, const FeatureMap& phi) {
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
/// phi_without_end [lab02 linear_attention_recurrent=timeout|crash|fail]: The questions count against its deadline.
Tensor linattn::linear_attention_recurrent(const Tensor& Q, const Tensor&, const Tensor&, const FeatureMap& phi) {
    for (;; ::usleep(1000)) phi(Q);
}
/// states_without_end [lab02 inclusive_scan=fail|crash|timeout]: The operation of a scan doubles a text in the judge.
std::vector<std::string> linattn::inclusive_scan(const std::vector<std::string>& states, const Combine& combine) {
    std::string all = states.empty() ? "a" : states[0];
    for (int i = 0; i < 40; ++i) all = combine(all, all);
    return states;
}
