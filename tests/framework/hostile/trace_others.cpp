// class: ptrace
// Another process is traced, or its memory is read and written.
// expects: lab01 *=todo
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <unistd.h>

#include "feature_maps.hpp"

static bool possible() {
    char byte = 0;
    const iovec here{&byte, 1}, there{reinterpret_cast<void*>(&possible), 1};
    for (const pid_t other : {::getppid(), 1})
        if (::ptrace(PTRACE_SEIZE, other, nullptr, nullptr) == 0 ||
            ::process_vm_readv(other, &here, 1, &there, 1, 0) > 0 ||
            ::process_vm_writev(other, &here, 1, &there, 1, 0) > 0)
            return true;
    return ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0;
}
