// labNN_exercises: a lab's suite, linked with the student's code. labNN_check starts it with --events and judges; by
// hand or in a debugger it runs one exercise and says how many checks failed.
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "call_stack.hpp"
#include "mistake.hpp"
#include "options.hpp"
#include "reporter.hpp"
#include "supervised.hpp"

using namespace linattn::testing;

#ifdef LINATTN_SANITIZED
extern "C" void __asan_set_error_report_callback(void (*callback)(const char*));
extern "C" void __sanitizer_set_report_fd(void* file_descriptor);
#endif

namespace {

void list() {
    list_suites();
    for (const Mistake& mistake : mistakes())
        std::printf("mistake\t%s\t%s\t%s\t%s\n", mistake.exercise, mistake.name, mistake.section, mistake.explanation);
}

void tell_where(int) { send_event(EventKind::stack, call_stack()); }

#ifdef LINATTN_SANITIZED

// The sanitizer handles the signals of a crash, on a stack of its own, and calls this with its report.
void tell_report(const char* report) { send_event(EventKind::crash, report); }

void say_what_its_report_does_not(const char* report) {
    if (std::strstr(report, "stack-overflow") != nullptr)
        std::fputs("the function called itself without end (stack overflow)\n", stderr);
}

void watch_for_crashes(bool supervised) {
    if (!supervised) {  // it prints its report
        __asan_set_error_report_callback(say_what_its_report_does_not);
        return;
    }
    __asan_set_error_report_callback(tell_report);
    if (std::FILE* nowhere = std::fopen("/dev/null", "w"))
        __sanitizer_set_report_fd(reinterpret_cast<void*>(static_cast<std::intptr_t>(fileno(nowhere))));
}

#else

bool has_supervisor = false;
std::uintptr_t stack_end = 0;  // the lowest address that the stack may reach, roughly

void on_crash(int signal, siginfo_t* info, void*) {
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    const std::uintptr_t near = std::uintptr_t{1} << 20;
    if (signal == SIGSEGV && address + near > stack_end && address < stack_end + near) {
        send_event(EventKind::crash, "stack-overflow");
        if (!has_supervisor) std::fputs("the function called itself without end (stack overflow)\n", stderr);
    }
    send_event(EventKind::stack, call_stack());
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

// On a stack of their own, or an endless recursion would have none left to say so on.
void watch_for_crashes(bool supervised) {
    has_supervisor = supervised;
    static std::array<char, 1 << 16> own_stack;
    stack_t place{};
    place.ss_sp = own_stack.data();
    place.ss_size = own_stack.size();
    ::sigaltstack(&place, nullptr);
    rlimit limit{};
    if (::getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        stack_end = reinterpret_cast<std::uintptr_t>(&place) - limit.rlim_cur;
    struct sigaction action {};
    action.sa_sigaction = on_crash;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL}) ::sigaction(signal, &action, nullptr);
}

#endif

}  // namespace

int main(int argc, char** argv) {
    const Options options = parse_options(argc, argv);
    if (options.list) {
        list();
        return 0;
    }
    if (!options.mistake.empty()) {
        const Mistake* mistake = find_mistake(options.exercise, options.mistake);
        if (mistake == nullptr) refuse_options(options.exercise + " has no mistake '" + options.mistake + "'");
        activate_mistake(mistake);
    }
    choose_case(options.only_case);
    call_stack();  // its first use loads a library: not in a signal handler
    const bool supervised = options.events >= 0;
    watch_for_crashes(supervised);
    if (!supervised) {
        const RunCount count = run_suite(options.exercise);
        std::printf("%s: %zu of %zu checks failed\n", options.exercise.c_str(), count.failed, count.run);
        return count.run > 0 && count.failed == 0 ? 0 : 1;
    }
    std::setvbuf(stdout, nullptr, _IOLBF, 0);  // so that a crash loses none of it
    begin_report(options.events);
    std::signal(SIGUSR1, tell_where);
    std::atexit([] { tell_where(0); });
    const RunCount count = run_suite(options.exercise);
    end_report(count.run, count.failed);
    std::fflush(nullptr);
    std::_Exit(0);
}
