// The functions that -fsanitize=thread,alignment,bounds makes the compiler call in kernels. The sanitizers that have them
// are not linked: the calls come here.
#include <cstdint>
#include <cstring>
#include <string>

#include "../executable.hpp"
#include "checker.hpp"
#include "faults.hpp"
#include "memory.hpp"
#include "scheduler.hpp"

using gpu::engine::Access;

namespace {
inline void announce(const void* address, std::size_t bytes, Access access, const void* instruction, bool aligned) {
    if (gpu::engine::running.checking && bytes > 0)
        gpu::engine::on_access(reinterpret_cast<std::uintptr_t>(address), bytes, access, instruction, aligned);
}
}  // namespace

#define HERE __builtin_return_address(0)
#define ACCESSES(bytes)                                                                                         \
    void __tsan_read##bytes(void* address) { announce(address, bytes, Access::read, HERE, true); }              \
    void __tsan_write##bytes(void* address) { announce(address, bytes, Access::write, HERE, true); }            \
    void __tsan_unaligned_read##bytes(void* address) { announce(address, bytes, Access::read, HERE, false); }   \
    void __tsan_unaligned_write##bytes(void* address) { announce(address, bytes, Access::write, HERE, false); } \
    void __tsan_read_write##bytes(void* address) {                                                              \
        announce(address, bytes, Access::read, HERE, true);                                                     \
        announce(address, bytes, Access::write, HERE, true);                                                    \
    }                                                                                                           \
    void __tsan_unaligned_read_write##bytes(void* address) {                                                    \
        announce(address, bytes, Access::read, HERE, false);                                                    \
        announce(address, bytes, Access::write, HERE, false);                                                   \
    }
extern "C" {
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
void __tsan_read_range(void* address, std::size_t bytes) { announce(address, bytes, Access::read, HERE, false); }
void __tsan_write_range(void* address, std::size_t bytes) { announce(address, bytes, Access::write, HERE, false); }
void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) {
    announce(from, bytes, Access::read, HERE, false);
    announce(to, bytes, Access::write, HERE, false);
    return std::memcpy(to, from, bytes);
}
void* __tsan_memmove(void* to, const void* from, std::size_t bytes) {
    announce(from, bytes, Access::read, HERE, false);
    announce(to, bytes, Access::write, HERE, false);
    return std::memmove(to, from, bytes);
}
void* __tsan_memset(void* to, int value, std::size_t bytes) {
    announce(to, bytes, Access::write, HERE, false);
    return std::memset(to, value, bytes);
}
unsigned char __tsan_atomic8_load(const volatile unsigned char* guard, int) { return *guard; }  // of a static local
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

#ifndef __clang__  // whose address sanitizer has these itself: cmake/kernels.cmake
// -fsanitize=alignment,bounds bring file and line along.
struct UndefinedSite {
    const char* file;
    std::uint32_t line, column;
};
struct UndefinedAlignment {
    UndefinedSite site;
    const void* type;
    unsigned char log_alignment, kind;
};
struct UndefinedIndex {
    UndefinedSite site;
    const void *array, *index;
};
void __ubsan_handle_type_mismatch_v1(UndefinedAlignment* what, std::uintptr_t address) {
    using namespace gpu::engine;
    if (!running.in_kernel) return;
    running.checking = false;
    const Array* array = find_array(address);
    const std::size_t alignment = std::size_t{1} << what->log_alignment;
    const std::string line = gpu::short_path(what->site.file) + ":" + std::to_string(what->site.line);
    if (address == 0) stop("null pointer", "used a null pointer" + by_whom(line));
    stop("misaligned " + (array == nullptr ? "" : array->name),
         "an access that needs a multiple of " + std::to_string(alignment) + " bytes, at " +
             (array == nullptr ? "an address that is none" : array->entry(address) + ", which is none") +
             by_whom(line));
}
void __ubsan_handle_out_of_bounds(UndefinedIndex* what, std::uintptr_t index) {
    using namespace gpu::engine;
    if (!running.in_kernel) return;
    running.checking = false;
    stop("index out of bounds", "index " + std::to_string(static_cast<long long>(index)) + " is outside of its array" +
                                    by_whom(gpu::short_path(what->site.file) + ":" + std::to_string(what->site.line)));
}
#endif
}
