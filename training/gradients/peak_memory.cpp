#include "peak_memory.hpp"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace {

std::size_t held = 0, held_before = 0, peak = 0;  // one thread allocates

}  // namespace

void restart_peak() { peak = held_before = held; }
std::size_t peak_bytes() { return peak - held_before; }
std::size_t held_bytes() { return held - held_before; }

void* operator new(std::size_t bytes) {
    void* memory = std::malloc(bytes);
    if (memory == nullptr) throw std::bad_alloc();
    held += malloc_usable_size(memory);
    peak = std::max(peak, held);
    return memory;
}
void operator delete(void* memory) noexcept {
    held -= malloc_usable_size(memory);
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }
