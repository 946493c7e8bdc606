// class: exits
// The process replaces itself by its own program, started with the options of the program that grades at home.
// expects: lab01 relu=crash|fail|timeout, *=todo
#include <unistd.h>

#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor& x) {
    ::execl("/proc/self/exe", "lab01_exercises", "--exercise", "relu", "--mistake", "none", "--events", "3", nullptr);
    ::execl("/bin/true", "true", nullptr);
    return x;
}
}
