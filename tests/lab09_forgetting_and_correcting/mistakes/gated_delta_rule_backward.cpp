// The gradients of the gated delta rule as a definition whose settings are changed.
#include <cmath>

#include "delta_gradient_definition.hpp"
#include "delta_inputs.hpp"
#include "delta_mutations.hpp"
#include "forgetting_arguments.hpp"

namespace linattn::testing::gated_delta_rule_backward_mistakes {

using Settings = DeltaGradientSettings;

template <class Value>
void set_R(Settings& s, Value Reading::*setting, Value value) {
    s.R_of_outputs.*setting = s.R_of_errors.*setting = value;
}
template <class Value>
void set_S(Settings& s, Value Reading::*setting, Value value) {
    s.forward.key.*setting = s.forward.query.*setting = value;
}

void along(Settings& s, SumAxis axis) {
    set_S(s, &Reading::since_begin, SinceBegin::along_axis);
    set_S(s, &Reading::carried, Carried::along_axis);
    set_R(s, &Reading::since_begin, SinceBegin::along_axis);
    set_R(s, &Reading::carried, Carried::along_axis);
    s.forward.sums_along = axis;
}

Mutations<Settings> of_the_correction() {
    return {
        {"the errors", "error's path to k forgotten",
         "k_i is in the error v_i - S̃ᵀk_i, too: dk_i has -S̃ times the gradient of the error.", 0,
         SET(s.own_error_in_dk = 0.0)},
        {"the errors", "sign of the error's path to k",
         "k_i is subtracted in the error v_i - S̃ᵀk_i: dk_i has a minus there.", 0, SET(s.own_error_in_dk = -1.0)},
        {"the errors", "later errors forgotten",
         "What token j writes is corrected by later tokens: R loses k_i times the gradient of each error.", 0,
         SET(s.errors_in_du = s.errors_in_dk = 0.0)},
        {"the errors", "later errors forgotten in U",
         "U solves a system: its gradient solves the transposed one, and R is corrected, too.", 0,
         SET(s.errors_in_du = 0.0)},
        {"the errors", "later errors forgotten in dk",
         "What k_j wrote is subtracted in later errors: that is part of dk_j.", 0, SET(s.errors_in_dk = 0.0)},
        {"the errors", "M_kᵀK missing from dK",
         "KKᵀ has K on both sides: M_k K is the key in its own error, M_kᵀK the key in the errors of later tokens.", 0,
         SET(s.column_of_M_in_dk = false)},
        {"the errors", "M_k K missing from dK",
         "KKᵀ has K on both sides: M_k K is the key in its own error, M_kᵀK the key in the errors of later tokens.", 0,
         SET(s.row_of_M_in_dk = false)},
        {"the errors", "sign of later errors", "What later errors subtract, the gradient subtracts as well.", 0,
         SET(s.errors_in_du = s.errors_in_dk = -1.0)},
        {"the errors", "system not transposed", "Backwards through (I + L)U = … means (I + L)ᵀ: from the last row up.",
         0, SET(s.system_not_transposed = true)},
        {"the errors", "β multiplied to the rows of the transposed system",
         "L = β ⊙ KKᵀ ⊙ D has row i times β_i: transpose it with its β, which then belongs to the columns.", 0,
         SET(s.beta_of_own_row = true)},
        {"the errors", "outputs' path to k forgotten", "dk_j has what outputs from j on read under k_j.", 0,
         SET(s.outputs_in_dk = 0.0)},
        {"the errors", "the gradient of gated attention",
         "The errors depend on what was written before: differentiate through v_i - S̃ᵀk_i.", 0,
         SET(s.forward.state.factor = s.forward.chunk.factor = s.errors_in_du = s.errors_in_dk = s.own_error_in_dk =
                 0.0,
             s.beta = BetaGradient::value)},
        {"β", "β's gradient without the error",
         "dβ_i is the gradient of what is written times the error, not times v_i.", 0,
         SET(s.beta = BetaGradient::value)},
        {"β", "β's gradient without the chunk's own writes",
         "The error of token i subtracts what earlier tokens of its chunk wrote, too: β is in L as well.", 0,
         SET(s.beta = BetaGradient::error_before_chunk)},
        {"β", "β's gradient times β", "What is written is β_i times the error: dβ_i takes the error alone.", 0,
         SET(s.beta = BetaGradient::written)},
        {"β", "β through a sigmoid", "β is a number already: who calls has made it, by a sigmoid or otherwise.", 0,
         SET(s.sigmoid_of_beta = true)},
        {"β", "β doubled", "β is used as it comes: who wants eigenvalues from -1 to 1 has doubled it.", 0,
         SET(s.beta_times = 2.0)},
        {"β", "β forgotten in dv", "What is written has β_i v_i in it: dv_i has the factor β_i.", 0,
         SET(s.beta_in_dv = false)},
    };
}

Mutations<Settings> of_the_decays() {
    return {
        {"the decays", "decay's gradient of one chunk only",
         "A decay also lies between a write of an earlier chunk and an output of a later one: S and R meet there.", 0,
         SET(s.log_decay = DecayGradient::of_one_chunk)},
        {"the decays", "decay's gradient without pairs of one chunk", "D has decays in it, too.", 0,
         SET(s.log_decay = DecayGradient::of_states)},
        {"the decays", "decay's gradient not summed over later tokens",
         "A decay of token i acts on all that is read from i on: sum over these tokens.", 0,
         SET(s.log_decay = DecayGradient::not_summed)},
        {"the decays", "decay's gradient summed from the front",
         "A decay of token i acts on all that is read from i on: sum from the end.", 0,
         SET(s.log_decay = DecayGradient::from_the_front)},
        {"the decays", "own token left out of the decay's gradient",
         "Token i forgets before it reads: it counts in its own sum.", 0,
         SET(s.log_decay = DecayGradient::without_own)},
        {"the decays", "one running sum for the decays of all leading indices",
         "Every leading index has decays of its own: the sum is a Tensor (…), not one number.", 0,
         SET(s.heads_of_decay = Heads::all)},
        {"the decays", "running sum of the decay's gradient not set back for the next head",
         "Begin the sum with 0 for every leading index.", 0, SET(s.heads_of_decay = Heads::own_after_earlier)},
        {"the decays", "running sum of the decay's gradient along the first axis",
         "log_decay is (…, n): its tokens are axis -1, which is axis 0 only where there are no leading axes.", 0,
         SET(s.log_decay = DecayGradient::not_summed, s.decay_along = SumAxis::first)},
        {"the decays", "running sum of the decay's gradient along axis -2",
         "log_decay is (…, n), without an axis of entries: its tokens are axis -1.", 0,
         SET(s.log_decay = DecayGradient::not_summed, s.decay_along = SumAxis::before_tokens)},
        {"the decays", "running sums of the decays along the first axis",
         "log_decay is (…, n): its tokens are axis -1, which is axis 0 only where there are no leading axes.", 0,
         SET(along(s, SumAxis::first))},
        {"the decays", "running sums of the decays along axis -2",
         "log_decay is (…, n), without an axis of entries: its tokens are axis -1.", 0,
         SET(along(s, SumAxis::before_tokens))},
        {"the decays", "q·dq alone", "What is written from i on does not decay at i: subtract its part.", 0,
         SET(s.log_decay = DecayGradient::queries_only)},
        {"the decays", "k·dk subtracted as well as v·dv",
         "q·dq - v·dv is the whole gradient: the state is linear in the values.", 0,
         SET(s.log_decay = DecayGradient::keys_too)},
        {"the decays", "q·dq added twice", "d log a_i sums q·dq - v·dv, each once.", 0,
         SET(s.log_decay = DecayGradient::queries_twice)},
        {"the decays", "q·dq forgotten", "d log a_i sums q·dq - v·dv.", 0,
         SET(s.log_decay = DecayGradient::values_only)},
        {"the decays", "sign of v·dv", "What is written from i on does not decay at i: subtract its part.", 0,
         SET(s.log_decay = DecayGradient::values_added)},
        {"the decays", "q·dq - k·dk, as without a correction",
         "There k was in the write alone. Here it is in the error, too; the state is linear in the values: q·dq - "
         "v·dv.",
         0, SET(s.log_decay = DecayGradient::keys_for_values)},
        {"the decays", "sign of the decay's gradient", "A larger log decay keeps more.", 0, SET(s.decay_factor = -1.0)},
        {"the decays", "gradient with respect to a, not log a", "The argument is log a: da/dlog a = a.", 0,
         SET(s.of_decay_itself = true)},
        {"the decays", "decay forgotten", "S and R are multiplied by the decays.", 0,
         SET(s.forward.decay = Decay::forgotten)},
        {"the decays", "log decay used as the decay", "The decay is e to its logarithm.", 0,
         SET(s.forward.decay = Decay::the_logarithm)},
        {"D", "M in place of D", "What lies some tokens back has decayed: QKᵀ ⊙ D, here and on the way back.", 0,
         SET(s.forward.query.inside = s.R_of_outputs.inside = Inside::none)},
        {"D", "M in place of D in the gradient of the scores",
         "The scores are QKᵀ ⊙ D, so that their gradient is dO Uᵀ ⊙ D: what multiplies forwards does so on the way "
         "back.",
         0, SET(s.dscores_undecayed = true)},
        {"D", "D left out of the gradient of the scores",
         "The scores are QKᵀ ⊙ D, so that their gradient is dO Uᵀ ⊙ D, with the decays and the mask that are in D.", 0,
         SET(s.dscores_unmasked = true)},
        {"R", "R gets the chunk's queries before the chunk reads it",
         "R holds what later chunks read: what the chunk's own tokens read is in the scores. Update it last.", 0,
         SET(s.queries_in_R_too_early = true)},
        {"D", "D left out of the gradient of the system",
         "KKᵀ is multiplied by D, so that its gradient is, too: what multiplies forwards does so on the way back.", 0,
         SET(s.dM_undecayed = true)},
        {"the chunk", "scores not transposed in the gradient of U",
         "A token's write is read by later queries: column j of the scores, (QKᵀ ⊙ D)ᵀ dO.", 0,
         SET(s.scores_not_transposed = true)},
        {"the chunk", "gradient of the scores not transposed in dK",
         "A key is read by later queries: column j of the scores' gradient, (dO Uᵀ ⊙ D)ᵀ Q.", 0,
         SET(s.dscores_not_transposed = true)},
        {"D", "no D in the system", "What lies some tokens back has decayed: KKᵀ ⊙ D, here and on the way back.", 0,
         SET(s.forward.key.inside = s.R_of_errors.inside = Inside::none)},
    };
}

Mutations<Settings> of_the_chunks() {
    return {
        {"R", "R not decayed between chunks", "R decays by all decays of a chunk, as S does.", 0,
         SET(set_R(s, &Reading::carried, Carried::none))},
        {"R", "R not decayed", "R decays from token to token as S does, the other way.", 0,
         SET(set_R(s, &Reading::carried, Carried::none), set_R(s, &Reading::since_begin, SinceBegin::none),
             set_R(s, &Reading::until_end, UntilEnd::none))},
        {"R", "queries and errors added to R undecayed", "What token i reads has decayed since the chunk's beginning.",
         0, SET(set_R(s, &Reading::since_begin, SinceBegin::none))},
        {"R", "R read undecayed", "What token j wrote decays until the chunk's end before R sees it.", 0,
         SET(set_R(s, &Reading::until_end, UntilEnd::none))},
        {"R", "R read undecayed by the gradient of U",
         "What token j wrote decays until the chunk's end before R sees it, in the gradient of U as in that of K.", 0,
         SET(s.du_reads_R_undecayed = true)},
        {"R", "R carried to before the chunk before the keys' gradient reads it",
         "What token j writes is read by later chunks: U Rᵀ needs the R of the chunk's end. Update it last.", 0,
         SET(s.dk_reads_R_carried_on = true)},
        {"R", "R not carried from chunk to chunk", "Carry R from chunk to chunk, from the last one on.", 0,
         SET(set_R(s, &Reading::tokens, Tokens::own_block))},
        {"R", "R replaced, not added to, from chunk to chunk", "Every chunk adds to R.", 0,
         SET(set_R(s, &Reading::tokens, Tokens::own_block_and_last))},
        {"R", "errors left out of R", "R' loses k times the gradients of the chunk's errors.", 0,
         SET(s.R_of_errors.tokens = Tokens::own_block)},
        {"S", "S not carried from chunk to chunk",
         "Keep the state before each chunk, and start from it on the way back.", 0,
         SET(set_S(s, &Reading::tokens, Tokens::own_block))},
        {"S", "S not decayed from chunk to chunk", "S decays by all decays of the chunk.", 0,
         SET(set_S(s, &Reading::carried, Carried::none))},
        {"S", "S left out of dq", "dq_i has a part from its own chunk and one from the state before it.", 0,
         SET(s.forward.query.tokens = Tokens::own_block)},
        {"S", "S read undecayed", "S has decayed from the chunk's beginning to token i.", 0,
         SET(set_S(s, &Reading::since_begin, SinceBegin::none))},
        {"S", "keys added to the state undecayed", "What token j wrote has decayed by the chunk's end.", 0,
         SET(set_S(s, &Reading::until_end, UntilEnd::none))},
        {"S", "D's last column where keys are added",
         "Row i of D is the reader's: until the chunk's end, the keys have decayed by D's last row. Its last column is "
         "0 "
         "up to the last token.",
         0, SET(set_S(s, &Reading::until_end, UntilEnd::last_column))},
        {"R", "D's last column where R is read",
         "Row i of D is the reader's: what token j wrote decays until the chunk's end by D's last row. Its last column "
         "is 0 up to the last token.",
         0, SET(set_R(s, &Reading::until_end, UntilEnd::last_column))},
        {"S and R", "D's last column for all decays until the chunk's end",
         "Row i of D is the reader's: until the chunk's end, what token j wrote decays by D's last row. Its last "
         "column "
         "is 0 up to the last token.",
         0,
         SET(set_S(s, &Reading::until_end, UntilEnd::last_column),
             set_R(s, &Reading::until_end, UntilEnd::last_column))},
        {"what is written", "first chunk left out on the way back",
         "The loop backwards ends with chunk 0: for (c = chunks; c-- > 0;) reaches it.", 0,
         SET(s.written = DeltaGradientsWritten::all_but_first_chunk)},
        {"what is written", "last chunk left out on the way back",
         "The loop over the chunks begins with the last one, whose number is one less than there are.", 0,
         SET(s.written = DeltaGradientsWritten::all_but_last_chunk)},
        {"what is written", "a short last chunk left out",
         "There are ⌈n / C⌉ chunks, and n / C is rounded down: (n - 1) / C + 1 counts the short one, too.", 0,
         SET(s.written = DeltaGradientsWritten::all_but_short_chunk)},
        {"what is written", "number of chunks overflows",
         "(n + chunk - 1) / chunk is 0 where chunk is nearly 2^64: (n - 1) / chunk + 1, or min(chunk, n) first.", 0,
         SET(s.written = DeltaGradientsWritten::unless_count_overflows)},
        {"what is written", "only the last head written", "Every leading index has gradients of its own.", 0,
         SET(s.written = DeltaGradientsWritten::only_last_head)},
        {"what is written", "only the first head written", "Every leading index has gradients of its own.", 0,
         SET(s.written = DeltaGradientsWritten::only_first_head)},
        {"what is written", "dQ and dK exchanged", "The result is {Q, K, V, beta, log_decay}.", 0,
         SET(s.written = DeltaGradientsWritten::exchanged)},
        {"what is written", "the negative gradient",
         "A gradient points to where the loss rises. The step of a descent has the minus.", 0, SET(s.factor = -1.0)},
        {"what is written", "twice the gradient", "L = Σ dO ⊙ O has no factor of 2.", 0, SET(s.factor = 2.0)},
        {"", "computed in O(n²)", "S and R go from chunk to chunk: no n×n matrix.", 0, nullptr},
    };
}

GatedDeltaGradients backward(const Settings& settings, const Tensor& Q, const Tensor& K, const Tensor& V,
                             const Tensor& beta, const Tensor& log_decay, const Tensor& dO, std::size_t chunk) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_strengths(beta, shape);
    require_decays(log_decay, shape);
    require_upstream(dO, V);
    require_chunk(chunk);
    const auto normalized = [](const Tensor& x) {
        const Tensor size = sqrt(sum(x * x, -1, keep_dims));
        return Tensor(x / where(size > 0.0, size, 1.0));
    };
    const Tensor queries = settings.queries_normalized ? normalized(Q) : Q,
                 keys = settings.keys_normalized ? normalized(K) : K;
    Tensor strengths = beta;
    for (double& each : strengths)
        each = settings.beta_times * (settings.sigmoid_of_beta ? 1.0 / (1.0 + std::exp(-each)) : each);
    return delta_gradients_by_settings({queries, keys, V, strengths, &log_decay, nullptr, chunk}, dO, settings);
}

