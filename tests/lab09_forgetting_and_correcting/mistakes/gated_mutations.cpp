// What people get wrong in states that forget: the settings of gated_definition.hpp.
#include "forgetting_arguments.hpp"
#include "gated_definition.hpp"
#include "mutations.hpp"

namespace linattn::testing::gated_mutations {

// What an exercise has that can go wrong.
enum : unsigned {
    mask = 1u << 0,      // its result is D
    states = 1u << 1,    // token by token
    matrices = 1u << 2,  // n×n
    chunks = 1u << 3,
    scalar = 1u << 4,    // one decay for each token
    channels = 1u << 5,  // one for each entry of a key
    linear_cost = 1u << 6,
    attention = 1u << 7,
    pairs = 1u << 8,  // a matrix of decays, of all tokens or of a chunk
};

const MutationTable<DecaySettings>& decay_mutations() {
    static const MutationTable<DecaySettings> table{
        {
            // The mask itself
            {"which decays", "decay of token j counted",
             "D_ij begins with the decay of token j + 1: what token j writes is whole until then, and D_ii = 1.", mask,
             SET(s.from = 0)},
            {"which decays", "decay of token i left out",
             "D_ij ends with the decay of token i, which forgets before it writes and reads.", mask, SET(s.to = -1)},
            {"which decays", "decays from j to i - 1",
             "D_ij takes the decays of tokens j + 1 to i, not of j to i - 1: those that came after token j wrote.",
             mask, SET(s.from = 0, s.to = -1)},
            {"how it is computed", "ratios of products",
             "After strong decays the product up to token i is 0 and the inverse of that up to token j infinite, and 0 "
             "· ∞ is NaN: "
             "add the logarithms between j and i.",
             pairs, SET(s.by = DecayBy::ratio)},
            {"how it is computed", "queries and keys multiplied by running products and their inverses",
             "After strong decays the product up to token i is 0 and the inverse of that up to token j infinite, and 0 "
             "· ∞ is NaN: multiply the state by each token's own decay.",
             states, SET(s.by = DecayBy::ratio)},
            {"how it is computed", "ratios of products, exponents cut off at 80",
             "Behind strong decays the exponents are larger than any cut: add the logarithms between j and i.", pairs,
             SET(s.by = DecayBy::ratio_cut_off)},
            {"how it is computed", "running products and their inverses, exponents cut off at 80",
             "Behind strong decays the exponents are larger than any cut: multiply the state by each token's own "
             "decay.",
             states, SET(s.by = DecayBy::ratio_cut_off)},
            {"the exponential", "a decay of 1 (a logarithm of 0) taken for masked",
             "Where the logarithms between two tokens are 0, all is kept, since e to 0 is 1: mask by place, j > i, not "
             "by value.",
             mask, SET(s.by = DecayBy::sum_below_zero)},
            {"how it is computed", "exponential before the mask",
             "Above the diagonal the exponent is positive, its exponential infinite, and ∞ · 0 is NaN: mask the "
             "exponents first. In transformers the gradients were NaN in this way, until PR 48455.",
             pairs, SET(s.by = DecayBy::difference, s.above = Above::zero_times_exponential)},
            {"how it is computed", "differences of running sums",
             "After a strong decay both sums are large, and their difference has lost the digits of the weak ones: add "
             "each entry's own logarithms.",
             pairs, SET(s.by = DecayBy::difference)},
            {"how it is computed", "0 times -inf",
             "A logarithm of -inf times 0 is NaN: select the terms of an entry with where, not with a mask of 0 and 1.",
             pairs, SET(s.by = DecayBy::sum_times_zero)},
            {"above the diagonal", "1 above the diagonal",
             "The exponents there are 0, and e to 0 is 1: set the entries for j > i to 0 after the exponential.", pairs,
             SET(s.above = Above::one)},
            {"above the diagonal", "inverse decays above the diagonal",
             "Token i does not see later tokens: the entries for j > i are 0.", pairs, SET(s.above = Above::inverse)},
            {"above the diagonal", "D transposed",
             "Row i belongs to the token that reads, column j to the one that wrote: D_ij is 0 for j > i.", pairs,
             SET(s.above = Above::transposed)},
            {"the diagonal", "0 on the diagonal", "A token sees what it writes itself: D_ii = 1.", mask,
             SET(s.diagonal = false)},
            {"the exponential", "sum not exponentiated", "D_ij is e to the sum of the logarithms.", mask,
             SET(s.by = DecayBy::sum_itself)},
            {"the exponential", "sum not exponentiated", "D_ij is e to the sum of the logarithms.",
             matrices | attention, SET(s.by = DecayBy::sum_itself)},
            {"which decays", "decay of token i alone",
             "What token j wrote is decayed by every token after it: by all from j + 1 to i.", mask | scalar,
             SET(s.by = DecayBy::last_one)},

            {"which decays", "decay of token j to the power i - j",
             "What token j wrote is decayed by the tokens after it, each with its own decay: their product is what is "
             "left.",
             mask, SET(s.by = DecayBy::power_of_writer)},
            {"which decays", "decay of token j + 1 to the power i - j",
             "Each of the tokens j + 1 to i has its own decay: go on to the next one from row to row.", mask,
             SET(s.by = DecayBy::power_of_next)},
            {"how it is computed", "sum not reset from row to row",
             "Each row's exponents begin at 0 on the diagonal: set the sum back before each row.", mask,
             SET(s.by = DecayBy::carried_from_row_to_row)},
            {"how it is computed", "sum not reset from row to row, without token 0",
             "Each row's exponents begin at 0 on the diagonal: set the sum back before each row.", mask,
             SET(s.by = DecayBy::carried_from_row_to_row_own_left_out)},
            {"how it is computed", "sum not reset from column to column",
             "Each column's exponents begin at 0 on the diagonal: set the sum back before each column.", mask,
             SET(s.by = DecayBy::carried_from_column_to_column)},
            {"how it is computed", "sum not reset from row to row, 1 on the diagonal",
             "Each row's exponents begin at 0 on the diagonal: set the sum back before each row.", mask,
             SET(s.by = DecayBy::carried_from_row_to_row_own_left_out, s.one_on_diagonal = true)},
            {"how it is computed", "sum not reset from column to column, 1 on the diagonal",
             "Each column's exponents begin at 0 on the diagonal: set the sum back before each column.", mask,
             SET(s.by = DecayBy::carried_from_column_to_column, s.one_on_diagonal = true)},
            {"how it is computed", "sum not reset from row to row and from head to head, 1 on the diagonal",
             "Each row's exponents begin at 0 on the diagonal: set the sum back before each row of each head.", mask,
             SET(s.by = DecayBy::carried_from_row_to_row_own_left_out,
                 s.one_on_diagonal = s.carried_to_next_head = true)},
            {"how it is computed", "sum not reset from column to column and from head to head, 1 on the diagonal",
             "Each column's exponents begin at 0 on the diagonal: set the sum back before each column of each head.",
             mask,
             SET(s.by = DecayBy::carried_from_column_to_column, s.one_on_diagonal = s.carried_to_next_head = true)},
            {"how it is computed", "sum not reset from column to column and from head to head",
             "Each column's exponents begin at 0 on the diagonal: set the sum back before each column of each head.",
             mask, SET(s.by = DecayBy::carried_from_column_to_column, s.carried_to_next_head = true)},
            {"how it is computed", "differences of running sums along the first axis",
             "log_decay is (…, n): its tokens are axis -1, which is axis 0 only where there are no leading axes.", mask,
             SET(s.by = DecayBy::difference_along_first_axis)},
            {"how it is computed", "running sum along the first axis",
             "D_ij adds the logarithms of tokens j + 1 to i, down the columns: axis -2, which is axis 0 only where "
             "there "
             "are no leading axes.",
             mask, SET(s.by = DecayBy::along_first_axis)},
            {"how it is computed", "running sum along the rows",
             "D_ij adds the logarithms of tokens j + 1 to i: down the columns, axis -2.", mask,
             SET(s.by = DecayBy::along_rows)},

            // All forms
            {"the exponential", "sigmoid of the logarithm",
             "log_decay is a logarithm, not a logit: a = exp(log_decay).", 0, SET(s.sigmoid = true)},
            {"which decays", "running sums taken for the decays",
             "Each token has a decay of its own: those of the tokens before have acted already.", attention,
             SET(s.cumulated = true)},
            {"the exponential", "log decay used as the decay", "The decay is e to log_decay: take the exponential.",
             pairs, SET(s.by = DecayBy::product_of_logarithms)},
            {"the exponential", "log decay used as the decay", "The decay is e to log_decay: take the exponential.",
             states, SET(s.by = DecayBy::product_of_logarithms, s.empty_state_too = true)},
            {"the exponential", "sign of the exponent", "log_decay is the logarithm itself, 0 or below: no minus.", 0,
             SET(s.times = -1.0)},
            {"which decays", "decay of token i to the power i - j",
             "That is right where all decays are equal. Here each token has its own: their product is what is left.",
             scalar, SET(s.by = DecayBy::power_of_last)},
            {"which decays", "decay of the first token for all",
             "Each token has a decay of its own; one for all is RetNet's.", scalar,
             SET(s.by = DecayBy::power_of_first_token)},
            {"the leading axes", "decays of the first head for all", "Every leading index has decays of its own.", 0,
             SET(s.heads = Heads::first)},
            {"the chunks", "decays of the first chunk for all",
             "The tokens of every chunk have decays of their own: take those from its beginning on.", chunks,
             SET(s.of_first_chunk = true)},

            // States and products
            {"what is left", "decay forgotten", "Multiply the state by the decay of each token before it writes.",
             states, SET(s.by = DecayBy::nothing)},
            {"what is left", "mask of ones in place of D",
             "Multiply the scores by D: with 1 for j ≤ i nothing is forgotten.", matrices,
             SET(s.by = DecayBy::nothing)},
            {"what is left", "decay forgotten",
             "Three things decay: pairs of tokens, the state, and what is read of it.", chunks,
             SET(s.by = DecayBy::nothing)},
            {"what is left", "D left out", "Multiply the scores by D, which masks later tokens as well.",
             matrices | attention, SET(s.by = DecayBy::nothing, s.above = Above::one)},
            {"what is left", "mask of ones in place of D within the chunk",
             "What token j wrote decays within its chunk, too: multiply the scores by D.", chunks,
             SET(s.inside_decayed = false)},
            {"which decays", "decay applied after the write",
             "Forget first, then write: what token i writes is not decayed by its own decay.", attention,
             SET(s.from = 0)},
            {"which decays", "decay of the token before",
             "The decay of token i comes before its write, not after its read: S = a_i S + k_i v_iᵀ, then read.",
             attention, SET(s.from = 0, s.to = -1)},
            {"which decays", "decay of the next token", "Token i forgets by its own decay, a_i.", attention,
             SET(s.from = 2, s.to = 1)},
            {"the order", "state read before it is updated",
             "Token i writes, then reads: its output has its own value in it.", states,
             SET(s.diagonal = false, s.to = -1)},
            {"the order", "state read between decay and write",
             "Token i writes, then reads: its output has its own value in it.", states, SET(s.diagonal = false)},
            {"the order", "state read before it is decayed, with the token's own write",
             "Forget, write, read: token i reads S_i = a_i S + k_i v_iᵀ, in which its own decay is done.", states,
             SET(s.to = -1)},
            {"the order", "strict diagonal", "Token i sees what it writes itself: j ≤ i.", matrices | attention,
             SET(s.diagonal = false)},
            {"the order", "strict diagonal", "Token i sees what it writes itself: j ≤ i.", chunks,
             SET(s.diagonal = false)},
            {"the order", "state decayed where it is read alone",
             "The decayed state is what the next token begins with: S = a_i S + k_i v_iᵀ, and that S is read.", states,
             SET(s.by = DecayBy::last_one)},
            {"the order", "state decayed again where it is read",
             "o_i = S_iᵀq_i reads the state as it is: its decay is in S_i already.", attention | scalar,
             SET(s.read_again = true)},
            // Channels
            {"the channels", "decay along the columns of S",
             "log_decay belongs to the entries of a key, so to the rows of S: exp(…) needs an axis of length 1 behind "
             "it, "
             "expand_dims(…, -1).",
             channels, SET(s.channels = Channels::of_values)},
            {"the channels", "logarithms read on as (d_k, n)",
             "log_decay is (…, n, d_k): the d_k logarithms of a token are side by side.", channels,
             SET(s.reshaped = true)},
            {"the channels", "mean over the channels", "Each row of S has a decay of its own.", channels,
             SET(s.channels = Channels::mean)},
            {"the channels", "sum over the channels", "Each row of S has a decay of its own.", channels,
             SET(s.channels = Channels::sum)},
            {"the channels", "decay of the first channel for all", "Each row of S has a decay of its own.", channels,
             SET(s.channels = Channels::first)},
            {"the channels", "queries decayed as well",
             "o_i = S_iᵀq_i reads the state with the query as it is: its decays are in S_i already.", channels,
             SET(s.read_again = true)},

            // Chunks
            {"the chunks", "state not decayed from chunk to chunk",
             "S is multiplied by the product of all decays of the chunk before the chunk's keys are added.", chunks,
             SET(s.between = Between::nothing)},
            {"the chunks", "state decayed by the last token of a chunk alone",
             "From chunk to chunk S is multiplied by the product of all decays of the chunk.", chunks,
             SET(s.between = Between::last_decay)},
            {"the chunks", "state decayed by the first token of a chunk alone",
             "From chunk to chunk S is multiplied by the product of all decays of the chunk.", chunks,
             SET(s.between = Between::first_decay)},
            {"the chunks", "state decayed by the next chunk's decays",
             "S decays by the decays of the chunk whose keys it takes up: before the next chunk begins.", chunks,
             SET(s.between = Between::next_chunk)},
            {"the chunks", "D's first column for the decay of the state",
             "D_i0 does not hold the decay of the chunk's first token, which decays the state as well: e to a running "
             "sum "
             "over the chunk does.",
             chunks, SET(s.read = ReadBy::decays_without_first, s.between = Between::all_but_first_decay)},
            {"the chunks", "D's first column where the state is read",
             "D_i0 does not hold the decay of the chunk's first token, which decays the state as well: e to a running "
             "sum "
             "over the chunk does.",
             chunks, SET(s.read = ReadBy::decays_without_first)},
            {"the chunks", "decay of a chunk's first token left out from chunk to chunk",
             "From chunk to chunk S is multiplied by the product of all decays of the chunk, the first one, too.",
             chunks, SET(s.between = Between::all_but_first_decay)},
            {"the chunks", "own decay counted where keys are added",
             "What token j writes is decayed by later tokens only: D's last row, whose last entry is 1.", chunks,
             SET(s.keys_own_decay = true)},
            {"the chunks", "keys decayed until the end and with the state",
             "S decays by all decays of the chunk before the chunk's keys are added: S = c S + …, not c (S + …).",
             chunks, SET(s.keys_and_state = true)},
            {"the chunks", "keys decayed with the state",
             "S decays by all decays of the chunk before the chunk's keys are added: S = c S + …, not c (S + …).",
             chunks, SET(s.keys_and_state = true, s.keys_decayed = false)},
            {"the chunks", "keys decayed from the chunk's beginning",
             "What token j writes is decayed from token j + 1 to the chunk's end: D's last row. From the beginning "
             "to the token itself is what the reader of S needs.",
             chunks, SET(s.keys_from_begin = true)},
            {"the chunks", "D's last column where keys are added",
             "Row i of D is the reader's: until the chunk's end, the keys have decayed by D's last row. Its last "
             "column "
             "is 0 up to the last token.",
             chunks, SET(s.keys_by = PartOfD::last_column)},
            {"the chunks", "D's first column where keys are added",
             "What token j writes is decayed from token j + 1 to the chunk's end: D's last row. Its first column holds "
             "what is left of the first token's write.",
             chunks, SET(s.keys_by = PartOfD::first_column)},
            {"the chunks", "D's first row where keys are added",
             "What token j writes is decayed from token j + 1 to the chunk's end: D's last row. In its first row all "
             "but the first entry are 0.",
             chunks, SET(s.keys_by = PartOfD::first_row)},
            {"the chunks", "state decayed twice from chunk to chunk",
             "From chunk to chunk S is multiplied once by the product of the chunk's decays.", chunks,
             SET(s.between = Between::decay_twice)},
            {"the chunks", "keys added to the state undecayed",
             "At the chunk's end, what token j wrote has been decayed by the tokens after it: multiply its key by D's "
             "last "
             "row.",
             chunks, SET(s.keys_decayed = false)},
            {"the chunks", "state read undecayed",
             "Token i reads S, the state before the chunk, times the decays from the chunk's beginning to token i.",
             chunks, SET(s.read = ReadBy::nothing)},
            {"the chunks", "own decay left out where the state is read",
             "The decay of token i counts, too: from the chunk's beginning up to and with token i.", chunks,
             SET(s.read = ReadBy::decays_before_own)},
            {"the chunks", "state read with all decays of the chunk",
             "Token i reads S times the decays up to its own, not those of later tokens.", chunks,
             SET(s.read = ReadBy::decays_of_chunk)},
            {"the chunks", "D's last row where the state is read",
             "Token i reads S times the decays up to its own; D's last row holds those after it, which its key needs.",
             chunks, SET(s.read = ReadBy::decays_after_own)},
            {"the chunks", "running sums of the decays along the first axis",
             "log_decay is (…, n): its tokens are axis -1, which is axis 0 only where there are no leading axes.",
             chunks, SET(s.read_along = s.between_along = SumAxis::first)},
            {"the chunks", "running sum of the decays along the first axis where the state is read",
             "log_decay is (…, n): its tokens are axis -1, which is axis 0 only where there are no leading axes.",
             chunks, SET(s.read_along = SumAxis::first)},
            {"the chunks", "running sums of the decays along axis -2",
             "log_decay is (…, n), without an axis of entries: its tokens are axis -1.", chunks,
             SET(s.read_along = s.between_along = SumAxis::before_tokens)},
            {"the chunks", "running sum of the decays along axis -2 where the state is read",
             "log_decay is (…, n), without an axis of entries: its tokens are axis -1.", chunks,
             SET(s.read_along = SumAxis::before_tokens)},
            {"the chunks", "decays summed from the sequence's beginning",
             "S has the decays of earlier chunks in it: begin the running sum anew in every chunk.", chunks,
             SET(s.read = ReadBy::decays_from_sequence_begin)},
            {"the chunks", "decays summed from the sequence's beginning, those from chunk to chunk too",
             "S has the decays of earlier chunks in it: begin the running sum anew in every chunk.", chunks,
             SET(s.read = ReadBy::decays_from_sequence_begin, s.between = Between::of_sequence)},
        },
        {
            {"log_decay times %s", "The exponent is the sum of the logarithms as they are.", 0, SET_TO(s.times = x),
             1e-2, 1e2},
            {"no sum of logarithms below -%s", "Nothing is cut off: what has decayed for long is nearly 0, or 0.", mask,
             SET_TO(s.least = -x), 1e-1, 1e4},
        }};
    return table;
}

const MutationTable<GatedSettings>& gated_mutations() {
    static const MutationTable<GatedSettings> table = [] {
        MutationTable<GatedSettings> all{
            {
                {"the write", "write scaled by 1 - a",
                 "Token i writes k_i v_iᵀ whole. Times 1 - a it is a running average, another model (RFA-Gate).", 0,
                 SET(s.complement = true)},
                {"queries and keys", "key and query exchanged", "The key writes, the query reads.", 0,
                 SET(s.keys_for_queries = s.queries_for_keys = true)},
                {"queries and keys", "keys reshaped in place of transposed",
                 "A reshape leaves the numbers in their order, so that rows mix tokens: matrix_transpose "
                 "exchanges rows and columns.",
                 matrices | attention, SET(s.keys_reshaped = true)},
                {"queries and keys", "keys in place of queries", "o_i = S_iᵀq_i: the query reads.", 0,
                 SET(s.keys_for_queries = true)},
                {"queries and keys", "queries in place of keys", "S sums k_j v_jᵀ: the key writes.", 0,
                 SET(s.queries_for_keys = true)},
                {"values", "value of the wrong token", "Token j contributes its own value v_j, not v_i.", 0,
                 SET(s.value_of_token_i = true)},
                {"which tokens count", "state replaced instead of added to",
                 "S = a S + k vᵀ: what was there is decayed, not lost.", states, SET(s.tokens = Tokens::own_only)},
                {"which tokens count", "first token left out", "Tokens are counted from 0: begin the loop there.",
                 states, SET(s.tokens = Tokens::up_to_own_without_first)},
                {"queries and keys", "keys normalised inside", "Keys are used as they come.", 0,
                 SET(s.keys_normalized = true)},
                {"queries and keys", "queries normalised inside", "Queries are used as they come.", 0,
                 SET(s.queries_normalized = true)},
                {"queries and keys", "queries and keys normalised inside", "Queries and keys are used as they come.", 0,
                 SET(s.queries_normalized = s.keys_normalized = true)},
                {"the outputs", "last token left out", "Tokens are 0, …, n-1: the last one has an output, too.", states,
                 SET(s.written = GatedWritten::all_but_last)},
                {"the outputs", "outputs added up over the tokens",
                 "The state has added up all writes; an output is what it returns.", states,
                 SET(s.written = GatedWritten::running_sum)},
                {"the leading axes", "states mixed across heads",
                 "Every leading index has a state of its own: never sum over leading axes.", 0,
                 SET(s.heads = Heads::all)},
                {"the leading axes", "state carried over from head to head", "Start every leading index from zero.", 0,
                 SET(s.heads = Heads::own_after_earlier)},
                {"the outputs", "only the last output written",
                 "Every token has an output: write it in every pass of the loop.", states,
                 SET(s.written = GatedWritten::only_last)},
                {"the outputs", "only the first head written", "Every leading index has outputs of its own.", 0,
                 SET(s.written = GatedWritten::only_first_head)},
                {"what is left", "D added instead of multiplied", "The scores are multiplied by D, entry by entry.",
                 pairs, SET(s.decay_added = true)},
                {"what is left", "logarithms of D added to the scores",
                 "The scores are multiplied by D, entry by entry: its logarithm is a bias where a softmax follows.",
                 pairs, SET(s.logarithms_added = true)},
                {"what is left", "D multiplied as a matrix",
                 "QKᵀ ⊙ D is a product entry by entry, with *: matmul adds up over the tokens.", matrices,
                 SET(s.mask_as_matrix = true, s.decay.by = DecayBy::nothing, s.decay.above = Above::one)},
                {"the scale", "scaled by 1/√d_k", "Nothing is scaled here: queries and keys are used as they come.", 0,
                 SET(s.scaled = true)},
                {"what divides", "rows normalised",
                 "There is no denominator: the weights are (q·k) D, whatever they sum to.", 0,
                 SET(s.normalized = true)},
                {"what divides", "mean over the tokens instead of the sum",
                 "The state is a decayed sum over the tokens: nothing is divided by their number.", 0,
                 SET(s.averaged = true)},
                {"what divides", "softmax of the scores", "The weights are (q·k) D: no exponential, no denominator.",
                 matrices, SET(s.softmax = true)},
                {"what divides", "exponential of the scores",
                 "The weights are (q·k) D: the exponential is that of the decays alone.", matrices,
                 SET(s.exponential = true)},
                {"the chunks", "state not carried from chunk to chunk",
                 "A chunk's queries read S, the state of all chunks before it, too.", chunks,
                 SET(s.tokens = Tokens::own_block)},
                {"the chunks", "state replaced instead of added to from chunk to chunk",
                 "Every chunk adds to the decayed S of those before it.", chunks,
                 SET(s.tokens = Tokens::own_block_and_last)},
                {"the chunks", "state updated before it is read",
                 "A chunk's queries read the state from before the chunk: its own tokens are in the masked product.",
                 chunks, SET(s.updated_first = true)},
                {"the chunks", "number of chunks overflows",
                 "(n + chunk - 1) / chunk is 0 where chunk is nearly 2^64: (n - 1) / chunk + 1, or min(chunk, n) "
                 "first.",
                 chunks, SET(s.written = GatedWritten::unless_count_overflows)},
                {"the chunks", "a short last chunk left out", "The last chunk ends at n, wherever that is.", chunks,
                 SET(s.written = GatedWritten::all_but_short_chunk)},
                {"the cost", "computed in O(n²)", "Keep a state: no loop over pairs of tokens that are far apart.",
                 linear_cost, nullptr},
                {"the cost", "computed in O(n³)",
                 "One n×n matrix of decays is enough, and each entry takes one addition.", matrices, nullptr},
            },
            {}};
        add_mutations_of(all, decay_mutations(), &GatedSettings::decay);
        return all;
    }();
    return table;
}

const MutationTable<DecaySettings>& mask_mutations() {
    static const MutationTable<DecaySettings> table = [] {
        MutationTable<DecaySettings> all = decay_mutations();
        all.mutations.push_back({"the place", "D of sequence h stored from h·n on",
                                 "A sequence has n² decays: those of sequence h begin at h·n², or the next one's "
                                 "overwrite them.",
                                 mask, [](DecaySettings& s) { s.masks_overlap = true; }});
        all.mutations.push_back(
            {"the cost", "computed in O(n³)",
             "The sum of an entry is that of its neighbour and one more term: add up along an axis.", mask, nullptr});
        return all;
    }();
    return table;
}

// Pairs of a gradient.
void set_R(GatedGradientSettings& s, void (*set)(DecaySettings&)) {
    set(s.R_of_dK.decay);
    set(s.R_of_dV.decay);
}
void set_all(GatedGradientSettings& s, void (*set)(DecaySettings&)) {
    set(s.S.decay);
    set_R(s, set);
}
void set_tokens_of_R(GatedGradientSettings& s, Tokens tokens) { s.R_of_dK.tokens = s.R_of_dV.tokens = tokens; }
void carry_R(GatedGradientSettings& s) {
    for (PairSettings* R : {&s.R_of_dK, &s.R_of_dV}) R->heads = Heads::own_after_earlier, R->from_the_end = true;
}
void not_decayed(DecaySettings& s) { s.by = DecayBy::nothing; }
void of_token_before(DecaySettings& s) { s.from = 0, s.to = -1; }
void after_own(DecaySettings& s) { s.from = 0; }
void logarithms(DecaySettings& s) { s.by = DecayBy::product_of_logarithms; }
void sigmoids(DecaySettings& s) { s.sigmoid = true; }
void without_own(DecaySettings& s) { s.diagonal = false; }
void of_first_head(DecaySettings& s) { s.heads = Heads::first; }

const MutationTable<GatedGradientSettings>& gradient_mutations() {
    static const MutationTable<GatedGradientSettings> table{
        {
            {"R", "R not decayed", "A query reads what is left of a key: R is decayed on its way back, as S forwards.",
             0, SET(set_R(s, not_decayed))},
            {"R", "R decayed by the wrong token",
             "R_j = q_j dO_jᵀ + a_{j+1} R_{j+1}: multiply by the decay of token i after token i has read, on the way "
             "to "
             "i - 1.",
             0, SET(set_R(s, of_token_before))},
            {"R", "R decayed before it is read",
             "dk_j and dv_j read R_j with q_j dO_jᵀ in it, undecayed by a_j: that comes after them.", 0,
             SET(set_R(s, after_own))},
            {"R", "R decayed before dV reads it", "dv_j reads the same R_j as dk_j: the decay comes after both.", 0,
             SET(after_own(s.R_of_dV.decay))},
            {"R", "R decayed before dK reads it", "dk_j reads the same R_j as dv_j: the decay comes after both.", 0,
             SET(after_own(s.R_of_dK.decay))},
            {"R", "R not decayed for dK", "dk_j = R_j v_j and dv_j = R_jᵀk_j read the same R.", 0,
             SET(s.R_of_dK.decay.by = DecayBy::nothing)},
            {"R", "R not decayed for dV", "dk_j = R_j v_j and dv_j = R_jᵀk_j read the same R.", 0,
             SET(s.R_of_dV.decay.by = DecayBy::nothing)},
            {"R", "R read before it is updated", "R_j contains token j itself: add q_j dO_jᵀ first, then read.", 0,
             SET(set_R(s, without_own))},
            {"R", "R read by dK before it is updated",
             "R_j contains token j itself for dk_j as for dv_j: update it first.", 0,
             SET(without_own(s.R_of_dK.decay))},
            {"R", "R read by dV before it is updated",
             "R_j contains token j itself for dv_j as for dk_j: update it first.", 0,
             SET(without_own(s.R_of_dV.decay))},
            {"R", "R forwards", "A key acts on later tokens, so its gradient comes from them: R_j sums i ≥ j.", 0,
             SET(s.R_of_dK.decay.above = s.R_of_dV.decay.above = Above::transposed)},
            {"R", "R replaced instead of added to", "R grows at every token; it does not become q_i dO_iᵀ.", 0,
             SET(set_tokens_of_R(s, Tokens::own_only))},
            {"R", "dO of the wrong token", "R sums q_i dO_iᵀ: each query with the gradient of its own output.", 0,
             SET(s.upstream_of_key = true)},
            {"S", "S not decayed", "dq_i = S_i dO_i reads the state of the forward pass, which forgets.", 0,
             SET(not_decayed(s.S.decay))},
            {"S", "S decayed after the write", "Forget first, then write: S = a_i S + k_i v_iᵀ.", 0,
             SET(after_own(s.S.decay))},
            {"S", "S decayed by the token before", "The decay of token i comes before its write, not after its read.",
             0, SET(of_token_before(s.S.decay))},
            {"S", "S read before it is updated", "S_i contains token i: add k_i v_iᵀ first, then read.", 0,
             SET(without_own(s.S.decay))},
            {"S", "S replaced instead of added to", "S grows at every token; it does not become k_i v_iᵀ.", 0,
             SET(s.S.tokens = Tokens::own_only)},
            {"S", "value of the wrong token", "S sums k_j v_jᵀ: each key with its own value.", 0,
             SET(s.query_token_value = true)},
            {"both", "nothing decayed", "This is the gradient of the plain sum: S and R are decayed at every token.", 0,
             SET(set_all(s, not_decayed))},
            {"both", "log decay used as the decay", "The decay is e to log_decay: take the exponential.", 0,
             SET(set_all(s, logarithms), s.S.decay.empty_state_too = true)},
            {"both", "sigmoid of the logarithm", "log_decay is a logarithm, not a logit: a = exp(log_decay).", 0,
             SET(set_all(s, sigmoids))},
            {"both", "sign of the exponent", "log_decay is the logarithm itself, 0 or below: no minus.", 0,
             SET(s.S.decay.times = s.R_of_dK.decay.times = s.R_of_dV.decay.times = -1.0)},
            {"both", "decays of the first head for all", "Every leading index has decays of its own.", 0,
             SET(set_all(s, of_first_head))},
            {"both", "dQ and dK exchanged", "dq_i = S_i dO_i and dk_j = R_j v_j: check which is returned first.", 0,
             SET(s.exchanged = true)},
            {"the leading axes", "states mixed across heads",
             "Every leading index has an S and an R of its own: never sum over leading axes.", 0,
             SET(s.S.heads = s.R_of_dK.heads = s.R_of_dV.heads = Heads::all)},
            {"the leading axes", "S carried over from head to head", "Start every leading index from zero.", 0,
             SET(s.S.heads = Heads::own_after_earlier)},
            {"the leading axes", "R carried over from head to head",
             "Start R from zero for every leading index, like S.", 0, SET(carry_R(s))},
            {"the leading axes", "S and R carried over from head to head",
             "Start both from zero for every leading index.", 0, SET(carry_R(s), s.S.heads = Heads::own_after_earlier)},
            {"the outputs", "first token not reached on the way back",
             "The loop backwards ends with token 0: for (i = n; i-- > 0;) reaches it.", 0,
             SET(s.written = GatedWritten::all_but_first)},

            {"the outputs", "last token left out on the way back",
             "The loop backwards begins with token n - 1: for (i = n; i-- > 0;).", 0,
             SET(s.last_not_in_R = s.last_not_in_sum = true)},
            {"R", "R without the last token", "R sums all i ≥ j: the loop backwards begins with token n - 1.", 0,
             SET(s.last_not_in_R = true)},
            {"the outputs", "only the first head written", "Every leading index has gradients of its own.", 0,
             SET(s.written = GatedWritten::only_first_head)},
            {"S", "first token left out on the way forwards", "Tokens are counted from 0: begin the loop there.", 0,
             SET(s.S.tokens = Tokens::up_to_own_without_first)},
            {"R", "dK from S", "dk_j reads R_j, the sum over later queries; S is what queries read.", 0,
             SET(s.S_in_dK = true)},
            {"R", "R begins with the last S", "R begins with zeros: it is another sum than S.", 0,
             SET(s.R_begins_with_S = true)},
            {"the decay's gradient", "mean over the features in the decay's gradient",
             "q·dq and k·dk are sums over the features, not means.", 0, SET(s.averaged = true)},
            {"the decay's gradient", "not summed over later tokens",
             "A decay acts on everything that later tokens read: d log a_i sums q·dq - k·dk from token i on.", 0,
             SET(s.sum = LogDecaySum::own_only)},
            {"the decay's gradient", "summed from the front",
             "A decay acts on later tokens: the running sum goes from the last token to the first.", 0,
             SET(s.sum = LogDecaySum::up_to_own)},
            {"the decay's gradient", "one running sum for the decays of all leading indices",
             "Every leading index has decays of its own: the sum is a Tensor (…), not one number.", 0,
             SET(s.heads_of_decay = Heads::all)},
            {"the decay's gradient", "running sum of the decay's gradient not set back for the next head",
             "Begin the sum with 0 for every leading index.", 0, SET(s.heads_of_decay = Heads::own_after_earlier)},
            {"the decay's gradient", "running sum of the decay's gradient along the first axis",
             "log_decay is (…, n): its tokens are axis -1, which is axis 0 only where there are no leading axes.", 0,
             SET(s.sum = LogDecaySum::own_only, s.decay_along = SumAxis::first)},
            {"the decay's gradient", "running sum of the decay's gradient along axis -2",
             "log_decay is (…, n), without an axis of entries: its tokens are axis -1.", 0,
             SET(s.sum = LogDecaySum::own_only, s.decay_along = SumAxis::before_tokens)},
            {"the decay's gradient", "own token left out",
             "Token i reads what its own decay left: the sum begins with token i.", 0,
             SET(s.sum = LogDecaySum::after_own)},
            {"the decay's gradient", "summed over all tokens", "The decay of token i does not act on earlier tokens.",
             0, SET(s.sum = LogDecaySum::all)},
            {"the decay's gradient", "sign of the decay's gradient",
             "A decay scales q up and k down: q·dq - k·dk, and not the other way round. The GLA paper's appendix C "
             "prints "
             "the other sign.",
             0, SET(s.queries = -1.0, s.keys = 1.0)},
            {"the decay's gradient", "k·dk forgotten",
             "d log a_i sums q·dq - k·dk: what is written after the decay does not count.", 0, SET(s.keys = 0.0)},
            {"the decay's gradient", "q·dq forgotten", "d log a_i sums q·dq - k·dk.", 0, SET(s.queries = 0.0)},
            {"the decay's gradient", "k·dk added", "d log a_i sums q·dq - k·dk: with a minus.", 0, SET(s.keys = 1.0)},
            {"the decay's gradient", "v·dv subtracted as well as k·dk",
             "d log a_i sums q·dq - k·dk. v·dv is as large as k·dk, since both have the token's whole write: subtract "
             "one of them.",
             0, SET(s.values = -1.0)},
            {"the decay's gradient", "q·dq added twice", "d log a_i sums q·dq - k·dk, each once.", 0,
             SET(s.queries = 2.0)},
            {"the decay's gradient", "own write counted in the decay's gradient",
             "a_i decays what was there before token i: S_{i-1}, which does not have its write.", 0,
             SET(s.own_write_counted = true)},
            {"the decay's gradient", "own read left out of the decay's gradient",
             "Token i forgets before it reads: R_i has its query.", 0, SET(s.own_read_left_out = true)},
            {"the decay's gradient", "gradient with respect to a, not log a",
             "d log a = a da: what is asked for is the gradient with respect to the logarithm.", 0,
             SET(s.of_decay = true)},
            {"the decay's gradient", "multiplied by the decay",
             "q·dq - k·dk is the gradient with respect to log a already: no factor a.", 0, SET(s.times_decay = true)},
            {"the decay's gradient", "no gradient of the decay", "The fourth gradient is not 0: sum q·dq - k·dk.", 0,
             SET(s.queries = s.keys = 0.0)},
            {"the cost", "computed in O(n²)", "Keep a state: no loop over pairs of tokens.", 0, nullptr},
        },
        {
            {"log_decay times %s", "The exponent is the logarithm as it is.", 0,
             SET_TO(s.S.decay.times = s.R_of_dK.decay.times = s.R_of_dV.decay.times = x), 1e-2, 1e2},
        }};
    return table;
}

// The exercises -------------------------------------------------------------------------------------------------------

Tensor mask_of(const DecaySettings& settings, const Tensor& log_decay) {
    require_decays(log_decay, "decay_mask");
    return decay_mask_by_settings(log_decay, settings);
}
Tensor whole(const GatedSettings& settings, const Tensor& Q, const Tensor& K, const Tensor& V,
             const Tensor& log_decay) {
    require_decays(log_decay, require_attention_shapes(Q, K, V));
    return gated_attention_by_settings({Q, K, V, log_decay}, settings);
}
Tensor in_chunks(const GatedSettings& settings, const Tensor& Q, const Tensor& K, const Tensor& V,
                 const Tensor& log_decay, std::size_t chunk) {
    require_decays(log_decay, require_attention_shapes(Q, K, V));
    require_chunk(chunk);
    return gated_attention_by_settings({Q, K, V, log_decay, chunk}, settings);
}
Tensor in_channels(const GatedSettings& settings, const Tensor& Q, const Tensor& K, const Tensor& V,
                   const Tensor& log_decay) {
    require_channel_decays(log_decay, require_attention_shapes(Q, K, V));
    return gated_attention_by_settings({Q, K, V, log_decay}, settings);
}
GatedGradients backward(const GatedGradientSettings& settings, const Tensor& Q, const Tensor& K, const Tensor& V,
                        const Tensor& log_decay, const Tensor& dO) {
    require_decays(log_decay, require_attention_shapes(Q, K, V));
    require_upstream(dO, V);
    return gated_gradients_by_settings({Q, K, V, log_decay}, dO, settings);
}

const MutationsOf recurrent_mutations("gated_attention_recurrent", gated_mutations(),
                                      states | scalar | attention | linear_cost, GatedSettings{}, &whole,
                                      {.rows = rows_of_attention()});
const MutationsOf of_mask("decay_mask", mask_mutations(), mask | scalar | pairs, DecaySettings{}, &mask_of);
const MutationsOf quadratic_mutations("gated_attention_quadratic", gated_mutations(),
                                      matrices | scalar | attention | pairs, GatedSettings{}, &whole);
const MutationsOf chunkwise_mutations("gated_attention_chunkwise", gated_mutations(),
                                      chunks | scalar | attention | pairs | linear_cost, GatedSettings{}, &in_chunks,
                                      {.rows = rows_of_attention()});
const MutationsOf backward_mutations("gated_attention_backward", gradient_mutations(), linear_cost,
                                     GatedGradientSettings{}, &backward, {.rows = rows_of_attention({{4, "dO"}})});
const MutationsOf channel_mutations("channel_gated_attention", gated_mutations(),
                                    states | channels | attention | linear_cost, GatedSettings{}, &in_channels,
                                    {.rows = rows_of_attention()});

// The right result, and beside it a state for each token.
void keep_states(const Tensor& Q, const Tensor& V) {
    Shape shape = shape_of(Q);
    shape.push_back(length(V, -1));
    const volatile double kept = zeros(shape).size() == 0 ? 0.0 : 1.0;
    (void)kept;
}
MISTAKE(gated_attention_recurrent, (const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& log_decay),
        "memory grows with the sequence", "§9.1", "Keep one state and write each output where it belongs.") {
    keep_states(Q, V);
    return whole({}, Q, K, V, log_decay);
}
MISTAKE(channel_gated_attention, (const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& log_decay),
        "memory grows with the sequence", "§9.6", "Keep one state and write each output where it belongs.") {
    keep_states(Q, V);
    return in_channels({}, Q, K, V, log_decay);
}
MISTAKE(gated_attention_backward,
        (const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& log_decay, const Tensor& dO),
        "a state kept for every token", "§9.5", "Keep rows of the gradients, and no S or R but the latest.") {
    keep_states(Q, V);
    return backward({}, Q, K, V, log_decay, dO);
}

// Calls made for the diagnosis alone: all sizes different, several leading axes, few tokens, decays far from 0 and 1.
const Shape leading{2, 2};
const std::size_t n = 5, d_k = 3, d_v = 2;
Tensor input(std::size_t width, std::uint64_t stream) { return random_tensor(join(leading, {n, width}), stream); }
Tensor decays() { return random_tensor(join(leading, {n}), 905, -1.5, -0.1); }
Tensor channel_decays(std::size_t width) { return random_tensor(join(leading, {n, width}), 905, -1.5, -0.1); }

template <class Function, class... More>
std::vector<Run> probes_of(Function* function, const Tensor& log_decay, const More&... more) {
    return {probe(function, input(d_k, 901), input(d_k, 902), input(d_v, 903), log_decay, more...)};
}
const Probes recurrent_probes("gated_attention_recurrent",
                              [] { return probes_of(&linattn::gated_attention_recurrent, decays()); });
const Probes mask_probes("decay_mask", [] { return std::vector{probe(&linattn::decay_mask, decays())}; });
const Probes quadratic_probes("gated_attention_quadratic",
                              [] { return probes_of(&linattn::gated_attention_quadratic, decays()); });
const Probes chunkwise_probes("gated_attention_chunkwise",
                              [] { return probes_of(&linattn::gated_attention_chunkwise, decays(), std::size_t{2}); });
const Probes backward_probes("gated_attention_backward",
                             [] { return probes_of(&linattn::gated_attention_backward, decays(), input(d_v, 904)); });
const Probes channel_probes("channel_gated_attention",
                            [] { return probes_of(&linattn::channel_gated_attention, channel_decays(d_k)); });

}  // namespace linattn::testing::gated_mutations
