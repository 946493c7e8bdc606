#include "gradient_slips.hpp"

namespace linattn::testing {
namespace {

using Settings = GradientSettings;

#define TURN(...) [](Settings& s) { __VA_ARGS__; }
#define TURN_TO(...) [](Settings& s, double x) { __VA_ARGS__; }

// The sums that belong together in an answer: S and z are made once and read twice, R is read twice.
void set_S(Settings& s, Tokens tokens) { s.S.tokens = s.S_of_dQ.tokens = tokens; }
void set_z(Settings& s, Tokens tokens) { s.z.tokens = s.z_of_dQ.tokens = tokens; }
void set_R(Settings& s, Tokens tokens) { s.R_of_dK.tokens = s.R_of_dV.tokens = tokens; }
void set_r(Settings& s, Tokens tokens) { s.r.tokens = tokens; }
void set_forwards(Settings& s, Tokens tokens) {
    set_S(s, tokens);
    set_z(s, tokens);
}
void set_backwards(Settings& s, Tokens tokens) {
    set_R(s, tokens);
    set_r(s, tokens);
}
void set_dA(Settings& s, Tokens tokens) {
    s.S_of_dQ.tokens = s.z_of_dQ.tokens = s.R_of_dK.tokens = s.r.tokens = tokens;
}
void set_A(Settings& s, Tokens tokens) { s.S.tokens = s.z.tokens = s.R_of_dV.tokens = tokens; }
void set_heads(Settings& s, Heads heads) {
    for (PairSum* sum : {&s.S, &s.z, &s.S_of_dQ, &s.z_of_dQ, &s.R_of_dK, &s.r, &s.R_of_dV}) sum->heads = heads;
}
void set_heads_of_R(Settings& s, Heads heads) {
    for (PairSum* sum : {&s.R_of_dK, &s.r, &s.R_of_dV}) sum->heads = heads;
}
void set_upstream(Settings& s, Upstream upstream) { s.upstream_of_dQ = s.upstream_of_dK = s.upstream_of_dV = upstream; }
void drop_normalizer(Settings& s) { s.z_of_dQ.factor = s.r.factor = 0.0; }

const std::vector<Slip<Settings>>& slips() {
    using namespace form;
    static const std::vector<Slip<Settings>> all{
        // The normaliser
        {"the normaliser", "numerator only",
         "D_i depends on φ(q_i) and on the keys, too: its gradient dD_i = -dO_i·o_i / D_i adds z_i dD_i to dφ(q_i) and "
         "φ(q_i) dD_i to every dφ(k_j), j ≤ i.",
         0, TURN(drop_normalizer(s))},
        {"the normaliser", "sign of dD", "A larger D makes outputs smaller: dD_i = -dO_i·o_i / D_i, with a minus.", 0,
         TURN(s.z_of_dQ.factor = s.r.factor = -1.0)},
        {"the normaliser", "N·dO in place of O·dO",
         "dD_i = -dO_i·o_i / D_i takes the output, already divided, not φ(q_i)ᵀS_i.", 0,
         TURN(s.dD = NormalizerGradient::from_numerator)},
        {"the normaliser", "dD not divided",
         "The derivative of N / D with respect to D is -N / D² = -o / D: divide by D once more.", 0,
         TURN(s.dD = NormalizerGradient::undivided)},
        {"the normaliser", "dD divided twice",
         "The derivative of N / D with respect to D is -N / D² = -o / D: o has been divided already.", 0,
         TURN(s.dD = NormalizerGradient::divided_twice)},
        {"the normaliser", "dD without the output",
         "dD_i = -dO_i·o_i / D_i: each entry of dO counts with its entry of o.", 0,
         TURN(s.dD = NormalizerGradient::without_output)},
        {"the normaliser", "dD without dO", "dD_i = -dO_i·o_i / D_i: each entry of o counts with its entry of dO.", 0,
         TURN(s.dD = NormalizerGradient::without_upstream)},
        {"the normaliser", "dD from the value", "dD_i = -dO_i·o_i / D_i takes the output of token i, not its value.", 0,
         TURN(s.dD = NormalizerGradient::from_value)},
        {"the normaliser", "dD the mean over the row",
         "D_i divides every entry of the row, so dD_i is the sum over them, not their mean.", 0,
         TURN(s.dD = NormalizerGradient::mean)},
        {"the normaliser", "normaliser on the wrong axis",
         "D_i sums the weights of query i, a row of A, not those that key i gets.", 0, TURN(s.D_of_keys = true)},
        {"the normaliser", "dA multiplied by the weights",
         "That is the gradient through softmax, whose slope is its weight. Here the weights are divided, and dA_ij = "
         "dN_i·v_j + dD_i.",
         0, TURN(s.dA_times_A = true)},
        {"the normaliser", "z dD omitted", "dφ(q_i) has two terms: S_i dN_i, and z_i dD_i from the denominator.", 0,
         TURN(s.z_of_dQ.factor = 0.0)},
        {"the normaliser", "r omitted",
         "dφ(k_j) has two terms: R_j v_j, and r_j = Σ_{i≥j} φ(q_i) dD_i from the denominator.", 0,
         TURN(s.r.factor = 0.0)},
        {"the normaliser", "sign of r", "r_j = Σ_{i≥j} φ(q_i) dD_i is added, and the minus is in dD already.", 0,
         TURN(s.r.factor = -1.0)},
        {"the normaliser", "sign of z dD", "z_i dD_i is added, and the minus is in dD already.", 0,
         TURN(s.z_of_dQ.factor = -1.0)},

        // dN
        {"dN", "dN not divided", "dN_i = dO_i / D_i: the division comes between the numerator and the output.", 0,
         TURN(set_upstream(s, Upstream::dO))},
        {"dN", "nothing divided",
         "This is the gradient without a normaliser: dN_i = dO_i / D_i, and D_i has a gradient of its own.", 0,
         TURN(set_upstream(s, Upstream::dO), drop_normalizer(s))},
        {"dN", "dN divided twice", "dN_i = dO_i / D_i: divide once.", 0, TURN(set_upstream(s, Upstream::dN_over_D))},
        {"dN", "dV from dO", "dv_j = Σ_{i≥j} (φ(q_i)·φ(k_j)) dN_i: with dO_i / D_i, not dO_i.", 0,
         TURN(s.upstream_of_dV = Upstream::dO)},
        {"dN", "dφ(Q) from dO", "dφ(q_i) = S_i dN_i + z_i dD_i: with dN_i = dO_i / D_i, not dO_i.", 0,
         TURN(s.upstream_of_dQ = Upstream::dO)},
        {"dN", "R from dO", "R_j = Σ_{i≥j} φ(q_i) dN_iᵀ: with dN_i = dO_i / D_i, not dO_i.", 0,
         TURN(s.upstream_of_dK = s.upstream_of_dV = Upstream::dO)},
        {"dN", "dφ(K) from dO", "R_j v_j is made of dN_i = dO_i / D_i, not of dO_i.", 0,
         TURN(s.upstream_of_dK = Upstream::dO)},
        {"dN", "outputs in place of dN",
         "R_j = Σ_{i≥j} φ(q_i) dN_iᵀ: o_i is what the division gave, dN_i what comes back to it.", 0,
         TURN(set_upstream(s, Upstream::output))},
        {"dN", "dN of the wrong token", "R_j sums φ(q_i) dN_iᵀ: each query with the gradient of its own token.", 0,
         TURN(s.key_token_upstream = true)},
        {"dN", "dN of the next token", "R_j sums φ(q_i) dN_iᵀ, with dN_i of the same token, not of the one after it.",
         0, TURN(s.upstream_shift = 1)},
        {"dN", "dN of the token before",
         "R_j sums φ(q_i) dN_iᵀ, with dN_i of the same token, not of the one before it.", 0,
         TURN(s.upstream_shift = -1)},
        {"dN", "dD of the wrong token", "r_j sums φ(q_i) dD_i: each query with the gradient of its own denominator.", 0,
         TURN(s.key_token_dD = true)},
        {"dN", "dN and dD of the wrong token", "R_j and r_j pair each query with dN_i and dD_i of its own token.", 0,
         TURN(s.key_token_upstream = s.key_token_dD = true)},

        // ε
        {"ε", "ε missing", "ε belongs to every denominator D_i, in the gradient as in attention itself.", 0,
         TURN(s.epsilon_of_O = s.epsilon_of_dN = s.epsilon_of_dD = 0.0)},
        {"ε", "ε missing in o", "dD_i takes the output o_i, whose denominator has ε, too.", 0,
         TURN(s.epsilon_of_O = 0.0)},
        {"ε", "ε missing in dN", "dN_i = dO_i / D_i, and D_i has ε, too.", 0, TURN(s.epsilon_of_dN = 0.0)},
        {"ε", "ε missing in dD", "dD_i = -dO_i·o_i / D_i, and D_i has ε, too.", 0, TURN(s.epsilon_of_dD = 0.0)},
        {"ε", "ε missing in dN and dD", "dN_i and dD_i are divided by D_i, and D_i has ε, too.", 0,
         TURN(s.epsilon_of_dN = s.epsilon_of_dD = 0.0)},
        {"ε", "ε added twice", "Add ε once.", 0, TURN(s.epsilon_of_O = s.epsilon_of_dN = s.epsilon_of_dD = 2.0)},
        {"ε", "ε subtracted", "ε is added to the sum.", 0,
         TURN(s.epsilon_of_O = s.epsilon_of_dN = s.epsilon_of_dD = -1.0)},

        // The mask
        {"the mask", "mask lost in dA",
         "The entries of A that the mask made 0 do not depend on anything: dA needs the mask, too.", 0,
         TURN(set_dA(s, Tokens::all))},
        {"the mask", "dD added after the mask",
         "dA_ij = dN_i·v_j + dD_i for j ≤ i and 0 elsewhere: add dD first, then apply the mask.", 0,
         TURN(s.z_of_dQ.tokens = s.r.tokens = Tokens::all)},
        {"the mask", "dφ(K) from dA, not transposed", "Key j gathers column j of dA: dφ(K) = dAᵀ φ(Q).", 0,
         TURN(s.dA_not_transposed = true)},
        {"the mask", "dV from A, not transposed", "Value j gathers column j of A: dV = Aᵀ dN.", 0,
         TURN(s.A_not_transposed = true)},
        {"the mask", "mask lost in A",
         "o_i and dv_j are made of masked weights: apply the mask to A before you use it.", 0,
         TURN(set_A(s, Tokens::all))},
        {"the mask", "mask lost", "This is the gradient without a mask: only pairs j ≤ i count.", 0,
         TURN(set_A(s, Tokens::all), set_dA(s, Tokens::all))},
        {"the mask", "mask lost in dV", "dv_j sums over the queries i ≥ j only: those that see token j.", 0,
         TURN(s.R_of_dV.tokens = Tokens::all)},
        {"the mask", "mask transposed", "Token i sees j ≤ i; this lets it see j ≥ i.", 0,
         TURN(set_A(s, Tokens::from_own_on), set_dA(s, Tokens::from_own_on))},
        {"the mask", "mask transposed in dA", "dA_ij is left for j ≤ i, as A_ij is.", weights,
         TURN(set_dA(s, Tokens::from_own_on))},
        {"the mask", "strict diagonal", "A token sees itself, j ≤ i: the diagonal of A and of dA stays.", 0,
         TURN(set_A(s, Tokens::before_own), set_dA(s, Tokens::before_own))},
        {"the mask", "strict diagonal in dA", "A token sees itself, j ≤ i: the diagonal of dA stays.", 0,
         TURN(set_dA(s, Tokens::before_own))},

        // The states of the forward pass
        {"what S and z sum", "D from the final z", "D_i = φ(q_i)·z_i + ε with the z of token i, not the last one.", 0,
         TURN(s.z.tokens = Tokens::all)},
        {"what S and z sum", "D from the own key alone",
         "D_i = φ(q_i)·z_i + ε with the sum of all keys so far, not φ(k_i) alone.", 0,
         TURN(s.z.tokens = Tokens::own_only)},
        {"what S and z sum", "dN divided before z is updated", "D_i counts token i, too: update z first.", 0,
         TURN(s.D_of_dN = Tokens::before_own)},
        {"what S and z sum", "S and z made of queries", "S_i = Σ φ(k_j)v_jᵀ and z_i = Σ φ(k_j) are sums of keys.", 0,
         TURN(s.queries_in_forward_S = true)},
        {"what S and z sum", "S made of queries", "S_i = Σ φ(k_j)v_jᵀ is a sum over keys.", states,
         TURN(s.queries_in_forward_S = true, s.keys_in_z = true)},
        {"what S and z sum", "final z everywhere", "D_i and dφ(q_i) read z_i, the sum up to token i, not the last one.",
         states, TURN(set_z(s, Tokens::all))},
        {"what S and z sum", "final z read by dφ(Q)", "dφ(q_i) reads z_i, the sum up to token i, not the last one.",
         states, TURN(s.z_of_dQ.tokens = Tokens::all)},
        {"what S and z sum", "final S everywhere", "o_i and dφ(q_i) read S_i, the sum up to token i, not the last one.",
         states, TURN(set_S(s, Tokens::all))},
        {"what S and z sum", "final S read by dφ(Q)", "dφ(q_i) reads S_i, the sum up to token i, not the last one.",
         states, TURN(s.S_of_dQ.tokens = Tokens::all)},
        {"what S and z sum", "S read before it is updated", "S_i contains token i: add φ(k_i)v_iᵀ first, then read.",
         states, TURN(set_S(s, Tokens::before_own))},
        {"what S and z sum", "z read before it is updated", "z_i contains token i: add φ(k_i) first, then read.",
         states, TURN(set_z(s, Tokens::before_own))},
        {"what S and z sum", "S and z read before they are updated",
         "S_i and z_i contain token i: add it first, then read.", states, TURN(set_forwards(s, Tokens::before_own))},
        {"what S and z sum", "S read by dφ(Q) before it is updated", "dφ(q_i) reads S_i, which contains token i.",
         states, TURN(s.S_of_dQ.tokens = Tokens::before_own)},
        {"what S and z sum", "S and z read by dφ(Q) before they are updated",
         "dφ(q_i) reads S_i and z_i, which contain token i.", states,
         TURN(s.S_of_dQ.tokens = s.z_of_dQ.tokens = Tokens::before_own)},
        {"what S and z sum", "S replaced instead of added to", "S grows at every token; it does not become φ(k_i)v_iᵀ.",
         states, TURN(set_S(s, Tokens::own_only))},
        {"what S and z sum", "z replaced instead of added to", "z grows at every token; it does not become φ(k_i).",
         states, TURN(set_z(s, Tokens::own_only))},
        {"what S and z sum", "S summed along the features",
         "S_i is a running sum over the tokens, not along the features.", whole,
         TURN(set_S(s, Tokens::own_only), s.S_along_features = true)},
        {"what S and z sum", "queries in place of keys in S",
         "dφ(q_i) reads S_i = Σ φ(k_j)v_jᵀ and z_i = Σ φ(k_j), sums of keys.", 0, TURN(s.queries_in_S = true)},
        {"what S and z sum", "value of the wrong token",
         "dA_ij = dN_i·v_j + dD_i: the value is that of token j, not of token i.", 0, TURN(s.query_token_value = true)},
        {"what S and z sum", "S and z rolled back by subtraction",
         "Subtracting does not restore the earlier sums: when they are small, the rounding errors of later, large sums "
         "swamp them. Compute S and z forwards.",
         states, TURN(s.rolled_back = true)},

        // The states of the backward pass
        {"what R and r sum", "R forwards",
         "A key acts on later tokens, so its gradient comes from them: R_j sums i ≥ j.", 0,
         TURN(set_R(s, Tokens::from_own_on))},
        {"what R and r sum", "r forwards", "A key acts on later denominators: r_j sums i ≥ j.", 0,
         TURN(set_r(s, Tokens::from_own_on))},
        {"what R and r sum", "R and r forwards",
         "A key acts on later tokens, so its gradient comes from them: R_j and r_j sum i ≥ j.", 0,
         TURN(set_backwards(s, Tokens::from_own_on))},
        {"what R and r sum", "R read before it is updated",
         "R_j contains token j itself: add φ(q_j)dN_jᵀ first, then read.", 0, TURN(set_R(s, Tokens::before_own))},
        {"what R and r sum", "R read by dV before it is updated",
         "dv_j reads R_j, which contains token j: add φ(q_j)dN_jᵀ first.", 0,
         TURN(s.R_of_dV.tokens = Tokens::before_own)},
        {"what R and r sum", "R read by dφ(K) before it is updated",
         "dφ(k_j) reads R_j, which contains token j: add φ(q_j)dN_jᵀ first.", 0,
         TURN(s.R_of_dK.tokens = Tokens::before_own)},
        {"what R and r sum", "r read before it is updated",
         "r_j contains token j itself: add φ(q_j)dD_j first, then read.", 0, TURN(set_r(s, Tokens::before_own))},
        {"what R and r sum", "R and r read before they are updated",
         "R_j and r_j contain token j itself: add it first, then read.", 0, TURN(set_backwards(s, Tokens::before_own))},
        {"what R and r sum", "total instead of R", "R_j is a running sum from the end: only i ≥ j.", states,
         TURN(set_R(s, Tokens::all))},
        {"what R and r sum", "total instead of r", "r_j is a running sum from the end: only i ≥ j.", 0,
         TURN(set_r(s, Tokens::all))},
        {"what R and r sum", "totals instead of R and r", "R_j and r_j are running sums from the end: only i ≥ j.", 0,
         TURN(set_backwards(s, Tokens::all))},
        {"what R and r sum", "R replaced instead of added to",
         "R grows at every token; it does not become φ(q_i)dN_iᵀ.", states, TURN(set_R(s, Tokens::own_only))},
        {"what R and r sum", "r replaced instead of added to", "r grows at every token; it does not become φ(q_i)dD_i.",
         states, TURN(set_r(s, Tokens::own_only))},
        {"what R and r sum", "R summed along the features",
         "R_j is a running sum over the tokens, not along the features.", whole,
         TURN(set_R(s, Tokens::own_only), s.R_along_features = true)},
        {"what R and r sum", "keys in place of queries in R",
         "R_j = Σ_{i≥j} φ(q_i)dN_iᵀ and r_j = Σ_{i≥j} φ(q_i)dD_i: sums of queries.", 0, TURN(s.keys_in_R = true)},
        {"what R and r sum", "query of the wrong token", "R_j sums φ(q_i)dN_iᵀ: φ(q_i) of the same token as dN_i.", 0,
         TURN(s.key_token_query = true)},
        {"what R and r sum", "R begins with the last S", "R begins with zeros: it is another sum than S.", states,
         TURN(s.R_begins_with_S = true)},
        {"what R and r sum", "r begins with the last z", "r begins with zeros: it is another sum than z.", states,
         TURN(s.r_begins_with_z = true)},
        {"what reads R", "dφ(K) from S", "dφ(k_j) reads R_j, the sum over later queries; S is what queries read.", 0,
         TURN(s.S_for_R = true)},
        {"what reads R", "dφ(K) read with dO", "dφ(k_j) = R_j v_j + r_j: R is read with the value.", 0,
         TURN(s.reader_of_dK = Reader::upstream)},
        {"what reads R", "dφ(K) read with dN", "dφ(k_j) = R_j v_j + r_j: R is read with the value.", 0,
         TURN(s.reader_of_dK = Reader::dN)},
        {"what reads R", "dφ(K) read with the output", "dφ(k_j) = R_j v_j + r_j: R is read with the value.", 0,
         TURN(s.reader_of_dK = Reader::output)},
        {"what reads R", "dV read with the query",
         "dv_j = R_jᵀφ(k_j): R is read with the key of the token whose value it is.", 0,
         TURN(s.reader_of_dV = Reader::query)},

        // Chunks
        {"the chunks", "S and z not carried from chunk to chunk",
         "A chunk's queries read the keys of all earlier chunks, too.", chunks,
         TURN(set_forwards(s, Tokens::own_block))},
        {"the chunks", "R and r not carried from chunk to chunk",
         "A chunk's keys are read by the queries of all later chunks, too.", chunks,
         TURN(set_backwards(s, Tokens::own_block))},
        {"the chunks", "nothing carried from chunk to chunk",
         "Carry S and z forwards and R and r backwards from chunk to chunk.", chunks,
         TURN(set_forwards(s, Tokens::own_block), set_backwards(s, Tokens::own_block))},
        {"the chunks", "z not carried from chunk to chunk", "Carry z from chunk to chunk, as you carry S.", chunks,
         TURN(set_z(s, Tokens::own_block))},
        {"the chunks", "S not carried from chunk to chunk", "Carry S from chunk to chunk, as you carry z.", chunks,
         TURN(set_S(s, Tokens::own_block))},
        {"the chunks", "r not carried from chunk to chunk", "Carry r from chunk to chunk, as you carry R.", chunks,
         TURN(set_r(s, Tokens::own_block))},
        {"the chunks", "R not carried from chunk to chunk", "Carry R from chunk to chunk, as you carry r.", chunks,
         TURN(set_R(s, Tokens::own_block))},
        {"the chunks", "z not read by D", "D has a part from its own chunk and one from the z before it.", chunks,
         TURN(s.z.tokens = Tokens::own_block)},
        {"the chunks", "S not read by o", "o has a part from its own chunk and one from the S before it.", chunks,
         TURN(s.S.tokens = Tokens::own_block)},
        {"the chunks", "dD added after the mask of a chunk",
         "Inside a chunk dA_ij = dN_i·v_j + dD_i for j ≤ i: add dD first, then apply the mask.", chunks,
         TURN(s.z_of_dQ.tokens = s.r.tokens = Tokens::whole_blocks)},
        {"the chunks", "S not read by dφ(Q)", "dφ(q_i) has a part from its own chunk and one from the S before it.",
         chunks, TURN(s.S_of_dQ.tokens = Tokens::own_block)},
        {"the chunks", "z not read by dφ(Q)", "dφ(q_i) has z dD from its own chunk and from the z before it.", chunks,
         TURN(s.z_of_dQ.tokens = Tokens::own_block)},
        {"the chunks", "R not read by dφ(K)", "dφ(k_j) has a part from its own chunk and one from the R after it.",
         chunks, TURN(s.R_of_dK.tokens = Tokens::own_block)},
        {"the chunks", "R not read by dV", "dv_j has a part from its own chunk and one from the R after it.", chunks,
         TURN(s.R_of_dV.tokens = Tokens::own_block)},
        {"the chunks", "R carried on with dO", "R adds φ(Q)ᵀ dN of each chunk, with dN = dO / D.", chunks,
         TURN(s.dO_across_chunks = true)},
        {"the chunks", "no mask inside a chunk in A", "Inside a chunk only pairs j ≤ i count: A needs the mask.",
         chunks, TURN(set_A(s, Tokens::whole_blocks))},
        {"the chunks", "no mask inside a chunk in dA", "Inside a chunk only pairs j ≤ i count: dA needs the mask.",
         chunks, TURN(set_dA(s, Tokens::whole_blocks))},
        {"the chunks", "no mask inside a chunk", "Inside a chunk only pairs j ≤ i count, in A and in dA.", chunks,
         TURN(set_A(s, Tokens::whole_blocks), set_dA(s, Tokens::whole_blocks))},
        {"the chunks", "own chunk missing in dA",
         "dφ(q_i) and dφ(k_j) have a part from the pairs of their own chunk, dA.", chunks,
         TURN(set_dA(s, Tokens::earlier_blocks))},
        {"the chunks", "own chunk missing in dV", "dv_j has a part from the queries of its own chunk, Aᵀ dN.", chunks,
         TURN(s.R_of_dV.tokens = Tokens::earlier_blocks)},
        {"the chunks", "S and z updated before the chunk is read",
         "S and z come from the chunks before: with the chunk in them, its own pairs count twice, later ones too.",
         chunks,
         TURN(s.S.own_block_again = s.z.own_block_again = s.S_of_dQ.own_block_again = s.z_of_dQ.own_block_again =
                  true)},
        {"the chunks", "R and r updated before the chunk is read",
         "R and r come from the chunks after: with the chunk in them, its own pairs count twice, earlier ones too.",
         chunks, TURN(s.R_of_dK.own_block_again = s.r.own_block_again = s.R_of_dV.own_block_again = true)},

        // Heads and what is written
        {"the leading axes", "states mixed across heads",
         "Every leading index is a separate computation: never sum over leading axes.", 0,
         TURN(set_heads(s, Heads::all))},
        {"the leading axes", "S and z mixed across heads", "Every leading index has an S and a z of its own.", 0,
         TURN(for (PairSum* sum
                   : {&s.S, &s.z, &s.S_of_dQ, &s.z_of_dQ}) sum->heads = Heads::all)},
        {"the leading axes", "r mixed across heads", "Every leading index has an r of its own.", 0,
         TURN(s.r.heads = Heads::all)},
        {"the leading axes", "dD summed across heads", "Every leading index has a dD of its own.", 0,
         TURN(s.r_of_head_totals = true)},
        {"the leading axes", "R mixed across heads", "Every leading index has an R and an r of its own.", 0,
         TURN(set_heads_of_R(s, Heads::all))},
        {"the leading axes", "states carried over from head to head",
         "Start S, z, R and r from zero for every leading index.", states,
         TURN(set_heads(s, Heads::own_after_earlier))},
        {"the leading axes", "R carried over from head to head",
         "Start R and r from zero for every leading index, like S and z.", states,
         TURN(set_heads_of_R(s, Heads::own_after_earlier))},
        {"the leading axes", "states of the first head for all", "Every leading index has states of its own.", 0,
         TURN(set_heads(s, Heads::first))},
        {"the leading axes", "only the first head written", "Every leading index has gradients of its own.", 0,
         TURN(s.written = GradientsWritten::only_first_head)},
        {"what is written", "first token left out on the way back",
         "The loop backwards ends with token 0: for (i = n; i-- > 0;) reaches it, i > 0 at the end of a turn does not.",
         loops, TURN(s.written = GradientsWritten::all_but_first)},
        {"what is written", "last token left out on the way back",
         "The loop backwards begins with token n-1: for (i = n; i-- > 0;).", loops,
         TURN(s.written = GradientsWritten::all_but_last,
              s.R_of_dK.without_last_query = s.r.without_last_query = s.R_of_dV.without_last_query = true)},
        {"what is written", "dN left in dV",
         "What was kept in a row for the way back is replaced by the gradient, not added to.", states,
         TURN(s.dN_left_in_dV = true)},
        {"what is written", "dD left in dφ(K)",
         "What was kept in a row for the way back is replaced by the gradient, not added to.", states,
         TURN(s.dD_left_in_dK = true)},
        {"what is written", "a short last chunk left out on the way back",
         "There are ⌈n / C⌉ chunks, and n / C is rounded down: (n - 1) / C + 1 counts the short one, too.", chunks,
         TURN(s.written = GradientsWritten::all_but_short_chunk;
              s.R_of_dK.without_short_chunk = s.r.without_short_chunk = s.R_of_dV.without_short_chunk = true)},
        {"what is written", "only the last token written",
         "Every token has gradients: write them in every turn of the loop.", loops,
         TURN(s.written = GradientsWritten::only_last)},
        {"what is written", "dφ(Q) and dφ(K) exchanged", "The result is {phi_Q, phi_K, V}.", 0,
         TURN(s.written = GradientsWritten::exchanged)},
        {"what is written", "the negative gradient",
         "A gradient points to where the loss rises. The step of a descent has the minus.", 0, TURN(s.factor = -1.0)},
        {"what is written", "twice the gradient", "L = Σ dO ⊙ O has no factor of 2.", 0, TURN(s.factor = 2.0)},

        // Right numbers at the wrong cost: the definition itself.
        {"", "computed in O(n²)", "Sum over the tokens: no n×n matrix.", linear_cost, nullptr},
    };
    return all;
}

const std::vector<NumberSlip<Settings>>& numbers() {
    using namespace form;
    static const std::vector<NumberSlip<Settings>> all{
        {"the gradient times %s", "The gradient of L = Σ dO ⊙ O has no such factor.", 0, TURN_TO(s.factor = x), 1e-3,
         1e3},
        {"dD times %s", "dD_i = -dO_i·o_i / D_i has no such factor.", 0, TURN_TO(s.z_of_dQ.factor = s.r.factor = x),
         1e-3, 1e3},
        {"S and z multiplied by %s at every token", "The sums only grow: nothing is forgotten here.", states,
         TURN_TO(s.S.decay = s.z.decay = s.S_of_dQ.decay = s.z_of_dQ.decay = x), 0.01, 0.99999},
        {"R and r multiplied by %s at every token", "The sums only grow: nothing is forgotten here.", states,
         TURN_TO(s.R_of_dK.decay = s.r.decay = s.R_of_dV.decay = x), 0.01, 0.99999},
        {"R multiplied by %s at every token", "R only grows: nothing is forgotten here.", states,
         TURN_TO(s.R_of_dK.decay = s.R_of_dV.decay = x), 0.01, 0.99999},
        {"%s in place of ε", "ε is an argument: add that.", 0, TURN_TO(s.epsilon_fixed = x), 1e-16, 10.0},
        {"blocks of %s tokens that do not see the blocks before them", "Carry the states from block to block.", 0,
         TURN_TO(set_forwards(s, Tokens::own_block), set_backwards(s, Tokens::own_block),
                 s.block = static_cast<std::size_t>(x))},
    };
    return all;
}

}  // namespace

const SlipTable<GradientSettings>& gradient_slips() {
    static const SlipTable<GradientSettings> table{slips(), numbers()};
    return table;
}

}  // namespace linattn::testing
