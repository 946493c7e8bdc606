// The delta rule's forms as definitions whose settings are changed (delta_mutations.hpp).
#include <cmath>
#include <vector>

#include "delta_inputs.hpp"
#include "delta_mutations.hpp"
#include "forgetting_arguments.hpp"

namespace linattn::testing::delta_rule_mistakes {

Tensor recurrent(const DeltaSettings& settings, const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& beta) {
    require_strengths(beta, require_attention_shapes(Q, K, V));
    return delta_by_settings({Q, K, V, beta}, settings).output;
}
Tensor chunkwise(const DeltaSettings& settings, const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& beta,
                 std::size_t chunk) {
    require_strengths(beta, require_attention_shapes(Q, K, V));
    require_chunk(chunk);
    return delta_by_settings({Q, K, V, beta, nullptr, nullptr, chunk}, settings).output;
}
GatedDeltaResult resume(const DeltaSettings& settings, const Tensor& Q, const Tensor& K, const Tensor& V,
                        const Tensor& beta, const Tensor& log_decay, const Tensor& S) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_strengths(beta, shape);
    require_decays(log_decay, shape);
    require_state(S, shape);
    const DeltaResult made = delta_by_settings({Q, K, V, beta, &log_decay, &S}, settings);
    return {made.output, made.S};
}
Tensor gated_chunkwise(const DeltaSettings& settings, const Tensor& Q, const Tensor& K, const Tensor& V,
                       const Tensor& beta, const Tensor& log_decay, std::size_t chunk) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_strengths(beta, shape);
    require_decays(log_decay, shape);
    require_chunk(chunk);
    return delta_by_settings({Q, K, V, beta, &log_decay, nullptr, chunk}, settings).output;
}

MISTAKE(delta_rule_recurrent, (const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& beta),
        "the key corrected by what the state returns for the value", "",
        "The error is that of the value, v - Sᵀk: what the state returns for the key. It is written under the key as "
        "it is.") {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_strengths(beta, shape);
    const Tensor strength = expand_dims(beta, -1);
    Tensor output = zeros(shape_of(V)), S = zeros(join(shape.leading, {shape.d_k, shape.d_v}));
    for (std::size_t i = 0; i < shape.n; ++i) {
        const Tensor v = expand_dims(token(V, i), -2), error = token(K, i) - sum(S * v, -1);
        S += expand_dims(token(strength, i) * error, -1) * v;
        set_token(output, i, sum(expand_dims(token(Q, i), -1) * S, -2));
    }
    return output;
}

// The right numbers, and beside them a state for each token.
Tensor state_of_each_token(const Tensor& K, const Tensor& V) { return zeros(join(shape_of(K), {length(V, -1)})); }
MISTAKE(delta_rule_recurrent, (const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& beta),
        "memory grows with the sequence", "§9.7", "Keep one state, that of the latest token.") {
    const Tensor states = state_of_each_token(K, V);
    return recurrent({}, Q, K, V, beta);
}
MISTAKE(delta_rule_chunkwise,
        (const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& beta, std::size_t chunk),
        "memory grows with the sequence", "§9.9", "Keep one state and one chunk, nothing else.") {
    const Tensor states = state_of_each_token(K, V);
    return chunkwise({}, Q, K, V, beta, chunk);
}
MISTAKE(gated_delta_rule_resume,
        (const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& beta, const Tensor& log_decay,
         const Tensor& S),
        "memory grows with the sequence", "§9.10", "Keep one state, that of the latest token.") {
    const Tensor states = state_of_each_token(K, V);
    return resume({}, Q, K, V, beta, log_decay, S);
}
MISTAKE(gated_delta_rule_chunkwise,
        (const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& beta, const Tensor& log_decay,
         std::size_t chunk),
        "memory grows with the sequence", "§9.11", "Keep one state and one chunk, nothing else.") {
    const Tensor states = state_of_each_token(K, V);
    return gated_chunkwise({}, Q, K, V, beta, log_decay, chunk);
}

// The delta rule, written in another way, as each of the two exercises that go token by token.
using Rule = GatedDeltaResult(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& beta,
                              const Tensor* log_decay, Tensor S);
Tensor from_zeros(Rule rule, const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& beta) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_strengths(beta, shape);
    return rule(Q, K, V, beta, nullptr, zeros(join(shape.leading, {shape.d_k, shape.d_v}))).output;
}
GatedDeltaResult resumed(Rule rule, const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& beta,
                         const Tensor& log_decay, const Tensor& S) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_strengths(beta, shape);
    require_decays(log_decay, shape);
    require_state(S, shape);
    return rule(Q, K, V, beta, &log_decay, S);
}

// In one loop over the rows of S: each is corrected by what the key reads of it and of the rows before, and then read.
GatedDeltaResult corrected_row_by_row(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& beta,
                                      const Tensor* log_decay, Tensor S) {
    const std::size_t n = length(V, -2), d_k = length(K, -1), d_v = length(V, -1);
    Tensor output = zeros(shape_of(V));
    for (std::size_t at = 0; d_v > 0 && at < V.size() / d_v; ++at) {
        std::vector<double> held(d_v);
        for (std::size_t a = 0; a < d_k; ++a)
            for (std::size_t b = 0; b < d_v; ++b) {
                double& entry = S.data()[(at / n * d_k + a) * d_v + b];
                if (log_decay != nullptr) entry *= std::exp(log_decay->data()[at]);
                held[b] += K.data()[at * d_k + a] * entry;
                entry += beta.data()[at] * K.data()[at * d_k + a] * (V.data()[at * d_v + b] - held[b]);
                output.data()[at * d_v + b] += Q.data()[at * d_k + a] * entry;
            }
    }
    return {output, S};
}
#define ROW_BY_ROW(function, parameters, section)                                                     \
    MISTAKE(function, parameters, "rows of S corrected before the key has read all of them", section, \
            "The error v - S̃ᵀk is a sum over all rows: finish it in one loop, and correct the rows in another.")
