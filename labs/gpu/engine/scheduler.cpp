#include "scheduler.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <thread>

#include "../executable.hpp"
#include "../launch_counts.hpp"
#include "checker.hpp"
#include "fault_signals.hpp"
#include "faults.hpp"

uint3 threadIdx{}, blockIdx{};
dim3 blockDim{}, gridDim{};

namespace gpu::engine {

constinit thread_local Running running;

namespace {

std::deque<Thread> threads;  // kept from launch to launch
unsigned threads_of_block = 0;
std::thread::id host_thread;  // whose threads they are
const Call* kernel_call = nullptr;
Thread* current = nullptr;
std::mt19937_64 random_turns;

void run_thread() {
    for (;;) {
        running.checking = RunScope::current().checked || RunScope::current().profile;
        std::optional<std::string> thrown;
        running.in_kernel = true;
        try {
            kernel_call->invoke(kernel_call->arguments);
        } catch (const std::exception& e) {
            thrown = e.what();
        }
        running.checking = false;
        if (thrown) stop({Fault::exception}, "threw an exception: " + *thrown + by_whom(""));
        yield(State::done);
    }
}

void resume(Thread& thread) {
    threadIdx = thread.index;
    current = &thread;
    running.thread = thread.number;
    running.stack_begin = thread.fiber->stack_begin();
    thread.fiber->resume();
    if (thread.state == State::done) leave_warp(thread);
}

// "threads 0-31 and 40"
std::string list(const std::vector<unsigned>& numbers) {
    std::string text = numbers.size() == 1 ? "thread " : "threads ";
    std::size_t groups = 0;
    for (std::size_t i = 0; i < numbers.size(); ++groups) {
        std::size_t last = i;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
        if (groups == 4) return text + ", …";
        text +=
            (i > 0 ? ", " : "") + std::to_string(numbers[i]) + (last > i ? "-" + std::to_string(numbers[last]) : "");
        i = last + 1;
    }
    return text;
}

std::string who_waits_where() {
    std::map<std::string, std::vector<unsigned>> groups;
    for (unsigned i = 0; i < thread_count(); ++i) {
        const Thread& thread = threads[i];
        char mask[40];
        std::snprintf(mask, sizeof mask, " with mask 0x%08x", thread.mask);
        groups[thread.state == State::done ? "returned from the kernel"
               : thread.state == State::at_barrier
                   ? "wait at __syncthreads(), " + text_of(thread.site)
                   : "wait at a warp operation" + std::string(mask) + ", " + text_of(thread.site)]
            .push_back(i);
    }
    std::string text;
    for (const auto& [where, numbers] : groups) {
        const bool one = numbers.size() == 1 && where.starts_with("wait");
        text += "\n" + list(numbers) + " " + (one ? "waits" + where.substr(4) : where);
    }
    return text;
}

// Everybody waits or has returned: lets the block continue, or ends it. \return whether it continues
bool pass_barrier() {
    unsigned done = 0, waiting = 0;
    bool same = true;
    const Site* site = nullptr;
    for (unsigned i = 0; i < thread_count(); ++i) {
        const Thread& thread = threads[i];
        done += thread.state == State::done;
        if (thread.state != State::at_barrier) continue;
        ++waiting;
        if (site == nullptr) site = &thread.site;
        same = same && site->line == thread.site.line &&
               (site->file == thread.site.file || std::strcmp(site->file, thread.site.file) == 0);
    }
    if (done == thread_count()) return false;
    if (waiting == thread_count() && same) {
        for (unsigned i = 0; i < thread_count(); ++i) threads[i].state = State::ready;
        ++running.epoch;
        ++launch_counts.barriers;
        return true;
    }
    const bool at_barriers = done + waiting == thread_count();
    report_and_stop({!at_barriers ? Fault::warp_operation
                     : !same      ? Fault::different_barriers
                                  : Fault::returned_before_a_barrier},
                    "not every thread of block " + this_block() + " reaches the same barrier" + who_waits_where());
    return false;
}

}  // namespace

void prepare_threads(dim3 block, const Call& call) {
    const unsigned count = block.x * block.y * block.z;
    if (std::exchange(host_thread, std::this_thread::get_id()) != std::this_thread::get_id()) threads.clear();
    while (threads.size() < count) {
        Thread& thread = threads.emplace_back();
        thread.fiber = std::make_unique<Fiber>(run_thread);
    }
    for (unsigned i = 0; i < count; ++i) {
        threads[i].number = i;
        threads[i].index = {i % block.x, i / block.x % block.y, i / (block.x * block.y)};
    }
    threads_of_block = count;
    kernel_call = &call;
    running.warp_epochs.fill(0);
}

void run_block() {
    for (unsigned i = 0; i < thread_count(); ++i) threads[i].state = State::ready;
    do {
        const std::vector<std::uint64_t> order = turns(thread_count());
        for (bool moved = true; moved;) {  // more than once: warp operations release threads without a barrier
            moved = false;
            for (const std::uint64_t number : order) {
                if (threads[number].state != State::ready) continue;
                moved = true;
                resume(threads[number]);
                if (has_stopped()) return at_barrier();
            }
        }
        at_barrier();
    } while (pass_barrier());
}

void seed_turns(unsigned seed) { random_turns.seed(seed); }

std::vector<std::uint64_t> turns(std::uint64_t count) {
    std::vector<std::uint64_t> order(count);
    std::iota(order.begin(), order.end(), std::uint64_t{0});
    if (RunScope::current().order == RunOptions::Order::reverse) std::reverse(order.begin(), order.end());
    if (RunScope::current().order == RunOptions::Order::shuffled)  // std::shuffle differs from library to library
        for (std::uint64_t i = count; i > 1; --i) std::swap(order[i - 1], order[random_turns() % i]);
    return order;
}

void discard_threads() { threads.clear(); }

unsigned thread_count() { return threads_of_block; }
Thread& thread_at(unsigned number) { return threads[number]; }
Thread& running_thread() { return *current; }

void yield(State state) {
    answer_if_asked();
    Thread& thread = *current;
    thread.state = state;
    const bool checking = std::exchange(running.checking, false);  // false if it is the engine that waits
    running.in_kernel = false;
    thread.fiber->suspend();
    running.in_kernel = true;  // not before: a signal's handler must find the kernel's stack
    running.checking = checking;
}

void sync_block(Site site) {
    const InEngine engine;
    current->site = site;
    yield(State::at_barrier);
}

std::string text_of(uint3 v) {
    return "(" + std::to_string(v.x) + "," + std::to_string(v.y) + "," + std::to_string(v.z) + ")";
}
std::string text_of(Site site) { return short_path(site.file) + ":" + std::to_string(site.line); }
std::string thread_name(unsigned thread) { return "thread " + text_of(threads[thread].index); }
std::string this_block() { return text_of(blockIdx); }

}  // namespace gpu::engine
