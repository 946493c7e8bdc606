#include "scheduler.hpp"

#include <signal.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <optional>

#include "../gpu.hpp"
#include "../launch_counts.hpp"
#include "checker.hpp"
#include "executable.hpp"
#include "fiber.hpp"
#include "memory.hpp"

uint3 threadIdx{}, blockIdx{};
dim3 blockDim{}, gridDim{};

namespace gpu::engine {

Now now;

namespace {

enum class State { ready, at_barrier, at_warp, done };
enum class WarpOperation { sync, exchange, matrix };

struct Thread {
    std::unique_ptr<Fiber> fiber;
    unsigned number = 0;
    uint3 index{};
    State state = State::ready;
    Site site{};  // where it waits
    unsigned mask = 0;
    WarpOperation operation{};
    std::uint64_t brought = 0;        // to a shuffle or vote
    std::uint64_t gathered[32] = {};  // what every lane brought
};

struct Launch {
    const Call* call = nullptr;
    unsigned threads = 0;
    bool stopped = false;
    std::vector<Finding> findings;
    std::string not_written, not_written_file;
    std::vector<std::pair<std::uint32_t, std::string>> blocks;  // when each began
    std::uint64_t random = 0;
};

std::deque<Thread> threads;  // kept from launch to launch
Thread* current = nullptr;
Launch launch_state;
bool running = false;

std::string text_of(uint3 v) {
    return "(" + std::to_string(v.x) + "," + std::to_string(v.y) + "," + std::to_string(v.z) + ")";
}

std::string text_of(Site site) { return short_path(site.file) + ":" + std::to_string(site.line); }

// The kernel's thread gives way to the scheduler.
void give_way(State state) {
    Thread& thread = *current;
    thread.state = state;
    now.in_kernel = now.checking = false;
    thread.fiber->suspend();
}

void run_thread() {
    for (;;) {
        std::optional<std::string> thrown;
        try {
            launch_state.call->invoke(launch_state.call->arguments);
        } catch (const std::exception& e) {
            thrown = e.what();
        }
        now.checking = false;
        if (thrown) stop("exception", "threw an exception: " + *thrown + by_whom(""));
        give_way(State::done);
    }
}

void let_run(Thread& thread) {
    threadIdx = thread.index;
    current = &thread;
    now.thread = thread.number;
    now.stack_begin = thread.fiber->stack_begin();
    now.in_kernel = true;
    now.checking = RunScope::current().checked || RunScope::current().profile;
    thread.fiber->resume();
    now.in_kernel = now.checking = false;
}

// Turns ---------------------------------------------------------------------------------------------------------------

std::uint64_t next_random() {  // SplitMix64: the same everywhere
    std::uint64_t z = launch_state.random += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

template <class Number>
std::vector<Number> turns(Number count) {
    std::vector<Number> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), Number{0});
    if (RunScope::current().order == Run::Order::reverse) std::reverse(order.begin(), order.end());
    if (RunScope::current().order == Run::Order::shuffled)
        for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[next_random() % i]);
    return order;
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
    for (unsigned i = 0; i < launch_state.threads; ++i) {
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

// Everybody waits or has returned: lets the block go on, or ends it. \return whether the block goes on
bool pass_barrier() {
    unsigned done = 0, waiting = 0;
    bool same = true;
    const Site* site = nullptr;
    for (unsigned i = 0; i < launch_state.threads; ++i) {
        const Thread& thread = threads[i];
        done += thread.state == State::done;
        if (thread.state != State::at_barrier) continue;
        ++waiting;
        if (site == nullptr) site = &thread.site;
        same = same && site->line == thread.site.line && std::strcmp(site->file, thread.site.file) == 0;
    }
    if (done == launch_state.threads) return false;
    if (waiting == launch_state.threads && same) {
        for (unsigned i = 0; i < launch_state.threads; ++i) threads[i].state = State::ready;
        ++now.epoch;
        ++launch_counts.barriers;
        return true;
    }
    const bool at_barriers = done + waiting == launch_state.threads;
    report({Finding::Rank::stopped,
            !at_barriers ? "warp operation"
            : !same      ? "different barriers"
                         : "returned before a barrier",
            "not every thread of block " + this_block() + " reaches the same barrier" + who_waits_where()});
    launch_state.stopped = true;
    return false;
}

void run_block() {
    for (unsigned i = 0; i < launch_state.threads; ++i) threads[i].state = State::ready;
    do {
        const std::vector<unsigned> order = turns(launch_state.threads);
        for (bool moved = true; moved;) {  // more than once: warp operations let threads go without a barrier
            moved = false;
            for (const unsigned number : order) {
                if (threads[number].state != State::ready) continue;
                moved = true;
                let_run(threads[number]);
                if (launch_state.stopped) return at_barrier();
            }
        }
        at_barrier();
    } while (pass_barrier());
}

// Warps ---------------------------------------------------------------------------------------------------------------

unsigned lanes_of(unsigned warp) { return std::min(32u, launch_state.threads - warp * 32); }

// Once all lanes of the mask have come, they get what each of them brought.
void release_warp(unsigned warp, unsigned mask, WarpOperation operation) {
    const unsigned lanes = lanes_of(warp);
    for (unsigned lane = 0; lane < lanes; ++lane) {
        const Thread& thread = threads[warp * 32 + lane];
        if ((mask >> lane & 1u) != 0 &&
            (thread.state != State::at_warp || thread.mask != mask || thread.operation != operation))
            return;
    }
    std::uint64_t brought[32] = {};
    for (unsigned lane = 0; lane < lanes; ++lane) brought[lane] = threads[warp * 32 + lane].brought;
    for (unsigned lane = 0; lane < lanes; ++lane)
        if ((mask >> lane & 1u) != 0) {
            std::copy_n(brought, 32, threads[warp * 32 + lane].gathered);
            threads[warp * 32 + lane].state = State::ready;
        }
    if (operation == WarpOperation::sync) ++now.warp_epochs[warp];  // a shuffle orders no accesses to memory
}

void meet_warp(unsigned mask, std::uint64_t value, WarpOperation operation, Site site) {
    Thread& thread = *current;
    const unsigned warp = thread.number / 32, own = thread.number % 32;
    if ((mask >> own & 1u) == 0)
        stop("warp operation", "a warp operation's mask leaves out the lane that calls it" + by_whom(text_of(site)));
    thread.site = site;
    thread.mask = mask;
    thread.operation = operation;
    thread.brought = value;
    thread.state = State::at_warp;
    release_warp(warp, mask, operation);
    if (thread.state == State::at_warp) give_way(State::at_warp);
}

// Faults --------------------------------------------------------------------------------------------------------------

void on_fault(int, siginfo_t* info, void* context) {
    if (!now.in_kernel) {  // not ours: the instruction runs again and ends the program as usual
        ::signal(SIGSEGV, SIG_DFL);
        ::signal(SIGBUS, SIG_DFL);
        return;
    }
    now.checking = false;
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    std::uintptr_t instruction = 0;
    std::string did = "accessed";
#if defined(__x86_64__) && defined(__linux__)
    const auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    instruction = static_cast<std::uintptr_t>(registers[REG_RIP]) + 1;
    did = (registers[REG_ERR] & 2) != 0 ? "wrote" : "read";
#else
    (void)context;
#endif
    const std::string line = source_line(reinterpret_cast<void*>(instruction));
    if (address - (now.stack_begin - Fiber::guard_bytes) < Fiber::guard_bytes)
        stop("stack overflow", "stack overflow: arrays of the kernel's own are too large" + by_whom(line));
    std::string array;
    const std::string where = describe_outside(address, array);
    stop(outside(array, did), did + " " + where + by_whom(line));
}

// For the time of a launch: faults become messages.
class FaultHandler {
public:
    FaultHandler() {
        static char stack[64 * 1024];
        stack_t own{};
        own.ss_sp = stack;
        own.ss_size = sizeof stack;
        ::sigaltstack(&own, &stack_before_);
        struct sigaction action {};
        action.sa_sigaction = on_fault;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
        ::sigaction(SIGSEGV, &action, &segv_before_);
        ::sigaction(SIGBUS, &action, &bus_before_);
    }
    ~FaultHandler() {
        ::sigaction(SIGSEGV, &segv_before_, nullptr);
        ::sigaction(SIGBUS, &bus_before_, nullptr);
        ::sigaltstack(&stack_before_, nullptr);
    }

private:
    stack_t stack_before_{};
    struct sigaction segv_before_ {
    }, bus_before_{};
};

void prepare(dim3 block) {
    const unsigned count = block.x * block.y * block.z;
    while (threads.size() < count) {
        Thread& thread = threads.emplace_back();
        thread.fiber = std::make_unique<Fiber>(run_thread);
    }
    for (unsigned i = 0; i < count; ++i) {
        threads[i].number = i;
        threads[i].index = {i % block.x, i / block.x % block.y, i / (block.x * block.y)};
    }
    launch_state.threads = count;
    now.warp_epochs.assign((count + 31) / 32, 0);
}

// For the time of a launch: shared memory, faults, and whatever has to be as before when it ends.
class Stage {
public:
    explicit Stage(std::size_t shared_bytes) {
        running = true;
        begin_shared(shared_bytes);
        begin_checks();
    }
    ~Stage() {
        end_shared();
        running = false;
        // Threads that stopped in the middle of the kernel are of no more use.
        if (launch_state.stopped) threads.clear();
    }

private:
    FaultHandler faults_;
};

[[noreturn]] void throw_findings() {
    std::vector<std::string> symptoms;
    for (const Finding& finding : launch_state.findings) symptoms.push_back(finding.symptom);
    std::string text = function_name(launch_state.call->kernel) + ": " + launch_state.findings.front().text;
    if (symptoms.size() > 1) text += "\n(" + std::to_string(symptoms.size() - 1) + " more after this one)";
    throw Error(text, symptoms);
}

}  // namespace

// The engine, as kernels and on_cpu.hpp see it ------------------------------------------------------------------------

std::string thread_name(unsigned thread) { return "thread " + text_of(threads[thread].index); }
std::string this_block() { return text_of(blockIdx); }
std::string block_at(std::uint32_t epoch) {
    std::string found;
    for (const auto& [begin, name] : launch_state.blocks)
        if (begin <= epoch) found = name;
    return found;
}
std::string outside(const std::string& array, const std::string& did) {
    return array.empty() ? "host memory" : did + " outside " + array;
}
std::string by_whom(const std::string& line) {
    return "\nby " + thread_name(now.thread) + " of block " + this_block() + (line.empty() ? "" : " at " + line);
}

void report(Finding finding) {
    auto& all = launch_state.findings;
    const auto later = [](Finding::Rank rank, const Finding& other) { return rank < other.rank; };
    all.insert(std::upper_bound(all.begin(), all.end(), finding.rank, later), std::move(finding));
}

void stop(const std::string& symptom, const std::string& text) {
    now.checking = false;
    report({Finding::Rank::stopped, symptom, text});
    launch_state.stopped = true;
    give_way(State::done);
    std::abort();
}

void stop_not_written(const char* function, const char* file) {
    const InEngine engine;
    launch_state.not_written = function;
    launch_state.not_written_file = file;
    stop("not written", "");
}

int lane() { return static_cast<int>(current->number % 32); }

void sync_block(Site site) {
    const InEngine engine;
    current->site = site;
    give_way(State::at_barrier);
}

void sync_warp(unsigned mask, Site site) {
    const InEngine engine;
    meet_warp(mask, 0, WarpOperation::sync, site);
}

std::uint64_t shuffle(unsigned mask, std::uint64_t value, int source_lane, Site site) {
    const InEngine engine;
    meet_warp(mask, value, WarpOperation::exchange, site);
    const auto source = static_cast<unsigned>(source_lane);
    if ((mask >> source & 1u) == 0 || source >= lanes_of(current->number / 32))
        stop("warp operation",
             "a shuffle reads lane " + std::to_string(source_lane) + ", which takes no part" + by_whom(text_of(site)));
    return current->gathered[source];
}

unsigned vote(unsigned mask, bool predicate, Site site) {
    const InEngine engine;
    meet_warp(mask, predicate ? 1 : 0, WarpOperation::exchange, site);
    unsigned votes = 0;
    for (unsigned i = 0; i < lanes_of(current->number / 32); ++i)
        if ((mask >> i & 1u) != 0 && current->gathered[i] != 0) votes |= 1u << i;
    return votes;
}

const std::uint64_t* meet_for_matrix(std::uint64_t value, Site site) {
    meet_warp(0xffffffffu, value, WarpOperation::matrix, site);
    return current->gathered;
}

unsigned lanes_of_this_warp() { return lanes_of(current->number / 32); }

void* take_shared(std::size_t& used, std::size_t bytes, const char* name, std::size_t row_bytes, Site site) {
    const InEngine engine;
    std::size_t needed = 0;
    void* place = take_dynamic(used, bytes, name, row_bytes, needed);
    if (place == nullptr)
        stop("shared memory too small", "shared '" + std::string(name) + "' would end at byte " +
                                            std::to_string(needed) + ", but the launch asked for " +
                                            std::to_string(dynamic_bytes()) + " bytes of shared memory" +
                                            by_whom(text_of(site)));
    return place;
}

void run(dim3 grid, dim3 block, std::size_t shared_bytes, const Call& call) {
    const std::uint64_t count = std::uint64_t{block.x} * block.y * block.z,
                        blocks = std::uint64_t{grid.x} * grid.y * grid.z;
    if (running) throw Error("a kernel cannot launch another one here");
    if (count == 0 || count > 1024)
        throw Error("a block of " + std::to_string(count) + " threads: 1 to 1024 are allowed");
    if (blocks == 0) throw Error("a grid without blocks: CUDA refuses it (invalid configuration argument)");
    if (block.z > 64 || grid.y > 65535 || grid.z > 65535)
        throw Error("a grid of " + text_of(uint3{grid.x, grid.y, grid.z}) + " blocks of " +
                    text_of(uint3{block.x, block.y, block.z}) +
                    " threads: y and z of a grid end at 65535, z of a block at 64");
    if (shared_bytes > most_shared_bytes())
        throw Error("a block with " + std::to_string(shared_bytes) + " bytes of shared memory: at most " +
                    std::to_string(most_shared_bytes()) + " are allowed");

    launch_state = {};
    launch_state.call = &call;
    launch_state.random = RunScope::current().seed;
    prepare(block);
    launch_counts = {0, std::vector<std::size_t>(RunScope::current().checked ? count : 0)};
    const Stage stage(shared_bytes);
    blockDim = block;
    gridDim = grid;
    now.arguments_begin = reinterpret_cast<std::uintptr_t>(call.arguments);
    now.arguments_bytes = call.bytes;
    now.launch_epoch = ++now.epoch;
    for (const std::uint64_t number : turns(blocks)) {
        blockIdx = {static_cast<unsigned>(number % grid.x), static_cast<unsigned>(number / grid.x % grid.y),
                    static_cast<unsigned>(number / (std::uint64_t{grid.x} * grid.y))};
        now.block_epoch = ++now.epoch;
        launch_state.blocks.emplace_back(now.epoch, this_block());
        poison_shared();
        run_block();
        std::string array;
        if (const std::string overrun = overrun_shared(array); launch_state.findings.empty() && !overrun.empty())
            report({Finding::Rank::stopped, outside(array, "wrote"), "block " + this_block() + " " + overrun});
        if (!launch_state.findings.empty()) break;
    }
    end_checks();
    if (!launch_state.not_written.empty()) throw NotWritten(launch_state.not_written, launch_state.not_written_file);
    if (!launch_state.findings.empty()) throw_findings();
}

}  // namespace gpu::engine
