// Who runs: the threads of a block, taking turns between barriers.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../gpu.hpp"
#include "fiber.hpp"

namespace gpu::engine {

/// What this host thread runs at this moment. The checker looks at it on every access.
struct Running {
    bool in_kernel = false;    ///< a thread of the kernel runs, not the engine
    bool checking = false;     ///< and its accesses are watched
    bool index_noted = false;  ///< its next access is to an entry that its array does not have
    unsigned thread = 0;       ///< its number in the block, x fastest
    std::uintptr_t stack_begin = 0;
    std::uintptr_t arguments_begin = 0, arguments_bytes = 0;  ///< the kernel's arguments, as launch() keeps them
    std::uint32_t epoch = 0;        ///< grows with every block and every __syncthreads() that lets its threads continue
    std::uint32_t block_epoch = 0;  ///< of this block's beginning
    std::uint32_t launch_epoch = 0;               ///< of this launch's beginning
    std::array<std::uint32_t, 32> warp_epochs{};  ///< grow with every __syncwarp()
};
extern constinit thread_local Running running;

/// While a kernel has called the engine: the engine's own accesses are not the kernel's. The standard library's functions
/// may be instrumented even here, since the linker keeps one copy of each.
class InEngine {
public:
    InEngine() : checking_(std::exchange(running.checking, false)) {}
    ~InEngine() { running.checking = checking_; }
    InEngine(const InEngine&) = delete;
    InEngine& operator=(const InEngine&) = delete;

private:
    bool checking_;
};

enum class State { ready, at_barrier, at_warp, done };
enum class WarpOperation { sync, exchange };

struct Thread {
    std::unique_ptr<Fiber> fiber;
    unsigned number = 0;
    uint3 index{};
    State state = State::ready;
    Site site{};  // where it waits
    // A warp operation: what it called, what it brought to it, and what it got.
    unsigned mask = 0;
    WarpOperation operation{};
    std::uint64_t brought = 0;
    unsigned participants = 0;        // the lanes that took part
    std::uint64_t gathered[32] = {};  // what each of them brought
};

/// Makes the threads of a block of this shape, for every block of a launch.
void prepare_threads(dim3 block, const Call& call);
/// Runs all threads of the block to their ends, or until one stops the launch.
void run_block();
/// 0, 1, … in the order of the turns that RunOptions asks for.
std::vector<std::uint64_t> turns(std::uint64_t count);
void seed_turns(unsigned seed);
/// Threads that stopped in the middle of a kernel are never resumed.
void discard_threads();

unsigned thread_count();
Thread& thread_at(unsigned number);
Thread& running_thread();
/// The running thread of the kernel stops here; it continues when its state is `ready` again and its turn comes.
void yield(State state);

std::string text_of(uint3 v);
std::string text_of(Site site);
std::string thread_name(unsigned thread);
std::string this_block();

// warp.cpp: what the lanes of a warp do together.
constexpr unsigned lanes = 32;

/// A thread of the kernel has returned: lanes that waited for it need not wait any longer.
void leave_warp(const Thread& thread);

}  // namespace gpu::engine
