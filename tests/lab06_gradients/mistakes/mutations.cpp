// The four forms of the gradient as definitions whose settings are changed (gradient_mutations.hpp).
#include "gradient_arguments.hpp"
#include "gradient_mutations.hpp"

namespace linattn::testing::mutations {

AttentionGradients whole(const GradientSettings& settings, const Tensor& phi_Q, const Tensor& phi_K, const Tensor& V,
                         const Tensor& dO, double epsilon) {
    require_gradient_arguments(phi_Q, phi_K, V, dO, epsilon);
    return gradients_by_settings({phi_Q, phi_K, V, dO, epsilon}, settings);
}
AttentionGradients in_chunks(const GradientSettings& settings, const Tensor& phi_Q, const Tensor& phi_K,
                             const Tensor& V, const Tensor& dO, double epsilon, std::size_t chunk) {
    require_gradient_arguments(phi_Q, phi_K, V, dO, epsilon);
    require_chunk(chunk);
    return gradients_by_settings({phi_Q, phi_K, V, dO, epsilon, chunk}, settings);
}

// The right gradients, and beside them a state for each token.
AttentionGradients with_states(const GradientCall& call) {
    const AttentionShape shape =
        require_gradient_arguments(call.phi_Q, call.phi_K, call.V, call.dO, call.epsilon, "the mistake");
    const Tensor states = zeros(join(shape.leading, {shape.n, shape.d_k, shape.d_v}));
    return gradients_by_settings(call, {});
}
MISTAKE(causal_attention_backward,
        (const Tensor& phi_Q, const Tensor& phi_K, const Tensor& V, const Tensor& dO, double epsilon),
        "a state kept for every token", "§6.6", "Keep dN and dD of each token, and no S or R but the latest.") {
    return with_states({phi_Q, phi_K, V, dO, epsilon});
}
MISTAKE(causal_attention_backward_chunkwise,
        (const Tensor& phi_Q, const Tensor& phi_K, const Tensor& V, const Tensor& dO, double epsilon,
         std::size_t chunk),
        "a state kept for every token", "§6.7", "Keep dN and dD of each token, and no S or R but the latest.") {
    require_chunk(chunk);
    return with_states({phi_Q, phi_K, V, dO, epsilon});
}

const GradientSettings right;
const MutationTable<GradientSettings>& table = gradient_mutations();
const std::vector<TokenRows> rows = rows_of_attention({{3, "dO"}});

const MutationsOf quadratic_mutations("attention_backward_quadratic", table, form::weights | form::rows, right, &whole);
const MutationsOf parallel_mutations("causal_attention_backward_parallel", table,
                                     form::states | form::whole | form::rows | form::linear_cost, right, &whole);
const MutationsOf recurrent_mutations("causal_attention_backward", table,
                                      form::states | form::loops | form::linear_cost, right, &whole, {.rows = rows});
const MutationsOf chunkwise_mutations("causal_attention_backward_chunkwise", table,
                                      form::states | form::chunks | form::linear_cost, right, &in_chunks,
                                      {.rows = rows});

// Calls made for the diagnosis alone: all sizes different, several leading axes, features of both signs, few tokens, an ε
// that is large enough to see.
const Shape leading{2, 2};
const std::size_t n = 5, c = 3, d_v = 2;
const double epsilon = 0.5;
Tensor input(std::size_t width, std::uint64_t stream) { return random_tensor(join(leading, {n, width}), stream); }

template <class Function, class... More>
std::vector<Run> probes_of(Function* function, const More&... more) {
    return {probe(function, input(c, 901), input(c, 902) + 2.5, input(d_v, 903), input(d_v, 904), epsilon, more...)};
}
const Probes quadratic_probes("attention_backward_quadratic",
                              [] { return probes_of(&linattn::attention_backward_quadratic); });
const Probes parallel_probes("causal_attention_backward_parallel",
                             [] { return probes_of(&linattn::causal_attention_backward_parallel); });
const Probes recurrent_probes("causal_attention_backward",
                              [] { return probes_of(&linattn::causal_attention_backward); });
const Probes chunkwise_probes("causal_attention_backward_chunkwise",
                              [] { return probes_of(&linattn::causal_attention_backward_chunkwise, std::size_t{2}); });

}  // namespace linattn::testing::mutations
