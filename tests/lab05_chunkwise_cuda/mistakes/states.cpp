// What people get wrong in the first two passes: the sums of every chunk, and the sums over the chunks before it.
#include <cmath>

#include "arrays.hpp"
#include "faults.hpp"
#include "mutations.hpp"

namespace linattn::testing::states_mistakes {

// The sums of every chunk ---------------------------------------------------------------------------------------------

/// Where a thread's sum begins: at 0, or where its last one ended.
enum class Begins { at_0, from_S_to_S, from_z_to_z, from_each_to_next };

/// Which rows of a chunk are counted; those past the end of the sequence have φ(0) and no value.
enum class Rows { of_tokens, all, all_but_last, all_but_first, last };

struct ChunkSum {
    Rows in_S = Rows::of_tokens, in_z = Rows::of_tokens;
    int phi_in_S = 1, phi_in_z = 1, phi_of_V = 0;  ///< how often φ is applied
    bool phi_of_sum = false;                       ///< to z, not to the keys in it
    bool chunks_before_too = false;                ///< a running sum
    bool transposed = false;                       ///< S written as (d_v, d_k)
    bool K_of_first_head = false, V_of_first_head = false, nothing_in_S = false, nothing_in_z = false;
    bool first_entries_of_S = false;                            ///< one for each thread
    bool whole_shares_of_S = false, whole_shares_of_z = false;  ///< as many entries for each thread, rounded down
    double S_times = 1.0;
    bool S_averaged = false, z_averaged = false;  ///< over the tokens of the chunk
    bool V_left_out = false;                      ///< the keys alone in S
    Begins begins = Begins::at_0;
    bool tokens_of_thread = false;  ///< a thread sums only every T-th token, from its own number on
    bool short_chunk_unwritten = false;
    bool operator==(const ChunkSum&) const = default;
};

const MutationTable<ChunkSum>& chunk_sum_mutations() {
    static const MutationTable<ChunkSum> table{
        {
            {"the rows", "tail rows of φ(0) = 1 counted",
             "Rows past the end are not tokens: φ(0) = 1 is not 0, so leave them out of z.", 0,
             SET(s.in_z = Rows::all)},
            {"the rows", "chunk boundary off by one", "A chunk has min(chunk, n - start) tokens; the last one counts.",
             0, SET(s.in_S = s.in_z = Rows::all_but_last)},
            {"the rows", "last token missing from S", "A chunk has min(chunk, n - start) tokens; the last one counts.",
             0, SET(s.in_S = Rows::all_but_last)},
            {"the rows", "last token missing from z", "A chunk has min(chunk, n - start) tokens; the last one counts.",
             0, SET(s.in_z = Rows::all_but_last)},
            {"the rows", "first token left out", "Tokens are counted from 0: the loop begins there.", 0,
             SET(s.in_S = s.in_z = Rows::all_but_first)},
            {"the rows", "last, shorter chunk left out",
             "The last chunk has n mod chunk tokens, which have sums, too: rows = min(chunk, n - start).", 0,
             SET(s.short_chunk_unwritten = true)},
            {"the rows", "sums replaced instead of added to", "Add every token of the chunk; this keeps the last one.",
             0, SET(s.in_S = s.in_z = Rows::last)},
            {"the rows", "S replaced instead of added to",
             "Add every token of the chunk to S; this keeps the last one.", 0, SET(s.in_S = Rows::last)},
            {"the rows", "z replaced instead of added to",
             "Add every token of the chunk to z; this keeps the last one.", 0, SET(s.in_z = Rows::last)},
            {"the threads", "tokens shared out among the threads, too",
             "One thread sums all tokens of its entry, j from 0 on: only the entries begin at threadIdx.x.", 0,
             SET(s.tokens_of_thread = true)},
            {"the threads", "sum not reset to 0 for the next entry",
             "A thread computes several entries: set its sum to 0 before each of them, in S and in z.", 0,
             SET(s.begins = Begins::from_each_to_next)},
            {"the threads", "sum not reset to 0 for the next entry of S",
             "A thread computes several entries: set its sum to 0 before each of them.", 0,
             SET(s.begins = Begins::from_S_to_S)},
            {"the threads", "sum not reset to 0 for the next entry of z",
             "A thread computes several entries: set its sum to 0 before each of them.", 0,
             SET(s.begins = Begins::from_z_to_z)},
            {"the sums", "z is φ of the sum of the keys",
             "φ is applied to each key, and then their features are added up: φ is not linear.", 0,
             SET(s.phi_of_sum = true)},
            {"the sums", "V left out of S", "S is the sum of φ(k_j)v_jᵀ over the tokens of the chunk.", 0,
             SET(s.V_left_out = true)},
            {"the sums", "means over the chunk", "S and z are sums over the tokens of the chunk: divide by nothing.", 0,
             SET(s.S_averaged = s.z_averaged = true)},
            {"the sums", "S the mean over the chunk", "S is a sum over the tokens of the chunk, as z is.", 0,
             SET(s.S_averaged = true)},
            {"the sums", "z the mean over the chunk", "z is a sum over the tokens of the chunk, as S is.", 0,
             SET(s.z_averaged = true)},
            {"the threads", "S for as many entries as threads only",
             "S may have more entries than the block has threads: a loop from threadIdx.x on in steps of blockDim.x, "
             "not "
             "an if.",
             0, SET(s.first_entries_of_S = true)},
            {"the threads", "S shared out among the threads, rounded down",
             "d_k·d_v / blockDim.x is rounded down, so that the last entries of S are nobody's: a loop from "
             "threadIdx.x "
             "on in steps of blockDim.x.",
             0, SET(s.whole_shares_of_S = true)},
            {"the threads", "S and z shared out among the threads, rounded down",
             "A number of entries over blockDim.x is rounded down, so that the last are nobody's: a loop from "
             "threadIdx.x on in steps of blockDim.x.",
             0, SET(s.whole_shares_of_S = s.whole_shares_of_z = true)},
            {"the chunks", "running sum instead of the chunk's own",
             "The first pass sums within a chunk; summing over chunks is the second pass.", 0,
             SET(s.chunks_before_too = true)},
            {"φ", "φ left out", "S is made of φ(k_j), not of k_j.", 0, SET(s.phi_in_S = s.phi_in_z = 0)},
            {"φ", "φ left out of S", "S is made of φ(k_j), as z is.", 0, SET(s.phi_in_S = 0)},
            {"φ", "φ left out of z", "z is made of φ(k_j), as S is.", 0, SET(s.phi_in_z = 0)},
            {"φ", "φ applied twice", "φ is applied once to each key.", 0, SET(s.phi_in_S = s.phi_in_z = 2)},
            {"φ", "φ applied to the values", "Values are added up as they are: φ belongs to the keys.", 0,
             SET(s.phi_of_V = 1)},
            {"the sums", "S left at 0", "S is the sum of φ(k_j)v_jᵀ over the tokens of the chunk.", 0,
             SET(s.nothing_in_S = true)},
            {"the sums", "z left at 0", "z is the sum of φ(k_j) over the tokens of the chunk.", 0,
             SET(s.nothing_in_z = true)},
            {"the layout", "S written transposed", "Entry (a, b) of a chunk's S is at a·d_v + b.", 0,
             SET(s.transposed = true)},
            {"the layout", "K of the first head for all", "Head h of K begins at entry h·n·d_k.", 0,
             SET(s.K_of_first_head = true)},
            {"the layout", "V of the first head for all", "Head h of V begins at entry h·n·d_v.", 0,
             SET(s.V_of_first_head = true)},
            {"the layout", "K and V of the first head for all",
             "Head h of K begins at entry h·n·d_k and that of V at h·n·d_v: add the head's offset to both.", 0,
             SET(s.K_of_first_head = s.V_of_first_head = true)},
        },
        {{"S multiplied by %s", "S is the sum of φ(k_j)v_jᵀ, without a factor.", 0,
          [](ChunkSum& s, double x) { s.S_times = x; }, 1e-6, 1e6}}};
    return table;
}

double counted(Rows rows, int row, int tokens) {
    switch (rows) {
        case Rows::of_tokens: return row < tokens;
        case Rows::all: return 1.0;
        case Rows::all_but_last: return row + 1 < tokens;
        case Rows::all_but_first: return 0 < row && row < tokens;
        case Rows::last: return row + 1 == tokens;
    }
    return 0.0;
}
double mapped(double x, int times) {
    for (; times > 0; --times) x = x > 0.0 ? x + 1.0 : std::exp(x);
    return x;
}

States chunk_sums(const ChunkSum& s, Values K, Values V, const Sizes& sizes, int chunk, const gpu::RunOptions&) {
    const int chunks = chunks_of(sizes, chunk), n = sizes.n, d_k = sizes.d_k, d_v = sizes.d_v;
    const auto length = [](int count) { return static_cast<std::size_t>(count); };
    Tensor S = zeros({length(sizes.heads), length(chunks), length(d_k), length(d_v)}),
           z = zeros({length(sizes.heads), length(chunks), length(d_k)});
    // What row `row` of chunk m of head h adds to the state `state`.
    const auto add = [&](int state, int h, int m, int row) {
        const int j = m * chunk + row, tokens = std::min(chunk, n - m * chunk);
        const auto entry = [&](Values x, bool first_head, int width, int a) {
            return row < tokens ? static_cast<double>(x[length(((first_head ? 0 : h) * n + j) * width + a)]) : 0.0;
        };
        const double share = 1.0 / static_cast<double>(tokens);
        for (int a = 0; a < d_k; ++a) {
            const double k = entry(K, s.K_of_first_head, d_k, a);
            const int threads = kernels::threads_per_block;
            const auto sums = [&](int at) { return !s.tokens_of_thread || row % threads == at % threads; };
            if (!s.nothing_in_z && sums(a))
                z.data()[state * d_k + a] += (s.z_averaged ? share : 1.0) * counted(s.in_z, row, tokens) *
                                             mapped(k, s.phi_of_sum ? 0 : s.phi_in_z);
            for (int b = 0; b < d_v && !s.nothing_in_S; ++b)
                if (sums(a * d_v + b))
                    S.data()[state * d_k * d_v + (s.transposed ? b * d_k + a : a * d_v + b)] +=
                        s.S_times * (s.S_averaged ? share : 1.0) * counted(s.in_S, row, tokens) *
                        mapped(k, s.phi_in_S) *
                        (s.V_left_out ? (row < tokens ? 1.0 : 0.0)
                                      : mapped(entry(V, s.V_of_first_head, d_v, b), s.phi_of_V));
        }
    };
    for (int h = 0; h < sizes.heads; ++h)
        for (int m = 0; m < chunks; ++m)
            for (int of = s.chunks_before_too ? 0 : m; of <= m; ++of)
                for (int row = 0; row < chunk; ++row) add(h * chunks + m, h, of, row);
    for (std::size_t e = 0; s.phi_of_sum && e < z.size(); ++e) z.data()[e] = mapped(z.data()[e], 1);
    for (int state = 0; s.begins != Begins::at_0 && state < sizes.heads * chunks; ++state)
        for (int thread = 0; thread < kernels::threads_per_block; ++thread) {
            double sum = 0.0;
            const auto add_up = [&](double* entries, int count, bool carries) {
                for (int e = thread; e < count; e += kernels::threads_per_block) {
                    entries[e] += carries ? sum : 0.0;
                    sum = entries[e];
                }
            };
            const bool each = s.begins == Begins::from_each_to_next;
            add_up(S.data() + state * d_k * d_v, d_k * d_v, each || s.begins == Begins::from_S_to_S);
            if (!each) sum = 0.0;
            add_up(z.data() + state * d_k, d_k, each || s.begins == Begins::from_z_to_z);
        }
    const std::size_t size = length(d_k) * length(d_v), written = length(kernels::threads_per_block);
    const auto nobody_writes_from = [](std::size_t end, Tensor& x, std::size_t entries) {
        for (std::size_t e = 0; e < x.size(); ++e)
            if (e % entries >= end) x.data()[e] = not_a_number;
    };
    if (s.first_entries_of_S) nobody_writes_from(written, S, size);
    if (s.short_chunk_unwritten && sizes.n % chunk != 0 && sizes.heads > 0)
        for (Tensor* x : {&S, &z})
            nobody_writes_from(x->size() / length(sizes.heads * chunks) * length(chunks - 1), *x,
                               x->size() / length(sizes.heads));
    if (s.whole_shares_of_S) nobody_writes_from(size / written * written, S, size);
    if (s.whole_shares_of_z) nobody_writes_from(length(d_k) / written * written, z, length(d_k));
    return {array_of(S), array_of(z)};
}

const MutationsOf chunk_states_mutations("chunk_states", chunk_sum_mutations(), 0, ChunkSum{}, &chunk_sums);

// The sums over the chunks before -------------------------------------------------------------------------------------

/// Which chunks are summed for chunk m.
enum class Summed { before, up_to_own, own, all, after, before_last, last, first, none };

struct Scan {
    Summed S = Summed::before, z = Summed::before;
    bool over_heads = false, averaged = false;
    bool first_as_it_was = false;      ///< the state of the first chunk of each head
    bool chunks_before_heads = false;  ///< the states are taken to lie as (chunks, heads, …)
    bool operator==(const Scan&) const = default;
};

const MutationTable<Scan>& scan_mutations() {
    static const MutationTable<Scan> table{
        {
            {"which chunks", "inclusive sums", "State m becomes the sum of the chunks before m, without m itself.", 0,
             SET(s.S = s.z = Summed::up_to_own)},
            {"which chunks", "inclusive sums of z", "z of state m is the sum of the chunks before m, as S is.", 0,
             SET(s.z = Summed::up_to_own)},
            {"which chunks", "inclusive sums of S", "S of state m is the sum of the chunks before m, as z is.", 0,
             SET(s.S = Summed::up_to_own)},
            {"which chunks", "z left as it was", "z needs the same sums as S: the last threads are for it.", 0,
             SET(s.z = Summed::own)},
            {"which chunks", "S left as it was", "S needs the same sums as z: the first threads are for it.", 0,
             SET(s.S = Summed::own)},
            {"which chunks", "nothing summed", "Replace what each chunk adds by the sum over the chunks before it.", 0,
             SET(s.S = s.z = Summed::own)},
            {"which chunks", "running sum stays 0",
             "Add what was in the entry before the sum so far was written there: keep it first.", 0,
             SET(s.S = s.z = Summed::none)},
            {"which chunks", "total instead of the running sum", "State m is the sum of the chunks before m only.", 0,
             SET(s.S = s.z = Summed::all)},
            {"which chunks", "sums of the chunks after", "State m is the sum of the chunks before m: count m upwards.",
             0, SET(s.S = s.z = Summed::after)},
            {"which chunks", "chunk before left out", "State m is the sum of all chunks before m, m - 1 among them.", 0,
             SET(s.S = s.z = Summed::before_last)},
            {"which chunks", "only the chunk before", "State m is the sum of all chunks before m: add, do not replace.",
             0, SET(s.S = s.z = Summed::last)},
            {"which chunks", "first chunk's sums in all states after it",
             "Sums that move one chunk on from front to back overwrite the next one before it has moved: begin with "
             "the last chunk, or carry the sum so far in a variable.",
             0, SET(s.S = s.z = Summed::first)},
            {"which chunks", "mean over the chunks before", "State m is the sum over the chunks before m: not divided.",
             0, SET(s.averaged = true)},
            {"which chunks", "first chunk left as it was",
             "Before chunk 0 there is nothing: its S and z become 0, as the other states become the sums before them.",
             0, SET(s.first_as_it_was = true)},
            {"the heads", "sum carried over from head to head", "Each head starts from 0.", 0,
             SET(s.over_heads = true)},
            {"the heads", "states taken to lie as (chunks, heads, …)",
             "All chunks of a head lie one after the other: the next chunk's state is one state further on.", 0,
             SET(s.chunks_before_heads = true)},
        },
        {}};
    return table;
}

bool is_summed(Summed summed, std::size_t m, std::size_t other) {
    switch (summed) {
        case Summed::before: return other < m;
        case Summed::up_to_own: return other <= m;
        case Summed::own: return other == m;
        case Summed::none: return false;
        case Summed::all: return true;
        case Summed::after: return other > m;
        case Summed::before_last: return other + 1 < m;
        case Summed::last: return other + 1 == m;
        case Summed::first: return other == 0 && m > 0;
    }
    return false;
}

States scanned(const Scan& s, Values S, Values z, const Sizes& sizes, int chunk, const gpu::RunOptions&) {
    const auto heads = static_cast<std::size_t>(sizes.heads), d_k = static_cast<std::size_t>(sizes.d_k),
               d_v = static_cast<std::size_t>(sizes.d_v), chunks = static_cast<std::size_t>(chunks_of(sizes, chunk)),
               together =
                   s.over_heads || s.chunks_before_heads ? heads * chunks : chunks;  // chunks that follow each other
    const auto before = [&](Summed summed, std::size_t state, std::size_t other) {
        if (s.first_as_it_was && state % chunks == 0) return state == other;
        if (!s.chunks_before_heads) return is_summed(summed, state % together, other % together);
        return state % heads == other % heads && is_summed(summed, state / heads, other / heads);
    };
    const auto sums = [&](Values x, Summed summed, const Shape& shape, std::size_t width) {
        Tensor y = zeros(shape);
        for (std::size_t state = 0; state < heads * chunks; ++state)
            for (std::size_t other = state / together * together; other < (state / together + 1) * together; ++other)
                for (std::size_t e = 0; e < width && before(summed, state, other); ++e)
                    y.data()[state * width + e] += static_cast<double>(x[other * width + e]) /
                                                   (s.averaged ? static_cast<double>(state % chunks) : 1.0);
        return array_of(y);
    };
    return {sums(S, s.S, {heads, chunks, d_k, d_v}, d_k * d_v), sums(z, s.z, {heads, chunks, d_k}, d_k)};
}

const MutationsOf scan_states_mutations("scan_states", scan_mutations(), 0, Scan{}, &scanned);

// Calls made for the diagnosis alone: all sizes different, two heads, three chunks of which the last is shorter.
const Probes chunk_states_probes("chunk_states", [] {
    const Arrays in({2, 8, 3, 4}, 901);
    return std::vector{probe(&linattn::chunk_states, in.K, in.V, in.sizes, 3, quick)};
});
const Probes scan_states_probes("scan_states", [] {
    const Sizes sizes{2, 12, 3, 4};
    return std::vector{probe(&linattn::scan_states, rounded(random_tensor({2, 4, 3, 4}, 902)),
                             rounded(random_tensor({2, 4, 3}, 903)), sizes, 3, quick)};
});

}  // namespace linattn::testing::states_mistakes
