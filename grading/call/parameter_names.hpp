// What the contract calls the arguments of a function: a call with an expression in an argument's place says little of it.
#pragma once

#include <string>
#include <vector>

namespace linattn::testing {

/// The lab.json of this run. Empty where there is none: then parameters have no names.
inline std::string manifest_of_run;

/// The names of a function's parameters, from its declaration in one of the headers beside a lab's manifest.
/// Empty where there is no such declaration.
std::vector<std::string> parameter_names(const std::string& manifest, const std::string& function);

}  // namespace linattn::testing
