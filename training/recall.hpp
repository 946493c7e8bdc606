// A memory that has to forget: pairs of a key and a value are written, keys are written again with other values, and
// the memory is asked for the last value of a key. One layer with one head, trained with a plain sum or with a sum that
// decays.
#pragma once

#include <cstdint>
#include <vector>

#include "training.hpp"

namespace linattn {

class Tape;

struct RecallTask {
    static constexpr std::size_t keys = 8, values = 16, writes = 32, queries = 8, batch = 64;

    Tensor key, value;     ///< what is written \shape{(batch, writes)}
    Tensor query, wanted;  ///< what is asked afterwards, and the value written last \shape{(batch, queries)}
    Tensor writes_since;   ///< how many writes of other keys came after that one \shape{(batch, queries)}

    explicit RecallTask(std::uint64_t seed);
};

/// S ← a S + k vᵀ at every write, where a is 1 for the plain sum and, with decay, a number in (0, 1) that the model
/// computes from what is written; each query reads qᵀS.
class RecallModel {
public:
    RecallModel(bool decay, std::uint64_t seed);
    /// One step of Adam. \return the loss before it
    double train(const RecallTask& task, double rate);
    /// The symbols that the model answers \shape{(batch, queries)}
    Tensor answers(const RecallTask& task) const;
    std::size_t weights() const;

private:
    struct Weights {
        Tensor keys, values;
        Affine q, k, v, gate, head;
        Norm query, key, output;
        std::vector<Tensor*> all();
    };
    std::size_t forward(Tape& tape, const RecallTask& task, Weights& dw) const;

    bool decay_;
    Weights w_;
    std::vector<Moments> moments_;
};

}  // namespace linattn
