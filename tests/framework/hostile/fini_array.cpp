// class: after main
// An entry of .fini_array, which runs after the last destructor.
// expects: lab01 relu=crash, *=todo|crash
#include <unistd.h>

#include <cstdlib>

#include "feature_maps.hpp"

static void forge() {
    const char forged[16] = {};
    for (int file = 3; file < 64; ++file) (void)!::write(file, forged, sizeof forged);
    ::_exit(0);
}
[[gnu::section(".fini_array"), gnu::used]] static void (*const very_last)() = forge;

namespace linattn {
Tensor relu(const Tensor&) { std::exit(0); }
}
