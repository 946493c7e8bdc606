#include "exp_weights.hpp"

namespace linattn::testing {
namespace {

#define STREAMING_MISTAKE(name, explanation)                                                                    \
    MISTAKE(streaming_exp_attention, (const Tensor& Q, const Tensor& K, const Tensor& V, double epsilon), name, \
            "§3.7", explanation)

Tensor normalized(const Weights& weights, const Tensor& V, double epsilon) {
    return weighted_sum(weights, V) / (sum(weights, -1, keep_dims) + epsilon);
}

STREAMING_MISTAKE("no shift at all",
                  "e^710 overflows: subtract the running maximum of the keys, and give it to the query. Where nothing "
                  "overflowed, only ε differs: it is measured in units of the largest term.") {
    return normalized(weights_by_definition(exp(Q), exp(K), causal), V, epsilon);
}
STREAMING_MISTAKE("per-token shift on keys",
                  "A shift of its own for each key weighs the keys anew: all must share one scale.") {
    return normalized(weights_by_definition(exp(Q - amax(Q, -1, keep_dims)), exp(K - amax(K, -1, keep_dims)), causal),
                      V, epsilon);
}
STREAMING_MISTAKE("one maximum for all channels",
                  "What is large in one channel makes the others underflow: keep a running maximum for each channel.") {
    return normalized(exp_weights(Q, K,
                                  [](const Head& head, std::size_t i) -> Term {
                                      const double q = largest_query(head, i), k = largest_key(head, 0, i + 1);
                                      return [=](std::size_t j, std::size_t a) {
                                          return std::exp(head.query(i, a) - q) * std::exp(head.key(j, a) - k);
                                      };
                                  }),
                      V, epsilon);
}
STREAMING_MISTAKE("maximum over the whole sequence",
                  "A later key may not change an earlier output: shift by the maximum up to token i.") {
    return normalized(exp_weights(Q, K,
                                  [](const Head& head, std::size_t i) -> Term {
                                      const double q = largest_query(head, i), k = largest_key(head, 0, head.n);
                                      return [=](std::size_t j, std::size_t a) {
                                          return std::exp(head.query(i, a) - q) * std::exp(head.key(j, a) - k);
                                      };
                                  }),
                      V, epsilon);
}

// Term (j, a) on a wrong scale: its exponent is too large by what `error` makes of the maxima of its channel before
// token j, up to token j, and up to token i.
using ErrorOfScale = double (*)(double before, double then, double now);
TermsOfRow off_scale(ErrorOfScale error) {
    return [error](const Head& head, std::size_t i) -> Term {
        std::vector<std::vector<double>> largest{std::vector<double>(head.d, -std::numeric_limits<double>::infinity())};
        for (std::size_t j = 0; j <= i; ++j) largest.push_back(largest_keys_until(head, j));
        return [=, shift = largest_exponent(head, i)](std::size_t j, std::size_t a) {
            return std::exp(head.query(i, a) + head.key(j, a) - shift +
                            error(largest[j][a], largest[j + 1][a], largest[i + 1][a]));
        };
    };
}
// Tokens were shifted by the maximum of their own time and never brought to the scale of token i.
TermsOfRow not_rescaled() {
    return off_scale([](double, double then, double now) { return now - then; });
}
STREAMING_MISTAKE("S and z not rescaled",
                  "When the maximum grows, what was summed before is on the old scale: shrink S and z.") {
    return normalized(exp_weights(Q, K, not_rescaled()), V, epsilon);
}
STREAMING_MISTAKE("z not rescaled", "When the maximum grows, z shrinks by the same factor as S.") {
    return weighted_sum(exp_weights(Q, K, terms_by_definition), V) /
           (sum(exp_weights(Q, K, not_rescaled()), -1, keep_dims) + epsilon);
}
STREAMING_MISTAKE("S not rescaled", "When the maximum grows, S shrinks by the same factor as z.") {
    return weighted_sum(exp_weights(Q, K, not_rescaled()), V) /
           (sum(exp_weights(Q, K, terms_by_definition), -1, keep_dims) + epsilon);
}
STREAMING_MISTAKE("rescaled after adding",
                  "The old sums shrink before the new token is added: it is on the new scale.") {
    return normalized(exp_weights(Q, K, off_scale([](double before, double then, double) { return before - then; })), V,
                      epsilon);
}
STREAMING_MISTAKE(
    "factor inverted",
    "The old sums shrink, by exp(before - largest): the other way round they grow, and at the first token "
    "the factor is infinite, so that 0 · ∞ makes everything NaN.") {
    const auto error = [](double before, double then, double now) {
        return 2.0 * (now - then) + 0.0 * (then - before);  // before the first token: 0 · ∞
    };
    return normalized(exp_weights(Q, K, off_scale(error)), V, epsilon);
}

// Keys on the scale of a running maximum m that begins at `least`; the query is exp(e - max e), e = exponent(q, m).
TermsOfRow query_with(double (*exponent)(double q, double m), double least = -std::numeric_limits<double>::infinity()) {
    return [=](const Head& head, std::size_t i) -> Term {
        std::vector<double> m = largest_keys_until(head, i), e;
        for (std::size_t a = 0; a < head.d; ++a) {
            m[a] = std::max(m[a], least);
            e.push_back(exponent(head.query(i, a), m[a]));
        }
        return [=, shift = *std::max_element(e.begin(), e.end())](std::size_t j, std::size_t a) {
            return std::exp(e[a] - shift) * std::exp(head.key(j, a) - m[a]);
        };
    };
}
STREAMING_MISTAKE(
    "query not given the maximum",
    "The keys were divided by e^m in each channel, so the query must be multiplied by it: exp(q + m - g).") {
    return normalized(exp_weights(Q, K, query_with([](double q, double) { return q; })), V, epsilon);
}
STREAMING_MISTAKE("maximum subtracted from the query",
                  "The keys lost m, so the query gets it: its exponents are q + m, not q - m.") {
    return normalized(exp_weights(Q, K, query_with([](double q, double m) { return q - m; })), V, epsilon);
}
STREAMING_MISTAKE("maximum starts at zero",
                  "Start at -∞: above the keys, m makes all terms small, so that ε weighs more and they may vanish.") {
    return normalized(exp_weights(Q, K, query_with([](double q, double m) { return q + m; }, 0.0)), V, epsilon);
}
STREAMING_MISTAKE("query not shifted",
                  "exp(q + m) overflows for q + m = 710: subtract its largest exponent, which cancels. Where nothing "
                  "overflowed, only ε differs: it is measured in units of the largest term.") {
    return normalized(exp_weights(Q, K,
                                  [](const Head& head, std::size_t i) -> Term {
                                      return [=, keys = largest_keys_until(head, i)](std::size_t j, std::size_t a) {
                                          return std::exp(head.query(i, a) + keys[a]) *
                                                 std::exp(head.key(j, a) - keys[a]);
                                      };
                                  }),
                      V, epsilon);
}
STREAMING_MISTAKE("softmax instead of exponential features",
                  "The weight is Σ_a exp(q_a)·exp(k_a), a sum of exponentials, not the exponential exp(Σ_a q_a k_a).") {
    return weighted_sum(softmax_rows(weights_by_definition(Q, K, everywhere), causal), V);
}
STREAMING_MISTAKE("memory grows with the sequence", "Keep nothing but S, z and the running maximum.") {
    return normalized(exp_weights(Q, K, terms_by_definition), V, epsilon);
}

}  // namespace
}  // namespace linattn::testing
