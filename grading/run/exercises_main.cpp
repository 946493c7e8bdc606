// labNN_exercises: a lab's suite, linked with the student's code. labNN_check starts it with --events and judges; by
// hand or in a debugger it runs one exercise and says how many checks failed.
#include <fcntl.h>
#include <sys/socket.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "call_stack.hpp"
#include "channel.hpp"
#include "counterexample.hpp"
#include "crash_watch.hpp"
#include "edits.hpp"
#include "explain.hpp"
#include "mistake.hpp"
#include "options.hpp"
#include "parameter_names.hpp"
#include "reporter.hpp"
#include "supervised_run.hpp"

using namespace linattn::testing;

namespace {

void list() {
    list_suites();
    for (const Mistake& mistake : mistakes())
        std::printf("mistake\t%s\t%s\t%s\t%s\n", mistake.exercise, mistake.name, mistake.section, mistake.explanation);
}

// This run's secret lies on the channel; it goes back when the suite has ended, without which nothing counts.
std::string take_secret(int channel) {
    char received[secret_length];
    const bool all = ::recv(channel, received, sizeof received, MSG_WAITALL) == secret_length;
    ::fcntl(channel, F_SETFD, FD_CLOEXEC);
    return all ? std::string(received, sizeof received) : "";
}

void tell_where(int) { send_event(EventKind::stack, call_stack()); }

void tell_crash(std::string_view what, std::string_view stack) {
    if (!channel_is_open()) {
        if (what == "stack-overflow") std::fputs("the function called itself without end (stack overflow)\n", stderr);
        return;
    }
    if (!what.empty()) send_event(EventKind::crash, what);
    send_event(EventKind::stack, stack);
}

}  // namespace

int main(int argc, char** argv) {
    const Options options = parse_options(argc, argv);
    if (options.list) {
        list();
        return 0;
    }
    if (options.names_missing) {
        for (const std::string& name : names_missing(options.exercise)) std::puts(name.c_str());
        return 0;
    }
    if (!options.edits.empty()) return try_edits(options.exercise, options.edits);
    if (!options.mistake.empty()) {
        const Mistake* mistake = find_mistake(options.exercise, options.mistake);
        if (mistake == nullptr) refuse_options(options.exercise + " has no mistake '" + options.mistake + "'");
        activate_mistake(mistake);
    }
    choose_cases(options.first_case, options.last_case);
    manifest_of_run = options.manifest;
    if (options.counterexample) call_counterexample();
    const bool supervised = options.events >= 0;
    watch_for_crashes(tell_crash, !supervised);
    if (options.trace) begin_trace();
    if (!supervised) {
        const RunCount count = run_suite(options.exercise);
        if (options.trace) {
            end_trace();
            return 0;
        }
        std::printf("%s: %zu of %zu checks failed\n", options.exercise.c_str(), count.failed, count.run);
        return count.run > 0 && count.failed == 0 ? 0 : 1;
    }
    std::setvbuf(stdout, nullptr, _IOLBF, 0);  // so that a crash loses none of it
    const std::string secret = take_secret(options.events);
    open_channel(options.events);
    std::signal(SIGUSR1, tell_where);
    std::atexit([] { tell_where(0); });
    const RunCount count = run_suite(options.exercise);
    send_event(EventKind::done, secret + " " + std::to_string(count.run) + " " + std::to_string(count.failed));
    if (count.failed > 0) explain_failures();
    std::fflush(nullptr);
    std::_Exit(0);
}
