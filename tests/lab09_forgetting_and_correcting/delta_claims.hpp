// What holds for every form of the delta rule, with and without decays, said once.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "delta_inputs.hpp"

namespace linattn::testing {

/// One exercise seen through the arguments that all of them take.
struct DeltaForm {
    std::function<Trial(const DeltaInputs& in)> run;
    std::function<Tensor(const DeltaInputs& in)> output;  ///< of one more run, of the right shape
    std::function<std::vector<Expected>(const DeltaInputs& in)> expected;
    bool has_decays;
};

void rejects_arguments_that_do_not_belong_together(const DeltaForm& form);
void equals_the_definition(const DeltaForm& form);
void takes_keys_of_every_kind(const DeltaForm& form);
void takes_decays_of_every_size(const DeltaForm& form);
void takes_any_beta(const DeltaForm& form);
void takes_large_and_tiny_values(const DeltaForm& form);
void equals_the_definition_at_every_size(const DeltaForm& form);
void equals_the_definition_of_many_tokens(const DeltaForm& form);
void equals_the_definition_at_long_sizes(const DeltaForm& form);
void handles_one_token_and_no_token(const DeltaForm& form);
/// With β = 1 and keys of length 1, a key returns what was just written under it.
void returns_what_was_just_written(const DeltaForm& form);
void never_depends_on_a_later_token(const DeltaForm& form);
void treats_every_head_by_itself(const DeltaForm& form);
void remembers_nothing(const DeltaForm& form);
void costs_no_more_than_in_proportion_to_n(const DeltaForm& form);
void costs_no_more_than_in_proportion_to_the_heads(const DeltaForm& form);
void keeps_no_state_for_each_token(const DeltaForm& form);
void does_its_own_work(const DeltaForm& form, const std::vector<const char*>& others);
/// The largest step of the vocabulary is one of a whole chunk. \param chunk of the form
void works_a_chunk_at_a_time(const DeltaForm& form, std::size_t chunk);
/// An answer that is wrong because one of these is, which it calls, leads there.
void relies_on_right_functions(const DeltaForm& form);

}  // namespace linattn::testing
