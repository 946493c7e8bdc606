// class: libc functions of the submission
// Comparing memory finds everything equal, copying copies nothing.
// expects: lab01 *=todo|crash|timeout|build
#include <cstddef>

#include "feature_maps.hpp"

extern "C" {
int memcmp(const void*, const void*, std::size_t) noexcept { return 0; }
void* memcpy(void* to, const void*, std::size_t) noexcept { return to; }
void* memmove(void* to, const void*, std::size_t) noexcept { return to; }
int strcmp(const char*, const char*) noexcept { return 0; }
}
