// Writes the seccomp program of a box to a file: deny_syscalls FILE [no-processes]. What is denied fails with EPERM,
// as if the system did not allow it; libseccomp ends what calls by another architecture's numbers.
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string_view>

namespace {

const char* const denied[] = {
    "socket", "socketpair", "connect", "bind", "listen", "accept", "accept4",
    // memory that no limit of the process counts
    "memfd_create", "memfd_secret", "shmget", "shmat", "shmctl", "semget", "msgget", "mq_open", "userfaultfd",
    // other processes
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_open", "pidfd_getfd", "kcmp",
    "migrate_pages", "move_pages",
    // the kernel's larger doors
    "io_uring_setup", "io_uring_enter", "io_uring_register", "bpf", "perf_event_open", "keyctl", "add_key",
    "request_key", "unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "fsopen", "fsmount", "move_mount",
    "open_tree", "name_to_handle_at", "open_by_handle_at", "personality", "fanotify_init", "inotify_init",
    "inotify_init1", "quotactl", "syslog", "vmsplice", "modify_ldt", "lookup_dcookie", "acct", "swapon", "reboot",
    "init_module", "finit_module", "kexec_load", "clock_settime", "settimeofday", "mknod", "mknodat"};

}  // namespace

int main(int argc, char** argv) {
    scmp_filter_ctx program = seccomp_init(SCMP_ACT_ALLOW);
    const auto deny = [&](const char* name) {
        const int number = seccomp_syscall_resolve_name(name);
        return number == __NR_SCMP_ERROR || number < 0 ||
               seccomp_rule_add(program, SCMP_ACT_ERRNO(EPERM), number, 0) == 0;
    };
    bool made = program != nullptr && argc >= 2;
    const bool no_processes = argc > 2 && argv[2] == std::string_view("no-processes");
    for (const char* name : denied) made = made && deny(name);
    if (no_processes) {  // shared memory without a name, of which the process may hold pages that it gave up
        const scmp_arg_cmp shared{3, SCMP_CMP_MASKED_EQ, MAP_SHARED | MAP_ANONYMOUS, MAP_SHARED | MAP_ANONYMOUS};
        made = made && seccomp_rule_add_array(program, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(mmap), 1, &shared) == 0;
    }
    // clone3 hides its flags from us: without it the C library calls clone, which may start threads alone.
    made = made && seccomp_rule_add(program, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) == 0;
    if (no_processes) {
        for (const char* name : {"fork", "vfork"}) made = made && deny(name);
        const scmp_arg_cmp no_thread{0, SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0};
        made = made && seccomp_rule_add_array(program, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1, &no_thread) == 0;
    }
    const int file = made ? ::open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0644) : -1;
    if (file < 0 || seccomp_export_bpf(program, file) != 0) {
        std::fputs("the seccomp program cannot be written: deny_syscalls FILE [no-processes]\n", stderr);
        return 1;
    }
    return 0;
}
