// class: sections
// A section tells the linker which libraries to add: the reference, a plugin, everything that lies beside the object.
// expects: lab01 *=todo|build
#include "feature_maps.hpp"

asm(R"(
    .section .deplibs, "MS", @0x6fff4c04, 1
    .asciz "../../build/reference/labs/liblab01_graded.a"
    .asciz "/lab01_reference.o"
    .asciz "dl"
)");
