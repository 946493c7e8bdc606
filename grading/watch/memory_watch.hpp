// What a student's function does with memory: how much it holds at its peak, and whether it hands out values that it
// never wrote. Replaces operator new for the whole program; outside a watched call, and where memory is not kept for reuse,
// it only forwards to malloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace linattn::testing {

/// Watches allocations from construction to destruction. Memory allocated meanwhile starts as NaNs whose payload names
/// the allocation, so that a value read before it was written can be recognised in the result.
class MemoryWatch {
public:
    /// \param trace number of an allocation (from unwritten_origin) whose call stack is wanted; 0 for none
    explicit MemoryWatch(std::uint32_t trace = 0);
    ~MemoryWatch();
    MemoryWatch(const MemoryWatch&) = delete;
    MemoryWatch& operator=(const MemoryWatch&) = delete;
};

/// From construction to destruction, small arrays that are freed are kept for the next ones of their size: with the address
/// sanitizer's own allocation, which is slow, a diagnosis that tries hundreds of mistakes takes half as long again. For
/// functions of the suite alone: in a student's function the sanitizer would miss an access to an array that was freed.
class MemoryReuse {
public:
    MemoryReuse();
    ~MemoryReuse();
    MemoryReuse(const MemoryReuse&) = delete;
    MemoryReuse& operator=(const MemoryReuse&) = delete;

private:
    bool outer_;  ///< whether memory was kept already
};

/// The most bytes held at once during the last watched call, beyond what was held when it began.
std::size_t peak_bytes();

/// The most that the process with the student's code held at once so far, seen from outside of it, arguments and results
/// included. Only the judge has it: there, bytes are what that process says.
inline std::size_t (*most_bytes_so_far)() = nullptr;

/// The number of the allocation whose call stack the open watch wants; 0 for none.
std::uint32_t allocation_to_trace();

/// The call stack of the allocation that the last watched call was asked to trace; empty if it did not happen.
const std::string& traced_allocation();

/// The open watch ends: the call ran in another process, and this is what that says of it.
void watched_elsewhere(std::size_t peak, const std::string& traced_allocation, const std::string& throw_site);

/// The number of the allocation that this value was never written in, if that is what it is.
std::optional<std::uint32_t> unwritten_origin(double value);

/// Whether this is what -ftrivial-auto-var-init=pattern puts into a local variable that is given no value.
bool is_unset_local(double value);
/// Whether arithmetic may have made it of such a value: under g++ that is the number -5.3e303, under clang a NaN that
/// keeps its bits.
bool may_come_from_unset_local(double value);

}  // namespace linattn::testing
