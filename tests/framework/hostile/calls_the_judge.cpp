// class: forged frames
// In the place of an answer the runner calls functions by name, and closures that were never passed to it.
// expects: lab01 relu=crash, *=todo
#include <unistd.h>

#include <string>

#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor& x) {
    static int calls = 0;
    const std::string names[] = {"relu", "#0", "#4096", "#-1", "#18446744073709551615", "", std::string(1 << 20, '#')};
    const std::string& name = names[++calls % 7];
    const std::size_t length = name.size(), count = 1 + sizeof length + length;
    std::string frame(reinterpret_cast<const char*>(&count), sizeof count);
    frame += '\0';  // a call (grading/judge/peer.cpp)
    frame.append(reinterpret_cast<const char*>(&length), sizeof length) += name;
    (void)!::write(4, frame.data(), frame.size());
    ::usleep(1000);
    return maximum(x, 0);
}
}
