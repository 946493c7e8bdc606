// Faults that all kernels with tiles can have, for those of this lab.
#include "arrays.hpp"
#include "faults.hpp"

namespace linattn::testing::tiles_mistakes {

const ArraysOfKernel of_forward{{"phi_Q", "phi_K", "V"}, {"A", "normalizer"}, {"S", "z"}, {"Q", "K", "V"}, {"O"}},
    of_states{{"phi_K", "V"}, {}, {}, {"K", "V"}, {"S", "z"}},
    of_outputs{{"phi_Q", "phi_K", "V"}, {"A", "normalizer"}, {}, {"Q", "K", "V", "S", "z"}, {"O"}};

#define KERNEL_MISTAKE(name, explanation, symptoms_of)                                                                 \
    MISTAKE(chunkwise_forward,                                                                                         \
            (Values Q, Values K, Values V, const Sizes& sizes, int chunk, float epsilon, const gpu::RunOptions& run),  \
            name, "§5.3", explanation) {                                                                               \
        fault(symptoms_of(of_forward));                                                                                \
    }                                                                                                                  \
    MISTAKE(chunk_states, (Values K, Values V, const Sizes& sizes, int chunk, const gpu::RunOptions& run), name,       \
            "§5.4", explanation) {                                                                                     \
        fault(symptoms_of(of_states));                                                                                 \
    }                                                                                                                  \
    MISTAKE(chunk_outputs,                                                                                             \
            (Values Q, Values K, Values V, Values S, Values z, const Sizes& sizes, int chunk, float epsilon,           \
             const gpu::RunOptions& run),                                                                              \
            name, "§5.6", explanation) {                                                                               \
        fault(symptoms_of(of_outputs));                                                                                \
    }                                                                                                                  \
    MISTAKE(packed_chunkwise_forward,                                                                                  \
            (Values Q, Values K, Values V, std::span<const int> borders, const Sizes& sizes, int chunk, float epsilon, \
             const gpu::RunOptions& run),                                                                              \
            name, "§5.9", explanation) {                                                                               \
        fault(symptoms_of(of_forward));                                                                                \
    }
#include "tile_faults.hpp"

}  // namespace linattn::testing::tiles_mistakes
