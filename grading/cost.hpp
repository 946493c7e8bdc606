// What a call cost, counted and not timed, so that the answer is the same on every machine.
#pragma once

#include <cstddef>

namespace linattn::testing {

/// Basic blocks of the student's file run so far.
extern std::size_t blocks_run;

struct Cost {
    std::size_t steps = 0;        ///< basic blocks of the student's file + work of the vocabulary (work_counter.hpp)
    std::size_t extra_bytes = 0;  ///< peak of the memory held beside arguments and result
};

}  // namespace linattn::testing
