// class: files
// A hundred thousand folders in each other, and as many files, in every place that takes them.
// expects: lab01 relu=crash|fail|timeout, *=todo
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor& x) {
    for (const char* folder : {"/tmp", ".", "/dev/shm", "/var/tmp"}) {
        if (::chdir(folder) != 0) continue;
        for (int i = 0; i < 100'000; ++i) {
            if (::mkdir("linattn_deep", 0700) != 0 || ::chdir("linattn_deep") != 0) break;
            ::close(::open(std::to_string(i).c_str(), O_CREAT | O_WRONLY, 0600));
        }
    }
    return x;
}
}
