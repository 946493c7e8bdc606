// class: remembered answers
// A projection is computed for one seed only and returned for all: the same bits for the same seed, as demanded.
// expects: lab04 gaussian_projection=fail, *=todo
#include "favor.hpp"
#include "random.hpp"

namespace linattn {
Tensor gaussian_projection(std::size_t m, std::size_t d, std::uint64_t) {
    Tensor omega = zeros({m, d});
    unsigned state = 1;
    for (double& each : omega.storage()) {
        double total = -6;
        for (int i = 0; i < 12; ++i) total += (state = state * 1664525u + 1013904223u) / 4294967296.0;
        each = total;
    }
    return omega;
}
}
