// class: huge objects
// The assembler repeats a definition ten million times.
// expects: lab01 *=build|todo
#include "feature_maps.hpp"

asm(R"(
    .altmacro
    .macro many from
    .quad \from
    .pushsection .text.many_\from, "ax"
    nop
    .popsection
    .endm
    .set counter, 0
    .rept 10000000
    many %counter
    .set counter, counter + 1
    .endr
)");
