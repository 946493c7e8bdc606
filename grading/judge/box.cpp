// The judge's end: starts the box at the first call, watches it, and ends as it ends. LINATTN_BOX names a file with the
// command that starts it, one word a line (tools/author/judge/box.py). The runner's ends of the pipes are 3 and 4 there, and
// bwrap tells on 5 how the box fares.
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <initializer_list>
#include <set>
#include <span>
#include <thread>

#include "case_log.hpp"
#include "channel.hpp"
#include "contract.hpp"
#include "cost.hpp"
#include "cost_claims.hpp"
#include "gpu/executable.hpp"
#include "gpu/launch_counts.hpp"
#include "memory_watch.hpp"
#include "remote_calls.hpp"
#include "work_counter.hpp"

namespace linattn::judge {
namespace {

using testing::EventKind;
using testing::send_event;

constexpr std::size_t longest_stack = 1000;
constexpr std::size_t most_offsets = 64, most_questions = 100;  // about lines of the source, in one exercise
constexpr std::size_t most_bytes_held = std::size_t{1} << 30, most_threads = 500;

pid_t box = -1, first_inside = -1;
int status_pipe = -1;
std::string status;  // what bwrap has told so far

// What goes wrong with the box and is not the student's doing: for the one who grades, and no verdict.
[[noreturn]] void give_up(const std::string& why) {
    if (const char* file = std::getenv("LINATTN_TROUBLE")) std::ofstream(file) << why << "\n";
    std::fprintf(stderr, "%s\n", why.c_str());
    std::fflush(stderr);
    ::_exit(3);
}

// bwrap says why on the standard error that it shares with this process.
[[noreturn]] void not_started() {
    char said[500] = "";
    const off_t end = ::lseek(STDERR_FILENO, 0, SEEK_END), begin = std::max<off_t>(0, end - 499);
    const ssize_t got = end > 0 ? ::pread(STDERR_FILENO, said, sizeof said - 1, begin) : 0;
    give_up("the box did not start: " + std::string(said, static_cast<std::size_t>(std::max<ssize_t>(got, 0))));
}

bool box_says(const char* words) {
    char buffer[512];
    ssize_t got = 1;
    while (status.find(words) == std::string::npos && (got = ::read(status_pipe, buffer, sizeof buffer)) != 0)
        if (got > 0) status.append(buffer, static_cast<std::size_t>(got));
    return got != 0;
}

std::vector<std::string> command() {
    const char* file = std::getenv("LINATTN_BOX");
    std::ifstream lines(file);
    std::vector<std::string> words;
    for (std::string word; std::getline(lines, word);) words.push_back(word);
    if (words.empty()) give_up(std::string(file) + " does not say how to start a box");
    return words;
}

// Between fork and exec.
[[noreturn]] void exec_child(const std::vector<char*>& words, const std::array<int, 3>& ends) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::array<int, 3> high{};
    for (std::size_t i = 0; i < ends.size(); ++i) high[i] = ::fcntl(ends[i], F_DUPFD, 10);
    for (std::size_t i = 0; i < ends.size(); ++i) ::dup2(high[i], static_cast<int>(i) + 3);
    for (int other = 6; other < 256; ++other) ::close(other);
    ::signal(SIGPIPE, SIG_DFL);
    const char* path = std::getenv("PATH");  // the rest of the environment could be read in the box
    std::string only = std::string("PATH=") + (path == nullptr ? "/usr/bin:/bin" : path);
    char* const environment[] = {only.data(), nullptr};
    ::execvpe(words[0], words.data(), environment);
    ::_exit(127);
}

// A file of /proc, without operator new, which the suite watches. Empty where there is none.
void read_file(const char* path, std::span<char> text) {
    const int file = ::open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t got = file < 0 ? 0 : ::read(file, text.data(), text.size() - 1);
    if (file >= 0) ::close(file);
    text[static_cast<std::size_t>(std::max<ssize_t>(got, 0))] = '\0';
}

// The runner's number outside of the box: the only process inside, beside the box's own first. 0: not there yet.
pid_t runner() {
    static std::atomic<pid_t> number = 0;
    if (number == 0) {
        char path[64], text[128];
        std::snprintf(path, sizeof path, "/proc/%d/task/%d/children", first_inside, first_inside);
        read_file(path, text);
        number = static_cast<pid_t>(std::strtol(text, nullptr, 10));
    }
    return number;
}

// The numbers that follow these words in the runner's /proc/PID/status, added up.
std::size_t sum_in_status(std::initializer_list<const char*> names) {
    char path[64], text[4096];
    std::snprintf(path, sizeof path, "/proc/%d/status", runner());
    read_file(path, text);
    std::size_t sum = 0;
    for (const char* name : names)
        if (const char* found = std::strstr(text, name)) sum += std::strtoul(found + std::strlen(name), nullptr, 10);
    return sum;
}

// Page tables and what was swapped out are memory of the machine as well.
std::size_t held_bytes() { return sum_in_status({"\nVmRSS:", "\nVmPTE:", "\nVmSwap:"}) << 10; }
std::size_t most_resident_bytes() { return sum_in_status({"\nVmHWM:"}) << 10; }

std::atomic<const char*> held_too_much = nullptr;

// Beside the suite: what the runner does after an answer counts as well.
void watch_memory() {
    while (held_too_much == nullptr) {
        if (held_bytes() > most_bytes_held)
            held_too_much = "    it held more than 1 GB of memory, and was stopped";
        else if (sum_in_status({"\nThreads:"}) > 1 && sum_in_status({"\nVmRSS:"}) == 0)
            held_too_much = "    it ended its main thread, so that its memory could not be watched, and was stopped";
        else if (sum_in_status({"\nThreads:"}) > most_threads)
            held_too_much = "    it started more than 500 threads, and was stopped";
        else
            ::usleep(20000);
    }
    ::kill(first_inside, SIGKILL);
}

double seconds_so_far() {
    clockid_t clock{};
    timespec time{};
    if (runner() == 0 || ::clock_getcpuclockid(runner(), &clock) != 0 || ::clock_gettime(clock, &time) != 0) return 0.0;
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double seconds_before = 0.0, seconds_taken = 0.0;

// The suite's process ends as the runner did: the supervisor has words for it.
[[noreturn]] void end_likewise() {
    int ending = 0;
    while (::waitpid(box, &ending, 0) < 0 && errno == EINTR) {
    }
    if (const char* const what = held_too_much) {
        testing::current_case().failures.push_back({.what = what});
        testing::end_case();
        std::raise(SIGKILL);
    }
    if (!box_says("\"exit-code\"")) not_started();
    const int code = WIFEXITED(ending) ? WEXITSTATUS(ending) : 128 + WTERMSIG(ending);
    if (code > 128 && code <= 128 + 64) {
        std::signal(code - 128, SIG_DFL);
        std::raise(code - 128);
    }
    ::_exit(1);
}

void take(const Claims& claims) {
    static std::set<std::string> names;
    const auto within_reason = [](std::size_t count) { return std::min(count, std::size_t{1} << 48); };
    if (runner() == 0) end_likewise();  // it answered and was gone
    seconds_taken = seconds_so_far() - seconds_before;
    work_done += within_reason(claims.work);
    largest_work = std::max(largest_work, claims.largest_work);
    testing::blocks_run += within_reason(claims.blocks);
    gpu::launch_counts = {};
    gpu::launch_counts.barriers = claims.barriers;
    gpu::launch_counts.accesses = claims.accesses;
    for (const std::string& name : claims.checking)
        if (on_check != nullptr && names.size() < 1000) on_check(names.insert(name).first->c_str());
    testing::watched_elsewhere(within_reason(claims.watched.peak_bytes),
                               claims.watched.traced_allocation.substr(0, longest_stack),
                               claims.watched.throw_site.substr(0, longest_stack));
}

// The messages about a kernel name lines, and the runner cannot look them up. `addr2line` on the PATH is one in a box.
std::string lines_of_the_runner(bool functions, std::vector<std::uintptr_t> offsets) {
    static std::size_t questions = 0;
    if (++questions > most_questions) return "";
    offsets.resize(std::min(offsets.size(), most_offsets));
    const std::vector<std::string> options =
        functions ? std::vector<std::string>{"-f", "-C"} : std::vector<std::string>{"-i"};
    return gpu::addr2line("/runner", options, offsets);
}

// Before main, so that the runner loads while the suite does.
struct Start {
    int calls = -1, answers = -1;

    Start() {
        if (std::getenv("LINATTN_BOX") == nullptr) return;
        std::vector<std::string> words = command();
        std::vector<char*> pointers;
        pointers.reserve(words.size() + 1);
        for (std::string& word : words) pointers.push_back(word.data());
        pointers.push_back(nullptr);
        int called[2], answered[2], told[2];
        if (::pipe2(called, O_CLOEXEC) != 0 || ::pipe2(answered, O_CLOEXEC) != 0 || ::pipe2(told, O_CLOEXEC) != 0)
            give_up("no pipe can be made");
        std::signal(SIGPIPE, SIG_IGN);
        box = ::fork();
        if (box < 0) give_up("no process can be started");
        if (box == 0) exec_child(pointers, {called[0], answered[1], told[1]});
        for (const int theirs : {called[0], answered[1], told[1]}) ::close(theirs);
        calls = called[1];
        answers = answered[0];
        status_pipe = told[0];
    }
};
const Start start;

}  // namespace

void open_connection() {
    if (start.calls < 0)
        give_up("LINATTN_BOX is not set: ./course grade starts this program, and says how to start a box");
    if (!box_says("\"child-pid\": ") ||
        std::sscanf(status.c_str() + status.find("\"child-pid\""), "\"child-pid\": %d", &first_inside) != 1)
        not_started();
    std::signal(SIGUSR1, [](int) { ::kill(runner(), SIGUSR1); });  // the supervisor asks where the call is
    on_call = [] {
        seconds_before = seconds_so_far();
        return testing::allocation_to_trace();
    };
    on_claims = take;
    services().emplace("addr2line", service(&lines_of_the_runner));
    std::thread(watch_memory).detach();
    testing::seconds_of_latest_call = [] { return seconds_taken; };
    testing::most_bytes_so_far = most_resident_bytes;
    if (std::getenv("LINATTN_TIMES") != nullptr)
        testing::on_seconds = [](double seconds) {
            std::ofstream(std::getenv("LINATTN_TIMES"), std::ios::app) << seconds << "\n";
        };
    connect(start.answers, start.calls);
}

void other_end_failed(const char* malformed) {
    if (malformed == nullptr) end_likewise();
    send_event(EventKind::done, "");  // without the secret: what came cannot be read
    ::_exit(1);
}

void other_end_is_at(const std::string& stack) { send_event(EventKind::stack, stack.substr(0, longest_stack)); }

void other_end_crashed(const std::string& found) {
    send_event(EventKind::crash, found.substr(0, 100));
    ::_exit(1);
}

}  // namespace linattn::judge
