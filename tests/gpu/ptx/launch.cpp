#include <numeric>
#include <random>

#include "interpreter.hpp"

namespace ptx {
namespace {

std::size_t product(const Dimensions& d) { return std::size_t{d[0]} * d[1] * d[2]; }

Dimensions index_of(std::size_t number, const Dimensions& d) {
    return {static_cast<unsigned>(number % d[0]), static_cast<unsigned>(number / d[0] % d[1]),
            static_cast<unsigned>(number / d[0] / d[1])};
}

std::vector<std::size_t> turns(std::size_t count, std::size_t round, const gpu::RunOptions& options) {
    std::vector<std::size_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    if (options.order == gpu::RunOptions::Order::reverse) std::reverse(numbers.begin(), numbers.end());
    if (options.order == gpu::RunOptions::Order::shuffled)
        std::shuffle(numbers.begin(), numbers.end(), std::mt19937(options.seed + static_cast<unsigned>(round)));
    return numbers;
}

[[noreturn]] void fail(const std::string& what, const Thread& thread) {
    throw std::runtime_error(what + "; " + thread.accessor.name() + " at " + thread.kernel->code[thread.next - 1].name);
}

void execute(const Instruction& instruction, std::span<Thread> threads) try {
    instruction.operation.execute(threads, instruction);
} catch (const std::runtime_error& error) {
    fail(error.what(), threads[0]);
}

/// Until it ends, or waits for others. Whether it could begin.
bool run_thread(Thread& thread) {
    const bool began = thread.state == Thread::ready;
    while (thread.state == Thread::ready) {
        const Instruction& instruction = thread.kernel->code[thread.next++];
        if ((thread.values[instruction.guard] != 0) == instruction.guard_negated) continue;
        if (instruction.operation.by == Operation::thread) execute(instruction, {&thread, 1});
        if (instruction.operation.by != Operation::thread) thread.state = Thread::waiting;
    }
    return began;
}

/// What a warp or a block does together, if all of it has come there.
bool run_together(std::span<Thread> threads, Operation::By by) {
    const Instruction& instruction = threads[0].kernel->code[threads[0].next - 1];
    const auto waits_here = [&](const Thread& each) {
        return each.state == Thread::waiting && each.next == threads[0].next;
    };
    if (instruction.operation.by != by || !std::all_of(threads.begin(), threads.end(), waits_here)) return false;
    execute(instruction, threads);
    for (Thread& thread : threads) thread.state = Thread::ready;
    return true;
}

void run_block(std::span<Thread> threads, const gpu::RunOptions& options) {
    bool moved = true;
    for (std::size_t round = 1; moved; ++round) {
        moved = false;
        for (const std::size_t i : turns(threads.size(), round, options)) moved = run_thread(threads[i]) || moved;
        for (std::size_t i = 0; i + 32 <= threads.size(); i += 32)
            moved = run_together(threads.subspan(i, 32), Operation::warp) || moved;
        moved = moved || run_together(threads, Operation::block);
    }
    for (const Thread& thread : threads)
        if (thread.state == Thread::waiting) fail("not all threads that have to come here do", thread);
}

}  // namespace

void run(const Kernel& kernel, const Dimensions& grid, const Dimensions& block, Memory& memory,
         const gpu::RunOptions& options) {
    for (const std::size_t number : turns(product(grid), 0, options)) {
        memory.begin_block();
        std::vector<Thread> threads(product(block), {&kernel, &memory, {}, kernel.initial});
        for (std::size_t i = 0; i < threads.size(); ++i) {
            threads[i].accessor = {static_cast<std::uint32_t>(i + 1), static_cast<std::uint32_t>(number + 1)};
            auto value = threads[i].values.begin();
            for (const Dimensions& each : {index_of(i, block), block, index_of(number, grid), grid})
                value = std::copy(each.begin(), each.end(), value);
        }
        run_block(threads, options);
    }
}

}  // namespace ptx
