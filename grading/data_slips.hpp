// The right formula with the wrong data: one argument in the place of another, tokens in reverse order, an array left out,
// parts of the result exchanged. No table holds these: they follow from the arguments and the result of a call.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "changed_arguments.hpp"
#include "comparison.hpp"
#include "mistake.hpp"

namespace linattn::testing {

struct DataSlip {
    std::string name, explanation;
    ArgumentChange arguments;            ///< what is done to the arguments first
    std::function<void(Parts&)> result;  ///< what is done to the result
};

/// The arrays among the arguments of a call, as an ArgumentChange names them, with their shapes.
using ArgumentShapes = std::vector<std::pair<std::string, Shape>>;

/// All that can be wrong with the data of a call of an exercise with this definition.
std::vector<DataSlip> data_slips(const Definition& definition, const ArgumentShapes& arguments, const Parts& result,
                                 const std::vector<Expected>& expected);

}  // namespace linattn::testing
