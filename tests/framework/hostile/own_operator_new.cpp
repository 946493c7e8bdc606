// class: libc functions of the submission
// All memory of the process comes from one small array, so that no allocation is counted or fails.
// expects: lab01 relu=fail|crash|build, *=todo|crash|build
#include <cstddef>
#include <new>

#include "feature_maps.hpp"

static char memory[1 << 20];
static std::size_t used = 0;
void* operator new(std::size_t bytes) {
    used += (bytes + 15) & ~std::size_t{15};
    return memory + (used % sizeof memory);
}
void operator delete(void*) noexcept {}
void operator delete(void*, std::size_t) noexcept {}

namespace linattn {
Tensor relu(const Tensor& x) { return x; }
}
