// The loss, entry by entry, with what people get wrong as settings.
#include <cmath>

#include "mutations.hpp"
#include "results.hpp"

namespace linattn::testing::loss_mutations {

struct Settings {
    bool shift_of_all = false;     ///< the largest logit of all positions
    bool shifts = true;            ///< by the largest logit
    bool log_of_p = false;         ///< p first, then its logarithm
    bool shifts_sum_only = false;  ///< the target's logit not shifted
    bool p_itself = false;         ///< not its logarithm
    bool times_one_hot = false;    ///< the logarithm of every p, times 0 where it is not the target's
    bool over_positions = false;   ///< softmax over the positions in place of the symbols
    bool next_target = false;      ///< the target of the position after it
    bool loss_over_all = false;    ///< the mean over all positions
    bool gradient_over_all = false;
    bool gradient_divided = true;
    bool gradient_masked = true;                       ///< 0 where a position does not count
    bool p_unmasked = false, target_unmasked = false;  ///< where a position does not count, this part of p - 1
    bool loss_masked = true;
    bool logits_masked = false;  ///< a position that does not count has logits of 0
    bool loss_divided = true;
    bool over_symbols = false;                             ///< divided by the number of symbols, too
    bool mean_of_sequences = false;                        ///< the mean of the means of the sequences
    bool log_of_mean = false;                              ///< of the probabilities
    double added_to_p = 0.0;                               ///< before its logarithm
    bool slope_of_p = false;                               ///< the gradient times p (1 - p)
    bool stops = false;                                    ///< at the first position that does not count
    bool wanted_subtracted = true;                         ///< p - 1 at the target
    bool target_alone = false;                             ///< no gradient along the other logits
    bool target_added = false;                             ///< p + 1 at the target
    bool target_moved = false;                             ///< 1 - p in place of p - 1 at the target alone
    bool along_p = false;                                  ///< the gradient is -1/p at the target
    bool gradient_of_exp = false;                          ///< e^(ℓ - m) in place of p in the gradient
    bool mean_of_exp = false;                              ///< log of the mean of e^(ℓ - m)
    bool exp_left_out = false;                             ///< log Σ (ℓ - m)
    bool log_left_out = false;                             ///< Σ e^(ℓ - m) without a logarithm
    bool sum_left_out = false;                             ///< log p = ℓ - m
    bool sum_added = false;                                ///< log p = (ℓ - m) + log Σ …
    bool shifts_target_only = false;                       ///< the largest logit not subtracted in the sum
    bool over_sequences = false;                           ///< divided by the number of sequences
    bool over_tokens = false;                              ///< … by n
    bool sum_kept = false, sum_of_uncounted_kept = false;  ///< what the positions before have added to Σ e^(ℓ − m)
    bool last_alone = false;                               ///< the loss of the last position that counts
    double sign = 1.0, gradient_sign = 1.0, unit = 1.0;

