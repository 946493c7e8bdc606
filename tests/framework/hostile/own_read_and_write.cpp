// class: libc functions of the submission
// Every answer that the process writes is replaced by an empty one, and every request that it reads is cut short.
// expects: lab01 *=crash|timeout|build
#include <sys/syscall.h>
#include <unistd.h>

#include "feature_maps.hpp"

extern "C" {
ssize_t write(int file, const void*, size_t bytes) {
    static const char nothing[64] = {};
    ::syscall(SYS_write, file, nothing, bytes < sizeof nothing ? bytes : sizeof nothing);
    return static_cast<ssize_t>(bytes);
}
ssize_t read(int, void*, size_t bytes) { return static_cast<ssize_t>(bytes); }
}
