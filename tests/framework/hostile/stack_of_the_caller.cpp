// class: claims of the runner
// The frames above the call are searched for the address of the argument and overwritten.
// expects: lab01 relu=crash|fail|timeout, *=todo
#include <cstdint>

#include "feature_maps.hpp"

namespace linattn {
[[gnu::no_sanitize("address")]] Tensor relu(const Tensor& x) {
    auto* frame = static_cast<volatile std::uintptr_t*>(__builtin_frame_address(0));
    for (int i = 2; i < 400; ++i)
        if (frame[i] == reinterpret_cast<std::uintptr_t>(&x) || frame[i] == x.size()) frame[i] = 0;
    return maximum(x, 0);
}
}