    bool operator==(const Settings&) const = default;
};

CrossEntropy wrong(const Settings& s, const Tensor& given, const Tensor& targets, const Tensor& counts) {
    require_cross_entropy(given, targets, counts);
    const Tensor logits = s.logits_masked ? given * expand_dims(counts, -1) : given;
    const std::size_t v = length(logits, -1), rows = targets.size();
    const std::size_t others = s.over_positions ? rows : v;
    CrossEntropy result{0.0, zeros(shape_of(logits))};
    double counted = 0.0;
    for (const double count : counts) counted += count;
    const double all = static_cast<double>(rows);
    const std::size_t n = length(targets, -1);
    bool stopped = false;
    double of_targets = 0.0;  // the sum of their probabilities
    double kept = 0.0;        // of the positions before
    for (std::size_t row = 0; row < rows; ++row) {
        double counted_here = counted * (s.over_symbols ? static_cast<double>(v) : 1.0);
        if (s.mean_of_sequences) {
            counted_here = 0.0;
            for (std::size_t i = row / n * n; i < row / n * n + n; ++i) counted_here += counts.data()[i];
            counted_here *= static_cast<double>(rows / n);
        }
        if (s.over_sequences) counted_here = static_cast<double>(rows / n);
        if (s.over_tokens) counted_here = static_cast<double>(n);
        const auto wanted = static_cast<std::size_t>(targets.data()[s.next_target ? (row + 1) % rows : row]);
        stopped = stopped || counts.data()[row] != 1.0;
        if (s.stops && stopped) continue;
        double own_sum = 0.0;
        for (std::size_t c = 0; c < v; ++c) {
            const auto other = [&](std::size_t i) { return logits.data()[s.over_positions ? i * v + c : row * v + i]; };
            double largest = s.shifts ? other(0) : 0.0, sum = kept;
            for (std::size_t i = 0; i < others && s.shifts; ++i) largest = std::max(largest, other(i));
            for (std::size_t i = 0; i < logits.size() && s.shift_of_all; ++i)
                largest = std::max(largest, logits.data()[i]);
            for (std::size_t i = 0; i < others; ++i) {
                const double shifted_too = other(i) - (s.shifts_target_only ? 0.0 : largest);
                sum += s.exp_left_out ? shifted_too : std::exp(shifted_too);
            }
            const double added = own_sum = sum;
            if (s.mean_of_exp) sum /= static_cast<double>(others);
            if (s.log_left_out) sum = std::exp(added);
            if (s.sum_left_out) sum = 1.0;
            if (s.sum_added) sum = 1.0 / added;
            const double shifted = logits.data()[row * v + c] - largest, count = counts.data()[row];
            const double p = s.shifts ? std::exp(shifted - std::log(sum)) : std::exp(shifted) / sum;
            const double log_p = s.p_itself
                                     ? p
                                     : (s.shifts && !s.log_of_p && s.added_to_p == 0.0 ? shifted - std::log(sum)
                                                                                       : std::log(p + s.added_to_p)) +
                                           (s.shifts_sum_only ? largest : 0.0);
            if (c == wanted && count == 1.0) of_targets += p;
            if (s.last_alone && c == wanted && count == 1.0) result.loss = 0.0;
            if (s.times_one_hot)
                result.loss -= count * (c == wanted ? 1.0 : 0.0) * log_p / counted_here;
            else if (c == wanted && (count == 1.0 || !s.loss_masked))
                result.loss -= s.sign * s.unit * log_p / (!s.loss_divided ? 1.0 : s.loss_over_all ? all : counted_here);
            const double at_target = !s.wanted_subtracted ? 0.0 : s.target_added ? -1.0 : 1.0;
            const double slope = s.along_p                       ? (c == wanted ? -1.0 / p : 0.0)
                                 : s.target_alone && c != wanted ? 0.0
                                 : s.gradient_of_exp             ? p * added - (c == wanted ? at_target : 0.0)
                                 : s.target_moved && c == wanted ? 1.0 - p
                                                                 : p - (c == wanted ? at_target : 0.0);
            if (count == 1.0 || !s.gradient_masked || s.exp_left_out)  // 0 times NaN is NaN
                result.dlogits.data()[row * v + c] = s.gradient_sign * (s.slope_of_p ? p * (1.0 - p) : 1.0) * slope /
                                                     (!s.gradient_divided   ? 1.0
                                                      : s.gradient_over_all ? all
                                                                            : counted_here) *
                                                     (s.exp_left_out ? count : 1.0);
            else if (s.p_unmasked || s.target_unmasked)
                result.dlogits.data()[row * v + c] =
                    ((s.p_unmasked ? p : 0.0) - (s.target_unmasked && c == wanted ? 1.0 : 0.0)) / counted_here;
        }
        if (s.sum_kept && (counts.data()[row] == 1.0 || s.sum_of_uncounted_kept)) kept = own_sum;
    }
    if (s.log_of_mean) result.loss = -std::log(of_targets / counted);
    return result;
}

const MutationTable<Settings> table = {
    {
        {"stability", "largest logit not subtracted",
         "e^1000 overflows: subtract the largest logit of each position first.", 0,
         [](Settings& s) { s.shifts = false; }},
        {"stability", "largest logit subtracted in the sum only",
         "Subtract it from the target's logit as well: log p = (ℓ − m) − log Σ e^(ℓ − m).", 0,
         [](Settings& s) { s.shifts_sum_only = true; }},
        {"stability", "one largest logit for all positions",
         "Subtract each position's own largest logit: with a larger one all its exponentials may become 0.", 0,
         [](Settings& s) { s.shift_of_all = true; }},
        {"stability", "largest logit not subtracted in the sum",
         "Subtract it in the sum as well: log p = (ℓ − m) − log Σ e^(ℓ − m).", 0,
         [](Settings& s) { s.shifts_target_only = true; }},
        {"log Σ", "mean of the exponentials in place of their sum",
         "log p = (ℓ − m) − log Σ e^(ℓ − m): the probabilities add up to 1.", 0,
         [](Settings& s) { s.mean_of_exp = true; }},
        {"log Σ", "sum of the logits in place of their exponentials", "log p = (ℓ − m) − log Σ e^(ℓ − m).", 0,
         [](Settings& s) { s.exp_left_out = s.times_one_hot = true; }},
        {"log Σ", "sum of the exponentials not set back for the next position",
         "Each position has a sum of its own: begin it with 0 inside the loop over the positions.", 0,
         [](Settings& s) { s.sum_kept = true; }},
        {"log Σ", "sum of the exponentials not set back for the next position, whether that counts or not",
         "Each position has a sum of its own: begin it with 0 inside the loop over the positions.", 0,
         [](Settings& s) { s.sum_kept = s.sum_of_uncounted_kept = true; }},
        {"the mean", "loss of the last position alone", "Add up the losses of all positions that count: +=, not =.", 0,
         [](Settings& s) { s.last_alone = true; }},
        {"log Σ", "logarithm of the sum forgotten", "log p = (ℓ − m) − log Σ e^(ℓ − m), with a logarithm.", 0,
         [](Settings& s) { s.log_left_out = true; }},
        {"log Σ", "log Σ e^(ℓ − m) left out",
         "A logit is no logarithm of a probability yet: log p = (ℓ − m) − log Σ e^(ℓ − m).", 0,
         [](Settings& s) { s.sum_left_out = true; }},
        {"log Σ", "log Σ e^(ℓ − m) added", "log p = (ℓ − m) − log Σ e^(ℓ − m), with a minus.", 0,
         [](Settings& s) { s.sum_added = true; }},
        {"stability", "logarithm of a finished p",
         "p may have been rounded to 0, and log 0 is −∞: log p = (ℓ − m) − log Σ e^(ℓ − m).", 0,
         [](Settings& s) { s.log_of_p = true; }},
        {"the loss", "p in place of its logarithm", "The loss is minus the mean of log p, not of p.", 0,
         [](Settings& s) { s.p_itself = true; }},
        {"stability", "0 times the logarithm of 0",
         "Where p was rounded to 0, its logarithm is −∞, and 0 · (−∞) is NaN: log p = (ℓ − m) − log Σ e^(ℓ − m).", 0,
         [](Settings& s) { s.log_of_p = s.times_one_hot = true; }},
        {"the axis", "softmax over the positions",
         "The probabilities of the symbols at one position add up to 1: the last axis.", 0,
         [](Settings& s) { s.over_positions = true; }},
        {"the targets", "target of the next position",
         "The targets are shifted already: position i has the target at i.", 0,
         [](Settings& s) { s.next_target = true; }},
        {"the mean", "mean over all positions", "Divide by Σ counts: only the positions that count take part.", 0,
         [](Settings& s) { s.loss_over_all = s.gradient_over_all = true; }},
        {"the mean", "divided by the number of symbols, too", "The mean is over the positions that count: Σ counts.", 0,
         [](Settings& s) { s.over_symbols = true; }},
        {"the mean", "mean of the sequences' means",
         "One mean over all positions that count, in all sequences: divide by Σ counts of them together.", 0,
         [](Settings& s) { s.mean_of_sequences = true; }},
        {"the mean", "logarithm of the mean probability",
         "The loss is the mean of −log p: take the logarithm of each position's probability first.", 0,
         [](Settings& s) { s.log_of_mean = true; }},
        {"the mean", "divided by the number of sequences", "The mean is over the positions that count: Σ counts.", 0,
         [](Settings& s) { s.over_sequences = true; }},
        {"the mean", "divided by n", "The mean is over the positions that count, in all sequences: Σ counts.", 0,
         [](Settings& s) { s.over_tokens = true; }},
        {"the mean", "loss not divided",
         "The loss is a mean, as its gradient is that of a mean: divide it by Σ counts.", 0,
         [](Settings& s) { s.loss_divided = false; }},
        {"the mean", "loss divided by all positions", "Loss and gradient are divided by the same number, Σ counts.", 0,
         [](Settings& s) { s.loss_over_all = true; }},
        {"the mean", "gradient divided by all positions", "Loss and gradient are divided by the same number, Σ counts.",
         0, [](Settings& s) { s.gradient_over_all = true; }},
        {"the mean", "gradient not divided", "The loss is a mean: its gradient is divided by Σ counts as well.", 0,
         [](Settings& s) { s.gradient_divided = false; }},
        {"the mean", "sum in place of mean", "Divide the loss and its gradient by Σ counts.", 0,
         [](Settings& s) { s.gradient_divided = s.loss_divided = false; }},
        {"the mask", "gradient where nothing counts", "Where counts is 0, dlogits is 0.", 0,
         [](Settings& s) { s.gradient_masked = false; }},
        {"the mask", "1 subtracted at the target where nothing counts",
         "Where counts is 0, dlogits is 0: multiply p − 1 by the count, not p alone.", 0,
         [](Settings& s) { s.target_unmasked = true; }},
        {"the mask", "probabilities left where nothing counts",
         "Where counts is 0, dlogits is 0: multiply p − 1 by the count, not the 1 alone.", 0,
         [](Settings& s) { s.p_unmasked = true; }},
        {"the mask", "loss of positions that do not count", "Where counts is 0, the position adds nothing to the loss.",
         0, [](Settings& s) { s.loss_masked = false; }},
        {"the mask", "counts multiplied by the logits",
         "A position with logits of 0 still adds log v to the loss: multiply its −log p by the count.", 0,
         [](Settings& s) {
             s.logits_masked = true;
             s.loss_masked = false;
         }},
        {"the mask", "counts in the divisor only",
         "Only positions whose count is 1 take part: multiply each by its count before they are added.", 0,
         [](Settings& s) { s.loss_masked = s.gradient_masked = false; }},
        {"the mask", "counts ignored", "Only positions whose count is 1 take part, in the loss and in its gradient.", 0,
         [](Settings& s) {
             s.gradient_masked = s.loss_masked = false;
             s.loss_over_all = s.gradient_over_all = true;
         }},
        {"the mask", "loop ends at the first position that does not count",
         "Later positions may count again: skip the one, with continue, not break.", 0,
         [](Settings& s) { s.stops = true; }},
        {"the targets", "gradient along the target's logit only",
         "Every logit is in the denominator of the softmax: dlogits is p − 1 at the target and p elsewhere.", 0,
         [](Settings& s) { s.target_alone = true; }},
        {"the targets", "target added in the gradient", "dlogits is p − 1 at the target: subtract the one-hot row.", 0,
         [](Settings& s) { s.target_added = true; }},
        {"the targets", "1 − p at the target", "dlogits is p − 1 at the target and p elsewhere.", 0,
         [](Settings& s) { s.target_moved = true; }},
        {"the targets", "gradient along p",
         "−1/p is the slope along p: along the logits it is p − 1 at the target and p elsewhere.", 0,
         [](Settings& s) { s.along_p = true; }},
        {"the targets", "e^(ℓ − m) in place of p in the gradient", "p = e^(ℓ − m) / Σ e^(ℓ − m): divide by the sum.", 0,
         [](Settings& s) { s.gradient_of_exp = true; }},
        {"the targets", "gradient multiplied by p (1 − p)",
         "p − 1 at the target is the slope along the logits already: the softmax's own slope is in it.", 0,
         [](Settings& s) { s.slope_of_p = true; }},
        {"the sign", "sign of the loss", "The loss is minus the mean of log p, so that it is never negative.", 0,
         [](Settings& s) { s.sign = -1.0; }},
        {"the sign", "sign of the gradient", "dlogits is p − 1 at the target and p elsewhere.", 0,
         [](Settings& s) { s.gradient_sign = -1.0; }},
        {"the targets", "target not subtracted in the gradient",
         "dlogits is p − 1 at the target: subtract the one-hot row.", 0,
         [](Settings& s) { s.wanted_subtracted = false; }},
        {"the unit", "loss in bits", "The loss is in nats: the natural logarithm.", 0,
         [](Settings& s) { s.unit = 1.4426950408889634; }},
    },
    {{"%s added to p before the logarithm", "log p = (ℓ − m) − log Σ e^(ℓ − m) is finite as it is: nothing is added.",
      0, [](Settings& s, double value) { s.added_to_p = value; }, 1e-16, 1.0}},
};

const Settings right;
const MutationsOf mutations("cross_entropy", table, 0, right, &wrong);
const Probes probes("cross_entropy", [] {
    const Tensor targets{{0, 2, 1}, {1, 1, 0}}, counts{{1, 0, 1}, {0, 0, 1}};
    const Tensor small = random_tensor({2, 3, 4}, 901), apart = reshape(Tensor{0, 2000, 0, 0, 0, 0}, {2, 3, 1});
    return std::vector{probe(&linattn::cross_entropy, small, targets, counts),
                       probe(&linattn::cross_entropy, Tensor(small + 1000.0), targets, counts),
                       probe(&linattn::cross_entropy, Tensor(small + apart), targets, counts)};
});

}  // namespace linattn::testing::loss_mutations
