// class: sections
// Entries of .init_array and .ctors put there by the assembler, with a priority ahead of all others.
// expects: lab01 *=crash|build
#include "feature_maps.hpp"

asm(R"(
    .text
leave_at_once:
    movl $231, %eax
    xorl %edi, %edi
    syscall
    .section .init_array.00000, "aw"
    .balign 8
    .quad leave_at_once
    .section .init, "ax"
    call leave_at_once
)");
