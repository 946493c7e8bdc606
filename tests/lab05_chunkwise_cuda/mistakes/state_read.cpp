// What the third pass reads in the place of the state before its chunk.
#include <algorithm>
#include <cmath>

#include "arrays.hpp"
#include "faults.hpp"

namespace linattn::testing::state_read_mistakes {

struct StateRead {
    bool S_of_first_head = false, z_of_first_head = false, S_transposed = false;
};

double phi(float x) { return x > 0.0f ? static_cast<double>(x) + 1.0 : std::exp(static_cast<double>(x)); }

// The definition, with the difference between the two states added above and below the line.
Array with_state(Values Q, Values K, Values V, Values S, Values z, const Sizes& sizes, int chunk, float epsilon,
                 StateRead read) {
    const auto n = static_cast<std::size_t>(sizes.n), d_k = static_cast<std::size_t>(sizes.d_k),
               d_v = static_cast<std::size_t>(sizes.d_v), C = static_cast<std::size_t>(chunk),
               chunks = static_cast<std::size_t>(chunks_of(sizes, chunk));
    Tensor output = output_by_definition(Q, K, V, sizes, epsilon);
    std::vector<double> keys(d_k), query(d_k);
    for (std::size_t row = 0; row < output.size() / std::max(d_v, std::size_t{1}); ++row) {
        const std::size_t of_first_head = row % n / C, own = row / n * chunks + of_first_head;
        const std::size_t in_S = (read.S_of_first_head ? of_first_head : own) * d_k * d_v,
                          in_z = (read.z_of_first_head ? of_first_head : own) * d_k;
        if (row % n == 0) std::fill(keys.begin(), keys.end(), 0.0);
        double right = static_cast<double>(epsilon), below = 0.0;
        for (std::size_t a = 0; a < d_k; ++a) {
            query[a] = phi(Q[row * d_k + a]);
            keys[a] += phi(K[row * d_k + a]);
            right += query[a] * keys[a];
            below += query[a] * (static_cast<double>(z[in_z + a]) - static_cast<double>(z[own * d_k + a]));
        }
        below += right;
        for (std::size_t b = 0; b < d_v; ++b) {
            double& entry = output.data()[row * d_v + b];
            double above = entry * right;
            for (std::size_t a = 0; a < d_k; ++a)
                above += query[a] * (static_cast<double>(S[in_S + (read.S_transposed ? b * d_k + a : a * d_v + b)]) -
                                     static_cast<double>(S[own * d_k * d_v + a * d_v + b]));
            entry = above / below;
        }
    }
    return array_of(output);
}

#define STATE_MISTAKE(name, explanation, ...)                                                                \
    MISTAKE(chunk_outputs,                                                                                   \
            (Values Q, Values K, Values V, Values S, Values z, const Sizes& sizes, int chunk, float epsilon, \
             const gpu::RunOptions& run),                                                                    \
            name, "§5.6", explanation) {                                                                     \
        return with_state(Q, K, V, S, z, sizes, chunk, epsilon, {__VA_ARGS__});                              \
    }

STATE_MISTAKE("S of the first head for all", "Chunk m of head h has the state h·chunks + m: the head belongs to it.",
              .S_of_first_head = true)
STATE_MISTAKE("z of the first head for all", "Chunk m of head h has the state h·chunks + m: the head belongs to it.",
              .z_of_first_head = true)
STATE_MISTAKE("S and z of the first head for all",
              "Chunk m of head h has the state h·chunks + m: the head belongs to it.", .S_of_first_head = true,
              .z_of_first_head = true)
STATE_MISTAKE("S read transposed", "Entry (a, b) of a chunk's S is at a·d_v + b.", .S_transposed = true)

}  // namespace linattn::testing::state_read_mistakes
