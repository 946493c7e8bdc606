// class: threads left running
// A thread keeps changing the numbers of a result that was right when the call returned it, until the next call.
// expects: lab01 relu=fail|crash, *=todo
#include <atomic>
#include <thread>

#include "feature_maps.hpp"

namespace linattn {
static std::atomic<double*> target;
Tensor relu(const Tensor& x) {
    static const bool started = [] {
        std::thread([] {
            for (;;)
                if (double* const first = target) *const_cast<volatile double*>(first) += 1;
        }).detach();
        return true;
    }();
    Tensor y = maximum(x, started ? 0 : 1);
    if (y.size() > 0) {
        target = y.data();
        for (const double before = y.flat(0); y.flat(0) == before;) std::this_thread::yield();
    }
    return y;
}
}
