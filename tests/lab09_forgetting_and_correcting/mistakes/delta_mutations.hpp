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

}  // namespace linattn::testing
