// class: huge objects
// A few lines make an object of 64 gigabytes.
// expects: lab01 *=build
#include "feature_maps.hpp"

asm(R"(
    .data
    .fill 8589934592, 8, 0x0102030405060708
)");
