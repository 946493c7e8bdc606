// What people get wrong in the delta rule, with and without decays: the mutations of delta_definition.hpp.
#pragma once

#include "delta_definition.hpp"
#include "mutations.hpp"

namespace linattn::testing {

/// What a form has that can go wrong.
namespace form {
enum : unsigned {
    by_tokens = 1u << 0,  ///< one token after the other
    chunks = 1u << 1,
    decays = 1u << 2,
    state = 1u << 3,  ///< one that comes in and one that is returned
};
}

const MutationTable<DeltaSettings>& delta_mutations();

/// Of settings for the rule or for its gradients.
template <class Settings>
Mutations<Settings> of_the_lengths() {
    return {
        {"the length of keys", "keys normalised inside",
         "Keys are used as they come: whoever calls has normalised them or not.", 0, SET(s.keys_normalized = true)},
        {"the length of keys", "queries normalised inside", "Queries are used as they come.", 0,
         SET(s.queries_normalized = true)},
        {"the length of keys", "queries and keys normalised inside",
         "Queries and keys are used as they come: whoever calls has normalised them or not.", 0,
         SET(s.queries_normalized = s.keys_normalized = true)},
    };
}

}  // namespace linattn::testing
