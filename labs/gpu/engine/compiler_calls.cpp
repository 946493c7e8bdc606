// The functions that -fsanitize=thread,alignment,bounds makes the compiler call in kernels. The sanitizers that have them
// are not linked: the calls come here.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
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

#ifndef __clang__
// The compiler tells a type and a line, and no name.
std::string text_of_line(const char* file, unsigned number) {
    std::ifstream source(file);
    std::string line;
    for (unsigned i = 0; i < number && std::getline(source, line); ++i) {
    }
    return line;
}

// The one __shared__ array that can have this type or consist of it, and that the line names.
const gpu::engine::Array* shared_array_of(const std::string& type, const std::string& line) {
    const bool wide = type.starts_with("double") || type.starts_with("long");
    std::size_t bytes = wide ? 8 : type.starts_with("char") ? 1 : 4;
    for (std::size_t at = 0; (at = type.find('[', at)) != std::string::npos; ++at)
        bytes *= std::strtoul(type.c_str() + at + 1, nullptr, 10);
    const gpu::engine::Array* found = nullptr;
    for (const auto& array : gpu::engine::arrays()) {
        if (!array->has_length || bytes == 0 || (array->end - array->begin) % bytes != 0) continue;
        if (line.find(array->name + "[") == std::string::npos) continue;
        if (found != nullptr) return nullptr;
        found = array.get();
    }
    return found;
}
#endif
}  // namespace

#define HERE __builtin_return_address(0)
#define ACCESSES_OF(kind, bytes, aligned)                                                             \
    void __tsan_##kind##read##bytes(void* at) { announce(at, bytes, Access::read, HERE, aligned); }   \
    void __tsan_##kind##write##bytes(void* at) { announce(at, bytes, Access::write, HERE, aligned); } \
    void __tsan_##kind##read_write##bytes(void* at) {                                                 \
        announce(at, bytes, Access::read, HERE, aligned);                                             \
        announce(at, bytes, Access::write, HERE, aligned);                                            \
    }
#define ACCESSES(bytes)        \
    ACCESSES_OF(, bytes, true) \
    ACCESSES_OF(unaligned_, bytes, false)
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
struct UndefinedType {
    std::uint16_t kind, info;
    char name[1];  // "'float [16]'"
};
struct UndefinedIndex {
    UndefinedSite site;
    const UndefinedType* array;
    const void* index;
};

void __ubsan_handle_type_mismatch_v1(UndefinedAlignment* what, std::uintptr_t address) {
    using namespace gpu::engine;
    if (!running.in_kernel) return;
    running.checking = false;
    const Array* array = find_array(address);
    const std::size_t alignment = std::size_t{1} << what->log_alignment;
    const std::string line = gpu::short_path(what->site.file) + ":" + std::to_string(what->site.line);
    if (address == 0) stop({gpu::Fault::null_pointer}, "used a null pointer" + by_whom(line));
    stop({gpu::Fault::misaligned, array == nullptr ? "" : array->name},
         "an access that needs a multiple of " + std::to_string(alignment) + " bytes, at " +
             (array == nullptr ? "an address that is none" : array->entry(address) + ", which is none") +
             by_whom(line));
}
void __ubsan_handle_out_of_bounds(UndefinedIndex* what, std::uintptr_t index) {
    using namespace gpu::engine;
    if (!running.in_kernel) return;
    running.checking = false;
    std::string type = what->array->name;
    std::erase(type, '\'');
    const Array* array = shared_array_of(type, text_of_line(what->site.file, what->site.line));
    stop({array == nullptr ? gpu::Fault::index_out_of_bounds : gpu::Fault::beyond_a_fixed_length},
         "index " + std::to_string(static_cast<long long>(index)) + " is outside of " +
             (array == nullptr ? "an array" : "the __shared__ array '" + array->name + "'") + ", " + type +
             by_whom(gpu::short_path(what->site.file) + ":" + std::to_string(what->site.line)));
}
#endif
}
