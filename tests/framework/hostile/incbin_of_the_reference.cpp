// class: .incbin
// The assembler puts a file into the object, whose text the program could then compile in its head.
// expects: lab01 *=build
#include "feature_maps.hpp"

asm(R"(
    .section .rodata
    .incbin "../../reference/lab01_feature_maps.cpp"
)");