MISTAKE(gated_delta_rule_backward,
        (const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& beta, const Tensor& log_decay,
         const Tensor& dO, std::size_t chunk),
        "a state kept for every token", "§9.12",
        "Keep the states before each chunk, and compute what lies between again on the way back.") {
    const Tensor states = zeros(join(shape_of(K), {length(V, -1)}));
    return backward({}, Q, K, V, beta, log_decay, dO, chunk);
}

const MutationTable<Settings>& table() {
    static const MutationTable<Settings> all = [] {
        MutationTable<Settings> made;
        for (const auto& part : {of_the_correction(), of_the_lengths<Settings>(), of_the_decays(), of_the_chunks()})
            made.mutations.insert(made.mutations.end(), part.begin(), part.end());
        made.numbers.push_back({"the gradient times %s", "The gradient of L = Σ dO ⊙ O has no such factor.", 0,
                                SET_TO(s.factor = x), 1e-3, 1e3});
        return made;
    }();
    return all;
}

const MutationsOf mutations("gated_delta_rule_backward", table(), 0, Settings{}, &backward,
                            {.rows = rows_of_attention({{3, "β", -1}, {5, "dO"}})});

// Several leading axes, all sizes different, three whole chunks and a shorter one, and two whole ones.
const Probes probes("gated_delta_rule_backward", [] {
    const DeltaInputs in({2, 2}, 10, 4, 3, 901);
    return std::vector{
        probe(&linattn::gated_delta_rule_backward, in.Q, in.K, in.V, in.beta, in.log_decay, in.dO, std::size_t{3}),
        probe(&linattn::gated_delta_rule_backward, in.Q, in.K, in.V, in.beta, in.log_decay, in.dO, std::size_t{5})};
});

}  // namespace linattn::testing::gated_delta_rule_backward_mistakes
