#include "faults.hpp"

namespace linattn::testing {
namespace {

// As by_definition, but the check that stands in the stub stands here too.
Array checked_definition(Values Q, Values K, Values V, const Sizes& sizes, int chunk, float epsilon, const Count& count,
                         const Count& counted, Mapped mapped = {}) {
    require_attention_arrays(Q, K, V, sizes, chunk, "chunkwise_linear_attention");
    return by_definition(Q, K, V, sizes, epsilon, count, counted, mapped);
}

#define CHUNKWISE_MISTAKE(name, explanation)                                                                          \
    MISTAKE(chunkwise_linear_attention, (Values Q, Values K, Values V, const Sizes& sizes, int chunk, float epsilon), \
            name, "§5.1", explanation)

CHUNKWISE_MISTAKE("future of the chunk not masked", "Set A_ij to 0 for j > i before you multiply it with V.") {
    return checked_definition(Q, K, V, sizes, chunk, epsilon, to_the_end_of_the_chunk(chunk),
                              to_the_end_of_the_chunk(chunk));
}
CHUNKWISE_MISTAKE("state not carried from chunk to chunk",
                  "S and z grow from chunk to chunk; set them to 0 once per head.") {
    return checked_definition(Q, K, V, sizes, chunk, epsilon, of_the_chunk(chunk), of_the_chunk(chunk));
}
CHUNKWISE_MISTAKE("state updated before the outputs read it",
                  "φ(Q)S is about the tokens before the chunk: add φ(K)ᵀV to S after the outputs are made.") {
    return checked_definition(Q, K, V, sizes, chunk, epsilon, with_the_chunk_in_the_state(chunk),
                              with_the_chunk_in_the_state(chunk));
}
CHUNKWISE_MISTAKE("chunk itself left out", "Tokens of the chunk see each other, and themselves, through A.") {
    return checked_definition(Q, K, V, sizes, chunk, epsilon, before_the_chunk(chunk), before_the_chunk(chunk));
}
CHUNKWISE_MISTAKE("diagonal masked out", "A token sees itself: keep A_ij for j = i.") {
    return checked_definition(Q, K, V, sizes, chunk, epsilon, before_itself(), before_itself());
}
CHUNKWISE_MISTAKE("normaliser restarted per chunk", "z grows like S: the denominator counts the chunks before, too.") {
    return checked_definition(Q, K, V, sizes, chunk, epsilon, up_to_itself(), of_the_chunk(chunk));
}
CHUNKWISE_MISTAKE("not normalised", "Divide row i by φ(q_i)·z_i + ε.") {
    return checked_definition(Q, K, V, sizes, chunk, 1.0f, up_to_itself(), none());
}
CHUNKWISE_MISTAKE("multiplied by the normaliser", "Divide by it, or multiply with 1 / normaliser.") {
    require_attention_arrays(Q, K, V, sizes, chunk, "chunkwise_linear_attention");
    return multiplied_by_normalizer(Q, K, V, sizes, epsilon);
}
CHUNKWISE_MISTAKE("feature map left out",
                  "All four products are of φ(Q) and φ(K): call elu_plus_one on each chunk of both.") {
    return checked_definition(Q, K, V, sizes, chunk, epsilon, up_to_itself(), up_to_itself(), {false, false});
}
CHUNKWISE_MISTAKE("feature map left out of Q",
                  "All four products are of φ(Q) and φ(K): call elu_plus_one on each chunk of both.") {
    return checked_definition(Q, K, V, sizes, chunk, epsilon, up_to_itself(), up_to_itself(), {false, true});
}
CHUNKWISE_MISTAKE("feature map left out of K",
                  "All four products are of φ(Q) and φ(K): call elu_plus_one on each chunk of both.") {
    return checked_definition(Q, K, V, sizes, chunk, epsilon, up_to_itself(), up_to_itself(), {true, false});
}
CHUNKWISE_MISTAKE("state replaced instead of added to",
                  "Add what the chunk brings to S and z; this keeps the last chunk only.") {
    const Count count = of_the_chunk_and_the_last_one(chunk);
    return checked_definition(Q, K, V, sizes, chunk, epsilon, count, count);
}
CHUNKWISE_MISTAKE("state carried over from head to head", "Set S and z to 0 at the beginning of every head.") {
    require_attention_arrays(Q, K, V, sizes, chunk, "chunkwise_linear_attention");
    const Sizes one{1, sizes.heads * sizes.n, sizes.d_k, sizes.d_v};
    Array output = by_definition(Q, K, V, one, epsilon, up_to_itself(), up_to_itself());
    output.shape = {static_cast<std::size_t>(sizes.heads), static_cast<std::size_t>(sizes.n),
                    static_cast<std::size_t>(sizes.d_v)};
    return output;
}
CHUNKWISE_MISTAKE("last, shorter chunk left out", "There are ⌈n/chunk⌉ chunks; the last has n mod chunk tokens.") {
    Array output = checked_definition(Q, K, V, sizes, chunk, epsilon, up_to_itself(), up_to_itself());
    const int whole = sizes.n / chunk * chunk;
    for (int h = 0; h < sizes.heads; ++h)
        for (int e = whole * sizes.d_v; e < sizes.n * sizes.d_v; ++e)
            output.values[static_cast<std::size_t>(h * sizes.n * sizes.d_v + e)] = 0.0f;
    return output;
}
CHUNKWISE_MISTAKE("epsilon left out", "ε belongs to every denominator.") {
    return checked_definition(Q, K, V, sizes, chunk, 0.0f, up_to_itself(), up_to_itself());
}
CHUNKWISE_MISTAKE("memory grows with the sequence",
                  "Apply φ to one chunk at a time, and keep nothing but S and z of the head.") {
    require_attention_arrays(Q, K, V, sizes, chunk, "chunkwise_linear_attention");
    const Tensor kept = output_by_definition(Q, K, V, sizes, epsilon, up_to_itself(), up_to_itself());
    Array output = array_of(zeros(shape_of(kept)));  // as long as `kept` is held beside it
    output.values = rounded(kept);
    return output;
}
CHUNKWISE_MISTAKE("computed in O(n²)", "Only pairs within a chunk are multiplied one by one; the past is in S.") {
    return checked_definition(Q, K, V, sizes, chunk, epsilon, up_to_itself(), up_to_itself());
}

}  // namespace
}  // namespace linattn::testing
