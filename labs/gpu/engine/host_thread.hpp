// One launch at a time: the engine's state, as a GPU's, is one for the program.
#pragma once

#include <atomic>
#include <thread>

#include "../error.hpp"

namespace gpu::engine {

/// While a host thread is in the engine. Another one gets an Error, or waits for it.
class HostThread {
public:
    enum class Busy { throws, waits };

    explicit HostThread(Busy busy = Busy::throws) {
        const std::thread::id self = std::this_thread::get_id();
        nested_ = owner_ == self;
        for (std::thread::id nobody; !nested_ && !owner_.compare_exchange_strong(nobody, self); nobody = {}) {
            if (busy == Busy::throws)
                throw Error(
                    "two host threads use gpu:: at the same time; the CPU run serves one at a time: launch, "
                    "allocate and copy from one thread");
            std::this_thread::yield();
        }
    }
    ~HostThread() {
        if (!nested_) owner_ = std::thread::id();
    }
    HostThread(const HostThread&) = delete;
    HostThread& operator=(const HostThread&) = delete;

private:
    static inline std::atomic<std::thread::id> owner_;
    bool nested_;  // a kernel, or a launch, called
};

}  // namespace gpu::engine
