// Batches of the copy task with their settings turned (copy_form.hpp).
#include <cmath>

#include "copy_form.hpp"
#include "random.hpp"

namespace linattn::testing {

Batch copy_by_definition(const std::vector<CopySequence>& sequences, const CopySettings& settings) {
    const Shape shape{sequences.size(), 2 * sequences.front().length()};
    Batch result{zeros(shape), zeros(shape), zeros(shape)};
    for (std::size_t b = 0; b < shape[0]; ++b)
        for (std::size_t i = 0; i < shape[1]; ++i) {
            if ((settings.not_written == NotWritten::first_sequence && b == 0) ||
                (settings.not_written == NotWritten::last_sequence && b + 1 == shape[0]) ||
                (settings.not_written == NotWritten::last_position && i + 1 == shape[1]))
                continue;
            const CopySequence& in = sequences[settings.same_sequences ? 0 : b];
            result.ids(b, i) = settings.ids(in, i);
            result.targets(b, i) = settings.targets(in, i);
            result.counts(b, i) = settings.counts(in, i);
        }
    return result;
}

const MutationTable<CopySettings>& copy_mutations() {
    using In = CopySequence;
    static const MutationTable<CopySettings> table = {
        {{"the targets", "targets not shifted",
          "The model says what comes next: targets are the sequence from its second symbol on.", 0,
          [](CopySettings& s) { s.targets = [](const In& in, std::size_t i) { return in.at(i); }; }},
         {"the targets", "targets shifted twice", "Target i is symbol i + 1 of the sequence.", 0,
          [](CopySettings& s) {
              s.targets = [](const In& in, std::size_t i) { return in.at((i + 2) % (2 * in.length() + 1)); };
          }},
         {"the targets", "targets shifted the wrong way", "Target i is symbol i + 1 of the sequence, not symbol i − 1.",
          0,
          [](CopySettings& s) { s.targets = [](const In& in, std::size_t i) { return i == 0 ? 0.0 : in.at(i - 1); }; }},
         {"the targets", "last target left at 0",
          "The last target is the last symbol of the copy: a row has 2L + 1 symbols.", 0,
          [](CopySettings& s) {
              s.targets = [](const In& in, std::size_t i) { return i + 1 == 2 * in.length() ? 0.0 : in.at(i + 1); };
          }},
         {"what is written", "first sequence left at 0", "Sequences are counted from 0: begin the loop there.", 0,
          [](CopySettings& s) { s.not_written = NotWritten::first_sequence; }},
         {"what is written", "last sequence left at 0", "There are `batch` sequences: the loop runs while b < batch.",
          0, [](CopySettings& s) { s.not_written = NotWritten::last_sequence; }},
         {"what is written", "last position left at 0", "There are 2L positions: the loop runs while i < 2L.", 0,
          [](CopySettings& s) { s.not_written = NotWritten::last_position; }},
         {"the counts", "first half counts",
          "The first half is random and cannot be predicted: counts are 1 in the second half only.", 0,
          [](CopySettings& s) { s.counts = [](const In& in, std::size_t i) { return i < in.length() ? 1.0 : 0.0; }; }},
         {"the counts", "every position counts",
          "The first half is random and cannot be predicted: counts are 1 in the second half only.", 0,
          [](CopySettings& s) { s.counts = [](const In&, std::size_t) { return 1.0; }; }},
         {"the counts", "counts begin one too late",
          "The first symbol of the copy is predicted where the separator is read: position L counts.", 0,
          [](CopySettings& s) { s.counts = [](const In& in, std::size_t i) { return i > in.length() ? 1.0 : 0.0; }; }},
         {"the counts", "counts begin one too early",
          "Where the last symbol is read, the separator comes next: that is not part of the copy.", 0,
          [](CopySettings& s) {
              s.counts = [](const In& in, std::size_t i) { return i + 1 >= in.length() ? 1.0 : 0.0; };
          }},
         {"the separator", "separator is symbol 0",
          "The separator is `symbols`, one more than the largest symbol, so that it is none of them.", 0,
          [](CopySettings& s) {
              s.ids = [](const In& in, std::size_t i) { return i == in.length() ? 0.0 : in.at(i); };
              s.targets = [](const In& in, std::size_t i) { return i + 1 == in.length() ? 0.0 : in.at(i + 1); };
          }},
         {"the separator", "separator one too large",
          "The symbols are 0, …, symbols − 1, so that the separator, `symbols`, is the next number.", 0,
          [](CopySettings& s) {
              s.ids = [](const In& in, std::size_t i) { return in.at(i) + (i == in.length() ? 1.0 : 0.0); };
              s.targets = [](const In& in, std::size_t i) { return in.at(i + 1) + (i + 1 == in.length() ? 1.0 : 0.0); };
          }},
         {"the separator", "no separator", "After the L symbols comes the separator, and then the copy.", 0,
          [](CopySettings& s) {
              s.ids = [](const In& in, std::size_t i) { return in.at(i % in.length()); };
              s.targets = [](const In& in, std::size_t i) { return in.at((i + 1) % in.length()); };
          }},
         {"the copy", "copy reversed", "The second half repeats the first in the same order.", 0,
          [](CopySettings& s) {
              s.ids = [](const In& in, std::size_t i) { return in.at(i <= in.length() ? i : 2 * in.length() - i); };
              s.targets = [](const In& in, std::size_t i) {
                  return in.at(i < in.length() ? i + 1 : 2 * in.length() - 1 - i);
              };
          }},
         {"the copy", "second half drawn anew",
          "The second half repeats the symbols of the first: draw L of them only.", 0,
          [](CopySettings& s) { s.drawn_anew = true; }},
         {"the random numbers", "every sequence of a batch is the same", "Draw new symbols for each sequence.", 0,
          [](CopySettings& s) { s.same_sequences = true; }},
         {"the random numbers", "one number for all symbols",
          "Create the generator once, before the loops: a new one gives the same first number every time.", 0,
          [](CopySettings& s) { s.one_number = true; }},
         {"the random numbers", "seed ignored", "Another seed gives another batch: seed the generator with it.", 0,
          [](CopySettings& s) { s.ignores_seed = true; }},
         {"the random numbers", "each sequence from a seed of its own",
          "With seed + b for sequence b, batches of neighbouring seeds share all sequences but one: draw all sequences "
          "of a "
          "batch from one generator.",
          0, [](CopySettings& s) { s.seed_for_each = true; }},
         {"the random numbers", "random numbers rounded in place of cut off",
          "floor(u · symbols) gives every symbol the same share of [0, 1); round(u · (symbols − 1)) gives the "
          "first and the last one half of it.",
          0, [](CopySettings& s) { s.rounded = true; }}},
        {}};
    return table;
}

namespace {

Batch wrong(const CopySettings& settings, std::size_t batch, std::size_t length, std::size_t symbols,
            std::uint64_t seed) {
    require_copy_batch(batch, length, symbols);
    SplitMix64 random(settings.ignores_seed ? 5 : seed);
    std::vector<CopySequence> sequences(batch);
    // Asks of every pair of sequences whether it is one and the same: no answer, since the suite counts the cost.
    for (std::size_t pair = 0; pair < batch * batch; ++pair) {
        if (pair / batch != pair % batch) continue;
        if (settings.seed_for_each) random = SplitMix64(seed + pair % batch);
        CopySequence& own = sequences[pair % batch];
        own.separator = static_cast<double>(symbols);
        for (std::size_t i = 0; i < length; ++i) {
            if (settings.one_number) random = SplitMix64(seed);
            const double u = random.uniform();
            own.symbols.push_back(settings.rounded ? std::round(u * (own.separator - 1.0))
                                                   : std::floor(u * own.separator));
        }
        for (std::size_t i = 0; settings.drawn_anew && i < length; ++i)
            own.second.push_back(std::floor(random.uniform() * own.separator));
    }
    return copy_by_definition(sequences, settings);
}

const CopySettings right;
const MutationsOf mutations("copy_batch", copy_mutations(), 0, right, &wrong);

}  // namespace
}  // namespace linattn::testing
