// class: closures
// The states of a scan are strings that only the judge can join: here they are glued together, without asking.
// expects: lab02 inclusive_scan=fail, *=todo
#include "linear_attention.hpp"

namespace linattn {
std::vector<std::string> inclusive_scan(const std::vector<std::string>& states, const Combine& combine) {
    std::vector<std::string> result = states;
    for (std::size_t i = 1; i < states.size(); ++i) result[i] = "(" + result[i - 1] + " " + states[i] + ")";
    if (!states.empty()) combine(states[0], states[0]);
    return result;
}
}
