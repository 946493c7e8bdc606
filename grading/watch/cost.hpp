// What a call cost, counted and not timed, so that the answer is the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

namespace linattn::testing {

/// Basic blocks of the student's file run so far.
extern std::size_t blocks_run;

struct Cost {
    std::size_t steps = 0;           ///< the next two together
    std::size_t blocks = 0;          ///< basic blocks of the student's file
    std::size_t work = 0;            ///< of the vocabulary (work_counter.hpp)
    std::size_t largest = 0;         ///< the most of it that one call did
    std::size_t extra_bytes = 0;     ///< peak of the memory held beside arguments and result
    std::set<std::string> checking;  ///< the functions that checked their arguments: the exercise, and others it called
};

/// Counts what the program does during one call: here and, in the judge's runner, where the student's code is.
/// \param trace the allocation whose call stack is wanted (memory_watch.hpp); 0 for none
void begin_metering(std::uint32_t trace);
/// \return extra_bytes with those of the result
Cost end_metering();

}  // namespace linattn::testing
