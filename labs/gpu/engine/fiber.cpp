#include "fiber.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

namespace gpu::engine {

Fiber::Fiber(Entry entry, void* argument)
    : entry_(entry),
      argument_(argument),
      map_(::mmap(nullptr, guard_bytes + stack_bytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    if (map_ == MAP_FAILED) throw std::bad_alloc();
    ::mprotect(map_, guard_bytes, PROT_NONE);
    ::getcontext(&here_);
    here_.uc_stack.ss_sp = static_cast<char*>(map_) + guard_bytes;
    here_.uc_stack.ss_size = stack_bytes;
    here_.uc_link = nullptr;
    const auto self = reinterpret_cast<std::uintptr_t>(this);  // makecontext passes ints only
    ::makecontext(&here_, reinterpret_cast<void (*)()>(&Fiber::start), 2, static_cast<unsigned>(self & 0xffffffffu),
                  static_cast<unsigned>(static_cast<std::uint64_t>(self) >> 32));
}

Fiber::~Fiber() { ::munmap(map_, guard_bytes + stack_bytes); }

void Fiber::resume() { ::swapcontext(&back_, &here_); }
void Fiber::suspend() { ::swapcontext(&here_, &back_); }

void Fiber::start(unsigned low, unsigned high) {
    Fiber& self = *reinterpret_cast<Fiber*>(static_cast<std::uintptr_t>(low | static_cast<std::uint64_t>(high) << 32));
    self.entry_(self.argument_);
    std::abort();
}

}  // namespace gpu::engine
