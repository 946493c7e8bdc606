// How long an answer may take. On a busy machine a process stands in the queue for a processor, which is not its fault:
// that time is not counted, where the system tells it (Linux: schedstat).
#pragma once

#include <sys/types.h>

#include <chrono>

namespace linattn::testing {

class Deadline {
public:
    Deadline(pid_t process, std::chrono::milliseconds allowed);

    /// Has the process had its time? If the time is over by the clock, asks how long the process has queued.
    bool passed();
    /// Until passed() is worth asking; not negative.
    std::chrono::milliseconds left() const;

private:
    using Clock = std::chrono::steady_clock;

    pid_t process_;
    Clock::time_point start_, end_;
    std::chrono::milliseconds allowed_;
    double queued_before_;
};

/// Seconds for which a process and those that it started have queued for a processor. 0 where the system does not tell.
double seconds_queued(pid_t process);

}  // namespace linattn::testing
