#include <cmath>

#include "random_features.hpp"

namespace linattn::testing::favor_attention_mistakes {

// Right numbers in too much memory; wrong numbers are mutations (mutations.cpp).
MISTAKE(favor_attention,
        (const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& W, Mask mask, double epsilon),
        "a state kept for every token", "§4.5",
        "One S and one z are enough: token i is added to them and then reads them.") {
    const Tensor every_state = zeros({heads_of(V), length(V, -2), length(W, 0), length(V, -1)});
    const Weights weights = weights_by_definition(positive_features(Q, W, Shared::token),
                                                  positive_features(K, W, Shared::head), allowed_by(mask));
    return weighted_sum(weights, V) / (sum(weights, -1, keep_dims) + epsilon);
}

}  // namespace linattn::testing::favor_attention_mistakes
