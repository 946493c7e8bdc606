#include "fiber.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <new>
#include <utility>

namespace gpu::engine {

Fiber::Fiber(Entry entry)
    : entry_(entry),
      map_(::mmap(nullptr, guard_bytes + stack_bytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    if (map_ == MAP_FAILED) throw std::bad_alloc();
    ::mprotect(map_, guard_bytes, PROT_NONE);
    ::getcontext(&context_);
    context_.uc_stack.ss_sp = static_cast<char*>(map_) + guard_bytes;
    context_.uc_stack.ss_size = stack_bytes;
    context_.uc_link = nullptr;
    const auto self = reinterpret_cast<std::uintptr_t>(this);  // makecontext passes ints only
    ::makecontext(&context_, reinterpret_cast<void (*)()>(&Fiber::start), 2, static_cast<unsigned>(self & 0xffffffffu),
                  static_cast<unsigned>(static_cast<std::uint64_t>(self) >> 32));
}

Fiber::~Fiber() { ::munmap(map_, guard_bytes + stack_bytes); }

#ifdef __clang__  // whose jumps lose registers
void Fiber::resume() { ::swapcontext(&scheduler_, &context_); }
void Fiber::suspend() { ::swapcontext(&context_, &scheduler_); }
#else
// swapcontext() would do here, too, but it asks the kernel for the signal mask every time, and a third of an unchecked
// run would pass that way. The compiler's own jumps keep the registers and nothing else. None may stand where the other
// is set.
void Fiber::resume() {
    if (__builtin_setjmp(back_) == 0) go_on();
}
void Fiber::suspend() {
    if (__builtin_setjmp(here_) == 0) go_back();
}
void Fiber::go_on() {
    if (std::exchange(started_, true)) __builtin_longjmp(here_, 1);
    ::setcontext(&context_);
}
void Fiber::go_back() { __builtin_longjmp(back_, 1); }
#endif

void Fiber::start(unsigned low, unsigned high) {
    Fiber& self = *reinterpret_cast<Fiber*>(static_cast<std::uintptr_t>(low | static_cast<std::uint64_t>(high) << 32));
    self.entry_();
    std::abort();
}

}  // namespace gpu::engine
