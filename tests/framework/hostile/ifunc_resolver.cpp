// class: before main
// A resolver of an indirect function runs while the program is still being relocated, and leaves with success.
// expects: lab01 *=crash
#include <sys/syscall.h>

#include "feature_maps.hpp"

extern "C" {
static void nothing() {}
[[gnu::no_instrument_function, gnu::no_sanitize("address")]] static void (*resolve())() {
    asm volatile("syscall" : : "a"(SYS_exit_group), "D"(0) : "rcx", "r11", "memory");
    return nothing;
}
[[gnu::ifunc("resolve")]] void chosen();
}
void (*keep_chosen)() = chosen;
