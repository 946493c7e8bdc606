// The other side of supervised_run.hpp: what the process with the student's code does to be judged.
#pragma once

#include <cstddef>

#include "channel.hpp"

namespace linattn::testing {

/// Takes this run's secret from the channel, and sends events there from now on.
void begin_report(int channel);
/// The closing event: nothing counts without it.
void end_report(std::size_t run, std::size_t failed);

/// Tells where in the output the program is now, once all that it has printed is written.
/// \param kind output_begins or output_ends
void mark_output(EventKind kind);

}  // namespace linattn::testing
