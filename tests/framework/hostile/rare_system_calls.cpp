// class: system calls
// Doors of the kernel that a function of tensors never needs.
// expects: lab01 *=todo
#include <sys/syscall.h>
#include <unistd.h>

#include "feature_maps.hpp"

static bool possible() {
    alignas(64) char arguments[256] = {};
    return ::syscall(SYS_io_uring_setup, 4, arguments) >= 0 ||
           ::syscall(SYS_bpf, 0, arguments, sizeof arguments) >= 0 || ::syscall(SYS_userfaultfd, 1) >= 0 ||
           ::syscall(SYS_perf_event_open, arguments, 0, -1, -1, 0) >= 0 || ::syscall(SYS_pidfd_getfd, 0, 0, 0) >= 0 ||
           ::syscall(SYS_open_by_handle_at, -100, arguments, 0) >= 0;
}
