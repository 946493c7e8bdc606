// Counts what the program does during one call: here and, in the judge's runner, where the student's code is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace linattn::testing {

struct Metered {
    std::size_t blocks = 0, work = 0, largest_work = 0;  ///< as in Cost
    std::vector<std::string> checking{};                 ///< the functions that checked their arguments
};

/// \param trace the allocation whose call stack is wanted (memory_watch.hpp); 0 for none
void begin_metering(std::uint32_t trace);
Metered end_metering();

}  // namespace linattn::testing
