// A stack of its own for every CUDA thread, so that it can stop in the middle of a kernel and go on later.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <cstdint>

namespace gpu::engine {

class Fiber {
public:
    using Entry = void (*)();

    static constexpr std::size_t stack_bytes = 64 * 1024;
    static constexpr std::size_t guard_bytes = 256 * 1024;  // below the stack; wider than any sane local array

    /// \param entry never returns: it suspends instead
    explicit Fiber(Entry entry);
    ~Fiber();
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    void resume();   ///< called by the scheduler: runs until the fiber suspends
    void suspend();  ///< called in the fiber

    std::uintptr_t stack_begin() const { return reinterpret_cast<std::uintptr_t>(map_) + guard_bytes; }

private:
    static void start(unsigned low, unsigned high);

    Entry entry_;
    void* map_;
    ucontext_t context_{};  // where it begins
#ifdef __clang__
    ucontext_t scheduler_{};
#else
    [[gnu::noinline]] void go_on();
    [[gnu::noinline]] void go_back();
    bool started_ = false;
    void *here_[5]{}, *back_[5]{};  // where it goes on, and where the scheduler does
#endif
};

}  // namespace gpu::engine
