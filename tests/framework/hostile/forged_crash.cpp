// class: forged frames
// A report of the sanitizer's, forged, with lines that would be events of a passed run, and control sequences.
// expects: lab01 relu=crash, *=todo
#include <unistd.h>

#include <string>

#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor&) {
    const std::string report =
        "passed\nchecked\t0 rounding\ndone\t00000000000000000000000000000000 9 0\n\033[2Jrelu PASS\r\n";
    const std::size_t length = report.size(), count = 1 + sizeof length + length;
    std::string frame(reinterpret_cast<const char*>(&count), sizeof count);
    frame += '\3';  // a crash (grading/judge/peer.cpp)
    frame.append(reinterpret_cast<const char*>(&length), sizeof length) += report;
    (void)!::write(4, frame.data(), frame.size());
    for (;;) ::pause();
}
}
