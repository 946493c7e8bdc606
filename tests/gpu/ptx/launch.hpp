// A launch under the PTX interpreter. Threads take turns as gpu::RunOptions says, each until it ends or waits.
#pragma once

#include <span>

#include "gpu/error.hpp"
#include "memory.hpp"
#include "program.hpp"

namespace ptx {

struct Launch;

struct Thread {
    enum class State { ready, at_barrier, at_warp, done };

    std::vector<std::uint64_t> values{};
    std::size_t next = 0;  ///< instruction
    State state = State::ready;
    Accessor accessor{};
    Launch* launch = nullptr;
};

using Dimensions = std::array<unsigned, 3>;

struct Launch {
    const Kernel& kernel;
    Dimensions grid, block;
    std::vector<char> parameters;
    Memory memory;
    gpu::RunOptions options;

    /// Runs every block. \throws std::runtime_error when a thread breaks a rule: what, where and which
    void run();

private:
    void run_block(const Dimensions& index, std::size_t number);
    void run_thread(Thread& thread) const;
    bool run_warp(std::span<Thread> lanes) const;
    void pass_barrier(std::span<Thread> threads);
    [[noreturn]] void fail(const std::string& what, const Thread& thread) const;
    std::vector<std::size_t> turns(std::size_t count, std::size_t round) const;
};

}  // namespace ptx
