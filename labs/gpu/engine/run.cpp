// A launch: the checks that CUDA makes, then block after block.
#include <cstdint>
#include <string>

#include "../gpu.hpp"
#include "../launch_counts.hpp"
#include "checker.hpp"
#include "fault_signals.hpp"
#include "faults.hpp"
#include "host_thread.hpp"
#include "memory.hpp"
#include "scheduler.hpp"

namespace gpu::engine {
namespace {

bool launching = false;
std::uint32_t last_epoch = 0;  // buffers outlive launches, and remember epochs

// For the time of a launch: shared memory, signals, and whatever has to be as before when it ends.
class Stage {
public:
    explicit Stage(std::size_t shared_bytes) {
        begin_shared(shared_bytes);
        begin_faults();
        begin_checks();
        launching = true;
        running.epoch = last_epoch;
    }
    ~Stage() {
        last_epoch = running.epoch;
        launching = false;
        end_shared();
        if (has_stopped()) discard_threads();
    }

private:
    FaultSignals signals_;
};

}  // namespace

void run(dim3 grid, dim3 block, std::size_t shared_bytes, const Call& call) {
    const std::uint64_t count = std::uint64_t{block.x} * block.y * block.z,
                        blocks = std::uint64_t{grid.x} * grid.y * grid.z;
    const HostThread host_thread;
    if (launching) throw Error("a kernel cannot launch another one here");
    if (count == 0 || count > 1024)
        throw Error("a block of " + std::to_string(count) + " threads: 1 to 1024 are allowed");
    if (blocks == 0) throw Error("a grid without blocks: CUDA rejects it (invalid configuration argument)");
    if (block.z > 64 || grid.y > 65535 || grid.z > 65535)
        throw Error("a grid of " + text_of(uint3{grid.x, grid.y, grid.z}) + " blocks of " +
                    text_of(uint3{block.x, block.y, block.z}) +
                    " threads: y and z of a grid end at 65535, z of a block at 64");
    if (shared_bytes > most_shared_bytes())
        throw Error("a block with " + std::to_string(shared_bytes) + " bytes of shared memory: at most " +
                    std::to_string(most_shared_bytes()) + " are allowed");

    prepare_threads(block, call);
    launch_counts = {};
    launch_counts.blocks = blocks;
    launch_counts.threads = count;
    launch_counts.shared_bytes = shared_bytes;
    if (RunScope::current().checked) launch_counts.accesses.resize(count);
    forget_released();
    seed_turns(RunScope::current().seed);
    const Stage stage(shared_bytes);
    blockDim = block;
    gridDim = grid;
    running.arguments_begin = reinterpret_cast<std::uintptr_t>(call.arguments);
    running.arguments_bytes = call.bytes;
    running.launch_epoch = ++running.epoch;
    for (const std::uint64_t number : turns(blocks)) {
        blockIdx = {static_cast<unsigned>(number % grid.x), static_cast<unsigned>(number / grid.x % grid.y),
                    static_cast<unsigned>(number / (std::uint64_t{grid.x} * grid.y))};
        running.block_epoch = ++running.epoch;
        begin_block();
        poison_shared();
        run_block();
        end_block();
        std::string array;
        if (const std::string overrun = overrun_shared(array); !has_findings() && !overrun.empty())
            report(Rank::stopped, outside(array, true), "block " + this_block() + " " + overrun);
        if (has_findings()) break;
    }
    end_checks();
    throw_findings(call.kernel);
}

}  // namespace gpu::engine
