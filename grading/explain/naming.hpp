// Which mistakes explain the calls that went wrong.
#pragma once

#include <vector>

#include "recorded_calls.hpp"

namespace linattn::testing {

/// What may explain a call that went wrong. Pointers stay valid to the end of the program.
struct Naming {
    std::vector<const Mistake*> names;  ///< each agrees with all calls
    std::vector<const Mistake*>
        in_part;             ///< they agree with all wrong calls, but not with all right ones; or with some
    double distance = 0.0;   ///< of their results from the call's
    bool by_values = false;  ///< values were compared, and their shapes are right or a name was found
};

/// One for each of the calls that went wrong, in their order. `failed` and `all` are of one exercise.
std::vector<Naming> name_calls(const std::vector<const RecordedCall*>& failed,
                               const std::vector<const RecordedCall*>& all);

}  // namespace linattn::testing
