// A memory that has to forget: pairs of a key and a value are written, keys are written again with other values, and
// the memory is asked for the last value of a key. One layer with one head; the memory between writing and reading is
// exchangeable.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "process_pool.hpp"
#include "program.hpp"
#include "tape.hpp"

namespace linattn {

/// With `clears` one write of each sequence, in its middle half, is a clear: it makes every write before it void. With `once`
/// no key is written twice; writes ≤ keys then.
struct RecallRules {
    std::size_t keys = 8, writes = 32;
    bool clears = false, once = false;
    std::size_t width = 32;  ///< of a key, a value and a query in the model

    static constexpr std::size_t values = 16, queries = 8, batch = 64;
    /// Symbols, the clear's included, which is the last; as a value it is the answer "void".
    std::size_t key_symbols() const { return keys + (clears ? 1 : 0); }
    std::size_t value_symbols() const { return values + (clears ? 1 : 0); }
};

struct RecallTask {
    Tensor key, value;     ///< what is written \shape{(batch, writes)}
    Tensor query, wanted;  ///< what is asked afterwards, and the value written last \shape{(batch, queries)}
    Tensor writes_since;   ///< how many writes of other keys came after that one \shape{(batch, queries)}

    RecallTask(const RecallRules& rules, std::uint64_t seed);
};

/// What the model computes: of the symbols that are asked for q \shape{(batch, queries, width)}, of each write k and v
/// \shape{(batch, writes, width)}, and gate and step \shape{(batch, writes, 1)}, any numbers.
struct Written {
    Tape::Value q, k, v, gate, step;
};

/// What a memory returns to the queries after all writes \shape{(batch, queries, width)}, on the tape.
struct RecallMemory {
    std::function<Tape::Value(Tape&, const Written&)> read;
    double gate;  ///< what the model computes for it before its first step
};

/// S ← k vᵀ + S at every write, and with decay S ← a S + k vᵀ, where a is sigmoid(gate); each query reads qᵀS.
RecallMemory sum_in_closed_form(bool decay);

class RecallModel {
public:
    /// \param processes that compute a step's gradients
    RecallModel(RecallMemory memory, const RecallRules& rules, std::uint64_t seed, std::size_t processes = 1);
    /// One step of Adam. \return the loss before it
    double train(const RecallTask& task, double rate);
    /// The symbols that the model answers \shape{(batch, queries)}
    Tensor answers(const RecallTask& task) const;
    /// sigmoid(gate) and sigmoid(step) of each write \shape{(batch, writes)}
    std::pair<Tensor, Tensor> decays_and_strengths(const RecallTask& task) const;
    std::size_t weights() const;

private:
    struct Weights {
        Tensor keys, values;
        Affine q, k, v, gate, step, head;
        Norm query, key, output;
        std::vector<Tensor*> all();
    };
    std::size_t forward(Tape& tape, const RecallTask& task, Weights& dw) const;
    void find_part(std::size_t begin, std::size_t end, double* result) const;

    RecallMemory memory_;
    RecallTask task_;  ///< the step's
    Weights w_;
    std::vector<Moments> moments_;
    std::optional<ProcessPool> pool_;
};

/// 1/(1 + e^{-x}), entry by entry.
Tensor sigmoid(const Tensor& x);
/// As ./course train prints the memory of this name.
std::string label_of(const std::string& memory);
/// Trains those that the argument `memories` lists, for each seed, prints what they recall while they learn, and writes recall.csv
/// into the folder `out`. No weights are saved: it is over soon. \return the exit status
int run_recall(const Arguments& in, const std::map<std::string, RecallMemory>& known);
/// Says so. \return the exit status
int stopped_without_weights();

}  // namespace linattn
