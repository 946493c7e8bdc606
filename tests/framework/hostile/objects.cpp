/// dependent_libraries [*=todo|build|crash]: A section tells the linker which libraries to add: the reference, a plugin,
// everything that lies beside the object.
asm(R"(
    .section .deplibs, "MS", @0x6fff4c04, 1
    .asciz "../../build/reference/labs/liblab01_graded.a"
    .asciz "/lab01_reference.o"
    .asciz "dl"
    .text
)");
/// linker_words [*=todo|build]: Options for the linker in pragmas and sections, and notes for an executable stack.
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
/// own_interpreter [*=todo|crash|build]: Another interpreter, which the kernel would start as the dynamic linker.
[[gnu::section(".interp"), gnu::used]] static const char interpreter[] = "/proc/self/exe";
/// redirected_symbols [*=build|crash|fail]: The assembler gives an exercise's address other names, such as main.
asm(R"(
    .globl main
    .set main, _ZN7linattn4reluERKN2xt16xarray_containerINS0_7uvectorIdSaIdEEELNS0_11layout_typeE1ENS0_7svectorImLm4ESaImELb1EEENS0_22xtensor_expression_tagEEE
    .symver memcpy, memcpy@GLIBC_2.2.5
    .text
)");
/// sections_of_its_own [*=crash|build]: Entries of .init_array and .ctors with a priority ahead of all others.
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
/// time_optimisation_bytecode [*=todo|build]: Sections that claim to be intermediate code, with compiler options.
asm(R"(
    .section .gnu.lto_.opts, "e", @progbits
    .asciz "'-fplugin=./answers.so' '-O3' '-o' '/tmp/answers' '-wrapper' '/bin/sh,-c'"
    .section .gnu.lto_.symtab.1, "e", @progbits
    .asciz "main"
)");
/// incbin_of_the_reference [*=build]: The assembler puts a file's text into the object, to be compiled later.
asm(R"(
    .section .rodata
    .incbin "../../reference/lab01_feature_maps.cpp"
)");
/// huge_array [*=build|crash|todo]: An array without content: nothing in the object, a terabyte in memory.
asm(R"(
    .bss
    .globl enormous
enormous:
    .zero 1099511627776
    .text
)");
/// huge_object [*=build]: A few lines make an object of 64 gigabytes.
asm(R"(
    .data
    .fill 8589934592, 8, 0x0102030405060708
)");
