// What holds for every form of linear attention, said once. A Form is one exercise seen through the four arguments that
// all of them take.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "oracle.hpp"
#include "sizes.hpp"
#include "suite.hpp"

namespace linattn::testing {

struct Form {
    std::function<Call<Tensor>(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi)> run;
    std::function<Expected(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi)> expected;
};

/// Random Q, K (…, n, d_k) and V (…, n, d_v), entries in [-2, 2).
struct Inputs {
    Tensor Q, K, V;
    Inputs(const Shape& leading, std::size_t n, std::size_t d_k, std::size_t d_v, std::uint64_t stream)
        : Q(random_tensor(join(leading, {n, d_k}), 3 * stream)),
          K(random_tensor(join(leading, {n, d_k}), 3 * stream + 1)),
          V(random_tensor(join(leading, {n, d_v}), 3 * stream + 2)) {}
    Inputs(const Size& size, std::uint64_t stream) : Inputs(size.leading, size.n, size.d_k, size.d_v, stream) {}
};

void rejects_shapes_that_do_not_belong_together(const Form& form);
void equals_the_definition(const Form& form, const std::vector<std::string>& feature_maps);
/// \param longest length of the longest sequence tried
void equals_the_definition_at_every_size(const Form& form, std::size_t longest = 913);
void remembers_nothing(const Form& form);
void handles_one_token_and_no_token(const Form& form);
void treats_every_head_by_itself(const Form& form);
void never_depends_on_a_later_token(const Form& form);
void keeps_a_nan_to_its_own_and_later_tokens(const Form& form);
/// The same for a form that may work in chunks, where earlier tokens of the head may become NaN as well.
void keeps_a_nan_to_its_own_head(const Form& form);
void costs_no_more_than_in_proportion_to_n(const Form& form);

/// A call with n tokens and two heads holds no more beside its result when n grows.
/// \param tolerated bytes that each token may add all the same: a copy of its output, on its way into a struct
void holds_no_more_for_a_longer_sequence(const std::function<Trial(std::size_t n)>& run, std::size_t tolerated = 0);

}  // namespace linattn::testing
