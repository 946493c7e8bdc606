// What ./course trace shows: what each step of a function gave, beside what is right.
//
//     TRACED(linear_attention_step) { … CALL(linear_attention_step, q, k, v, S, phi).equals(expected); … }
//
// is a case that no grading runs. In it `equals` prints what it would compare. A wrong result does not end the case, so that
// the next step begins with what the student's function made.
#pragma once

#include <functional>
#include <vector>

#include "call.hpp"

namespace linattn::testing {

/// Prints a step. Ends the case where a part has another shape than it should: no next step could use it.
void print_step(const std::vector<Input>& inputs, const Parts& parts, const std::vector<Expected>& expected);
/// Of a function that returns all outputs and no state: asked with unit vectors as queries, it tells the rows of S.
/// \param inputs what it is called with besides Q, one entry or row for each token
void trace_states(const std::function<Call<Tensor>(const Tensor& Q)>& run,
                  const std::function<Expected(const Tensor& Q)>& expected, const Tensor& Q,
                  const std::vector<Input>& inputs);

}  // namespace linattn::testing

#define TRACED(function) TEST_CASE("trace of " #function* doctest::test_suite(#function) * doctest::skip())
