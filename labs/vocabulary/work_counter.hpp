// How much work the vocabulary of tensor.hpp has done: one step for each entry computed, one for each multiply-add of a
// product. The suites read it to tell an O(n) answer from an O(n²) one without a clock.
#pragma once

#include <cstddef>

namespace linattn {

inline std::size_t work_done = 0;     // one thread: labs 00 to 04 start no others
inline std::size_t largest_work = 0;  // done by one call

inline void count_work(std::size_t steps) {
    work_done += steps;
    if (steps > largest_work) largest_work = steps;
}

}  // namespace linattn
