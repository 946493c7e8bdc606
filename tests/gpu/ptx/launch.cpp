#include <algorithm>
#include <numeric>
#include <random>
#include <stdexcept>

#include "interpreter.hpp"

namespace ptx {
namespace {

constexpr std::size_t warp_size = 32;

std::size_t product(const Dimensions& d) { return std::size_t{d[0]} * d[1] * d[2]; }

Dimensions index_of(std::size_t number, const Dimensions& d) {
    return {static_cast<unsigned>(number % d[0]), static_cast<unsigned>(number / d[0] % d[1]),
            static_cast<unsigned>(number / d[0] / d[1])};
}

}  // namespace

std::vector<std::size_t> Launch::turns(std::size_t count, std::size_t round) const {
    std::vector<std::size_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    if (options.order == gpu::RunOptions::Order::reverse) std::reverse(numbers.begin(), numbers.end());
    std::mt19937 engine(options.seed + static_cast<unsigned>(round));
    if (options.order == gpu::RunOptions::Order::shuffled) std::shuffle(numbers.begin(), numbers.end(), engine);
    return numbers;
}

void Launch::run() {
    for (const std::size_t number : turns(product(grid), 0)) run_block(number);
}

void Launch::run_block(std::size_t number) {
    memory.begin_block();
    std::vector<Thread> threads;
    for (std::size_t i = 0; i < product(block); ++i) {
        const Accessor accessor{static_cast<std::uint32_t>(i + 1), static_cast<std::uint32_t>(number + 1)};
        threads.push_back({kernel->initial, accessor, this});
        auto special = threads.back().values.begin();
        for (const Dimensions& each : {index_of(i, block), block, index_of(number, grid), grid})
            special = std::copy(each.begin(), each.end(), special);
    }
    const auto is_done = [](const Thread& thread) { return thread.state == Thread::State::done; };
    for (std::size_t round = 1; !std::ranges::all_of(threads, is_done); ++round) {
        bool moved = false;
        for (const std::size_t i : turns(threads.size(), round)) {
            moved = moved || threads[i].state == Thread::State::ready;
            run_thread(threads[i]);
        }
        for (std::size_t i = 0; i + warp_size <= threads.size(); i += warp_size)
            moved = run_warp({&threads[i], warp_size}) || moved;
        if (!moved) pass_barrier(threads);
    }
}

/// Until it ends, or waits for others.
void Launch::run_thread(Thread& thread) const try {
    while (thread.state == Thread::State::ready) {
        const Instruction& instruction = kernel->code[thread.next];
        if (instruction.guarded && (thread.values[instruction.guard] != 0) == instruction.guard_negated) {
            ++thread.next;
            continue;
        }
        switch (instruction.kind) {
            case Instruction::Kind::plain:
                instruction.execute(&thread, instruction);
                ++thread.next;
                break;
            case Instruction::Kind::branch: thread.next = instruction.target; break;
            case Instruction::Kind::exit: thread.state = Thread::State::done; break;
            case Instruction::Kind::barrier: thread.state = Thread::State::at_barrier; break;
            case Instruction::Kind::warp: thread.state = Thread::State::at_warp; break;
        }
    }
} catch (const std::runtime_error& error) {
    fail(error.what(), thread);
}

/// What a warp does together, once all of its lanes have come to it.
bool Launch::run_warp(std::span<Thread> lanes) const try {
    for (const Thread& lane : lanes)
        if (lane.state != Thread::State::at_warp || lane.next != lanes[0].next) return false;
    const Instruction& instruction = kernel->code[lanes[0].next];
    instruction.execute(lanes.data(), instruction);
    for (Thread& lane : lanes) {
        ++lane.next;
        lane.state = Thread::State::ready;
    }
    return true;
} catch (const std::runtime_error& error) {
    fail(error.what(), lanes[0]);
}

/// Nothing else can go on.
void Launch::pass_barrier(std::span<Thread> threads) const {
    for (const Thread& thread : threads) {
        if (thread.state == Thread::State::at_warp) fail("not every lane of the warp comes here", thread);
        for (const Thread& other : threads)
            if (thread.state == Thread::State::at_barrier && other.next != thread.next)
                fail("not every thread of the block comes to this barrier", thread);
    }
    for (Thread& thread : threads) {
        ++thread.next;
        ++thread.accessor.barriers;
        thread.state = Thread::State::ready;
    }
}

void Launch::fail(const std::string& what, const Thread& thread) const {
    const Instruction& instruction = kernel->code[thread.next];
    throw std::runtime_error(what + "; thread " + std::to_string(thread.accessor.thread - 1) + " of block " +
                             std::to_string(thread.accessor.block - 1) + " at " + instruction.source + ", " +
                             instruction.text);
}

}  // namespace ptx
