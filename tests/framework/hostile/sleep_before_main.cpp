// class: time
// The process never gets as far as main.
// expects: lab00 *=timeout|crash
#include <unistd.h>

#include "warm_up.hpp"

[[gnu::constructor]] static void wait() {
    for (;;) ::pause();
}
