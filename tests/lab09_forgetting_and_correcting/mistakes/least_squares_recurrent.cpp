// Recursive least squares as a definition whose settings are changed.
#include "least_squares_definition.hpp"
#include "mutations.hpp"
#include "work_counter.hpp"

namespace linattn::testing::least_squares_recurrent_mistakes {

using Settings = LeastSquaresSettings;

const MutationTable<Settings>& table() {
    static const MutationTable<Settings> all{
        {
            {"P", "P never updated",
             "That is a delta rule with a fixed step: P -= (P k)(P k)ᵀ / (1 + kᵀP k) at every token.", 0,
             SET(s.update = Update::never)},
            {"P", "P updated without its divisor", "P loses (P k)(P k)ᵀ / (1 + kᵀP k).", 0,
             SET(s.update = Update::undivided)},
            {"P", "P divided by kᵀP k alone", "The divisor is 1 + kᵀP k.", 0, SET(s.update = Update::without_one)},
            {"P", "P grows", "An inverse shrinks when its matrix grows: (P k)(P k)ᵀ / (1 + kᵀP k) is subtracted.", 0,
             SET(s.update = Update::added)},
            {"P", "P loses gain times gain", "P loses gain times (P k)ᵀ: only one of the two has been divided.", 0,
             SET(s.update = Update::by_gain_and_gain)},
            {"P", "P loses the gain times k",
             "P loses gain times (P k)ᵀ, not gain times kᵀ: P k is kᵀP, P being symmetric.", 0,
             SET(s.update = Update::by_gain_and_key)},
            {"P", "P loses k times the gain",
             "P loses gain times (P k)ᵀ, not k times the gain: P k is kᵀP, P being symmetric.", 0,
             SET(s.update = Update::by_key_and_gain)},
            {"P", "P loses k kᵀ / (1 + kᵀP k)", "P loses (P k)(P k)ᵀ / (1 + kᵀP k): P stands on both sides of k kᵀ.", 0,
             SET(s.update = Update::by_key_and_key)},
            {"the gain", "the ridge in place of the 1", "The divisor is 1 + kᵀP k: the ridge is in P already.", 0,
             SET(s.ridge_for_one = true)},
            {"the gain", "gain without its divisor", "The gain is P k / (1 + kᵀP k), with P before its update.", 0,
             SET(s.gain = Gain::undivided)},
            {"the gain", "gain divided by kᵀP k alone", "The divisor is 1 + kᵀP k.", 0,
             SET(s.gain = Gain::without_one)},
            {"the gain", "gain of the new P, divided once more",
             "With P after its update the gain is P k: the divisor is in it already.", 0,
             SET(s.gain = Gain::of_new_P_divided)},
            {"the gain", "gain of the new P, divided by 1 + kᵀP k of the new P",
             "Compute the gain before P is updated. With P after its update the gain is P k, undivided.", 0,
             SET(s.gain = Gain::of_new_P_divided_anew)},
            {"the gain", "the key in place of the gain", "S changes along P k / (1 + kᵀP k), not along k.", 0,
             SET(s.gain = Gain::key)},
            {"the gain", "divisor without the 1", "The divisor is 1 + kᵀP k, for the gain and for P.", 0,
             SET(s.gain = Gain::without_one, s.update = Update::without_one)},
            {"the gain", "no divisor at all", "Divide by 1 + kᵀP k, for the gain and for P.", 0,
             SET(s.gain = Gain::undivided, s.update = Update::undivided)},
            {"the ridge", "P begins with the ridge", "P is an inverse: it begins as the identity divided by the ridge.",
             0, SET(s.begin = Begin::ridge)},
            {"the ridge", "P begins as the identity over the squared ridge", "P begins as the inverse of ridge I.", 0,
             SET(s.begin = Begin::inverse_of_square)},
            {"the ridge", "P begins as the identity over the root of the ridge",
             "P begins as the inverse of ridge I, without a root.", 0, SET(s.begin = Begin::inverse_of_root)},
            {"the ridge", "P begins as the identity", "P is the inverse of ridge I before the first token.", 0,
             SET(s.begin = Begin::one)},
            {"the error", "value added, nothing subtracted", "The error is v - Sᵀk: subtract what the state returns.",
             0, SET(s.read = 0.0)},
            {"the error", "what is read added, not subtracted",
             "The error is v - Sᵀk: subtract what the state returns.", 0, SET(s.read = -1.0)},
            {"the error", "state asked with q in place of k", "The error is that of the key: v - Sᵀk.", 0,
             SET(s.asks_with_query = true)},
            {"the error", "rows of S corrected before the key has read all of them",
             "The error v - Sᵀk is a sum over all rows: finish it in one loop, and correct the rows in another.", 0,
             SET(s.row_by_row = true)},
            {"the error", "what the key reads computed anew for each row of S",
             "The error v - Sᵀk is one for all rows: compute it before the first of them is corrected.", 0,
             SET(s.read_for_each_row = true)},
            {"the ridge", "P begins with 1 / ridge everywhere",
             "P begins as the identity divided by the ridge: 0 beside the diagonal.", 0,
             SET(s.begin = Begin::inverse_everywhere)},
            {"the keys", "queries in place of keys", "The key writes: P, the gain and the error are made of k.", 0,
             SET(s.queries_for_keys = true)},
            {"the keys", "keys in place of queries", "The query reads: o_i = S_iᵀq_i.", 0,
             SET(s.keys_for_queries = true)},
            {"the keys", "keys normalised", "Keys are used as they come.", 0, SET(s.keys_normalized = true)},
            {"the keys", "queries normalised inside", "Queries are used as they come.", 0,
             SET(s.queries_normalized = true)},
            {"the keys", "queries and keys normalised inside", "Queries and keys are used as they come.", 0,
             SET(s.queries_normalized = s.keys_normalized = true)},
            {"the order", "state replaced, not added to", "Add to the state: S += P k / (1 + kᵀP k) (v - Sᵀk)ᵀ.", 0,
             SET(s.replaces_S = true)},
            {"the order", "state read before it is updated", "A token writes before it reads: o_i = S_iᵀq_i.", 0,
             SET(s.reads_before = true)},
            {"the order", "P of the token before with the sum of k vᵀ up to the token",
             "S is P Σ k vᵀ with the tokens of both up to i: update P before you read it.", 0,
             SET(s.reads_sums_with_P_before = true)},
            {"the leading axes", "P carried over from head to head", "Every leading index begins with a P of its own.",
             0, SET(s.P_carried = true)},
            {"the leading axes", "S carried over from head to head", "Every leading index begins with an S of its own.",
             0, SET(s.S_carried = true)},
            {"the leading axes", "P and S carried over from head to head", "Every leading index begins with its own.",
             0, SET(s.P_carried = s.S_carried = true)},
            {"the leading axes", "only the first head written", "Every leading index has outputs of its own.", 0,
             SET(s.only_first_head = true)},
            {"what is written", "first token left out", "Tokens are 0, …, n-1: token 0 writes and reads, too.", 0,
             SET(s.first_token_skipped = true)},
            {"what is written", "last token left out", "Tokens are 0, …, n-1: the last one has an output, too.", 0,
             SET(s.all_but_last_token = true)},
            {"what is written", "outputs added up over the tokens",
             "The state has added up all writes; an output is what it returns.", 0, SET(s.outputs_added_up = true)},
            {"what is written", "only the last token written", "Every token has an output.", 0,
             SET(s.only_last_token = true)},
            {"", "computed in O(d_k³)",
             "P k first, then its product with itself: no product of whole matrices, no system.", 0, nullptr},
        },
        {{"%s times the ridge", "‖S‖² counts ridge times: no ½, no other factor.", 0, SET_TO(s.ridge_factor = x), 1e-3,
          1e3},
         {"P forgets by %s at every token",
          "All tokens count alike: the divisor is 1 + kᵀP k, and nothing else divides P.", 0, SET_TO(s.forgets = x),
          1e-1, 0.9999}}};
    return all;
}

const MutationsOf mutations("least_squares_recurrent", table(), 0, Settings{}, &least_squares_by_settings,
                            {.rows = rows_of_attention()});

const Probes probes("least_squares_recurrent", [] {
    return std::vector{probe(&linattn::least_squares_recurrent, random_tensor({2, 2, 5, 3}, 901),
                             random_tensor({2, 2, 5, 3}, 902), random_tensor({2, 2, 5, 2}, 903), 0.5)};
});

MISTAKE(least_squares_recurrent, (const Tensor& Q, const Tensor& K, const Tensor& V, double ridge),
        "memory grows with the sequence", "§9.13", "Keep one S and one P, those of the latest token.") {
    const Tensor states = zeros(join(shape_of(K), {length(V, -1)}));
    return least_squares_by_settings({}, Q, K, V, ridge);
}
MISTAKE(least_squares_recurrent, (const Tensor& Q, const Tensor& K, const Tensor& V, double ridge), "computed in O(n²)",
        "§9.13", "Carry S and P from token to token: do not sum over all earlier ones anew.") {
    count_work(K.size() * length(K, -2));
    return least_squares_by_settings({}, Q, K, V, ridge);
}

}  // namespace linattn::testing::least_squares_recurrent_mistakes
