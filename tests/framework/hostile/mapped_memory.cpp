// class: memory
// The same by mmap, which no allocator of the sanitizer sees, and which is shared with children.
// expects: lab01 relu=crash|fail|timeout, *=todo
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor& x) {
    constexpr std::size_t bytes = std::size_t{256} << 20;
    for (int i = 0; i < 64; ++i) {
        void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) break;
        std::memset(memory, 1, bytes);
        ::munmap(memory, i % 2 == 0 ? 0 : 1);
    }
    return x;
}
}
