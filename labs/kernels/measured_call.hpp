// How much one call of a function for the CPU multiplies, and how long it takes: `./course profile labNN.function` reads it.
// Only the programs labNN_profile_functions are linked with measured_call.cpp, which replaces BLAS's products.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace linattn {

struct ProfileArguments {
    std::string function;
    std::size_t heads, n, d, chunk;
};

/// Of the command line: function heads n d chunk. Anything else ends the program.
ProfileArguments profile_arguments(int argc, char** argv);

/// Independent numbers with the standard normal distribution.
std::vector<float> normal_floats(std::size_t count, std::uint64_t seed);

struct MeasuredCall {
    std::string function;
    double multiply_adds;  ///< that the method needs; 0 where that is not said
    std::function<void()> run;
};

/// Runs the one that is asked for, once to count and then to take its time, and prints after a form feed what was found, or
/// what went wrong. Returns the status for main: 3 then, and 2 when no call has that name.
int measure(const ProfileArguments& with, bool in_float, const std::vector<MeasuredCall>& calls);

}  // namespace linattn
