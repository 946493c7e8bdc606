// class: claims of the runner
// An answer whose claims are numbers so large that a sum with them becomes small, and a million names of functions.
// expects: lab01 relu=crash|fail|timeout, *=todo
#include <unistd.h>

#include <string>

#include "feature_maps.hpp"

namespace linattn {
static void add(std::string& frame, std::size_t number) {
    frame.append(reinterpret_cast<const char*>(&number), sizeof number);
}
Tensor relu(const Tensor& x) {
    std::string body(1, '\1');  // a result (grading/judge/peer.cpp)
    body.append(32, '\xff') += '\1';
    add(body, 1'000'000);
    for (int i = 0; i < 1'000'000; ++i) {
        add(body, 8);
        add(body, static_cast<std::size_t>(i) * 0x0101'0101'0101'0101);
    }
    add(body, ~std::size_t{0});
    add(body, 0);
    add(body, shape_of(x).size());
    for (const std::size_t length : shape_of(x)) add(body, length);
    add(body, x.size());
    body.append(reinterpret_cast<const char*>(x.data()), x.size() * sizeof(double));
    std::string frame;
    add(frame, body.size());
    frame += body;
    for (std::size_t sent = 0; sent < frame.size();) {
        const ssize_t written = ::write(4, frame.data() + sent, frame.size() - sent);
        if (written <= 0) break;
        sent += static_cast<std::size_t>(written);
    }
    return x;
}
}