ROW_BY_ROW(delta_rule_recurrent, (const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& beta), "§9.7") {
    return from_zeros(corrected_row_by_row, Q, K, V, beta);
}
ROW_BY_ROW(gated_delta_rule_resume,
           (const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& beta, const Tensor& log_decay,
            const Tensor& S),
           "§9.10") {
    return resumed(corrected_row_by_row, Q, K, V, beta, log_decay, S);
}

// What the key reads of S, computed anew for each row that is corrected. Where the rows are decayed in the same loop, those
// below have not been when a row is corrected.
template <bool decayed_one_by_one>
GatedDeltaResult read_anew_for_each_row(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& beta,
                                        const Tensor* log_decay, Tensor S) {
    const std::size_t n = length(V, -2), d_k = length(K, -1), d_v = length(V, -1);
    Tensor output = zeros(shape_of(V));
    for (std::size_t at = 0; d_v > 0 && at < V.size() / d_v; ++at) {
        double* state = S.data() + at / n * d_k * d_v;
        const double decay = log_decay == nullptr ? 1.0 : std::exp(log_decay->data()[at]);
        for (std::size_t e = 0; !decayed_one_by_one && e < d_k * d_v; ++e) state[e] *= decay;
        for (std::size_t a = 0; a < d_k; ++a)
            for (std::size_t b = 0; b < d_v; ++b) {
                double& entry = state[a * d_v + b];
                if (decayed_one_by_one) entry *= decay;
                double error = V.data()[at * d_v + b];
                for (std::size_t r = 0; r < d_k; ++r) error -= K.data()[at * d_k + r] * state[r * d_v + b];
                entry += beta.data()[at] * K.data()[at * d_k + a] * error;
                output.data()[at * d_v + b] += Q.data()[at * d_k + a] * entry;
            }
    }
    return {output, S};
}
#define READ_ANEW(function, parameters, name, section) \
    MISTAKE(function, parameters, name, section,       \
            "The error v - S̃ᵀk is one for all rows: compute it before the first of them is corrected.")
READ_ANEW(delta_rule_recurrent, (const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& beta),
          "what the key reads computed anew for each row of S", "§9.7") {
    return from_zeros(read_anew_for_each_row<false>, Q, K, V, beta);
}
READ_ANEW(gated_delta_rule_resume,
          (const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& beta, const Tensor& log_decay,
           const Tensor& S),
          "what the key reads computed anew for each row of S", "§9.10") {
    return resumed(read_anew_for_each_row<false>, Q, K, V, beta, log_decay, S);
}
READ_ANEW(gated_delta_rule_resume,
          (const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& beta, const Tensor& log_decay,
           const Tensor& S),
          "what the key reads computed anew for each row of S, which is decayed just before", "§9.10") {
    return resumed(read_anew_for_each_row<true>, Q, K, V, beta, log_decay, S);
}

const DeltaSettings right;
const MutationTable<DeltaSettings>& table = delta_mutations();

const MutationsOf recurrent_mutations("delta_rule_recurrent", table, form::by_tokens, right, &recurrent,
                                      {.rows = rows_of_attention({{3, "β", -1}})});
// In chunks, what is said of a token's error is said of the right side and of the system.
const MutationsOf chunkwise_mutations("delta_rule_chunkwise", table, form::chunks, right, &chunkwise,
                                      {.rows = rows_of_attention({{3, "β", -1}})});
const MutationsOf resume_mutations("gated_delta_rule_resume", table, form::by_tokens | form::decays | form::state,
                                   right, &resume, {.rows = rows_of_attention({{3, "β", -1}})});
const MutationsOf gated_chunkwise_mutations("gated_delta_rule_chunkwise", table, form::chunks | form::decays, right,
                                            &gated_chunkwise, {.rows = rows_of_attention({{3, "β", -1}})});

// Calls made for the diagnosis alone: all sizes different, several leading axes, several chunks and a shorter one.
const DeltaInputs& probed() {
    static const DeltaInputs in({2, 2}, 8, 4, 3, 901);
    return in;
}
const Probes recurrent_probes("delta_rule_recurrent", [] {
    const DeltaInputs& in = probed();
    return std::vector{probe(&linattn::delta_rule_recurrent, in.Q, in.K, in.V, in.beta)};
});
const Probes chunkwise_probes("delta_rule_chunkwise", [] {
    const DeltaInputs& in = probed();
    return std::vector{probe(&linattn::delta_rule_chunkwise, in.Q, in.K, in.V, in.beta, std::size_t{3})};
});
const Probes resume_probes("gated_delta_rule_resume", [] {
    const DeltaInputs& in = probed();
    return std::vector{probe(&linattn::gated_delta_rule_resume, in.Q, in.K, in.V, in.beta, in.log_decay, in.S)};
});
const Probes gated_chunkwise_probes("gated_delta_rule_chunkwise", [] {
    const DeltaInputs& in = probed();
    return std::vector{
        probe(&linattn::gated_delta_rule_chunkwise, in.Q, in.K, in.V, in.beta, in.log_decay, std::size_t{3})};
});

}  // namespace linattn::testing::delta_rule_mistakes
