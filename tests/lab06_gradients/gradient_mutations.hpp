// What people get wrong in the gradients of attention: the mutations of gradient_definition.hpp, shared by its four forms.
#pragma once

#include "gradient_definition.hpp"
#include "mutations.hpp"

namespace linattn::testing {

/// What a form has that can go wrong.
namespace form {
enum : unsigned {
    weights = 1u << 0,  ///< n×n matrices
    states = 1u << 1,   ///< S and z, R and r
    whole = 1u << 2,    ///< … of all tokens at once
    loops = 1u << 3,    ///< … in loops over the tokens
    chunks = 1u << 4,
    linear_cost = 1u << 5,
    rows = 1u << 6,  ///< D of all tokens in one Tensor
};
}

const MutationTable<GradientSettings>& gradient_mutations();

}  // namespace linattn::testing
