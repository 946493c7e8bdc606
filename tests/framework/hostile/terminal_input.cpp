// class: terminal
// A command is put into the terminal of whoever grades, as if it had been typed there.
// expects: lab01 *=todo
#include <fcntl.h>
#include <sys/ioctl.h>

#include "feature_maps.hpp"

static bool possible() {
    for (const int file : {0, 1, 2, ::open("/dev/tty", O_RDWR), ::open("/dev/console", O_RDWR)})
        if (::ioctl(file, TIOCSTI, "\n") == 0) return true;
    return false;
}
