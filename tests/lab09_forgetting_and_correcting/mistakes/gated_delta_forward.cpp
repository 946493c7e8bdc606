// What people get wrong in the kernel: everything of 9.11, arrays read in another layout, and faults by their symptom.
#include "delta_arrays.hpp"
#include "delta_mutations.hpp"
#include "layouts.hpp"

namespace linattn::testing::gated_delta_forward_mistakes {

// Wrong numbers ---------------------------------------------------------------------------------------------------------

struct KernelSettings : Layouts {
    DeltaSettings delta;
    bool first_entries_of_O = false;  ///< of a chunk: one for each thread
    bool operator==(const KernelSettings&) const = default;
};

const MutationTable<KernelSettings>& table() {
    static const MutationTable<KernelSettings> made = [] {
        MutationTable<KernelSettings> all;
        add_mutations_of(all, delta_mutations(), &KernelSettings::delta);
        const Mutations<KernelSettings> layouts = layout_mutations<KernelSettings>(0);
        all.mutations.insert(all.mutations.end(), layouts.begin(), layouts.end());
        all.mutations.push_back(
            {"the threads", "outputs for as many entries as threads only",
             "A chunk may have more entries than the block has threads: a loop from threadIdx.x on in "
             "steps of blockDim.x, not an if.",
             0, SET(s.first_entries_of_O = true)});
        return all;
    }();
    return made;
}

Array by_settings(const KernelSettings& s, Values Q, Values K, Values V, Values beta, Values log_decay,
                  const Sizes& sizes, int chunk, const gpu::RunOptions&) {
    require_delta_arrays(Q, K, V, beta, log_decay, sizes, chunk, "gated_delta_forward");
    const Shape of_tokens{static_cast<std::size_t>(sizes.heads), static_cast<std::size_t>(sizes.n)};
    const Tensor decays = tensor_of(log_decay, of_tokens);
    const Tensor output =
        delta_by_settings({read(s.Q, "Q", Q, sizes, sizes.d_k, chunk), read(s.K, "K", K, sizes, sizes.d_k, chunk),
                           read(s.V, "V", V, sizes, sizes.d_v, chunk), tensor_of(beta, of_tokens), &decays, nullptr,
                           static_cast<std::size_t>(chunk)},
                          s.delta)
            .output;
    Array made = written(s.O, output, sizes, chunk, sizes.n);
    if (s.first_entries_of_O) only_first_entries(made, sizes, chunk);
    return made;
}

const MutationsOf mutations("gated_delta_forward", table(), form::chunks | form::decays, KernelSettings{}, &by_settings,
                            {.without = {"computed in O(n²)", "number of chunks overflows",
                                         // A kernel's running sums are loops over its own tokens, without an axis.
                                         "running sums of the decays along the first axis",
                                         "running sum of the decays along the first axis where the state is read",
                                         "running sums of the decays along axis -2",
                                         "running sum of the decays along axis -2 where the state is read"}});

const Probes probes("gated_delta_forward", [] {
    const DeltaArrays x(DeltaInputs({2}, 8, 4, 3, 901));
    return std::vector{probe(&linattn::gated_delta_forward, x.Q, x.K, x.V, x.beta, x.log_decay, x.sizes, 3, quick)};
});

// Faults ----------------------------------------------------------------------------------------------------------------

const ArraysOfKernel arrays{
    {"q", "k", "since_begin", "until_end"}, {"u", "A", "L"}, {"S"}, {"Q", "K", "V", "beta", "log_decay"}, {"O"}};

#define DELTA_MISTAKE(name, explanation, symptoms)                                                       \
    MISTAKE(gated_delta_forward,                                                                         \
            (Values Q, Values K, Values V, Values beta, Values log_decay, const Sizes& sizes, int chunk, \
             const gpu::RunOptions& run),                                                                \
            name, "§9.14", explanation) {                                                                \
        fault(symptoms);                                                                                 \
    }
#define KERNEL_MISTAKE(name, explanation, symptoms_of) DELTA_MISTAKE(name, explanation, symptoms_of(arrays))
#include "tile_faults.hpp"

DELTA_MISTAKE("no barrier after A and L",
              "Many threads compute a row of A or L: __syncthreads() before another thread multiplies with it.",
              any_of({"A", "L"}, Fault::race_write_then_read))
DELTA_MISTAKE("no barrier after the solve",
              "One thread solves a column of u, and others multiply with it: __syncthreads() between the two.",
              any_of({"u"}, Fault::race_write_then_read))
DELTA_MISTAKE("no barrier between reading and updating the state",
              "S must stay as it is until all threads have their outputs: __syncthreads() before the update.",
              any_of({"S"}, Fault::race_read_then_write))
DELTA_MISTAKE("no barrier before the next chunk is loaded",
              "Another thread may still be reading this chunk: __syncthreads() at the end of the loop.",
              any_of({"q", "k", "u", "A", "L", "since_begin", "until_end"}, Fault::race_read_then_write))
DELTA_MISTAKE("system solved by rows without barriers",
              "A row of u needs all rows above it: give each thread a column, or put a barrier after each row.",
              Symptoms({{Fault::race_between_rounds, "u"},
                        {Fault::race_write_then_read, "u"},
                        {Fault::race_read_then_write, "u"}}))
DELTA_MISTAKE("state not zeroed", "Shared memory holds what the block before left in it: set S to 0 first.",
              Symptoms({{Fault::unwritten, "S"}, {Fault::added_to_unwritten, "S"}}))
DELTA_MISTAKE("A or L not cleared before it is added to",
              "+= adds to what is there: store the first product with =, or set A and L to 0 in every chunk.",
              any_of({"A", "L", "u"}, Fault::added_to_unwritten))
DELTA_MISTAKE("one block writes another's rows", "Each head has its own rows: move the pointers to blockIdx.x's head.",
              Symptoms({{Fault::race_between_blocks, "O"}}))

}  // namespace linattn::testing::gated_delta_forward_mistakes
