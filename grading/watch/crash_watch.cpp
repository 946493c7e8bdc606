#include "crash_watch.hpp"

#include <sys/resource.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>

#include "call_stack.hpp"

#ifdef LINATTN_SANITIZED
#include <sanitizer/asan_interface.h>
#endif

namespace linattn::testing {
namespace {

OnCrash tell = nullptr;
std::uintptr_t stack_end = 0;  // the lowest address that the stack may reach, roughly

void on_signal(int signal, siginfo_t* info, void*) {
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    const std::uintptr_t near = std::uintptr_t{1} << 20;
    const bool overflow = signal == SIGSEGV && address + near > stack_end && address < stack_end + near;
    tell(overflow ? "stack-overflow" : "", call_stack());
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

// On a stack of their own, or an endless recursion would have none left to say so on.
void watch_signals() {
    static std::array<char, 1 << 16> own_stack;
    stack_t place{};
    place.ss_sp = own_stack.data();
    place.ss_size = own_stack.size();
    ::sigaltstack(&place, nullptr);
    rlimit limit{};
    if (::getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        stack_end = reinterpret_cast<std::uintptr_t>(&place) - limit.rlim_cur;
    struct sigaction action {};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL}) ::sigaction(signal, &action, nullptr);
}

#ifdef LINATTN_SANITIZED
void on_report(const char*) {
    char what[128];
    const std::size_t bytes = __asan_get_report_access_size();
    std::snprintf(what, sizeof what, bytes == 0 ? "%s" : "%s %s %zu", __asan_get_report_description(),
                  __asan_get_report_access_type() == 0 ? "read" : "wrote", bytes);
    tell(what, call_stack());
}
#endif

}  // namespace

void watch_for_crashes(OnCrash on_crash, [[maybe_unused]] bool by_hand) {
    tell = on_crash;
#ifdef LINATTN_SANITIZED
    __asan_set_error_report_callback(on_report);
    if (by_hand) return;
    if (std::FILE* nowhere = std::fopen("/dev/null", "w"))
        __sanitizer_set_report_fd(reinterpret_cast<void*>(static_cast<std::intptr_t>(fileno(nowhere))));
#endif
    watch_signals();
}

}  // namespace linattn::testing
