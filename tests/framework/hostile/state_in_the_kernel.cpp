// class: state smuggled between runs
// Keys, niceness, clocks and names that belong to the user and not to the process.
// expects: lab01 *=todo
#include <sys/syscall.h>
#include <unistd.h>

#include "feature_maps.hpp"

static bool possible() {
    constexpr int user_keyring = -4, session_keyring = -3;
    return ::syscall(SYS_add_key, "user", "linattn", "seen", 4, user_keyring) >= 0 ||
           ::syscall(SYS_request_key, "user", "linattn", nullptr, session_keyring) >= 0 ||
           ::sethostname("linattn", 7) == 0;
}
