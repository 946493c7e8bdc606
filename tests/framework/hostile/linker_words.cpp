// class: sections
// Options for the linker in pragmas and sections of other systems, and notes that ask for an executable stack.
// expects: lab01 *=todo|build
#include "feature_maps.hpp"

#pragma comment(linker, "/include:lab01_reference --wrap=read")
#pragma comment(lib, "lab01_reference")
asm(R"(
    .section .drectve, "", @progbits
    .ascii " -export:relu --defsym=_ZN7linattn4reluERKN2xt6xarrayE=0 "
    .section .note.GNU-stack, "x", @progbits
    .section .gnu.warning, "", @progbits
    .asciz "\033[2J lab01: 11 of 11 points"
    .section .comment, "", @progbits
    .fill 1000000, 1, 65
    .text
)");
