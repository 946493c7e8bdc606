// Batches of the copy task by definition: what each entry is, given the random symbols, with what people get wrong as
// settings. The suite reads the symbols from the answer itself, so that any source of random numbers will do.
#pragma once

#include <vector>

#include "mutations.hpp"
#include "results.hpp"

namespace linattn::testing {

/// s₁ … s_L, separator, s₁ … s_L. Place i of it:
struct CopySequence {
    std::vector<double> symbols;
    double separator;
    std::vector<double> second{};  ///< in place of the copy
    double at(std::size_t i) const {
        if (i > symbols.size() && !second.empty()) return second[i - symbols.size() - 1];
        return i == symbols.size() ? separator : symbols[i % (symbols.size() + 1)];
    }
    std::size_t length() const { return symbols.size(); }
};
using CopyEntry = double (*)(const CopySequence& in, std::size_t i);

/// Which part of the three arrays is never written.
enum class NotWritten { nothing, first_sequence, last_sequence, last_position };

struct CopySettings {
    CopyEntry ids = [](const CopySequence& in, std::size_t i) { return in.at(i); };
    CopyEntry targets = [](const CopySequence& in, std::size_t i) { return in.at(i + 1); };
    CopyEntry counts = [](const CopySequence& in, std::size_t i) { return i >= in.length() ? 1.0 : 0.0; };
    bool same_sequences = false, ignores_seed = false;
    bool seed_for_each = false;  ///< sequence b is drawn with seed + b
    bool drawn_anew = false;     ///< the second half
    bool one_number = false;     ///< for all symbols
    bool rounded = false;        ///< random numbers up to symbols - 1
    NotWritten not_written = NotWritten::nothing;

    bool operator==(const CopySettings&) const = default;
};

Batch copy_by_definition(const std::vector<CopySequence>& sequences, const CopySettings& settings);

const MutationTable<CopySettings>& copy_mutations();

}  // namespace linattn::testing
