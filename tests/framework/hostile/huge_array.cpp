// class: huge objects
// An array without content, which costs nothing in the object and a terabyte in memory.
// expects: lab01 *=build|crash|todo
#include "feature_maps.hpp"

asm(R"(
    .bss
    .globl enormous
enormous:
    .zero 1099511627776
    .text
)");
