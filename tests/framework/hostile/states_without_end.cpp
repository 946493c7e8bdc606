// class: closures
// The operation of a scan is used to make a text that doubles at every call, in the memory of the judge.
// expects: lab02 inclusive_scan=fail|crash|timeout, *=todo
#include "linear_attention.hpp"

namespace linattn {
std::vector<std::string> inclusive_scan(const std::vector<std::string>& states, const Combine& combine) {
    std::string all = states.empty() ? "a" : states[0];
    for (int i = 0; i < 40; ++i) all = combine(all, all);
    return states;
}
}
