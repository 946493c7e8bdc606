#include "delta_mutations.hpp"

namespace linattn::testing {
namespace {

using Settings = DeltaSettings;

// What the outputs and the errors, and with them the returned state, have in common.
template <class Value>
void set_all(Settings& s, Value Reading::*setting, Value value) {
    s.key.*setting = s.query.*setting = s.last.*setting = value;
}
void set_beta(Settings& s, Beta beta) { s.value.beta = s.state.beta = s.chunk.beta = beta; }
void set_read(Settings& s, double factor) { s.state.factor = s.chunk.factor = factor; }

std::vector<Mutation<Settings>> of_every_form() {
    return {
        {"the correction", "value added, nothing subtracted",
         "That is the plain sum: subtract from the value what the state returns for the key, and write the rest.", 0,
         SET(set_read(s, 0.0))},
        {"the correction", "what is read added, not subtracted",
         "The error is v - Sᵀk: what the state returns is subtracted.", 0, SET(set_read(s, -1.0))},
        {"the correction", "β fades the whole state",
         "β replaces what is stored under the key, not what is stored under others: S += β k (v - Sᵀk)ᵀ.", 0,
         SET(set_read(s, 0.0), s.beta_fades = true)},
        {"the correction", "error taken after the write",
         "Ask the state for the key first, and write then: an error after the write has its own value in it.", 0,
         SET(s.value_written_first = true)},
        {"the correction", "state asked with q in place of k",
         "What is subtracted is what the state returns for the key that is written.", 0,
         SET(s.asks_state_with_query = s.asks_chunk_with_query = true)},
        {"the correction", "written under q in place of k",
         "A value is written under its key, and read with the query.", 0, SET(s.writes_under_query = true)},
        {"the correction", "read with k in place of q", "o_i = S_iᵀq_i: the key is for writing.", 0,
         SET(s.reads_with_key = true)},
        {"the correction", "queries in place of keys",
         "The state is asked with the key and written under it: the query only reads.", 0,
         SET(s.asks_state_with_query = s.asks_chunk_with_query = s.writes_under_query = true)},
        {"β", "β on the value only", "β_i scales the whole error: β_i (v_i - Sᵀk_i).", 0,
         SET(s.state.beta = s.chunk.beta = Beta::none)},
        {"β", "β on what is read only", "β_i scales the whole error: β_i (v_i - Sᵀk_i).", 0,
         SET(s.value.beta = Beta::none)},
        {"β", "β forgotten", "Each token writes its error times β_i.", 0, SET(set_beta(s, Beta::none))},
        {"β", "β applied twice", "β_i scales the error or the key, not both.", 0, SET(set_beta(s, Beta::squared))},
        {"β", "β through a sigmoid", "β is a number already: who calls has made it, by a sigmoid or otherwise.", 0,
         SET(set_beta(s, Beta::sigmoid))},
        {"β", "error divided by k·k", "The step is β alone: keys that are not of length 1 are used as they come.", 0,
         SET(set_beta(s, Beta::over_length))},
        {"the leading axes", "β of the first head for all", "Every leading index has a β of its own for each token.", 0,
         SET(set_beta(s, Beta::of_first_head))},
        {"the length of keys", "keys normalised inside",
         "Keys are used as they come: whoever calls has normalised them or not.", 0, SET(s.keys_normalized = true)},
        {"the length of keys", "queries normalised inside", "Queries are used as they come.", 0,
         SET(s.queries_normalized = true)},
        {"the length of keys", "scaled by 1/√d_k", "There is no softmax here, and no scale: o_i = S_iᵀq_i.", 0,
         SET(s.scores_over_root = 0.5)},
        {"the leading axes", "state carried over from head to head",
         "Every leading index begins with a state of its own.", 0, SET(s.carried_to_next_head = true)},
        {"the leading axes", "only the first head written", "Every leading index has outputs of its own.", 0,
         SET(s.written = DeltaWritten::only_first_head)},
        {"what is written", "first token left out", "Tokens are 0, …, n-1: token 0 writes and reads, too.", 0,
         SET(s.first_token_skipped = true)},
        {"what is written", "last token left out", "Tokens are 0, …, n-1: the last one has an output, too.", 0,
         SET(s.written = DeltaWritten::all_but_last)},
        {"what is written", "only the last token written",
         "Every token has an output: write it in every turn of the loop.", 0, SET(s.written = DeltaWritten::only_last)},
        {"what is written", "outputs added up over the tokens",
         "The state has added up all writes; an output is what it returns.", 0,
         SET(s.written = DeltaWritten::running_sum)},
    };
}

std::vector<Mutation<Settings>> of_tokens() {
    using namespace form;
    return {
        {"the order", "state read before it is updated", "A token writes before it reads: o_i = S_iᵀq_i, with S_i.",
         by_tokens, SET(s.query.tokens = Tokens::before_own)},
        {"the state", "state replaced, not added to", "Add to the state: S += β k (v - Sᵀk)ᵀ.", by_tokens,
         SET(s.key.tokens = Tokens::own_block_and_last, s.query.tokens = s.last.tokens = Tokens::own_block)},
        {"the order", "only what is read decays",
         "The state itself decays, S *= a_i, before it is asked: else it forgets nothing.", by_tokens | decays,
         SET(set_all(s, &Reading::carried, Carried::none),
             s.query.since_begin = s.last.since_begin = SinceBegin::none)},
        {"the order", "state decayed after it was read", "Forget, compare, write, read: in this order.",
         by_tokens | decays | state,
         SET(s.key.since_begin = s.query.since_begin = SinceBegin::without_own, s.query.inside = Inside::one_before,
             s.last.inside = Inside::with_writer, set_all(s, &Reading::until_end, UntilEnd::with_own))},

        {"the state that came in", "begins with an empty state",
         "S is the state before the first token: start from it. sparkinfer did not, until PR 1071.", state,
         SET(set_all(s, &Reading::first_state, 0.0))},
        {"the state that came in", "state that came in not corrected",
         "The error of every token is v - S̃ᵀk, with what came in as part of S̃.", state, SET(s.key.first_state = 0.0)},
        {"the state that came in", "state that came in not read", "o_i = S_iᵀq_i, with what came in as part of S_i.",
         state, SET(s.query.first_state = 0.0)},
        {"the state that came in", "argument S changed", "Work on a copy: the state that comes in is not yours.", state,
         SET(s.writes_argument = true)},
        {"the returned state", "state returned as it came", "Return the state after the last token.", state,
         SET(s.returned = StateReturned::as_it_came)},
        {"the returned state", "last token missing in the returned state", "Return the state after the last token.",
         state, SET(s.returned = StateReturned::without_last)},
        {"the returned state", "returned state without what came in",
         "The state after the last token holds what came in as well, decayed and corrected.", state,
         SET(s.last.first_state = 0.0)},
    };
}

std::vector<Mutation<Settings>> of_decays() {
    using namespace form;
    return {
        {"the order", "error computed before forgetting",
         "First S̃ = a_i S_{i-1}, then the error v_i - S̃ᵀk_i: what will be forgotten need not be corrected.", decays,
         SET(s.key.since_begin = SinceBegin::without_own, s.key.inside = Inside::without_reader)},
        {"the order", "decay applied after the write",
         "What token i writes does not decay at token i: forget, then write.", decays,
         SET(set_all(s, &Reading::until_end, UntilEnd::with_own), s.key.since_begin = SinceBegin::without_own,
             s.key.inside = Inside::one_before, s.query.inside = s.last.inside = Inside::with_writer)},
        {"the order", "decay of the token before", "S̃ = a_i S_{i-1}: the decay of token i acts before token i writes.",
         decays,
         SET(set_all(s, &Reading::until_end, UntilEnd::with_own),
             set_all(s, &Reading::since_begin, SinceBegin::without_own),
             set_all(s, &Reading::inside, Inside::one_before))},
        {"the decays", "decay forgotten", "Multiply the state by a_i = e^log_decay_i before token i compares.", decays,
         SET(s.decay = Decay::forgotten)},
        {"the decays", "log decay used as the decay", "The decay is e to its logarithm: a_i = exp(log_decay_i).",
         decays, SET(s.decay = Decay::the_logarithm)},
        {"the decays", "sigmoid of the logarithm", "log_decay is a logarithm, not a logit: a_i = exp(log_decay_i).",
         decays, SET(s.decay = Decay::sigmoid)},
        {"the decays", "running sums taken for the decays",
         "Each token has a decay of its own: those of the tokens before have acted already.", decays | by_tokens,
         SET(s.decay = Decay::cumulated)},
        {"the decays", "state decayed twice", "Each token's decay acts once, before its key asks the state.", decays,
         SET(s.decay = Decay::squared)},
        {"the decays", "e to minus the log decay",
         "log_decay is the logarithm of a itself, at most 0: a = exp(log_decay).", decays,
         SET(s.decay = Decay::inverse)},
        {"the decays", "1 - a in place of a", "The decay is what is kept, not what is forgotten.", decays,
         SET(s.decay = Decay::complement)},
        {"the decays", "write scaled by 1 - a", "That is an average, another model: only β scales what is written.",
         decays, SET(s.write_scaled_by_complement = true)},
        {"the leading axes", "decays of the first head for all", "Every leading index has decays of its own.", decays,
         SET(s.decay = Decay::of_first_head)},
    };
}

std::vector<Mutation<Settings>> of_chunks() {
    using namespace form;
    return {
        {"the right side", "state left out of the right side",
         "The right side is diag(β)(V - KS): what the state returns goes off V.", chunks, SET(s.state.factor = 0.0)},
        {"the right side", "what the state returns added, not subtracted",
         "The right side is diag(β)(V - KS), with a minus.", chunks, SET(s.state.factor = -1.0)},
        {"β", "β on the values of the right side only",
         "The right side is diag(β)(V - KS): β scales the whole difference.", chunks, SET(s.state.beta = Beta::none)},
        {"β", "no β on the right side", "Both sides have β: (I + L)U = diag(β)(V - KS).", chunks,
         SET(s.value.beta = s.state.beta = Beta::none)},
        {"β", "no β in the system", "L is the part of diag(β)KKᵀ below the diagonal.", chunks,
         SET(s.chunk.beta = Beta::none)},
        {"β", "β of the column", "L_ij = β_i k_i·k_j: β belongs to the row, the token that corrects.", chunks,
         SET(s.chunk.beta = Beta::of_writer)},
        {"the system", "system not solved",
         "Inside a chunk, too, tokens correct what earlier ones wrote: solve (I + L)U = its right sides.", chunks,
         SET(s.chunk.factor = 0.0)},
        {"the system", "right sides in place of solved rows",
         "Row i of U is its right side less L_ij times rows of U that are already solved, not of the right side.",
         chunks, SET(s.key.of_chunk = Wrote::right_side)},
        {"the system", "series cut off after three terms",
         "I - L + L² is only the beginning of the inverse of I + L: substitute row by row.", chunks,
         SET(s.key.of_chunk = Wrote::two_terms)},
        {"the system", "diagonal counted in the system",
         "L holds what is strictly below the diagonal: no token corrects itself.", chunks,
         SET(s.diagonal_counted = true)},
        {"the system", "sign of the system", "The system is (I + L)U = …: earlier rows are subtracted.", chunks,
         SET(s.chunk.factor = -1.0)},
        {"the system", "queries in the system", "L is made of products of keys, k_i·k_j: keys correct keys.", chunks,
         SET(s.asks_chunk_with_query = true)},
        {"the system", "state asked with queries on the right side",
         "The right side is diag(β)(V - KS), with the keys.", chunks, SET(s.asks_state_with_query = true)},
        {"the outputs", "keys in place of queries within the chunk",
         "The outputs are read with the queries: (QKᵀ ⊙ …)U.", chunks, SET(s.reads_chunk_with_key = true)},
        {"the outputs", "state read with the keys", "The outputs are read with the queries: QS.", chunks,
         SET(s.reads_state_with_key = true)},
        {"the state", "queries in place of keys where a chunk enters the state",
         "A chunk writes under its keys: S += KᵀU.", chunks, SET(s.state_written_under_query = true)},
        {"U", "V in place of U in the state", "What goes into the state is what the tokens write, U: S += KᵀU.", chunks,
         SET(s.key.of_state = s.query.of_state = Wrote::value)},
        {"U", "β V in place of U in the state", "What goes into the state is what the tokens write, U: S += KᵀU.",
         chunks, SET(s.key.of_state = s.query.of_state = Wrote::beta_value)},
        {"U", "β once more where a chunk enters the state", "U has β already: S += KᵀU.", chunks,
         SET(s.key.of_state = s.query.of_state = Wrote::beta_u)},
        {"U", "β once more in the outputs of a chunk", "U has β already: the outputs read U itself.", chunks,
         SET(s.query.of_chunk = Wrote::beta_u)},
        {"U", "V in place of U in the outputs", "The outputs read what the tokens wrote: (QKᵀ ⊙ …)U.", chunks,
         SET(s.query.of_chunk = Wrote::value)},
        {"U", "right side in place of U in the state",
         "What goes into the state is the solution U, not the right side.", chunks,
         SET(s.key.of_state = s.query.of_state = Wrote::right_side)},
        {"U", "right side in place of U in the outputs", "The outputs read the solution U, not the right side.", chunks,
         SET(s.query.of_chunk = Wrote::right_side)},
        {"the mask", "own token left out of the outputs",
         "A token writes before it reads: the mask has ones on its diagonal.", chunks,
         SET(s.query.tokens = Tokens::before_own)},
        {"the mask", "no mask inside a chunk",
         "Token i reads what tokens j ≤ i of its chunk wrote: QKᵀ needs the mask.", chunks,
         SET(s.query.tokens = Tokens::whole_blocks)},
        {"the state", "state not carried from chunk to chunk", "Carry S from chunk to chunk.", chunks,
         SET(s.key.tokens = s.query.tokens = Tokens::own_block)},
        {"the state", "state replaced, not added to, from chunk to chunk", "Every chunk adds to S: S += KᵀU.", chunks,
         SET(s.key.tokens = s.query.tokens = Tokens::own_block_and_last)},
        {"the state", "state left out of the outputs",
         "An output has a part from its own chunk and one from S before it: QS.", chunks,
         SET(s.query.tokens = Tokens::own_block)},
        {"the state", "own chunk left out of the outputs", "An output has a part from S and one from its own chunk.",
         chunks, SET(s.query.tokens = Tokens::earlier_blocks)},
        {"the state", "state updated before the outputs read it",
         "S comes from the chunks before: with the chunk in it, its own writes count twice, later ones too.", chunks,
         SET(s.updated_first = true)},
        {"the state", "last token of each chunk left out of the state",
         "A chunk's tokens are begin, …, end-1: all go into S.", chunks,
         SET(s.key.tokens = s.query.tokens = Tokens::without_block_ends)},
        {"β", "β of the first chunk for all", "Each chunk has its own part of beta: from its beginning on.", chunks,
         SET(set_beta(s, Beta::of_first_chunk))},
        {"what is written", "only whole chunks",
         "There are ⌈n / chunk⌉ chunks, and n / chunk is rounded down: where chunk is longer than n, to none.", chunks,
         SET(s.written = DeltaWritten::whole_chunks)},
        {"what is written", "number of chunks overflows",
         "(n + chunk - 1) / chunk is 0 where chunk is nearly 2^64: (n - 1) / chunk + 1, or min(chunk, n) first.",
         chunks, SET(s.written = DeltaWritten::unless_count_overflows)},
        {"what is written", "a short last chunk left out",
         "The last chunk ends at n, shorter than the others: its begin is below n, its end is min(begin + C, n).",
         chunks, SET(s.written = DeltaWritten::all_but_short_chunk)},
    };
}

std::vector<Mutation<Settings>> of_decays_in_chunks() {
    const unsigned both = form::chunks | form::decays;
    return {
        {"D", "M in place of D in the outputs",
         "Inside a chunk, too, what token j wrote has decayed until token i reads it: QKᵀ ⊙ D. Section 3.3 of the "
         "Gated DeltaNet paper prints M there: NVlabs/GatedDeltaNet issue 13.",
         both, SET(s.query.inside = Inside::none)},
        {"D", "no D in the system", "What token j wrote has decayed until token i corrects it: KKᵀ ⊙ D.", both,
         SET(s.key.inside = Inside::none)},
        {"the system", "D transposed in the system",
         "D_ij and L_ij both lie below the diagonal: of a transposed D nothing is left there.", both,
         SET(s.key.inside = Inside::transposed)},
        {"D", "decays since the chunk's beginning in place of D",
         "They belong to the state before the chunk; what token j wrote has decayed from token j + 1 on: D.", both,
         SET(s.query.inside = Inside::since_begin)},
        {"D", "own chunk decayed since the chunk's beginning as well",
         "Only QS gets the decays since the chunk's beginning; the own chunk's part has D.", both,
         SET(s.query.inside = Inside::right_and_since_begin)},
        {"what updates the state", "keys decayed with the state",
         "S decays by all decays of the chunk before the chunk's keys are added: S = c S + …, not c (S + …).", both,
         SET(s.key.until_end = s.query.until_end = UntilEnd::whole)},
        {"what updates the state", "keys decayed until the end and with the state",
         "S decays by all decays of the chunk before the chunk's keys are added: S = c S + …, not c (S + …).", both,
         SET(s.key.until_end = s.query.until_end = UntilEnd::right_and_whole)},
        {"D", "all decays counted from the chunk's beginning",
         "That is right for the state before the chunk only: between two tokens of a chunk it is D, for keys D's last "
         "row.",
         both, SET(s.query.inside = Inside::since_begin, s.key.until_end = s.query.until_end = UntilEnd::whole)},
        {"D", "own chunk decayed with the state, in the outputs and in S",
         "Only what was there before the chunk decays since the chunk's beginning: QS and S, not what the chunk adds.",
         both,
         SET(s.query.inside = Inside::right_and_since_begin,
             s.key.until_end = s.query.until_end = UntilEnd::right_and_whole)},
        {"D", "no D inside a chunk", "D belongs on both products, QKᵀ and KKᵀ.", both,
         SET(s.key.inside = s.query.inside = Inside::none)},
        {"D", "D counts the decay of token j",
         "D_ij multiplies the decays of tokens j+1, …, i: token j wrote after its own.", both,
         SET(s.key.inside = s.query.inside = Inside::with_writer)},
        {"D", "D leaves out the decay of token i",
         "D_ij multiplies the decays of tokens j+1, …, i: token i forgets first.", both,
         SET(s.key.inside = s.query.inside = Inside::without_reader)},
        {"what reads the state", "state read undecayed by the keys",
         "S has decayed from the chunk's beginning to token i, where its key asks it.", both,
         SET(s.key.since_begin = SinceBegin::none)},
        {"what reads the state", "state read undecayed by the queries",
         "S has decayed from the chunk's beginning to token i, where its query reads it.", both,
         SET(s.query.since_begin = SinceBegin::none)},
        {"what reads the state", "state read undecayed", "S has decayed from the chunk's beginning to token i.", both,
         SET(s.key.since_begin = s.query.since_begin = SinceBegin::none)},
        {"what reads the state", "own decay left out where the state is read",
         "From the chunk's beginning to token i the decays of all its tokens count, that of token i too.", both,
         SET(s.key.since_begin = s.query.since_begin = SinceBegin::without_own)},
        {"what reads the state", "decays summed from the sequence's beginning",
         "Begin the running sum anew in every chunk.", both,
         SET(s.key.since_begin = s.query.since_begin = SinceBegin::of_sequence)},
        {"what reads the state", "only token i's own decay where the state is read",
         "From the chunk's beginning to token i all decays count: multiply them, or sum their logarithms.", both,
         SET(s.key.since_begin = s.query.since_begin = SinceBegin::own_only)},
        {"what updates the state", "keys added to the state undecayed",
         "What token j wrote has decayed by the chunk's end: the last row of D on the keys.", both,
         SET(s.key.until_end = s.query.until_end = UntilEnd::none)},
        {"what updates the state", "keys decayed from the begin in place of to the end",
         "What token j wrote decays from token j + 1 to the chunk's end: the last row of D.", both,
         SET(s.key.until_end = s.query.until_end = UntilEnd::since_begin)},
        {"what updates the state", "keys decayed by their own token as well",
         "What token j wrote decays from token j + 1 on: the last row of D.", both,
         SET(s.key.until_end = s.query.until_end = UntilEnd::with_own)},
        {"what updates the state", "decays of the first chunk for all", "Each chunk has its own part of log_decay.",
         both, SET(s.decay = Decay::of_first_chunk)},
        {"what updates the state", "state not decayed from chunk to chunk", "S decays by all decays of the chunk.",
         both, SET(s.key.carried = s.query.carried = Carried::none)},
        {"what updates the state", "state decayed by the last token alone", "S decays by all decays of the chunk.",
         both, SET(s.key.carried = s.query.carried = Carried::last_token)},
    };
}

const std::vector<NumberMutation<Settings>>& numbers() {
    static const std::vector<NumberMutation<Settings>> all{
        {"the outputs times %s", "o_i = S_iᵀq_i has no such factor.", 0, SET_TO(s.scale = x), 1e-3, 1e3},
        {"%s in place of β", "β is an argument, a number for each token.", 0, SET_TO(s.beta_fixed = x), 1e-3, 10.0},
        {"blocks of %s tokens that do not see the blocks before them", "Carry the state from block to block.", 0,
         SET_TO(s.key.tokens = s.query.tokens = Tokens::own_block, s.block = static_cast<std::size_t>(x))},
    };
    return all;
}

}  // namespace

const MutationTable<DeltaSettings>& delta_mutations() {
    static const MutationTable<DeltaSettings> table = [] {
        MutationTable<DeltaSettings> made{{}, numbers()};
        for (const auto& part : {of_every_form(), of_tokens(), of_decays(), of_chunks(), of_decays_in_chunks()})
            made.mutations.insert(made.mutations.end(), part.begin(), part.end());
        made.mutations.push_back({"", "computed in O(n²)",
                                  "Carry the state from token to token or from chunk to chunk: no n×n matrix.", 0,
                                  nullptr});
        return made;
    }();
    return table;
}

}  // namespace linattn::testing
