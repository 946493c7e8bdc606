// class: before main
// The assembler defines _start, where the kernel enters the program.
// expects: lab01 *=crash|build
#include "feature_maps.hpp"

asm(R"(
    .globl _start
_start:
    movl $231, %eax
    xorl %edi, %edi
    syscall
)");
