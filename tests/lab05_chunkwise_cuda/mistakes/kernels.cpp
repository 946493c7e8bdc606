// The mistakes of chunkwise_forward and of the third pass: wrong sums by their definition, faults by their symptom.
#include "faults.hpp"

namespace linattn::testing {
namespace {

#define FORWARD_MISTAKE(name, explanation)                                                                            \
    MISTAKE(chunkwise_forward,                                                                                        \
            (Values Q, Values K, Values V, const Sizes& sizes, int chunk, float epsilon, const gpu::RunOptions& run), \
            name, "§5.3", explanation)
#define OUTPUTS_MISTAKE(name, explanation)                                                                   \
    MISTAKE(chunk_outputs,                                                                                   \
            (Values Q, Values K, Values V, Values S, Values z, const Sizes& sizes, int chunk, float epsilon, \
             const gpu::RunOptions& run),                                                                    \
            name, "§5.6", explanation)

// V read with the row stride of Q and K within a head: entry b of token j comes from flat index j·d_k + b.
std::vector<float> with_confused_stride(Values V, const Sizes& sizes, int chunk) {
    const int n = sizes.n, d_k = sizes.d_k, d_v = sizes.d_v;
    std::vector<float> confused(V.size());
    for (int h = 0; h < sizes.heads; ++h)
        for (int j = 0; j < n; ++j)
            for (int b = 0; b < d_v; ++b) {
                const int start = j / chunk * chunk;
                const int from = h * n * d_v + start * d_k + (j - start) * d_v + b;
                if (from >= static_cast<int>(V.size())) fault({"read outside V"});
                confused[static_cast<std::size_t>(h * n * d_v + j * d_v + b)] = V[static_cast<std::size_t>(from)];
            }
    return confused;
}

// Faults in time: barriers --------------------------------------------------------------------------------------------

FORWARD_MISTAKE("no barrier after the chunk is loaded",
                "Others read what a thread has loaded: __syncthreads() before A is made.") {
    fault(any_of({"phi_Q", "phi_K", "V"}, "race on ", ", write then read"));
}
FORWARD_MISTAKE("no barrier after A",
                "A row of A is made by many threads: __syncthreads() before it is summed or multiplied.") {
    fault({"race on A, write then read"});
}
FORWARD_MISTAKE("no barrier after the normalisers",
                "Each normaliser is made by one thread and read by others: __syncthreads() between.") {
    fault({"race on normalizer, write then read"});
}
FORWARD_MISTAKE(
    "no barrier between reading and updating the state",
    "S and z must stay as they are until everybody's outputs are made: __syncthreads() before the update.") {
    fault(any_of({"S", "z"}, "race on ", ", read then write"));
}
FORWARD_MISTAKE("no barrier before the next chunk is loaded",
                "Somebody may still read this chunk: __syncthreads() at the end of the loop.") {
    fault(any_of({"phi_K", "V", "phi_Q", "A", "normalizer"}, "race on ", ", read then write"));
}
FORWARD_MISTAKE("several threads compute the same entry",
                "Thread t takes the entries t, t + blockDim.x, …: each has one owner. No barrier helps against this.") {
    fault(any_of({"phi_Q", "phi_K", "V", "A", "S", "z", "normalizer"}, "race on ", ", same line"));
}
FORWARD_MISTAKE("divergent barrier",
                "A barrier is for all threads of the block: no __syncthreads() in a branch that some do not take.") {
    fault({"different barriers"});
}
FORWARD_MISTAKE("early return before a barrier",
                "A thread without work still has to come to every barrier: skip the work, not the barrier.") {
    fault({"returned before a barrier"});
}

// Faults in space: memory ---------------------------------------------------------------------------------------------

FORWARD_MISTAKE("read past the end",
                "An index leaves the array. Most often the last chunk, which has min(chunk, n - start) rows; else the "
                "length of a row, or where the head begins.") {
    fault(any_of({"Q", "K", "V"}, "read outside "));
}
FORWARD_MISTAKE("write past the end",
                "An index leaves the array. Most often the last chunk, which has min(chunk, n - start) rows; else the "
                "length of a row, d_v, or where the head begins.") {
    fault({"wrote outside O"});
}
FORWARD_MISTAKE(
    "tile overrun",
    "A tile has chunk rows and as many columns as its row is long: check the limits of the loop that fills it.") {
    fault(any_of({"phi_Q", "phi_K", "V", "A", "S", "z", "normalizer"}, "wrote outside "));
}
FORWARD_MISTAKE("state not zeroed", "Shared memory holds what the block before left in it: set S and z to 0 first.") {
    fault(any_of({"S", "z"}, "unwritten "));
}
FORWARD_MISTAKE("shared memory requested too small",
                "ForwardTiles is all that the launch asks for: take no further arrays.") {
    fault({"shared memory too small"});
}
FORWARD_MISTAKE("misaligned float4",
                "A float4 begins at a multiple of 16 bytes: rows do so only if their length is a multiple of 4.") {
    fault(any_of({"Q", "K", "V", "O"}, "misaligned "));
}
FORWARD_MISTAKE(
    "host pointer passed to the kernel",
    "A kernel sees device buffers and shared memory; nothing of the host's: no new, no std::vector, no variable "
    "outside of the kernel.") {
    fault({"host memory"});
}
FORWARD_MISTAKE("one block writes another's rows",
                "Each head has its own rows: move the pointers to blockIdx.x's head.") {
    fault({"blocks race on O"});
}

// Wrong sums ----------------------------------------------------------------------------------------------------------

FORWARD_MISTAKE("state updated before the outputs read it",
                "S is about the tokens before the chunk until the outputs are made.") {
    return by_definition(Q, K, V, sizes, epsilon, with_the_chunk_in_the_state(chunk), up_to_itself());
}
FORWARD_MISTAKE("S and z updated before they are read",
                "S and z are about the tokens before the chunk until the outputs are made.") {
    return by_definition(Q, K, V, sizes, epsilon, with_the_chunk_in_the_state(chunk),
                         with_the_chunk_in_the_state(chunk));
}
FORWARD_MISTAKE("z updated before it is read",
                "z is about the tokens before the chunk until the normalisers are made.") {
    return by_definition(Q, K, V, sizes, epsilon, up_to_itself(), with_the_chunk_in_the_state(chunk));
}
FORWARD_MISTAKE("chunk itself left out", "Tokens of the chunk see each other, and themselves, through A.") {
    return by_definition(Q, K, V, sizes, epsilon, before_the_chunk(chunk), up_to_itself());
}
FORWARD_MISTAKE("row stride confused", "Rows of Q and K are d_k long, rows of V and the output d_v.") {
    return by_definition(Q, K, with_confused_stride(V, sizes, chunk), sizes, epsilon, up_to_itself(), up_to_itself());
}
FORWARD_MISTAKE("chunk boundary off by one", "The state takes in all tokens of the chunk, the last one too.") {
    const Count count = [chunk](int i, int j) {
        return j <= i && (same_chunk(i, j, chunk) || j % chunk != chunk - 1) ? 1.0 : 0.0;
    };
    return by_definition(Q, K, V, sizes, epsilon, count, count);
}
FORWARD_MISTAKE("normaliser restarted per chunk", "z grows like S: the denominator counts the chunks before, too.") {
    return by_definition(Q, K, V, sizes, epsilon, up_to_itself(), of_the_chunk(chunk));
}
FORWARD_MISTAKE("state not carried from chunk to chunk",
                "S and z grow from chunk to chunk: set them to 0 once, before the loop.") {
    return by_definition(Q, K, V, sizes, epsilon, of_the_chunk(chunk), of_the_chunk(chunk));
}
FORWARD_MISTAKE("state replaced instead of added to",
                "Add what the chunk brings to S and z; this keeps the last chunk only.") {
    const Count count = of_the_chunk_and_the_last_one(chunk);
    return by_definition(Q, K, V, sizes, epsilon, count, count);
}
FORWARD_MISTAKE("epsilon left out", "ε belongs to every denominator, once.") {
    return by_definition(Q, K, V, sizes, 0.0f, up_to_itself(), up_to_itself());
}
FORWARD_MISTAKE("future of the chunk not masked", "Token i sees the tokens j ≤ i of its chunk only.") {
    return by_definition(Q, K, V, sizes, epsilon, to_the_end_of_the_chunk(chunk), to_the_end_of_the_chunk(chunk));
}
FORWARD_MISTAKE("diagonal masked out", "A token sees itself: keep A_ij for j = i.") {
    return by_definition(Q, K, V, sizes, epsilon, before_itself(), before_itself());
}
FORWARD_MISTAKE("not normalised", "Divide row i by φ(q_i)·z_i + ε.") {
    return by_definition(Q, K, V, sizes, 1.0f, up_to_itself(), none());
}
FORWARD_MISTAKE("multiplied by the normaliser", "Divide by it, or multiply with 1 / normaliser.") {
    return multiplied_by_normalizer(Q, K, V, sizes, epsilon);
}
FORWARD_MISTAKE("feature map left out",
                "The tiles hold φ(Q) and φ(K): call feature_map_fused on all that is loaded of both.") {
    return by_definition(Q, K, V, sizes, epsilon, up_to_itself(), up_to_itself(), {false, false});
}
FORWARD_MISTAKE("feature map left out of Q",
                "The tiles hold φ(Q) and φ(K): call feature_map_fused on all that is loaded of both.") {
    return by_definition(Q, K, V, sizes, epsilon, up_to_itself(), up_to_itself(), {false, true});
}
FORWARD_MISTAKE("feature map left out of K",
                "The tiles hold φ(Q) and φ(K): call feature_map_fused on all that is loaded of both.") {
    return by_definition(Q, K, V, sizes, epsilon, up_to_itself(), up_to_itself(), {true, false});
}

// The third pass ------------------------------------------------------------------------------------------------------

OUTPUTS_MISTAKE("state of the chunk before read",
                "State m is of all tokens before chunk m: block m reads state m, not m - 1.") {
    const Count count = [chunk](int i, int j) {
        return j <= i && same_chunk(i, j, chunk) ? 1.0 : j / chunk + 1 < i / chunk ? 1.0 : 0.0;
    };
    return by_definition(Q, K, V, sizes, epsilon, count, count);
}
OUTPUTS_MISTAKE("state left out", "A is about the chunk only: the tokens before it come in through S and z.") {
    return by_definition(Q, K, V, sizes, epsilon, of_the_chunk(chunk), of_the_chunk(chunk));
}
OUTPUTS_MISTAKE("normaliser of the chunk alone", "The denominator counts the chunks before, too: φ(q_i)·z.") {
    return by_definition(Q, K, V, sizes, epsilon, up_to_itself(), of_the_chunk(chunk));
}
OUTPUTS_MISTAKE("future of the chunk not masked", "Token i sees the tokens j ≤ i of its chunk only.") {
    return by_definition(Q, K, V, sizes, epsilon, to_the_end_of_the_chunk(chunk), to_the_end_of_the_chunk(chunk));
}
OUTPUTS_MISTAKE("diagonal masked out", "A token sees itself: keep A_ij for j = i.") {
    return by_definition(Q, K, V, sizes, epsilon, before_itself(), before_itself());
}
OUTPUTS_MISTAKE("not normalised", "Divide row i by φ(q_i)·z_i + ε.") {
    return by_definition(Q, K, V, sizes, 1.0f, up_to_itself(), none());
}
OUTPUTS_MISTAKE("multiplied by the normaliser", "Divide by it, or multiply with 1 / normaliser.") {
    return multiplied_by_normalizer(Q, K, V, sizes, epsilon);
}
OUTPUTS_MISTAKE("feature map left out",
                "The tiles hold φ(Q) and φ(K): call feature_map_fused on all that is loaded of both.") {
    return by_definition(Q, K, V, sizes, epsilon, up_to_itself(), up_to_itself(), {false, false});
}
OUTPUTS_MISTAKE("feature map left out of Q",
                "The tiles hold φ(Q) and φ(K): call feature_map_fused on all that is loaded of both.") {
    return by_definition(Q, K, V, sizes, epsilon, up_to_itself(), up_to_itself(), {false, true});
}
OUTPUTS_MISTAKE("feature map left out of K",
                "The tiles hold φ(Q) and φ(K): call feature_map_fused on all that is loaded of both.") {
    return by_definition(Q, K, V, sizes, epsilon, up_to_itself(), up_to_itself(), {true, false});
}
OUTPUTS_MISTAKE("write past the end",
                "An index leaves the array. Most often the last chunk, which has min(chunk, n - start) rows; else the "
                "length of a row, d_v, or where the head begins.") {
    fault({"wrote outside O"});
}
OUTPUTS_MISTAKE("no barrier after the chunk is loaded",
                "Others read what a thread has loaded: __syncthreads() before A is made.") {
    fault(any_of({"phi_Q", "phi_K", "V"}, "race on ", ", write then read"));
}
OUTPUTS_MISTAKE("no barrier after A",
                "A row of A is made by many threads: __syncthreads() before it is summed or multiplied.") {
    fault({"race on A, write then read"});
}
OUTPUTS_MISTAKE("no barrier after the normalisers",
                "Each normaliser is made by one thread and read by others: __syncthreads() between.") {
    fault({"race on normalizer, write then read"});
}
OUTPUTS_MISTAKE("divergent barrier",
                "A barrier is for all threads of the block: no __syncthreads() in a branch that some do not take.") {
    fault({"different barriers"});
}
OUTPUTS_MISTAKE("early return before a barrier",
                "A thread without work still has to come to every barrier: skip the work, not the barrier.") {
    fault({"returned before a barrier"});
}
OUTPUTS_MISTAKE("several threads compute the same entry",
                "Thread t takes the entries t, t + blockDim.x, …: each has one owner. No barrier helps against this.") {
    fault(any_of({"phi_Q", "phi_K", "V", "A", "normalizer"}, "race on ", ", same line"));
}
OUTPUTS_MISTAKE("one block writes another's rows",
                "Each chunk of each head has its own rows: chunk blockIdx.x, head blockIdx.y.") {
    fault({"blocks race on O"});
}

}  // namespace
}  // namespace linattn::testing
