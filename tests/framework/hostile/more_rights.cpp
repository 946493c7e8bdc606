// class: privileges
// The process asks for another user, for a namespace in which it is root, for mounts and for higher limits.
// expects: lab01 *=todo
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "feature_maps.hpp"

static bool possible() {
    const rlimit more{1u << 30, 1u << 30};
    return (::getuid() != 0 && ::setuid(0) == 0) || ::unshare(CLONE_NEWUSER) == 0 ||
           ::mount("none", "/tmp", "tmpfs", 0, nullptr) == 0 || ::chroot("/") == 0 ||
           ::setpriority(PRIO_PROCESS, 0, -20) == 0 || ::setrlimit(RLIMIT_NPROC, &more) == 0;
}
