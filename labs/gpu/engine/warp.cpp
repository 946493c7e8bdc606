#include "scheduler.hpp"

#include <algorithm>
#include <string>

#include "faults.hpp"

namespace gpu::engine {
namespace {

// How many lanes of this warp the block has: 16 in the second warp of 48 threads.
unsigned lanes_of_warp(unsigned warp) { return std::min(lanes, thread_count() - warp * lanes); }

// The lanes of a mask that an operation waits for. CUDA asks for "all non-exited threads named in mask"; lanes that the
// block does not have count as exited.
unsigned expected_lanes(unsigned warp, unsigned mask) {
    unsigned expected = 0;
    for (unsigned lane = 0; lane < lanes_of_warp(warp); ++lane)
        if (thread_at(warp * lanes + lane).state != State::done) expected |= 1u << lane;
    return expected & mask;
}

// Once all lanes of the mask have come, they get what each of them brought.
void release_warp(unsigned warp, unsigned mask, WarpOperation operation) {
    const unsigned expected = expected_lanes(warp, mask);
    std::uint64_t brought[lanes] = {};
    for (unsigned lane = 0; lane < lanes; ++lane) {
        if ((expected >> lane & 1u) == 0) continue;
        const Thread& thread = thread_at(warp * lanes + lane);
        if (thread.state != State::at_warp || thread.mask != mask || thread.operation != operation) return;
        brought[lane] = thread.brought;
    }
    for (unsigned lane = 0; lane < lanes; ++lane) {
        if ((expected >> lane & 1u) == 0) continue;
        Thread& thread = thread_at(warp * lanes + lane);
        std::copy_n(brought, lanes, thread.gathered);
        thread.participants = expected;
        thread.state = State::ready;
    }
    if (operation == WarpOperation::sync) ++running.warp_epochs[warp];  // a shuffle orders no accesses to memory
}

void meet_warp(unsigned mask, std::uint64_t value, WarpOperation operation, Site site) {
    Thread& thread = running_thread();
    if ((mask >> thread.number % lanes & 1u) == 0)
        stop({Fault::warp_operation},
             "a warp operation's mask leaves out the lane that calls it" + by_whom(text_of(site)));
    thread.site = site;
    thread.mask = mask;
    thread.operation = operation;
    thread.brought = value;
    thread.state = State::at_warp;
    release_warp(thread.number / lanes, mask, operation);
    if (thread.state == State::at_warp) yield(State::at_warp);
}

}  // namespace

void leave_warp(const Thread& thread) {
    const unsigned warp = thread.number / lanes;
    for (unsigned lane = 0; lane < lanes_of_warp(warp); ++lane) {
        const Thread& waiting = thread_at(warp * lanes + lane);
        if (waiting.state == State::at_warp) release_warp(warp, waiting.mask, waiting.operation);
    }
}

// As on_cpu.hpp sees them ---------------------------------------------------------------------------------------------

int lane() { return static_cast<int>(running.thread % lanes); }

void sync_warp(unsigned mask, Site site) {
    const InEngine engine;
    meet_warp(mask, 0, WarpOperation::sync, site);
}

std::uint64_t shuffle(unsigned mask, std::uint64_t value, int source_lane, Site site) {
    const InEngine engine;
    meet_warp(mask, value, WarpOperation::exchange, site);
    const auto source = static_cast<unsigned>(source_lane);
    if (source >= 32 || (running_thread().participants >> source & 1u) == 0)
        stop({Fault::warp_operation}, "a shuffle reads lane " + std::to_string(source_lane) +
                                          ", which does not take part" + by_whom(text_of(site)));
    return running_thread().gathered[source];
}

void require_width(int width, Site site) {
    if (width >= 1 && width <= 32 && (width & (width - 1)) == 0) return;
    const InEngine engine;
    stop({Fault::warp_operation},
         "a shuffle's width is 1, 2, 4, 8, 16 or 32, not " + std::to_string(width) + by_whom(text_of(site)));
}

unsigned vote(unsigned mask, bool predicate, Site site) {
    const InEngine engine;
    meet_warp(mask, predicate ? 1 : 0, WarpOperation::exchange, site);
    const Thread& thread = running_thread();
    unsigned votes = 0;
    for (unsigned lane = 0; lane < lanes; ++lane)
        if ((thread.participants >> lane & 1u) != 0 && thread.gathered[lane] != 0) votes |= 1u << lane;
    return votes;
}

}  // namespace gpu::engine
