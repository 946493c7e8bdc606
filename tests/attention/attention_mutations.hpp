// What people get wrong in attention: the mutations of attention_definition.hpp, shared by all exercises that compute it.
#pragma once

#include "attention_definition.hpp"
#include "mutations.hpp"

namespace linattn::testing {

/// What an exercise has that can go wrong.
namespace has {
enum : unsigned {
    features = 1u << 0,      ///< a feature map
    sequence = 1u << 1,      ///< several tokens in one call
    values = 1u << 2,        ///< values of several entries, so an output and a state
    mask = 1u << 3,          ///< a Mask to obey
    running = 1u << 4,       ///< only earlier tokens count, without being asked
    total = 1u << 5,         ///< all tokens count
    divisor = 1u << 6,       ///< the weights are divided by their sum
    no_divisor = 1u << 7,    ///< they are not
    epsilon = 1u << 8,       ///< ε
    state = 1u << 9,         ///< a state comes in and goes out
    z = 1u << 10,            ///< … with a normaliser z
    resumed = 1u << 11,      ///< … around several tokens
    padding = 1u << 12,      ///< a padding mask
    softmax = 1u << 13,      ///< softmax attention
    streaming = 1u << 14,    ///< exponentials with a running maximum
    linear_cost = 1u << 15,  ///< work in proportion to n is asked for
    constant_memory = 1u << 16,
    signed_features = 1u << 17,  ///< called with features that make sums negative
    products = 1u << 18,         ///< a weight is a product φ(q)·φ(k)
    updates = 1u << 19,          ///< a token that sees no later one may find itself in the state, or not yet
};
}

const MutationTable<AttentionSettings>& attention_mutations();

}  // namespace linattn::testing
