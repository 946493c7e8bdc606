#include "supervisor.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "call_stack.hpp"
#include "channel.hpp"
#include "mistake.hpp"
#include "reporter.hpp"
#include "verdict.hpp"

namespace linattn::testing {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
    bool list = false, on_gpu = false;
    bool alone = false;  // no second process, no verdict: for debuggers and for sanitizers that do not follow a fork
    std::string manifest, exercise, results, mistake;
};

[[noreturn]] void usage(const std::string& problem) {
    std::fprintf(
        stderr,
        "%s\nusage: --manifest FILE --exercise NAME --results FOLDER [--mistake NAME] [--gpu] [--alone] | --list\n",
        problem.c_str());
    ::_exit(2);
}

Options parse(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string flag = argv[i];
        bool* on = flag == "--list"    ? &options.list
                   : flag == "--gpu"   ? &options.on_gpu
                   : flag == "--alone" ? &options.alone
                                       : nullptr;
        if (on != nullptr) {
            *on = true;
            continue;
        }
        std::string* value = flag == "--manifest"   ? &options.manifest
                             : flag == "--exercise" ? &options.exercise
                             : flag == "--results"  ? &options.results
                             : flag == "--mistake"  ? &options.mistake
                                                    : nullptr;
        if (value == nullptr) usage("unknown option " + flag);
        if (++i == argc) usage(flag + " needs a value");
        *value = argv[i];
    }
    if (!options.list && (options.manifest.empty() || options.exercise.empty() || options.results.empty()))
        usage("--manifest, --exercise and --results are needed");
    return options;
}

// Of this run; the child sends it back in its closing event. Not a std::string: it is set before static constructors run.
char secret[48] = "";

// Everything the child writes until it ends or the deadline passes, as events.
std::vector<std::pair<std::string, std::string>> listen(int pipe, pid_t child, Clock::time_point deadline,
                                                        bool& timed_out) {
    std::string received;
    timed_out = false;
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
        pollfd wait{pipe, POLLIN, 0};
        const int ready = ::poll(&wait, 1, static_cast<int>(std::max<long long>(left, 0)));
        if (ready < 0 && errno == EINTR) continue;
        if (ready == 0) {
            if (timed_out) break;
            timed_out = true;  // ask the child where it is, and give it a moment to answer
            ::kill(child, SIGUSR1);
            deadline = Clock::now() + std::chrono::milliseconds(200);
            continue;
        }
        char buffer[4096];
        const ssize_t got = ::read(pipe, buffer, sizeof buffer);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        received.append(buffer, static_cast<std::size_t>(got));
    }
    std::vector<std::pair<std::string, std::string>> events;
    for (std::size_t at = 0, end; (end = received.find('\n', at)) != std::string::npos; at = end + 1) {
        const std::string line = received.substr(at, end - at);
        const std::size_t tab = line.find('\t');
        if (tab != std::string::npos) events.emplace_back(line.substr(0, tab), unescape(line.substr(tab + 1)));
    }
    return events;
}

// How the child ended. It may have closed the pipe and run on: then the deadline holds as well.
int wait_for(pid_t child, Clock::time_point deadline, bool& timed_out) {
    int status = 0;
    for (;;) {
        const pid_t ended = ::waitpid(child, &status, timed_out ? 0 : WNOHANG);
        if (ended == child || (ended < 0 && errno != EINTR)) return status;
        if (!timed_out && Clock::now() > deadline) {
            timed_out = true;
            ::kill(child, SIGKILL);
        }
        if (!timed_out) ::usleep(200);
    }
}

// What the child printed, its first lines at least.
std::string printed_by_child(std::FILE* output) {
    std::rewind(output);
    char buffer[4096];
    return std::string(buffer, std::fread(buffer, 1, sizeof buffer, output));
}

