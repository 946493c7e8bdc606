#include "deadline.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

namespace linattn::testing {
namespace {

namespace fs = std::filesystem;

constexpr int most_patience = 4;  // times the time allowed, in the queue: a process with many threads queues for long

double seconds_queued_by_thread(const fs::path& thread) {
    std::ifstream file(thread / "schedstat");
    double running = 0.0, queued = 0.0;
    file >> running >> queued;
    return 1e-9 * queued;
}

}  // namespace

double seconds_queued(pid_t process) {
    double most = 0.0, children = 0.0;
    std::error_code gone;
    fs::directory_iterator thread("/proc/" + std::to_string(process) + "/task", gone);
    for (; !gone && thread != fs::directory_iterator(); thread.increment(gone)) {  // in a loop by range, ++ would throw
        most = std::max(most, seconds_queued_by_thread(thread->path()));
        std::ifstream numbers(thread->path() / "children");
        for (pid_t child; numbers >> child;) children += seconds_queued(child);
    }
    return most + children;
}

Deadline::Deadline(pid_t process, std::chrono::milliseconds allowed)
    : process_(process),
      start_(Clock::now()),
      end_(start_ + allowed),
      allowed_(allowed),
      queued_before_(seconds_queued(process)) {}

bool Deadline::passed() {
    if (Clock::now() < end_) return false;
    const std::chrono::duration<double> queued(seconds_queued(process_) - queued_before_);
    end_ = start_ + allowed_ +
           std::chrono::duration_cast<Clock::duration>(
               std::min<std::chrono::duration<double>>(queued, most_patience * allowed_));
    return Clock::now() >= end_;
}

std::chrono::milliseconds Deadline::left() const {
    return std::max(std::chrono::ceil<std::chrono::milliseconds>(end_ - Clock::now()), std::chrono::milliseconds(0));
}

}  // namespace linattn::testing
