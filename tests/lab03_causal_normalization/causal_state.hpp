// CausalState and OutputAndState as the suite and the mistakes see them: in parts, by definition, and in messages.
#pragma once

#include "normalized_attention.hpp"
#include "oracle.hpp"
#include "suite.hpp"

namespace linattn {

inline testing::Parts parts_of(const OutputAndState& result) {
    return {{"output", result.output}, {"state.S", result.state.S}, {"state.z", result.state.z}};
}
inline testing::Parts parts_of(const CausalState& state) { return {{"S", state.S}, {"z", state.z}}; }
inline std::size_t fingerprint(const CausalState& state) {
    return testing::fingerprint(state.S) + 3 * testing::fingerprint(state.z);
}
inline std::string describe(const CausalState& state) {
    return "S " + testing::describe(state.S) + ", z " + testing::describe(state.z);
}

namespace testing {

/// S and z after the tokens of K and V, with their tolerances.
inline std::vector<Expected> expected_state_after(const Tensor& K, const Tensor& V, const FeatureMap& phi) {
    Shape one = shape_of(V);
    one.back() = 1;  // z is what S is for values of 1
    Expected z = expected_state(K, ones(one), phi);
    const auto without_last_axis = [](const Tensor& x) {
        Shape shape = shape_of(x);
        shape.pop_back();
        return reshape(x, shape);
    };
    z.value = without_last_axis(z.value);
    z.tolerance = without_last_axis(z.tolerance);
    return {expected_state(K, V, phi), z};
}

inline CausalState state_after(const Tensor& K, const Tensor& V, const FeatureMap& phi) {
    const std::vector<Expected> parts = expected_state_after(K, V, phi);
    return {parts[0].value, parts[1].value};
}

}  // namespace testing
}  // namespace linattn
