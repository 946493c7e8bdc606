#include "supervised_run.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <random>
#include <stdexcept>
#include <system_error>

#include "channel.hpp"
#include "deadline.hpp"

namespace linattn::testing {
namespace {

constexpr std::chrono::milliseconds time_to_answer{200};
constexpr int most_inherited = 64;  // open files that a child may have from whoever started us

std::string new_secret() {
    std::random_device random;
    char text[secret_length + 1];
    std::snprintf(text, sizeof text, "%08x%08x%08x%08x", random(), random(), random(), random());
    return text;
}

// In the child, between fork and exec.
[[noreturn]] void exec_child(const std::string& program, const std::vector<char*>& arguments, std::FILE* output,
                             int channel, pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(2);
    const rlimit no_core{0, 0}, little_output{most_output, most_output};
    ::setrlimit(RLIMIT_CORE, &no_core);
    ::setrlimit(RLIMIT_FSIZE, &little_output);
    for (int each = STDERR_FILENO + 1; each < most_inherited; ++each)  // a lock that ctest holds, say
        if (each != channel) ::fcntl(each, F_SETFD, FD_CLOEXEC);
    ::dup2(::fileno(output), STDOUT_FILENO);
    ::dup2(::fileno(output), STDERR_FILENO);
    ::execv(program.c_str(), arguments.data());
    ::_exit(2);
}

// Everything the child sends until it ends, the deadline passes or it is too much.
std::string listen(int channel, pid_t child, Deadline& deadline, Ending& ending) {
    std::string received;
    for (;;) {
        pollfd wait{channel, POLLIN, 0};
        const int ready = ::poll(&wait, 1, static_cast<int>(deadline.left().count()));
        if (ready < 0 && errno == EINTR) continue;
        if (ready == 0) {
            if (!deadline.passed()) continue;
            if (ending.timed_out) break;
            ending.timed_out = true;
            ::kill(child, SIGUSR1);  // ask the child where it is
            deadline = Deadline(child, time_to_answer);
            continue;
        }
        char buffer[4096];
        const ssize_t got = ::read(channel, buffer, sizeof buffer);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        received.append(buffer, static_cast<std::size_t>(got));
        if (received.size() > most_events) {
            ending.flooded = true;
            ::kill(child, SIGKILL);
            return "";
        }
    }
    return received;
}

// The child may have closed the channel and run on: then the deadline holds as well.
void wait_for(pid_t child, Deadline& deadline, Ending& ending) {
    if (ending.timed_out) ::kill(child, SIGKILL);
    int status = 0;
    for (;;) {
        const pid_t ended = ::waitpid(child, &status, ending.timed_out ? 0 : WNOHANG);
        if (ended == child || (ended < 0 && errno != EINTR)) break;
        if (!ending.timed_out && deadline.passed()) {
            ending.timed_out = true;
            ::kill(child, SIGKILL);
        }
        if (!ending.timed_out) ::usleep(200);
    }
    if (WIFSIGNALED(status)) ending.signal = WTERMSIG(status);
}

// Whether this is a closing event with this run's secret.
bool is_end(const std::string& payload, const std::string& secret, Ending& ending) {
    char came[secret_length + 1] = "";
    if (std::sscanf(payload.c_str(), "%32s %zu %zu", came, &ending.run, &ending.failed) != 3 || secret != came)
        return false;
    return ending.reported = true;
}

bool take(NumberedCase numbered, SupervisedRun& run) {
    if (numbered.number > run.cases.size()) return false;
    if (numbered.number == run.cases.size()) {
        run.cases.emplace_back();
        run.last_call.clear();
    }
    run.cases[numbered.number] = std::move(numbered.known);
    return true;
}

// Whether the line is one that the suite sends.
bool take(std::string_view line, const std::string& secret, SupervisedRun& run) {
    auto event = read_event(line);
    if (!event) return false;
    switch (event->kind) {
        case EventKind::test_case: {
            auto numbered = read_case(event->payload);
            return numbered && take(std::move(*numbered), run);
        }
        case EventKind::call: run.last_call = event->payload; return true;
        case EventKind::stack: run.stack = event->payload; return true;
        case EventKind::crash: run.crash = event->payload; return true;
        case EventKind::done: return is_end(event->payload, secret, run.ending);
    }
    return false;
}

void read_events(const std::string& received, const std::string& secret, SupervisedRun& run) {
    std::size_t at = 0;
    for (std::size_t end; (end = received.find('\n', at)) != std::string::npos; at = end + 1)
        if (!take(std::string_view(received).substr(at, end - at), secret, run)) run.ending.damaged = true;
    // Without a closing event: the child ended while it wrote.
    if (at < received.size() && run.ending.reported) run.ending.damaged = true;
}

std::string content_of(std::FILE* file) {
    std::string content;
    std::rewind(file);
    char buffer[65536];
    while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, file)) {
        content.append(buffer, got);
        if (content.size() > most_output) break;
    }
    return content;
}

}  // namespace

SupervisedRun run_supervised(const std::string& program, const std::vector<std::string>& arguments,
                             int timeout_seconds) {
    if (::access(program.c_str(), X_OK) != 0)
        throw std::runtime_error(program + " is not there: build it (cmake --build with the target " +
                                 program.substr(program.rfind('/') + 1) + ")");
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        throw std::system_error(errno, std::generic_category(), "cannot make a pair of sockets");
    std::FILE* const output = std::tmpfile();
    if (output == nullptr) throw std::system_error(errno, std::generic_category(), "cannot make a temporary file");
    ::fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    ::fcntl(::fileno(output), F_SETFD, FD_CLOEXEC);

    std::vector<std::string> words{program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    words.insert(words.end(), {"--events", std::to_string(ends[1])});
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);

    const std::string secret = new_secret();
    if (::write(ends[0], secret.data(), secret_length) != secret_length)
        throw std::runtime_error("cannot write to a socket");
    const pid_t parent = ::getpid(), child = ::fork();
    if (child < 0) throw std::system_error(errno, std::generic_category(), "cannot start a process");
    if (child == 0) exec_child(program, pointers, output, ends[1], parent);
    ::close(ends[1]);

    SupervisedRun run;
    Deadline deadline(child, std::chrono::seconds(timeout_seconds));
    const std::string received = listen(ends[0], child, deadline, run.ending);
    wait_for(child, deadline, run.ending);
    read_events(received, secret, run);
    run.ending.printed = content_of(output);
    std::fclose(output);
    ::close(ends[0]);
    return run;
}

}  // namespace linattn::testing
