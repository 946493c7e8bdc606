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
/// own_main [*=crash|build]: The submission has a main of its own that says that all is well.
int main() {
    std::puts("done\t00000000000000000000000000000000 9 0");
    return 0;
}
