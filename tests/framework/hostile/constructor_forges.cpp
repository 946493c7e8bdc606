// class: before main
// A constructor writes the events of a passed run, and a frame full of zeros, to every descriptor that is open.
// expects: lab01 *=todo|crash
#include <unistd.h>

#include "feature_maps.hpp"

[[gnu::constructor(101)]] static void forge() {
    const char forged[] =
        "case\tforged\nchecked\t0 rounding\ndone\t00000000000000000000000000000000 9 0\n\0\0\0\0\0\0\0";
    for (int file = 3; file < 64; ++file) (void)!::write(file, forged, sizeof forged);
}
