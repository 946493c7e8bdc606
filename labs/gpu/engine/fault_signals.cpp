#include "fault_signals.hpp"

#include <ucontext.h>

#include <csignal>
#include <cstdint>
#include <string>

#include "faults.hpp"
#include "fiber.hpp"
#include "memory.hpp"
#include "scheduler.hpp"
#include "symbols.hpp"

namespace gpu::engine {
namespace {

void on_fault(int, siginfo_t* info, void* context) {
    if (!running.in_kernel) {  // not ours: the instruction runs again and ends the program as usual
        ::signal(SIGSEGV, SIG_DFL);
        ::signal(SIGBUS, SIG_DFL);
        return;
    }
    running.checking = false;
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    std::uintptr_t instruction = 0;
    bool writes = false;  // unless the processor says so
    std::string did = "accessed";
#ifdef __x86_64__
    const auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    instruction = static_cast<std::uintptr_t>(registers[REG_RIP]) + 1;
    writes = (registers[REG_ERR] & 2) != 0;
    did = writes ? "wrote" : "read";
#else
    (void)context;
#endif
    const std::string line = source_line(reinterpret_cast<void*>(instruction));
    if (address - (running.stack_begin - Fiber::guard_bytes) < Fiber::guard_bytes)
        stop({Fault::stack_overflow}, "stack overflow: arrays of the kernel's own are too large" + by_whom(line));
    const Array* near = nullptr;
    const std::string where = describe_outside(address, near);
    stop(outside(near == nullptr ? "" : near->name, writes), did + " " + where + by_whom(line));
}

// A supervisor asks with SIGUSR1 where an endless program is; its handler looks at the call stack. Between two threads of
// the kernel that stack is the scheduler's, so the answer waits for the next thread.
struct sigaction supervisor {};
volatile std::sig_atomic_t asked = 0;

void on_question(int) {
    if (!running.in_kernel) {
        asked = 1;
        return;
    }
    const InEngine engine;
    asked = 0;
    supervisor.sa_handler(SIGUSR1);
}

bool is_answered() {
    return (supervisor.sa_flags & SA_SIGINFO) == 0 && supervisor.sa_handler != SIG_DFL &&
           supervisor.sa_handler != SIG_IGN;
}

}  // namespace

void answer_if_asked() {
    if (asked != 0) on_question(SIGUSR1);
}

FaultSignals::FaultSignals() {
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
    ::sigaction(SIGUSR1, nullptr, &supervisor);
    struct sigaction question = supervisor;
    question.sa_handler = on_question;
    if (is_answered()) ::sigaction(SIGUSR1, &question, nullptr);
}

FaultSignals::~FaultSignals() {
    if (is_answered()) ::sigaction(SIGUSR1, &supervisor, nullptr);
    ::sigaction(SIGSEGV, &segv_before_, nullptr);
    ::sigaction(SIGBUS, &bus_before_, nullptr);
    ::sigaltstack(&stack_before_, nullptr);
}

}  // namespace gpu::engine
