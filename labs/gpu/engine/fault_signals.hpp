// Signals during a launch: a wild access becomes a finding, and a supervisor that asks where the kernel is gets an
// answer.
#pragma once

#include <signal.h>

namespace gpu::engine {

/// For the time of a launch.
class FaultSignals {
public:
    FaultSignals();
    ~FaultSignals();
    FaultSignals(const FaultSignals&) = delete;
    FaultSignals& operator=(const FaultSignals&) = delete;

private:
    stack_t stack_before_{};
    struct sigaction segv_before_ {
    }, bus_before_{};
};

/// Called by a thread of the kernel that gives up its turn.
void answer_if_asked();

}  // namespace gpu::engine
