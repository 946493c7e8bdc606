// What must live in the program itself, not in a shared library, because it replaces functions of the C++ runtime:
// operator new and delete (memory_watch.hpp), the throwing of exceptions (call_stack.hpp), the step counter (cost.hpp) and the
// settings of the address sanitizer.
#include <dlfcn.h>
#include <malloc.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "call_stack.hpp"
#include "cost.hpp"
#include "memory_watch.hpp"

namespace linattn::testing {
namespace {

// A quiet NaN that no arithmetic produces by itself; its lower 32 bits number the allocation.
constexpr std::uint64_t unwritten = 0x7FF8'5EED'0000'0000;

bool watching = false;
std::ptrdiff_t held = 0, peak = 0;
std::uint32_t allocation = 0, watched_allocation = 0;
std::string traced_stack, throw_site;

void on_allocate(void* memory, std::size_t bytes) {
    held += static_cast<std::ptrdiff_t>(malloc_usable_size(memory));
    peak = std::max(peak, held);
    const std::uint64_t pattern = unwritten | ++allocation;
    for (std::size_t at = 0; at + sizeof pattern <= bytes; at += sizeof pattern)
        std::memcpy(static_cast<char*>(memory) + at, &pattern, sizeof pattern);
    if (allocation == watched_allocation) {
        watching = false;
        traced_stack = call_stack();
        watching = true;
    }
}

// Freed arrays that are kept, as one list for each size; each holds the address of the next.
constexpr std::size_t step = sizeof(double), largest_kept = 4096;
bool keeping = false;
std::array<void*, largest_kept / step + 1> freed{};

bool may_be_kept(std::size_t bytes) { return keeping && bytes > 0 && bytes <= largest_kept && bytes % step == 0; }

void* take_kept(std::size_t bytes) {
    void*& first = freed[bytes / step];
    return first == nullptr ? nullptr : std::exchange(first, *static_cast<void**>(first));
}

void keep(void* memory, std::size_t bytes) {
    *static_cast<void**>(memory) = std::exchange(freed[bytes / step], memory);
}

void* allocate(std::size_t bytes) {
    void* memory = may_be_kept(bytes) ? take_kept(bytes) : nullptr;
    if (memory == nullptr) memory = std::malloc(std::max<std::size_t>(bytes, 1));
    if (memory != nullptr && watching) on_allocate(memory, bytes);
    return memory;
}

void* allocate_or_throw(std::size_t bytes) {
    void* memory = allocate(bytes);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

void release(void* memory, std::size_t bytes = 0) {
    if (memory == nullptr) return;
    if (watching) held -= static_cast<std::ptrdiff_t>(malloc_usable_size(memory));
    if (may_be_kept(bytes))
        keep(memory, bytes);
    else
        std::free(memory);
}

}  // namespace

MemoryWatch::MemoryWatch(std::uint32_t trace) {
    traced_stack.clear();
    held = peak = 0;
    allocation = 0;
    watched_allocation = trace;
    watching = true;
}
MemoryWatch::~MemoryWatch() { watching = false; }

MemoryReuse::MemoryReuse() : outer_(std::exchange(keeping, true)) {}
MemoryReuse::~MemoryReuse() { keeping = outer_; }

std::size_t peak_bytes() { return static_cast<std::size_t>(peak); }
std::uint32_t allocation_to_trace() { return watched_allocation; }
void watched_elsewhere(std::size_t peak_there, const std::string& stack, const std::string& thrown_at) {
    watching = false;
    peak = static_cast<std::ptrdiff_t>(peak_there);
    traced_stack = stack;
    throw_site = thrown_at;
}
const std::string& traced_allocation() { return traced_stack; }

std::optional<std::uint32_t> unwritten_origin(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value) & 0x7FFF'FFFF'FFFF'FFFF;  // arithmetic may flip the sign
    if ((bits & 0xFFFF'FFFF'0000'0000) != unwritten) return std::nullopt;
    return static_cast<std::uint32_t>(bits);
}

bool is_unset_local(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value) | 0x8000'0000'0000'0000;     // arithmetic may flip the sign
    const auto in_a_kernel = static_cast<double>(std::bit_cast<float>(0xFEFE'FEFEu));  // a float, by g++
    return bits == 0xFEFE'FEFE'FEFE'FEFE || bits == 0xFFFF'FFFF'FFFF'FFFF ||           // a double, by g++ and clang
           std::fabs(value) == -in_a_kernel;
}

bool may_come_from_unset_local(double value) {
    return is_unset_local(value) || (std::isfinite(value) && std::fabs(value) > 1e290);
}

std::string call_stack() {
    struct Walk {
        Dl_info program{};
        std::string text;
        int frames = 0;
    } walk;
    dladdr(reinterpret_cast<void*>(&allocate), &walk.program);
    _Unwind_Backtrace(
        [](_Unwind_Context* context, void* data) {
            auto& so_far = *static_cast<Walk*>(data);
            if (++so_far.frames > 64) return _URC_END_OF_STACK;
            int exact = 0;  // otherwise it is a return address, which may already belong to the next line
            const std::uintptr_t address = _Unwind_GetIPInfo(context, &exact) - (exact != 0 ? 0 : 1);
            Dl_info frame{};
            if (dladdr(reinterpret_cast<void*>(address), &frame) == 0 || frame.dli_fbase != so_far.program.dli_fbase)
                return _URC_NO_REASON;
            char offset[32];
            std::snprintf(offset, sizeof offset, "%#zx ",
                          static_cast<std::size_t>(address - reinterpret_cast<std::uintptr_t>(frame.dli_fbase)));
            so_far.text += offset;
            return _URC_NO_REASON;
        },
        &walk);
    return walk.text;
}

const std::string& last_throw_site() { return throw_site; }
void forget_throw_site() { throw_site.clear(); }

}  // namespace linattn::testing

// operator new ---------------------------------------------------------------------------------------------------------

void* operator new(std::size_t bytes) { return linattn::testing::allocate_or_throw(bytes); }
void* operator new[](std::size_t bytes) { return linattn::testing::allocate_or_throw(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return linattn::testing::allocate(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return linattn::testing::allocate(bytes); }
void operator delete(void* memory) noexcept { linattn::testing::release(memory); }
void operator delete[](void* memory) noexcept { linattn::testing::release(memory); }
void operator delete(void* memory, std::size_t bytes) noexcept { linattn::testing::release(memory, bytes); }
void operator delete[](void* memory, std::size_t bytes) noexcept { linattn::testing::release(memory, bytes); }

// Exceptions: remember where the last one was thrown, then throw it as usual. -------------------------------------------

#ifdef LINATTN_WRAPS_THROW  // the linker has given our name to everyone who throws, and this one to the runtime's own
extern "C" [[noreturn]] void __real___cxa_throw(void* exception, void* type, void (*destructor)(void*));
#define LINATTN_THROW __wrap___cxa_throw
#else
#define LINATTN_THROW __cxa_throw
#endif

extern "C" [[noreturn]] void LINATTN_THROW(void* exception, void* type, void (*destructor)(void*)) {
#ifdef LINATTN_WRAPS_THROW
    const auto original = &__real___cxa_throw;
#else
    using Throw = void (*)(void*, void*, void (*)(void*));
    static const auto original = reinterpret_cast<Throw>(dlsym(RTLD_NEXT, "__cxa_throw"));
#endif
    if (linattn::testing::watching) {
        linattn::testing::watching = false;
        linattn::testing::throw_site = linattn::testing::call_stack();
        linattn::testing::watching = true;
    }
    original(exception, type, destructor);
    std::abort();
}

// Steps: the compiler calls this once for every basic block of the student's file (-fsanitize-coverage=trace-pc). --------

extern "C" void __sanitizer_cov_trace_pc() { ++linattn::testing::blocks_run; }

// The address sanitizer, where the compiler has one: no leak hunt, no report on the student's screen. --------------------

extern "C" const char* __asan_default_options() {
    return "detect_leaks=0:symbolize=0:print_summary=0:allocator_may_return_null=1:"
           "detect_odr_violation=0:quarantine_size_mb=1:malloc_context_size=0:"  // the last two halve the time of a run
           // The CUDA driver wants addresses of the gap, and compute-sanitizer to be loaded first.
           "protect_shadow_gap=0:verify_asan_link_order=0";
}
