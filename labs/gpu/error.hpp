// What a launch can end with, and how it is to be run. Plain C++: nothing of CUDA, so that every file can include it.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace gpu {

/// A kernel broke a rule of the CUDA model, or CUDA refused. One message: what, which array, which kernel, block, thread,
/// line.
class Error : public std::runtime_error {
public:
    explicit Error(const std::string& message, std::vector<std::string> symptoms = {})
        : std::runtime_error(message), symptoms_(std::move(symptoms)) {}

    /// What was found, without numbers and lines ("race on A, write then read"), the finding of the message first: two
    /// kernels with the same fault show the same symptom. Empty when the fault is not the kernel's.
    const std::vector<std::string>& symptoms() const { return symptoms_; }

private:
    std::vector<std::string> symptoms_;
};

/// CUDA refused a call. After a kernel's fault it refuses every other call until the process ends.
class DeviceError : public Error {
public:
    using Error::Error;
};

/// A kernel reached gpu::not_implemented.
class NotWritten : public std::logic_error {
public:
    NotWritten(const std::string& function, std::string file) : std::logic_error(function), file_(std::move(file)) {}
    const std::string& file() const { return file_; }

private:
    std::string file_;
};

/// Settings of the CPU run for one launch. A GPU ignores them.
struct RunOptions {
    enum class Order { forward, reverse, shuffled };

    Order order = Order::forward;  ///< in which blocks, and the threads of a block between two barriers, take turns
    unsigned seed = 1;             ///< of Order::shuffled
    bool checked = true;           ///< watch every access: races, unwritten memory, bounds, alignment; 3 times slower
    bool profile = false;          ///< count what the accesses of the first block would cost; implies checked

    /// "reverse, checked", for messages.
    std::string name() const {
        const std::string text = order == Order::forward   ? "forward"
                                 : order == Order::reverse ? "reverse"
                                                           : "shuffled(" + std::to_string(seed) + ")";
        return text + (checked ? ", checked" : "");
    }
};

/// Every launch that this host thread makes during its lifetime goes this way.
class RunScope {
public:
    explicit RunScope(const RunOptions& options) : before_(std::exchange(current(), options)) {}
    ~RunScope() { current() = before_; }
    RunScope(const RunScope&) = delete;
    RunScope& operator=(const RunScope&) = delete;

    static RunOptions& current() { return current_; }

private:
    static inline constinit thread_local RunOptions current_{};
    RunOptions before_;
};

}  // namespace gpu