[[noreturn]] void supervise(const Options& options, const Exercise& exercise, int pipe, std::FILE* output,
                            pid_t child) {
    Ending ending;
    const auto deadline = Clock::now() + std::chrono::seconds(exercise.timeout_seconds);
    const auto events = listen(pipe, child, deadline, ending.timed_out);
    if (ending.timed_out) ::kill(child, SIGKILL);
    const int status = wait_for(child, deadline, ending.timed_out);
    if (WIFSIGNALED(status)) ending.signal = WTERMSIG(status);
    for (const auto& [kind, payload] : events) {
        char came[64] = "";
        if (kind == "done" && std::sscanf(payload.c_str(), "%63s %zu %zu", came, &ending.run, &ending.failed) == 3 &&
            std::strcmp(came, secret) == 0)
            ending.reported = true;
    }
    ending.printed = printed_by_child(output);
    const Verdict verdict = judge(exercise, events, ending);
    std::fputs(verdict.message.c_str(), stdout);
    std::fflush(stdout);
    write_result(options.results, exercise, verdict);
    ::_exit(verdict.status == Status::pass ? 0 : 1);
}

void on_signal(int signal) {
    send_event("stack", call_stack());
    if (signal == SIGUSR1) return;
    ::signal(signal, SIG_DFL);
    ::raise(signal);
}

void on_exit() { send_event("stack", call_stack()); }

// Runs first of all, before any static constructor of the student's file: nothing comes before priority 0, and this file
// is linked first. Returns in the child only.
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wprio-ctor-dtor"  // priorities up to 100 are kept for such purposes
#endif
[[gnu::constructor(0)]] void divide(int argc, char** argv) {
    const Options options = parse(argc, argv);
    if (options.list || options.alone) return;
    try {
        Exercise exercise = read_exercise(options.manifest, options.exercise);
        exercise.on_gpu = options.on_gpu;
        std::random_device random;
        std::snprintf(secret, sizeof secret, "%08x%08x%08x%08x", random(), random(), random(), random());
        int ends[2];
        if (::pipe(ends) != 0) throw std::runtime_error("cannot make a pipe");
        ::fcntl(ends[0], F_SETFD, FD_CLOEXEC);
        ::fcntl(ends[1], F_SETFD, FD_CLOEXEC);
        std::FILE* const output = std::tmpfile();
        if (output == nullptr) throw std::runtime_error("cannot make a temporary file");
        const pid_t parent = ::getpid(), child = ::fork();
        if (child < 0) throw std::runtime_error("cannot start a process");
        if (child > 0) {
            ::close(ends[1]);
            supervise(options, exercise, ends[0], output, child);
        }
        ::close(ends[0]);
#ifdef __linux__
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
        if (::getppid() != parent) ::_exit(2);
        const rlimit no_core{0, 0}, little_output{1 << 24, 1 << 24};
        ::setrlimit(RLIMIT_CORE, &no_core);
        ::setrlimit(RLIMIT_FSIZE, &little_output);
        ::dup2(::fileno(output), STDOUT_FILENO);
        ::dup2(::fileno(output), STDERR_FILENO);
        std::setvbuf(stdout, nullptr, _IOLBF, 0);  // so that a crash loses none of it
        open_channel(ends[1]);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        ::_exit(2);
    }
}

}  // namespace

void report_sanitizer_error(const char* report) { send_event("crash", report); }

int run_exercise(int argc, char** argv) {
    const Options options = parse(argc, argv);
    if (options.list) {
        list_suites();
        for (const Mistake& mistake : mistakes())
            std::printf("mistake\t%s\t%s\t%s\t%s\n", mistake.exercise, mistake.name, mistake.section,
                        mistake.explanation);
        return 0;
    }
    if (!options.mistake.empty()) {
        const Mistake* mistake = find_mistake(options.exercise, options.mistake);
        if (mistake == nullptr) usage(options.exercise + " has no mistake '" + options.mistake + "'");
        activate_mistake(mistake);
    }
    if (options.alone) {
        const RunCount count = run_suite(options.exercise);
        std::printf("%s: %zu of %zu checks failed\n", options.exercise.c_str(), count.failed, count.run);
        return count.run > 0 && count.failed == 0 ? 0 : 1;
    }
    call_stack();  // its first use loads a library: not in a signal handler
    std::signal(SIGUSR1, on_signal);
#ifndef LINATTN_SANITIZED
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL}) std::signal(signal, on_signal);
#endif
    std::atexit(on_exit);
    const RunCount count = run_suite(options.exercise);
    send_event("done", std::string(secret) + " " + std::to_string(count.run) + " " + std::to_string(count.failed));
    std::fflush(nullptr);
    ::_exit(0);
}

}  // namespace linattn::testing
