// What a launch can end with, and how it is to be run. Plain C++: nothing of CUDA, so that every file can include it.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace gpu {

/// How a kernel breaks a rule of the CUDA model.
enum class Fault : unsigned char {
    // two accesses to one entry that nothing orders, by threads of one block, in the order that was probably meant
    race_write_then_read,
    race_read_then_write,
    race_write_then_write,
    race_on_one_line,         ///< both store the entry
    race_between_rounds,      ///< one line, which reads what another thread stores there
    race_read_then_replaced,  ///< what was read came from another line: perhaps two arrays, which overlap
    race_between_blocks,
    // an entry that has no value, or is not the one that was meant
    unwritten,
    added_to_unwritten,
    one_entry_for_each_thread,  ///< as many are written as the block has threads
    no_such_entry,              ///< its index is another row's or column's
    exchanged_indices,
    beyond_a_fixed_length,  ///< of a __shared__ array
    two_arrays_at_one_address,
    // an address that the kernel may not use
    read_outside,
    written_outside,
    host_memory,
    null_pointer,
    index_out_of_bounds,
    misaligned,
    shared_memory_too_small,
    stack_overflow,
    // threads that do not come to the same place
    different_barriers,
    returned_before_a_barrier,
    warp_operation,
    // neither
    exception,
    not_written,
};

/// A fault and the array that it concerns, without numbers and lines: two kernels with the same mistake show the same symptom.
struct Symptom {
    Fault fault;
    std::string array = {};  ///< empty where it concerns none
    bool operator==(const Symptom&) const = default;
};

/// A kernel broke a rule of the CUDA model, or CUDA rejected a call. One message: what, which array, which kernel, block, thread,
/// line.
class Error : public std::runtime_error {
public:
    explicit Error(const std::string& message, std::vector<Symptom> symptoms = {})
        : std::runtime_error(message), symptoms_(std::move(symptoms)) {}

    /// What was found, the finding of the message first. Empty when the fault is not the kernel's.
    const std::vector<Symptom>& symptoms() const { return symptoms_; }

private:
    std::vector<Symptom> symptoms_;
};

/// CUDA rejected a call. After a kernel's fault it rejects every other call until the process ends.
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
