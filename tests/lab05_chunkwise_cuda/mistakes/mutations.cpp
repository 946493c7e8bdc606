// What people get wrong in the outputs of chunkwise attention: the mutations of all attention, those of chunks, and arrays read
// in another layout.
#include "mutations.hpp"

#include "arrays.hpp"
#include "attention_mutations.hpp"
#include "bfloat16_arrays.hpp"
#include "faults.hpp"
#include "layouts.hpp"
#include "work_counter.hpp"

namespace linattn::testing::mutations {

/// Of several sequences in a row: from where on a token sees others.
enum class Seen { own_sequence, whole_row, chunk_of_row };
/// Which outputs are written.
enum class Finished {
    all,
    of_first_sequence,
    before_length,
    all_but_last,
    whole_chunks,
    longer_than_a_chunk,
    chunks_cut_short,      ///< each ends where its row has a multiple of chunk, and the next begins a whole chunk on
    first_chunk_cut_short  ///< … the first one alone; what is between counts for no token, either
};

struct Chunkwise : Layouts {
    Seen seen = Seen::own_sequence;
    Finished finished = Finished::all;
    bool Q_of_row = false, K_of_row = false, V_of_row = false;  ///< the sequence's place in the row is forgotten
    bool sequences_apart = false;                               ///< arrays as (sequence, head, token)
    bool heads_by_length = false;  ///< as many tokens from head to head as the sequence has
    bool last_chunk_left_out = false, last_chunk_unwritten = false, unless_only_one = false, memory_alone = false;
    bool first_entries_of_O = false;                            ///< of a chunk: one for each thread
    bool whole_shares_of_O = false, whole_shares_of_S = false;  ///< as many entries for each thread, rounded down
    bool sum_goes_on = false;                                   ///< a thread's, from entry to entry of a chunk
    AttentionSettings attention;
    bool operator==(const Chunkwise&) const = default;
};

// What an exercise has that can go wrong, besides what all attention has.
const unsigned on_cpu = 1u << 24, forward = 1u << 25, third_pass = 1u << 26, over_chunks = 1u << 27, packed = 1u << 28;

// φ(Q) divided by d_k to this power, within the chunk or where it reads the state.
void scale(TokenSum& sum, Where where, double power) {
    sum.where = where;
    sum.q_over_d_k = power;
}
void scale(Chunkwise& s, Where where, double power) {
    for (TokenSum* sum : {&s.attention.S, &s.attention.z}) scale(*sum, where, power);
}

// The rows of the next chunk stand in a buffer when S and z, or one of them, are still to be made of this one's.
void load_next(TokenSum& sum, bool queries, bool keys) {
    sum.where = Where::earlier_blocks;
    sum.query_of_next_block = queries;
    sum.key_of_next_block = keys;
}

void load_next(Chunkwise& s, bool queries, bool keys) {
    for (TokenSum* sum : {&s.attention.S, &s.attention.z}) load_next(*sum, queries, keys);
}

void both(Chunkwise& s, Tokens tokens) { s.attention.S.tokens = s.attention.z.tokens = tokens; }

// What is made of other queries and keys, within the chunk or in the state, in one of the two sums or in both.
void change(TokenSum& sum, Where where, From query, From key, int phi_q, int phi_k) {
    sum.where = where;
    sum.query = query;
    sum.key = key;
    sum.phi_q = phi_q;
    sum.phi_k = phi_k;
}
void change(Chunkwise& s, Where where, From query, From key, int phi_q, int phi_k) {
    for (TokenSum* sum : {&s.attention.S, &s.attention.z}) change(*sum, where, query, key, phi_q, phi_k);
}

MutationTable<Chunkwise> own_and_of_attention() {
    MutationTable<Chunkwise> table;
    add_mutations_of(table, attention_mutations(), &Chunkwise::attention);
    // Chunks have others of these names, and layouts those of the first head.
    std::erase_if(table.mutations, [](const auto& mutation) {
        const std::string name = mutation.name;
        return name == "state replaced instead of added to" || name == "queries of the first head for all" ||
               name == "keys of the first head for all" || name == "values of the first head for all" ||
               name == "outputs of all heads written in the place of the first";
    });
    const Mutations<Chunkwise> own{
        {"the chunk", "future of the chunk not masked", "Set A_ij to 0 for j > i before you multiply it with V.", 0,
         SET(both(s, Tokens::whole_blocks))},
        {"the chunk", "mask of the chunk turned round: j ≥ i",
         "Token i sees those before it and itself: keep A_ij where j ≤ i.", 0,
         SET(both(s, Tokens::own_block_from_own_on))},
        {"the chunk", "mask of the chunk turned round in A V: j ≥ i",
         "Token i sees those before it and itself: keep A_ij where j ≤ i, in A V as in the normaliser.", 0,
         SET(s.attention.S.tokens = Tokens::own_block_from_own_on)},
        {"the chunk", "normalisers of the rows before in the chunk not reset",
         "Each row has a normaliser of its own: begin it at ε, or at 0, in every row.", 0,
         SET(s.attention.divisor = Divisor::sums_of_block)},
        {"the chunk", "only the next token of the chunk masked",
         "Set A_ij to 0 for every j > i, not for j = i + 1 alone.", 0, SET(both(s, Tokens::whole_blocks_but_next))},
        {"the chunk", "future masked in the first chunk only",
         "j ≤ i compares two places in the chunk, or two in the sequence, not one of each.", 0,
         SET(both(s, Tokens::whole_blocks_but_first))},
        {"the chunk", "future of the chunk not masked in A V",
         "Set A_ij to 0 for j > i before you multiply it with V, not only where you sum the row.", 0,
         SET(s.attention.S.tokens = Tokens::whole_blocks)},
        {"the chunk", "only the next token of the chunk masked in A V",
         "Set A_ij to 0 for every j > i before you multiply it with V, not for j = i + 1 alone.", 0,
         SET(s.attention.S.tokens = Tokens::whole_blocks_but_next)},
        {"the chunk", "last token of the chunk not masked",
         "Set A_ij to 0 for every j > i, up to the last column of the chunk.", 0,
         SET(both(s, Tokens::up_to_own_and_block_end))},
        {"the chunk", "last token of the chunk not masked in A V",
         "Set A_ij to 0 for every j > i before you multiply it with V, up to the last column of the chunk.", 0,
         SET(s.attention.S.tokens = Tokens::up_to_own_and_block_end)},
        {"the chunk", "value of the wrong token within the chunk", "Row i of A V sums A_ij v_j: the value of token j.",
         0, SET(s.attention.value_of_token_i_in_block = true)},
        {"the chunk", "softmax within the chunk",
         "φ replaces the exponential: within the chunk, too, the weight is φ(q)·φ(k) itself.", 0,
         SET(s.attention.in_block = AttentionSettings::InBlock::softmax)},
        {"the chunk", "exponential of the weights within the chunk",
         "φ replaces the exponential: within the chunk, too, the weight is φ(q)·φ(k) itself.", 0,
         SET(s.attention.in_block = AttentionSettings::InBlock::exponential)},
        {"the scale", "weights within the chunk scaled by 1/√d_k",
         "The scale belongs to softmax attention: A = φ(Q)φ(K)ᵀ has none, as the state has none.", 0,
         SET(scale(s, Where::own_block, 0.5))},
        {"the scale", "weights within the chunk scaled by 1/d_k",
         "A = φ(Q)φ(K)ᵀ sums over the features: nothing is scaled, within the chunk or in the state.", 0,
         SET(scale(s, Where::own_block, 1.0))},
        {"the scale", "weights within the chunk scaled by 1/√d_k in A V alone",
         "The scale belongs to softmax attention: A is multiplied with V as it is.", 0,
         SET(scale(s.attention.S, Where::own_block, 0.5))},
        {"the scale", "weights within the chunk scaled by 1/√d_k in the normaliser alone",
         "The scale belongs to softmax attention: the normaliser sums a row of A as it is.", 0,
         SET(scale(s.attention.z, Where::own_block, 0.5))},
        {"the scale", "state read with φ(Q) scaled by 1/√d_k",
         "The scale belongs to softmax attention: S and z are read with φ(Q) as it is.", 0,
         SET(scale(s, Where::earlier_blocks, 0.5))},
        {"the chunk", "chunk itself left out", "Tokens of the chunk see each other, and themselves, through A.", 0,
         SET(both(s, Tokens::earlier_blocks))},
        {"the chunk", "chunk itself left out of S", "Tokens of the chunk see each other, and themselves, through A.", 0,
         SET(s.attention.S.tokens = Tokens::earlier_blocks)},
        {"the chunk", "chunk itself left out of the normaliser",
         "The denominator counts the tokens of the chunk, too: the row of A up to i.", 0,
         SET(s.attention.z.tokens = Tokens::earlier_blocks)},
        {"the chunk", "chunk itself left out, but for the first chunk",
         "Each output has both parts, also where there are chunks before: A V + φ(Q)S, an else has no place here.", 0,
         SET(both(s, Tokens::earlier_blocks_or_own))},
        {"the chunk", "chunk itself left out of the normaliser, but for the first chunk",
         "Each denominator has both parts, also where there are chunks before: the row of A and φ(q_i)·z.", 0,
         SET(s.attention.z.tokens = Tokens::earlier_blocks_or_own)},
        {"the chunk", "chunk itself left out of the outputs, but for the first chunk",
         "Each output has both parts above the line, also where there are chunks before: A V + φ(Q)S.", 0,
         SET(s.attention.S.tokens = Tokens::earlier_blocks_or_own)},
        {"the chunk", "keys in place of queries within the chunk", "A = φ(Q)φ(K)ᵀ: row i belongs to query i.", 0,
         SET(change(s, Where::own_block, From::key, From::key, 1, 1))},
        {"the chunk", "queries in place of keys within the chunk", "A = φ(Q)φ(K)ᵀ: column j belongs to key j.", 0,
         SET(change(s, Where::own_block, From::query, From::query, 1, 1))},
        {"the chunk", "diagonal missing from A V", "A token sees itself: row i of A V counts j = i, too.", 0,
         SET(s.attention.S.tokens = Tokens::before_own)},
        {"the chunk", "diagonal missing from the normaliser",
         "A token sees itself: the denominator counts row i of A up to j = i.", 0,
         SET(s.attention.z.tokens = Tokens::before_own)},
        {"the chunk", "normaliser over the whole chunk", "Row i of A counts up to j = i in the denominator, too.", 0,
         SET(s.attention.z.tokens = Tokens::whole_blocks)},
        {"the state", "state not carried from chunk to chunk",
         "S and z grow from chunk to chunk: set them to 0 once per head.", over_chunks,
         SET(both(s, Tokens::own_block))},
        {"the state", "normaliser restarted per chunk",
         "z grows like S: the denominator counts the chunks before, too.", over_chunks,
         SET(s.attention.z.tokens = Tokens::own_block)},
        {"the state", "S restarted per chunk", "S grows like z: set it to 0 once per head.", over_chunks,
         SET(s.attention.S.tokens = Tokens::own_block)},
        {"the state", "S and z updated before they are read",
         "S and z hold only the tokens before the chunk until the outputs are computed.", over_chunks,
         SET(both(s, Tokens::own_block_once_more))},
        {"the state", "state updated before the outputs read it",
         "φ(Q)S stands for the tokens before the chunk: add φ(K)ᵀV to S after the outputs are computed.", over_chunks,
         SET(s.attention.S.tokens = Tokens::own_block_once_more)},
        {"the state", "z updated before it is read",
         "z holds only the tokens before the chunk until the normalisers are computed.", over_chunks,
         SET(s.attention.z.tokens = Tokens::own_block_once_more)},
        {"the state", "z grown row by row, after each row is read",
         "z holds the chunks before until all rows of the chunk have read it: what they add is in A, and would count "
         "twice.",
         over_chunks, SET(s.attention.z.tokens = Tokens::earlier_of_block_once_more)},
        {"the state", "z grown row by row, before each row is read",
         "z holds the chunks before until all rows of the chunk have read it: what they add is in A, and would count "
         "twice.",
         over_chunks, SET(s.attention.z.tokens = Tokens::up_to_own_of_block_once_more)},
        {"the state", "S grown row by row, after each row is read",
         "S holds the chunks before until all rows of the chunk have read it: what they add is in A, and would count "
         "twice.",
         over_chunks, SET(s.attention.S.tokens = Tokens::earlier_of_block_once_more)},
        {"the state", "S grown row by row, before each row is read",
         "S holds the chunks before until all rows of the chunk have read it: what they add is in A, and would count "
         "twice.",
         over_chunks, SET(s.attention.S.tokens = Tokens::up_to_own_of_block_once_more)},
        {"the state", "S and z grown row by row, after each row is read",
         "S and z hold the chunks before until all rows of the chunk have read them: what they add is in A, and would "
         "count twice.",
         over_chunks, SET(both(s, Tokens::earlier_of_block_once_more))},
        {"the state", "S and z grown row by row, before each row is read",
         "S and z hold the chunks before until all rows of the chunk have read them: what they add is in A, and would "
         "count twice.",
         over_chunks, SET(both(s, Tokens::up_to_own_of_block_once_more))},
        {"the state", "S and z updated with the next chunk's keys and values",
         "Load the next chunk after S and z hold this one: its keys and values take this one's place.", over_chunks,
         SET(both(s, Tokens::blocks_one_later))},
        {"the state", "S updated with the next chunk's keys and values",
         "Load the next chunk after S holds this one, as z does: its keys and values take this one's place.",
         over_chunks, SET(s.attention.S.tokens = Tokens::blocks_one_later)},
        {"the state", "z updated with the next chunk's keys",
         "Load the next chunk's keys after z holds this one's, as S does: they take their place.", over_chunks,
         SET(s.attention.z.tokens = Tokens::blocks_one_later)},
        {"the state", "S updated with the next chunk's values",
         "Load the next chunk's values after S holds this one's: key and value of a token belong together.",
         over_chunks, SET(s.attention.value_of_next_block = true)},
        {"the state", "S and z updated with the next chunk's keys, but this one's values",
         "Load the next chunk's keys after S and z hold this one's: key and value of a token belong together.",
         over_chunks, SET(load_next(s, false, true))},
        {"the state", "S and z updated with the next chunk's keys and values, or where that is shorter with this one's",
         "Load the next chunk after S and z hold this one: its keys and values take this one's place.", over_chunks,
         SET(load_next(s, false, true), s.attention.value_of_next_block = s.attention.rest_of_own_block = true)},
        {"the state", "S and z updated with the next chunk's keys, or where that is shorter with this one's",
         "Load the next chunk's keys after S and z hold this one's: key and value of a token belong together.",
         over_chunks, SET(load_next(s, false, true), s.attention.rest_of_own_block = true)},
        {"the state", "outputs of a chunk with the queries of the next",
         "Load the next chunk's queries after the outputs of this one: row i belongs to query i.", over_chunks,
         SET(s.attention.S.query_of_next_block = s.attention.z.query_of_next_block = true)},
        {"the state", "S and z read with the queries of the next chunk",
         "Load the next chunk's queries after this one's have read S and z, not when A is made.", over_chunks,
         SET(load_next(s, true, false))},
        {"the state", "S read with the queries of the next chunk",
         "Load the next chunk's queries after this one's have read S, as they have read z.", over_chunks,
         SET(load_next(s.attention.S, true, false))},
        {"the state", "state replaced instead of added to",
         "Add the chunk's sums to S and z; this keeps the last chunk only.", over_chunks,
         SET(both(s, Tokens::own_block_and_last))},
        {"the state", "chunk boundary off by one", "All tokens of the chunk are added to the state, the last one too.",
         over_chunks, SET(both(s, Tokens::without_block_ends))},
        {"the chunks", "last chunk moved back so that it is whole",
         "Its first tokens are in S and z already and count twice: the last chunk may be shorter than the others.",
         over_chunks, SET(both(s, Tokens::last_block_moved_back))},
        {"the state", "last token of each chunk missing from z", "All tokens of the chunk are added to z, as to S.",
         over_chunks, SET(s.attention.z.tokens = Tokens::without_block_ends)},
        {"the state", "last token of each chunk missing from S", "All tokens of the chunk are added to S, as to z.",
         over_chunks, SET(s.attention.S.tokens = Tokens::without_block_ends)},
        {"the chunk", "key and query exchanged within the chunk",
         "A = φ(Q)φ(K)ᵀ: row i belongs to query i, column j to key j.", 0,
         SET(change(s, Where::own_block, From::key, From::query, 1, 1))},
        {"φ", "φ left out within the chunk", "A = φ(Q)φ(K)ᵀ, of the features and not of Q and K.", 0,
         SET(change(s, Where::own_block, From::query, From::key, 0, 0))},
        {"φ", "φ left out of Q within the chunk", "A = φ(Q)φ(K)ᵀ, of the features and not of Q.", 0,
         SET(change(s, Where::own_block, From::query, From::key, 0, 1))},
        {"φ", "φ left out of K within the chunk", "A = φ(Q)φ(K)ᵀ, of the features and not of K.", 0,
         SET(change(s, Where::own_block, From::query, From::key, 1, 0))},
        {"φ", "φ left out of the query that reads the state", "S and z are read with φ(Q), as A is made of it.", 0,
         SET(change(s, Where::earlier_blocks, From::query, From::key, 0, 1))},
        {"φ", "φ left out of the query that reads S", "S is read with φ(Q), as z is.", 0,
         SET(change(s.attention.S, Where::earlier_blocks, From::query, From::key, 0, 1))},
        {"φ", "φ left out of the query that reads z", "z is read with φ(Q), as S is.", 0,
         SET(change(s.attention.z, Where::earlier_blocks, From::query, From::key, 0, 1))},
        {"the state", "state read with the key", "S and z are read with φ(Q).", 0,
         SET(change(s, Where::earlier_blocks, From::key, From::key, 1, 1))},
        {"the state", "S read with the key of the chunk", "S is read with φ(Q), as z is.", 0,
         SET(change(s.attention.S, Where::earlier_blocks, From::key, From::key, 1, 1))},
        {"the state", "z read with the key of the chunk", "z is read with φ(Q), as S is.", 0,
         SET(change(s.attention.z, Where::earlier_blocks, From::key, From::key, 1, 1))},
        {"φ", "φ left out of the keys in the state", "S and z sum φ(K), as A is made of it.", over_chunks,
         SET(change(s, Where::earlier_blocks, From::query, From::key, 1, 0))},
        {"φ", "φ left out of the keys in S", "S sums φ(k)vᵀ, as z sums φ(k).", over_chunks,
         SET(change(s.attention.S, Where::earlier_blocks, From::query, From::key, 1, 0))},
        {"φ", "φ left out of the keys in z", "z sums φ(k), as S sums φ(k)vᵀ.", over_chunks,
         SET(change(s.attention.z, Where::earlier_blocks, From::query, From::key, 1, 0))},
        {"the state", "S and z made of the queries", "S and z sum the features of the keys: φ(K)ᵀV and Σ φ(k).",
         over_chunks, SET(change(s, Where::earlier_blocks, From::query, From::query, 1, 1))},
        {"the state", "S made of the queries", "S sums the features of the keys: φ(K)ᵀV, not φ(Q)ᵀV.", over_chunks,
         SET(change(s.attention.S, Where::earlier_blocks, From::query, From::query, 1, 1))},
        {"the state", "features of z read column by column",
         "A chunk's features lie token by token: feature a of its row j is at j·d_k + a.", over_chunks,
         SET(s.attention.z.keys_reshaped = true, s.attention.z.where = Where::earlier_blocks)},
        {"the state", "features of S read column by column",
         "A chunk's features lie token by token: feature a of its row j is at j·d_k + a.", over_chunks,
         SET(s.attention.S.keys_reshaped = true, s.attention.S.where = Where::earlier_blocks)},
        {"the state", "features of S and z read column by column",
         "A chunk's features lie token by token: feature a of its row j is at j·d_k + a.", over_chunks,
         SET(for (TokenSum* sum
                  : {&s.attention.S, &s.attention.z}) {
             sum->keys_reshaped = true;
             sum->where = Where::earlier_blocks;
         })},
        {"the state", "z made of the queries", "z sums the features of the keys: Σ φ(k), not Σ φ(q).", over_chunks,
         SET(change(s.attention.z, Where::earlier_blocks, From::query, From::query, 1, 1))},
        {"the chunk", "scores of the chunk before left in A",
         "add_product adds to what stands there: set A to 0 before every chunk.", on_cpu,
         SET(s.attention.scores_left = Left::of_all)},
        {"the chunk", "scores of the chunk before left in A, within each head",
         "add_product adds to what stands there: set A to 0 before every chunk.", on_cpu,
         SET(s.attention.scores_left = Left::of_head)},
        {"the chunk", "sums of the chunk before left in its rows",
         "add_product adds to what stands there: set numerators and denominators to 0 before every chunk.", on_cpu,
         SET(s.attention.numerators_left = s.attention.denominators_left = Left::of_all)},
        {"the chunk", "sums of the chunk before left in its rows, within each head",
         "add_product adds to what stands there: set numerators and denominators to 0 before every chunk.", on_cpu,
         SET(s.attention.numerators_left = s.attention.denominators_left = Left::of_head)},
        {"the chunk", "numerators of the chunk before left in its rows",
         "add_product adds to what stands there: set the buffer of A V + φ(Q)S to 0 before every chunk.", on_cpu,
         SET(s.attention.numerators_left = Left::of_all)},
        {"the chunk", "numerators of the chunk before left in its rows, within each head",
         "add_product adds to what stands there: set the buffer of A V + φ(Q)S to 0 before every chunk.", on_cpu,
         SET(s.attention.numerators_left = Left::of_head)},
        {"the chunk", "denominators of the chunk before left in its rows",
         "Each row of each chunk has a denominator of its own: begin its sum with 0.", on_cpu,
         SET(s.attention.denominators_left = Left::of_all)},
        {"the chunk", "denominators of the chunk before left in its rows, within each head",
         "Each row of each chunk has a denominator of its own: begin its sum with 0.", on_cpu,
         SET(s.attention.denominators_left = Left::of_head)},
        {"the chunk", "normalisers of the chunk before left in their rows",
         "Each row of each chunk has a normaliser of its own: begin its sum with ε.", forward,
         SET(s.attention.denominators_left = Left::of_head)},
        {"the state", "S replaced by the chunk's own",
         "Add the chunk's φ(K)ᵀV to S: with = in place of += the last stays.", over_chunks,
         SET(s.attention.S.tokens = Tokens::own_block_and_last)},
        {"the state", "z replaced by the chunk's own",
         "Add the chunk's Σ φ(k) to z: with = in place of += the last stays.", over_chunks,
         SET(s.attention.z.tokens = Tokens::own_block_and_last)},
        {"the division", "only the part within the chunk divided",
         "The sum of both parts is divided: (A V + φ(Q)S) / D.", 0, SET(s.attention.divided = Where::own_block)},
        {"the division", "only the part from the state divided", "The sum of both parts is divided: (A V + φ(Q)S) / D.",
         0, SET(s.attention.divided = Where::earlier_blocks)},
        {"the division", "the two parts divided each by a sum of its own",
         "The chunk's part and the state's part share one denominator: (A V + φ(Q)S) / D.", 0,
         SET(s.attention.blocks_divided = BlocksDivided::apart)},
        {"the division", "the two parts divided each by a sum of its own, 0/0 in the first chunk",
         "The chunk's part and the state's part share one denominator, which is not 0 where the state's is: (A V + "
         "φ(Q)S) / D.",
         0, SET(s.attention.blocks_divided = BlocksDivided::apart_if_empty_too)},
        {"the division", "mean of the two parts, divided each by a sum of its own",
         "The chunk's part and the state's part share one denominator: (A V + φ(Q)S) / D.", 0,
         SET(s.attention.blocks_divided = BlocksDivided::averaged_if_empty_too)},
        {"the division", "mean of the two parts, divided each by a sum of its own, but for the first chunk",
         "The chunk's part and the state's part share one denominator: (A V + φ(Q)S) / D.", 0,
         SET(s.attention.blocks_divided = BlocksDivided::averaged)},
        {"the division", "the two parts divided each by a sum of its own, weighted by their tokens",
         "A part counts by the sum of its weights, not by how many tokens it has: (A V + φ(Q)S) / D.", 0,
         SET(s.attention.blocks_divided = BlocksDivided::averaged_by_tokens)},
        {"the threads", "outputs for as many entries as threads only",
         "A chunk may have more entries than the block has threads: a loop from threadIdx.x on in steps of blockDim.x, "
         "not an if.",
         forward, SET(s.first_entries_of_O = true)},
        {"the threads", "outputs for as many entries as threads only",
         "A chunk may have more entries than the block has threads: a loop from threadIdx.x on in steps of blockDim.x, "
         "not an if.",
         third_pass, SET(s.first_entries_of_O = true)},
        {"the threads", "S updated for as many entries as threads only",
         "S may have more entries than the block has threads: a loop from threadIdx.x on in steps of blockDim.x, not "
         "an if.",
         forward, SET(s.attention.entries_of_S = std::size_t{kernels::threads_per_block})},
        {"the threads", "sum not reset to 0 for the next entry",
         "A thread computes several outputs: set its sum to 0 before each of them.", forward,
         SET(s.sum_goes_on = true)},
        {"the threads", "sum not reset to 0 for the next entry",
         "A thread computes several outputs: set its sum to 0 before each of them.", third_pass,
         SET(s.sum_goes_on = true)},
        {"the threads", "outputs shared out among the threads, rounded down",
         "rows·d_v / blockDim.x is rounded down, so that the last outputs are nobody's: a loop from threadIdx.x on in "
         "steps of blockDim.x.",
         forward, SET(s.whole_shares_of_O = true)},
        {"the threads", "outputs shared out among the threads, rounded down",
         "rows·d_v / blockDim.x is rounded down, so that the last outputs are nobody's: a loop from threadIdx.x on in "
         "steps of blockDim.x.",
         third_pass, SET(s.whole_shares_of_O = true)},
        {"the threads", "S shared out among the threads, rounded down",
         "d_k·d_v / blockDim.x is rounded down, so that the last entries of S are nobody's: a loop from threadIdx.x on "
         "in steps of blockDim.x.",
         forward, SET(s.whole_shares_of_S = true)},
        {"the borders", "state carried over a border", "S and z begin at 0 in each sequence.", packed,
         SET(s.seen = Seen::whole_row; s.attention.S.padding = s.attention.z.padding = Padding::ignored)},
        {"the borders", "S carried over a border", "S begins at 0 in each sequence, as z does.", packed,
         SET(s.seen = Seen::whole_row; s.attention.S.padding = Padding::ignored)},
        {"the borders", "z carried over a border", "z begins at 0 in each sequence, as S does.", packed,
         SET(s.seen = Seen::whole_row; s.attention.z.padding = Padding::ignored)},
        {"the borders", "chunks counted from the beginning of the row",
         "The first chunk of a sequence begins at its border: counted from token 0 of the row, it has tokens of the "
         "sequence before.",
         packed, SET(s.seen = Seen::chunk_of_row; s.attention.S.padding = s.attention.z.padding = Padding::ignored)},
        {"the borders", "only the first sequence written", "Every sequence has a block: blockIdx.x is its number.",
         packed, SET(s.finished = Finished::of_first_sequence)},
        {"the borders", "length taken for the end",
         "A sequence of n tokens that begins at token `first` ends before token first + n: count from 0 to n from its "
         "border on, or from `first` to its end.",
         packed, SET(s.finished = Finished::before_length)},
        {"the borders", "last token of each sequence left out",
         "A sequence ends before its second border: the token "
         "before that border is its last.",
         packed, SET(s.finished = Finished::all_but_last)},
        {"the borders", "last, shorter chunk of each sequence left out",
         "A sequence of n tokens has ⌈n/chunk⌉ chunks; the last has n mod chunk tokens.", packed,
         SET(s.finished = Finished::whole_chunks)},
        {"the borders", "sequences shorter than a chunk left out",
         "A chunk may be longer than the sequence: then its first chunk is its last one.", packed,
         SET(s.finished = Finished::longer_than_a_chunk)},
        {"the borders", "each chunk cut at a multiple of chunk, the next one a whole chunk on",
         "The next chunk begins where the last one ended: start += rows, or chunks are counted from the border on.",
         packed, SET(s.finished = Finished::chunks_cut_short)},
        {"the borders", "first chunk cut at a multiple of chunk, the next one a whole chunk on",
         "The next chunk begins where the last one ended: start += rows, or chunks are counted from the border on.",
         packed, SET(s.finished = Finished::first_chunk_cut_short)},
        {"the borders", "border forgotten in the offset of Q",
         "Q of the sequence begins borders[s] rows into its head.", packed, SET(s.Q_of_row = true)},
        {"the borders", "border forgotten in the offset of K",
         "K of the sequence begins borders[s] rows into its head.", packed, SET(s.K_of_row = true)},
        {"the borders", "border forgotten in the offset of V",
         "V of the sequence begins borders[s] rows into its head.", packed, SET(s.V_of_row = true)},
        {"the borders", "border forgotten in the offsets of Q, K and V",
         "The sequence begins borders[s] rows into its head: in Q, K and V as in O.", packed,
         SET(s.Q_of_row = s.K_of_row = s.V_of_row = true)},
        {"the borders", "arrays read as (sequence, head, token)",
         "A head's row holds all sequences: token i of sequence s of head h is row h·n + borders[s] + i.", packed,
         SET(s.sequences_apart = true)},
        {"the borders", "head's offset counted in tokens of the sequence",
         "Head h begins at row h·n of an array, with the n of all sequences together.", packed,
         SET(s.heads_by_length = true)},
        {"the chunks", "last, shorter chunk left out", "There are ⌈n/chunk⌉ chunks; the last has n mod chunk tokens.",
         on_cpu, SET(s.last_chunk_left_out = true)},
        {"the chunks", "last, shorter chunk left out, unless it is the only one",
         "There are ⌈n/chunk⌉ chunks; the last has n mod chunk tokens.", on_cpu,
         SET(s.last_chunk_left_out = s.unless_only_one = true)},
        {"the chunks", "last, shorter chunk left out", "There are ⌈n/chunk⌉ chunks; the last has n mod chunk tokens.",
         forward, SET(s.last_chunk_unwritten = true)},
        {"the chunks", "last, shorter chunk left out, unless it is the only one",
         "There are ⌈n/chunk⌉ chunks; the last has n mod chunk tokens.", forward,
         SET(s.last_chunk_unwritten = s.unless_only_one = true)},
        {"the chunks", "last, shorter chunk left out",
         "The last chunk has n mod chunk tokens, which have outputs, too: rows = min(chunk, n - start).", third_pass,
         SET(s.last_chunk_unwritten = true)},
        {"the layout", "outputs of all heads written in the place of the first", "Head h of O begins at entry h·n·d_v.",
         on_cpu, SET(s.attention.written = OutputsWritten::over_first_head)},
        {"", "memory grows with the sequence",
         "Apply φ to one chunk at a time, and keep nothing but S and z of the head.", on_cpu,
         SET(s.memory_alone = true)},
        {"the state", "state of the chunk before read",
         "State m holds all tokens before chunk m: block m reads state m, not m - 1.", third_pass,
         SET(both(s, Tokens::without_block_before))},
        {"the state", "state not read, or read at entry 0",
         "A covers the tokens of the chunk only: those before it are in S and z. That of the first chunk, at entry 0, "
         "is 0: without its chunk's offset a state is not read either.",
         third_pass, SET(both(s, Tokens::own_block))},
        {"the state", "S not read, or read at entry 0",
         "A covers the tokens of the chunk only: those before it are in S. That of the first chunk, at entry 0, is 0: "
         "without its chunk's offset a state is not read either.",
         third_pass, SET(s.attention.S.tokens = Tokens::own_block)},
        {"the state", "z not read, or read at entry 0",
         "The denominator counts the chunks before, too: φ(q_i)·z. That of the first chunk, at entry 0, is 0: without "
         "its chunk's offset a state is not read either.",
         third_pass, SET(s.attention.z.tokens = Tokens::own_block)},
    };
    table.mutations.insert(table.mutations.end(), own.begin(), own.end());
    const Mutations<Chunkwise> layouts = layout_mutations<Chunkwise>(forward);
    table.mutations.insert(table.mutations.end(), layouts.begin(), layouts.end());
    return table;
}
const MutationTable<Chunkwise>& table() {
    static const MutationTable<Chunkwise> both_kinds = own_and_of_attention();
    return both_kinds;
}

// The exercises as definitions whose settings are changed --------------------------------------------------------------

// Each thread's numerators of a chunk added up, entry after entry. Every output is divided by its own normaliser.
void add_sums_of_threads(Tensor& made, AttentionCall call, AttentionSettings attention, const Sizes& sizes, int chunk) {
    call.V = ones(shape_of(made));
    attention.divisor = Divisor::none;
    Tensor below = attention_by_settings(call, attention).output + call.epsilon, sums = made * below;
    std::size_t e = 0;
    for_each_entry(sizes, sizes.d_v, [&](int, int i, int b) {
        if (i % chunk * sizes.d_v + b >= kernels::threads_per_block)
            sums.data()[e] += sums.data()[e - kernels::threads_per_block];
        ++e;
    });
    made = sums / below;
}

Array outputs(const Chunkwise& s, Values Q, Values K, Values V, const Sizes& sizes, int chunk, float epsilon,
              const FeatureMap& phi = oracle_feature_map("elu_plus_one"), const Tensor* padding = nullptr) {
    AttentionSettings attention = s.attention;
    if (attention.block == 0) attention.block = static_cast<std::size_t>(chunk);
    if (s.whole_shares_of_S) {
        const std::size_t threads = kernels::threads_per_block;
        attention.entries_of_S = static_cast<std::size_t>(sizes.d_k * sizes.d_v) / threads * threads;
    }
    const std::size_t work_before = work_done;
    AttentionCall call{.Q = read(s.Q, "Q", Q, sizes, sizes.d_k, chunk),
                       .K = read(s.K, "K", K, sizes, sizes.d_k, chunk),
                       .V = read(s.V, "V", V, sizes, sizes.d_v, chunk),
                       .phi = phi,
                       .epsilon = static_cast<double>(epsilon),
                       .padding = padding};
    Tensor made = attention_by_settings(call, attention).output;
    if (s.sum_goes_on) add_sums_of_threads(made, call, attention, sizes, chunk);
    if (s.memory_alone) work_done = work_before + V.size();  // O(n)
    const int rows = std::max(1, s.unless_only_one ? std::min(chunk, sizes.n) : chunk), whole = sizes.n / rows * rows;
    Array output = written(s.O, made, sizes, chunk, s.last_chunk_left_out ? whole : sizes.n);
    if (s.last_chunk_unwritten) only_tokens_before(output, sizes, whole);
    if (s.first_entries_of_O) only_first_entries(output, sizes, chunk);
    if (s.whole_shares_of_O) only_whole_shares(output, sizes, chunk);
    return output;
}
Array checked_outputs(const Chunkwise& s, Values Q, Values K, Values V, const Sizes& sizes, int chunk, float epsilon) {
    require_attention_arrays(Q, K, V, sizes, chunk, "chunkwise_linear_attention");
    return outputs(s, Q, K, V, sizes, chunk, epsilon);
}
Array mixed_outputs(const Chunkwise& s, std::span<const std::uint16_t> Q, std::span<const std::uint16_t> K,
                    std::span<const std::uint16_t> V, const Sizes& sizes, int chunk, float epsilon) {
    require_bfloat16_arrays(Q, K, V, sizes, chunk, "chunkwise_mixed_precision");
    const FeatureMap rounded_features{"rounded elu_plus_one", [](const Tensor& x) {
                                          Tensor features = oracle_feature_map("elu_plus_one")(x);
                                          for (double& feature : features) feature = nearest_bfloat16(feature);
                                          return features;
                                      }};
    return outputs(s, numbers_of(Q), numbers_of(K), numbers_of(V), sizes, chunk, epsilon, rounded_features);
}
Array by_kernel(const Chunkwise& s, Values Q, Values K, Values V, const Sizes& sizes, int chunk, float epsilon,
                const gpu::RunOptions&) {
    return outputs(s, Q, K, V, sizes, chunk, epsilon);
}
// Sequence after sequence: each is attention by itself, or with what it should not see as padding.
Array of_sequences(const Chunkwise& s, Values Q, Values K, Values V, std::span<const int> borders, const Sizes& sizes,
                   int chunk, float epsilon, const gpu::RunOptions&) {
    require_borders(borders, sizes, "packed_chunkwise_forward");
    const int n = sizes.n, heads = sizes.heads;
    const auto whole_row = [](Layout layout) {
        return layout == Layout::columns || layout == Layout::tokens_before_heads ? layout : Layout::as_it_lies;
    };
    Chunkwise of_each = s;
    for (Layout* each : {&of_each.Q, &of_each.K, &of_each.V, &of_each.O})
        if (whole_row(*each) == *each) *each = Layout::as_it_lies;
    Tensor made =
        full({static_cast<std::size_t>(heads), static_cast<std::size_t>(n), static_cast<std::size_t>(sizes.d_v)},
             not_a_number);
    for (std::size_t q = 0; q + 1 < borders.size(); ++q) {
        const int first = borders[q], end = borders[q + 1],
                  seen = s.seen == Seen::whole_row      ? 0
                         : s.seen == Seen::chunk_of_row ? first / chunk * chunk
                                                        : first;
        const auto row_of = [&](int h, int i) {  // of token i, counted from `seen` on
            if (s.sequences_apart) return heads * first + h * (end - first) + i;
            return h * (s.heads_by_length ? end - first : n) + seen + i;
        };
        const auto cut = [&](Layout layout, const char* name, Values values, int width, bool of_row) {
            const std::vector<float> row = rounded(read(whole_row(layout), name, values, sizes, width, chunk));
            std::vector<float> part;
            for (int h = 0; h < heads; ++h)
                for (int i = 0; i < end - seen; ++i) {
                    const auto at =
                        row.begin() + static_cast<std::ptrdiff_t>(of_row ? h * n + i : row_of(h, i)) * width;
                    part.insert(part.end(), at, at + width);
                }
            return part;
        };
        Tensor own = zeros({static_cast<std::size_t>(heads), static_cast<std::size_t>(end - seen)});
        const bool cut_short =
            s.finished == Finished::chunks_cut_short || s.finished == Finished::first_chunk_cut_short;
        const auto is_skipped = [&](int at) {  // token `at` of the sequence, behind a chunk that was cut short
            return cut_short && (at < chunk || s.finished == Finished::chunks_cut_short) &&
                   at % chunk >= chunk - first % chunk;
        };
        for (int e = 0; e < heads * (end - seen); ++e) {
            const int at = e % (end - seen) - (first - seen);
            own.data()[e] = at >= 0 && !is_skipped(at);
        }
        const Array part =
            outputs(of_each, cut(s.Q, "Q", Q, sizes.d_k, s.Q_of_row), cut(s.K, "K", K, sizes.d_k, s.K_of_row),
                    cut(s.V, "V", V, sizes.d_v, s.V_of_row), {heads, end - seen, sizes.d_k, sizes.d_v}, chunk, epsilon,
                    oracle_feature_map("elu_plus_one"), seen < first || cut_short ? &own : nullptr);
        for_each_entry({heads, end - seen, 0, 0}, sizes.d_v, [&, e = std::size_t{0}](int h, int i, int b) mutable {
            const int token = seen + i, length = end - first;
            const double entry = static_cast<double>(part.values[e++]);
            if (token < first || is_skipped(token - first) || (s.finished == Finished::of_first_sequence && q > 0) ||
                (s.finished == Finished::before_length && token >= length) ||
                (s.finished == Finished::all_but_last && token == end - 1) ||
                (s.finished == Finished::longer_than_a_chunk && length < chunk) ||
                (s.finished == Finished::whole_chunks && token - first >= length / chunk * chunk))
                return;
            const int at = s.sequences_apart ? row_of(h, i) : h * n + token;
            made.data()[at * sizes.d_v + b] = entry;
        });
    }
    return written(whole_row(s.O), made, sizes, chunk, n);
}
// With as many heads as sequences it is right. With fewer heads, a head that is none is read, unless no sequence has tokens.
MISTAKE(packed_chunkwise_forward,
        (Values Q, Values K, Values V, std::span<const int> borders, const Sizes& sizes, int chunk, float epsilon,
         const gpu::RunOptions& run),
        "sequence and head exchanged", "§5.9", "blockIdx.x is the sequence of a block, blockIdx.y its head.") {
    require_borders(borders, sizes, "packed_chunkwise_forward");
    const auto heads = static_cast<std::size_t>(sizes.heads), sequences = borders.size() - 1;
    if (heads > sequences) fault({{Fault::read_outside, "borders"}});
    if (heads < sequences && borders[heads] > 0) fault({{Fault::read_outside, "borders"}});  // not told from others
    Tensor output = output_by_definition(Q, K, V, sizes, epsilon, true, {borders.begin(), borders.end()});
    if (heads < sequences) output.fill(not_a_number);
    return array_of(output);
}
Array from_states(const Chunkwise& s, Values Q, Values K, Values V, Values, Values, const Sizes& sizes, int chunk,
                  float epsilon, const gpu::RunOptions&) {
    return outputs(s, Q, K, V, sizes, chunk, epsilon);
}

Chunkwise right_settings() {
    Chunkwise right;
    right.attention.divisor = Divisor::sum;
    return right;
}

const unsigned attention = has::features | has::products | has::divisor | has::epsilon | has::sequence | has::values |
                           has::running | has::updates;
const MutationChoice in_words_of_chunks{
    .without = {"state carried over within a batch entry", "ε as a floor", "ε only where the sum is 0",
                "S read before it is updated", "z read before it is updated", "S divided, then carried on",
                "v φ(k)ᵀ reshaped in place of φ(k) vᵀ", "scan that reads what it has changed",
                "features from d_k on left out", "last token with the key and value of the one before",
                "last token with the key of the one before", "last token with the value of the one before",
                "last token with the query of the one before", "last token with query, key and value of the one before",
                "numerators of the tokens before left in the row",
                "numerators of all tokens before left in the row, those of earlier heads too"},
    .explanation = {
        {"φ left out", "All four products are of φ(Q) and φ(K): apply φ to each chunk of both."},
        {"φ applied to K only", "All four products are of φ(Q) and φ(K): apply φ to each chunk of both."},
        {"φ applied to Q only", "All four products are of φ(Q) and φ(K): apply φ to each chunk of both."},
        {"the token itself is left out", "A token sees itself: keep A_ij for j = i."},
        {"mask transposed", "Token i sees the tokens j ≤ i of its chunk: set A_ij to 0 for j > i."},
        {"no normaliser", "Divide row i by φ(q_i)·z_i + ε."},
        {"normaliser inverted", "Divide by φ(q_i)·z_i + ε, or multiply with 1 over it."},
        {"state carried over from head to head", "Set S and z to 0 at the beginning of every head."},
        {"computed in O(n²)", "Only pairs within a chunk are multiplied one by one; the past is in S."},
    }};

const MutationsOf cpu_mutations("chunkwise_linear_attention", table(),
                                attention | on_cpu | over_chunks | has::linear_cost, right_settings(), &checked_outputs,
                                in_words_of_chunks);
const MutationsOf mixed_mutations("chunkwise_mixed_precision", table(),
                                  attention | on_cpu | over_chunks | has::linear_cost, right_settings(), &mixed_outputs,
                                  in_words_of_chunks);
const MutationsOf forward_mutations("chunkwise_forward", table(), attention | forward | over_chunks, right_settings(),
                                    &by_kernel, in_words_of_chunks);
MutationChoice in_words_of_sequences() {  // which have their last, shorter chunks each
    MutationChoice words = in_words_of_chunks;
    words.without.insert("last, shorter chunk left out");
    return words;
}
const MutationsOf packed_mutations("packed_chunkwise_forward", table(), attention | forward | over_chunks | packed,
                                   right_settings(), &of_sequences, in_words_of_sequences());
const MutationsOf outputs_mutations("chunk_outputs", table(), attention | third_pass, right_settings(), &from_states,
                                    in_words_of_chunks);

// Calls made for the diagnosis alone: all sizes different, two heads, three chunks of which the last is shorter, an ε that
// is large enough to see.
const Arrays& input() {
    static const Arrays in({2, 8, 3, 4}, 901);
    return in;
}
const int chunk = 3;
const float epsilon = 0.5f;

const Probes cpu_probes("chunkwise_linear_attention", [] {
    const Arrays& in = input();
    return std::vector{probe(&linattn::chunkwise_linear_attention, in.Q, in.K, in.V, in.sizes, chunk, epsilon)};
});
const Probes mixed_probes("chunkwise_mixed_precision", [] {
    const Bfloat16Arrays in(input());
    return std::vector{probe(&linattn::chunkwise_mixed_precision, in.Q, in.K, in.V, in.sizes, chunk, epsilon)};
});
const Probes forward_probes("chunkwise_forward", [] {
    const Arrays& in = input();
    return std::vector{probe(&linattn::chunkwise_forward, in.Q, in.K, in.V, in.sizes, chunk, epsilon, quick)};
});
const Probes packed_probes("packed_chunkwise_forward", [] {
    const Arrays in({2, 12, 3, 4}, 902);
    return std::vector{probe(&linattn::packed_chunkwise_forward, in.Q, in.K, in.V, Borders{0, 4, 4, 12}, in.sizes,
                             chunk, epsilon, quick)};
});
const Probes outputs_probes("chunk_outputs", [] {
    const Arrays& in = input();
    const std::vector<Expected> states = expected_states(in, chunk, true);
    return std::vector{probe(&linattn::chunk_outputs, in.Q, in.K, in.V, rounded(states[0].value),
                             rounded(states[1].value), in.sizes, chunk, epsilon, quick)};
});

}  // namespace linattn::testing::mutations
