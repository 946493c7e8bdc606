#include <dlfcn.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>
#include <cstddef>
#include <new>
#include <string>

/// own_suite_runner [*=todo|build]: The functions that run the suite and compare, under the same names.
namespace linattn::testing {
struct RunCount {
    std::size_t run, failed;
};
RunCount run_suite(const std::string&) { return {9, 0}; }
bool equals(const Tensor&, const Tensor&) { return true; }
}
/// own_vocabulary [relu=fail|crash|build, *=todo|build]: Functions of the course's own library, replaced: whoever
// computes with them here gets what the submission likes.
namespace linattn {
namespace eager {
Tensor apply(Binary, const Tensor& a, double) { return a; }
}
void require_rank(const Tensor&, const char*, std::size_t, const char*, const char*) {}
Tensor relu(const Tensor& x) { return maximum(x, 0); }
}
/// own_read_and_write [*=crash|timeout|build]: Every answer becomes an empty one, every request is cut short.
extern "C" {
ssize_t write(int file, const void*, size_t bytes) {
    static const char nothing[64] = {};
    ::syscall(SYS_write, file, nothing, bytes < sizeof nothing ? bytes : sizeof nothing);
    return static_cast<ssize_t>(bytes);
}
ssize_t read(int, void*, size_t bytes) { return static_cast<ssize_t>(bytes); }
}
