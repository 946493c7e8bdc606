// What the normaliser promises, whatever the form, beside the claims that hold for all linear attention.
#pragma once

#include "attention_claims.hpp"

namespace linattn::testing {

/// A form with its ε still open.
struct NormalizedForm {
    std::function<Form(double epsilon)> with;
    Allowed allowed;
};

/// Inputs for φ = identity whose denominators are as often below -1 as above 1, and never between.
Inputs with_denominators_of_both_signs(const Shape& leading, std::size_t n, std::uint64_t stream);

void equals_the_normalized_definition(const NormalizedForm& form);
void values_of_one_give_one(const NormalizedForm& form);
void stays_within_the_range_of_the_values(const NormalizedForm& form);
void does_not_depend_on_the_scale_of_the_features(const NormalizedForm& form);
void stays_finite_where_the_weights_vanish(const NormalizedForm& form);
void gives_the_same_bits_twice(const NormalizedForm& form);

}  // namespace linattn::testing
