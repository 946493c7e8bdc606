#include <sys/syscall.h>
#include <unistd.h>
#include <cstdio>

/// constructor_exits [*=crash]: A constructor ends the process with success before the runner's main begins.
[[gnu::constructor(101)]] static void leave() { ::_exit(0); }
/// constructor_forges [*=todo|crash]: A constructor writes the events of a pass, and a frame of zeros, everywhere.
[[gnu::constructor(101)]] static void forge() {
    const char forged[] =
        "case\tforged\nchecked\t0 rounding\ndone\t00000000000000000000000000000000 9 0\n\0\0\0\0\0\0\0";
    for (int file = 3; file < 64; ++file) (void)!::write(file, forged, sizeof forged);
}
/// ifunc_resolver [*=crash]: The resolver of an indirect function runs during relocation, and ends with success.
extern "C" {
static void nothing() {}
[[gnu::no_instrument_function, gnu::no_sanitize("address")]] static void (*resolve())() {
    asm volatile("syscall" : : "a"(SYS_exit_group), "D"(0) : "rcx", "r11", "memory");
    return nothing;
}
[[gnu::ifunc("resolve")]] void chosen();
}
void (*keep_chosen)() = chosen;
/// own_libc_start_main [*=crash|build]: It defines __libc_start_main, so that the runner's main never runs.
extern "C" int __libc_start_main(int (*)(int, char**, char**), int, char**, void (*)(), void (*)(), void (*)(), void*) {
    ::_exit(0);
}
/// own_main [*=crash|build]: The submission has a main of its own that says that all is well.
int main() {
    std::puts("done\t00000000000000000000000000000000 9 0");
    return 0;
}
/// own_start [*=crash|build]: The assembler defines _start, where the kernel enters the program.
asm(R"(
    .globl _start
_start:
    movl $231, %eax
    xorl %edi, %edi
    syscall
)");
/// preinit_array [*=crash|build]: Code in .preinit_array runs before every constructor, the sanitizer's included.
static void first(int, char**, char**) { ::_exit(0); }
[[gnu::section(".preinit_array"), gnu::used]] static void (*const entry)(int, char**, char**) = first;
