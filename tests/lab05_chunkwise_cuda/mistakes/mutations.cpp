// What people get wrong in the outputs of chunkwise attention: the mutations of all attention, those of chunks, and arrays read
// in another layout.
#include "mutations.hpp"

#include "attention_mutations.hpp"
#include "faults.hpp"
#include "work_counter.hpp"

namespace linattn::testing {
namespace {

/// How an array of (heads, n, width) is read, or written.
enum class Layout {
    as_it_lies,
    first_head,           ///< the first head in the place of each
    tokens_before_heads,  ///< as (n, heads, width)
    columns,              ///< as (heads, width, n)
    first_chunk,          ///< the first chunk in the place of each
    rows_of_d_k,          ///< where a chunk begins, rows of width d_k are counted
};

struct Chunkwise {
    Layout Q = Layout::as_it_lies, K = Layout::as_it_lies, V = Layout::as_it_lies, O = Layout::as_it_lies;
    bool last_chunk_left_out = false, memory_alone = false;
    AttentionSettings attention;
    bool operator==(const Chunkwise&) const = default;
};

// What an exercise has that can go wrong, besides what all attention has.
const unsigned on_cpu = 1u << 24, forward = 1u << 25, third_pass = 1u << 26, over_chunks = 1u << 27;

void both(Chunkwise& s, Tokens tokens) { s.attention.S.tokens = s.attention.z.tokens = tokens; }

MutationTable<Chunkwise> own_and_of_attention() {
    MutationTable<Chunkwise> table;
    add_mutations_of(table, attention_mutations(), &Chunkwise::attention);
    // Chunks have another one of this name.
    std::erase_if(table.mutations, [](const auto& mutation) {
        return mutation.name == std::string("state replaced instead of added to");
    });
    const std::vector<Mutation<Chunkwise>> own{
        {"the chunk", "future of the chunk not masked", "Set A_ij to 0 for j > i before you multiply it with V.", 0,
         SET(both(s, Tokens::whole_blocks))},
        {"the chunk", "chunk itself left out", "Tokens of the chunk see each other, and themselves, through A.", 0,
         SET(both(s, Tokens::earlier_blocks))},
        {"the chunk", "chunk itself left out of S", "Tokens of the chunk see each other, and themselves, through A.", 0,
         SET(s.attention.S.tokens = Tokens::earlier_blocks)},
        {"the chunk", "chunk itself left out of the normaliser",
         "The denominator counts the tokens of the chunk, too: the row of A up to i.", 0,
         SET(s.attention.z.tokens = Tokens::earlier_blocks)},
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
        {"the state", "state replaced instead of added to",
         "Add the chunk's sums to S and z; this keeps the last chunk only.", over_chunks,
         SET(both(s, Tokens::own_block_and_last))},
        {"the state", "chunk boundary off by one", "All tokens of the chunk are added to the state, the last one too.",
         over_chunks, SET(both(s, Tokens::without_block_ends))},
        {"the chunks", "last, shorter chunk left out", "There are ⌈n/chunk⌉ chunks; the last has n mod chunk tokens.",
         on_cpu, SET(s.last_chunk_left_out = true)},
        {"", "memory grows with the sequence",
         "Apply φ to one chunk at a time, and keep nothing but S and z of the head.", on_cpu,
         SET(s.memory_alone = true)},
        {"the state", "state of the chunk before read",
         "State m holds all tokens before chunk m: block m reads state m, not m - 1.", third_pass,
         SET(both(s, Tokens::without_block_before))},
        {"the state", "state left out", "A covers the tokens of the chunk only: those before it are in S and z.",
         third_pass, SET(both(s, Tokens::own_block))},
        {"the state", "S left out", "A covers the tokens of the chunk only: those before it are in S.", third_pass,
         SET(s.attention.S.tokens = Tokens::own_block)},
        {"the state", "normaliser of the chunk alone", "The denominator counts the chunks before, too: φ(q_i)·z.",
         third_pass, SET(s.attention.z.tokens = Tokens::own_block)},
        {"the layout", "row stride confused", "Rows of Q and K are d_k long, rows of V and the output d_v.", forward,
         SET(s.V = Layout::rows_of_d_k)},
        {"the layout", "Q of the first head for all", "Head h of Q begins at entry h·n·d_k.", 0,
         SET(s.Q = Layout::first_head)},
        {"the layout", "K of the first head for all", "Head h of K begins at entry h·n·d_k.", 0,
         SET(s.K = Layout::first_head)},
        {"the layout", "V of the first head for all", "Head h of V begins at entry h·n·d_v.", 0,
         SET(s.V = Layout::first_head)},
        {"the layout", "Q, K and V of the first head for all", "Head h of an array begins at entry h·n·width.", 0,
         SET(s.Q = s.K = s.V = Layout::first_head)},
        {"the layout", "Q of the first chunk for all", "Chunk m of Q begins m·chunk rows into its head.", 0,
         SET(s.Q = Layout::first_chunk)},
        {"the layout", "K of the first chunk for all", "Chunk m of K begins m·chunk rows into its head.", 0,
         SET(s.K = Layout::first_chunk)},
        {"the layout", "V of the first chunk for all", "Chunk m of V begins m·chunk rows into its head.", 0,
         SET(s.V = Layout::first_chunk)},
        {"the layout", "arrays read as (n, heads, width)", "The head is the first axis: (heads, n, width).", 0,
         SET(s.Q = s.K = s.V = s.O = Layout::tokens_before_heads)},
        {"the layout", "Q read by columns", "Arrays lie row by row: entry a of token i is at i·d_k + a.", 0,
         SET(s.Q = Layout::columns)},
        {"the layout", "K read by columns", "Arrays lie row by row: entry a of token j is at j·d_k + a.", 0,
         SET(s.K = Layout::columns)},
        {"the layout", "V read by columns", "Arrays lie row by row: entry b of token j is at j·d_v + b.", 0,
         SET(s.V = Layout::columns)},
        {"the layout", "output written by columns", "Arrays lie row by row: entry b of token i is at i·d_v + b.", 0,
         SET(s.O = Layout::columns)},
    };
    table.mutations.insert(table.mutations.end(), own.begin(), own.end());
    return table;
}
const MutationTable<Chunkwise>& table() {
    static const MutationTable<Chunkwise> both_kinds = own_and_of_attention();
    return both_kinds;
}

// The exercises as definitions whose settings are changed --------------------------------------------------------------

// Where entry a of token i of head h lies in the array `name`.
std::size_t place(Layout layout, const char* name, const Sizes& sizes, int width, int chunk, int h, int i, int a) {
    const int n = sizes.n, start = i / chunk * chunk;
    int at = (h * n + i) * width + a;
    if (layout == Layout::first_head) at = i * width + a;
    if (layout == Layout::tokens_before_heads) at = (i * sizes.heads + h) * width + a;
    if (layout == Layout::columns) at = (h * width + a) * n + i;
    if (layout == Layout::first_chunk) at = (h * n + i - start) * width + a;
    if (layout == Layout::rows_of_d_k) at = h * n * width + start * sizes.d_k + (i - start) * width + a;
    if (at >= sizes.heads * n * width) fault({std::string("read outside ") + name});
    return static_cast<std::size_t>(at);
}
template <class Function>
void for_each_entry(const Sizes& sizes, int width, Function function) {
    for (int h = 0; h < sizes.heads; ++h)
        for (int i = 0; i < sizes.n; ++i)
            for (int a = 0; a < width; ++a) function(h, i, a);
}
Tensor read(Layout layout, const char* name, Values values, const Sizes& sizes, int width, int chunk) {
    Tensor x = zeros(
        {static_cast<std::size_t>(sizes.heads), static_cast<std::size_t>(sizes.n), static_cast<std::size_t>(width)});
    std::size_t e = 0;
    for_each_entry(sizes, width, [&](int h, int i, int a) {
        x.data()[e++] = static_cast<double>(values[place(layout, name, sizes, width, chunk, h, i, a)]);
    });
    return x;
}

Array outputs(const Chunkwise& s, Values Q, Values K, Values V, const Sizes& sizes, int chunk, float epsilon) {
    AttentionSettings attention = s.attention;
    if (attention.block == 0) attention.block = static_cast<std::size_t>(chunk);
    const std::size_t work_before = work_done;
    const Tensor made = attention_by_settings({.Q = read(s.Q, "Q", Q, sizes, sizes.d_k, chunk),
                                               .K = read(s.K, "K", K, sizes, sizes.d_k, chunk),
                                               .V = read(s.V, "V", V, sizes, sizes.d_v, chunk),
                                               .phi = oracle_feature_map("elu_plus_one"),
                                               .epsilon = static_cast<double>(epsilon)},
                                              attention)
                            .output;
    if (s.memory_alone) work_done = work_before + V.size();  // O(n)
    Array output = array_of(made);
    const int whole = s.last_chunk_left_out ? sizes.n / chunk * chunk : sizes.n;
    std::size_t e = 0;
    for_each_entry(sizes, sizes.d_v, [&](int h, int i, int b) {
        const double entry = i < whole ? made.data()[e] : 0.0;
        output.values[place(s.O, "O", sizes, sizes.d_v, chunk, h, i, b)] = static_cast<float>(entry);
        ++e;
    });
    return output;
}
Array checked_outputs(const Chunkwise& s, Values Q, Values K, Values V, const Sizes& sizes, int chunk, float epsilon) {
    require_attention_arrays(Q, K, V, sizes, chunk, "chunkwise_linear_attention");
    return outputs(s, Q, K, V, sizes, chunk, epsilon);
}
Array by_kernel(const Chunkwise& s, Values Q, Values K, Values V, const Sizes& sizes, int chunk, float epsilon,
                const gpu::RunOptions&) {
    return outputs(s, Q, K, V, sizes, chunk, epsilon);
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

const unsigned attention = has::features | has::divisor | has::epsilon | has::sequence | has::values | has::running;
const MutationChoice in_words_of_chunks{
    .without = {"state carried over within a batch entry", "ε as a floor", "ε only where the sum is 0",
                "S read before it is updated", "z read before it is updated"},
    .explanation = {
        {"φ left out", "All four products are of φ(Q) and φ(K): apply φ to each chunk of both."},
        {"φ applied to K only", "All four products are of φ(Q) and φ(K): apply φ to each chunk of both."},
        {"φ applied to Q only", "All four products are of φ(Q) and φ(K): apply φ to each chunk of both."},
        {"strict diagonal", "A token sees itself: keep A_ij for j = i."},
        {"mask transposed", "Token i sees the tokens j ≤ i of its chunk: set A_ij to 0 for j > i."},
        {"no normaliser", "Divide row i by φ(q_i)·z_i + ε."},
        {"normaliser inverted", "Divide by φ(q_i)·z_i + ε, or multiply with 1 over it."},
        {"state carried over from head to head", "Set S and z to 0 at the beginning of every head."},
        {"computed in O(n²)", "Only pairs within a chunk are multiplied one by one; the past is in S."},
    }};

const MutationsOf cpu_mutations("chunkwise_linear_attention", table(),
                                attention | on_cpu | over_chunks | has::linear_cost, right_settings(), &checked_outputs,
                                in_words_of_chunks);
const MutationsOf forward_mutations("chunkwise_forward", table(), attention | forward | over_chunks, right_settings(),
                                    &by_kernel, in_words_of_chunks);
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
const Probes forward_probes("chunkwise_forward", [] {
    const Arrays& in = input();
    return std::vector{probe(&linattn::chunkwise_forward, in.Q, in.K, in.V, in.sizes, chunk, epsilon, quick)};
});
const Probes outputs_probes("chunk_outputs", [] {
    const Arrays& in = input();
    const std::vector<Expected> states = expected_states(in, chunk, true);
    return std::vector{probe(&linattn::chunk_outputs, in.Q, in.K, in.V, rounded(states[0].value),
                             rounded(states[1].value), in.sizes, chunk, epsilon, quick)};
});

}  // namespace
}  // namespace linattn::testing
