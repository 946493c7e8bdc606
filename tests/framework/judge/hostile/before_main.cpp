#include <unistd.h>
#include <cstdio>

/// initialiser_forges [*=todo|crash]: Before main, the events of a pass, and a frame of zeros, go everywhere.
static const bool forged = [] {
    const char events[] =
        "case\tforged\nchecked\t0 rounding\ndone\t00000000000000000000000000000000 9 0\n\0\0\0\0\0\0\0";
    for (int file = 3; file < 64; ++file) (void)!::write(file, events, sizeof events);
    return true;
}();
/// own_main [*=crash|build]: The submission has a main of its own that says that all is well.
int main() {
    std::puts("done\t00000000000000000000000000000000 9 0");
    return 0;
}
/// sleep_before_main [lab00 *=timeout|crash]: The process never gets as far as main.
static const bool waited = [] {
    for (;;) ::pause();
    return true;
}();
