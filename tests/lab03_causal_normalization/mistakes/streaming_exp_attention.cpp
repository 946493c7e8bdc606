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
                  "e^710 overflows: subtract the running maximum of the keys, and give it to the query.") {
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

// Term (j, a) where tokens were shifted by the maximum of their own time and never brought to the scale of token i.
TermsOfRow not_rescaled() {
    return [](const Head& head, std::size_t i) -> Term {
        std::vector<std::vector<double>> largest;
        for (std::size_t j = 0; j <= i; ++j) largest.push_back(largest_keys_until(head, j));
        return [=, shift = largest_exponent(head, i)](std::size_t j, std::size_t a) {
            return std::exp(head.query(i, a) + largest[i][a] - shift + head.key(j, a) - largest[j][a]);
        };
    };
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
STREAMING_MISTAKE(
    "query not given the maximum",
    "The keys were divided by e^m in each channel, so the query must be multiplied by it: exp(q + m - g).") {
    return normalized(exp_weights(Q, K,
                                  [](const Head& head, std::size_t i) -> Term {
                                      return [=, q = largest_query(head, i), keys = largest_keys_until(head, i)](
                                                 std::size_t j, std::size_t a) {
                                          return std::exp(head.query(i, a) - q) * std::exp(head.key(j, a) - keys[a]);
                                      };
                                  }),
                      V, epsilon);
}
STREAMING_MISTAKE("query not shifted",
                  "exp(q + m) overflows for q + m = 710: subtract its largest exponent, which cancels.") {
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
