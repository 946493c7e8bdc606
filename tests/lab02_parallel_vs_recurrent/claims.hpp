// What holds for every form of linear attention in this lab, said once. A Form is one exercise seen through the same
// four arguments.
#pragma once

#include <functional>

#include "linear_attention.hpp"
#include "suite.hpp"

namespace linattn::testing {

struct Form {
    std::function<Call<Tensor>(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi)> run;
    Allowed allowed;
};

/// Random Q, K (…, n, d_k) and V (…, n, d_v), entries in [-2, 2).
struct Inputs {
    Tensor Q, K, V;
    Inputs(const Shape& leading, std::size_t n, std::size_t d_k, std::size_t d_v, std::uint64_t stream)
        : Q(random_tensor(join(leading, {n, d_k}), 3 * stream)),
          K(random_tensor(join(leading, {n, d_k}), 3 * stream + 1)),
          V(random_tensor(join(leading, {n, d_v}), 3 * stream + 2)) {}
};

void rejects_shapes_that_do_not_belong_together(const Form& form);
/// \param longest length of the longest sequence tried; an O(n²) form gets a shorter one
void equals_the_definition(const Form& form, std::size_t longest = 913);
void handles_one_token_and_no_token(const Form& form);
void treats_every_head_by_itself(const Form& form);
void handles_large_and_tiny_inputs(const Form& form);
void never_depends_on_a_later_token(const Form& form);
void keeps_a_nan_to_its_own_and_later_tokens(const Form& form);
void costs_no_more_than_in_proportion_to_n(const Form& form);

}  // namespace linattn::testing
