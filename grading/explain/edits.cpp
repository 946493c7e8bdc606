#include "edits.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <functional>
#include <tuple>
#include <vector>

#include "options.hpp"
#include "recorded_calls.hpp"
#include "reporter.hpp"

extern "C" {
int linattn_edit = 0;  // the number of the edit that a function built with edits does; 0: none
}

namespace linattn::testing {
namespace {

constexpr int most_for_a_case = 1000, most_for_a_cure = 10'000;  // milliseconds of processor time for each case
int milliseconds = most_for_a_case;
bool any_case = false;

void limit_case() {
    any_case = true;
    const itimerval timer{{0, 0}, {milliseconds / 1000, milliseconds % 1000 * 1000}};
    ::setitimer(ITIMER_PROF, &timer, nullptr);  // SIGPROF ends the process
}

// How far an attempt came before its first failure.
struct Reached {
    long calls = 0;         // that gave what they should
    double share = 0.0;     // of the entries of the next one that are right
    double error = 1e9;     // of that one, relative to what is expected
    std::size_t print = 0;  // of its entries: those with the same do the same
};
struct Attempt {
    int status = 1;        // 0: every case passes
    int milliseconds = 0;  // of processor time
    Reached reached;
};
constexpr int no_such_case = 2, out_of_time = 3;

// What a process has found out when an attempt ends it.
constexpr int together = 32;  // attempts of one process
struct Made {
    int done;
    Attempt attempts[together];
};
Made* const attempts_made = [] {
    void* memory = ::mmap(nullptr, sizeof(Made), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<Made*>(memory);
}();
Reached& reached() { return attempts_made->attempts[attempts_made->done].reached; }

void measure(const ComparedCall& call, bool is_right_call) {
    if (is_right_call) {
        ++reached().calls;
        return;
    }
    std::size_t right = 0, all = 0;
    double squares = 0.0, wanted = 0.0;
    for (std::size_t p = 0; p < std::min(call.outcome.parts.size(), call.expected->size()); ++p) {
        const Tensor* got = comparable(call.outcome.parts[p], (*call.expected)[p]);
        const Tensor& value = (*call.expected)[p].value;
        if (got == nullptr) return;
        for (std::size_t i = 0; i < value.size(); ++i) {
            right += is_right(*got, (*call.expected)[p], i);
            squares += std::pow(got->data()[i] - value.data()[i], 2);
            wanted += std::pow(value.data()[i], 2);
            reached().print = 31 * reached().print + std::hash<float>()(static_cast<float>(got->data()[i]));
        }
        all += value.size();
    }
    if (all == 0) return;
    reached().share = static_cast<double>(right) / static_cast<double>(all);
    const double error = std::sqrt(squares / wanted);
    reached().error = std::isfinite(error) ? std::round(1e6 * error) / 1e6 : 1e9;
}

int processor_milliseconds(int whose) {
    rusage used{};
    ::getrusage(whose, &used);
    const auto in_milliseconds = [](const timeval& time) { return time.tv_sec * 1000 + time.tv_usec / 1000; };
    return static_cast<int>(in_milliseconds(used.ru_utime) + in_milliseconds(used.ru_stime));
}

[[noreturn]] void make_attempts(const std::string& exercise, int first, int last, int only_case) {
    const int nowhere = ::open("/dev/null", O_WRONLY);
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
    choose_cases(only_case, only_case);
    stop_at_first_failure(limit_case);
    for (linattn_edit = first; linattn_edit <= last; ++linattn_edit) {
        any_case = false;
        const int before = processor_milliseconds(RUSAGE_SELF);
        const RunCount count = run_suite(exercise);
        Attempt& attempt = attempts_made->attempts[attempts_made->done];
        attempt.status = !any_case ? no_such_case : count.failed == 0 ? 0 : 1;
        attempt.milliseconds = processor_milliseconds(RUSAGE_SELF) - before;
        ++attempts_made->done;
    }
    ::_exit(0);
}

// At least the first of them, and those after it up to one that ends the process. In a process of their own: what is edited may
// write anywhere, or never end.
std::vector<Attempt> attempts(const std::string& exercise, int first, int last, int only_case) {
    *attempts_made = {};
    const int before = processor_milliseconds(RUSAGE_CHILDREN);
    const pid_t child = ::fork();
    if (child == 0) make_attempts(exercise, first, last, only_case);
    int status = 1;
    if (child < 0 || ::waitpid(child, &status, 0) != child) return {Attempt{}};
    std::vector<Attempt> result(attempts_made->attempts, attempts_made->attempts + attempts_made->done);
    if (attempts_made->done <= last - first) {
        Attempt& ended = result.emplace_back(attempts_made->attempts[attempts_made->done]);
        ended.milliseconds = processor_milliseconds(RUSAGE_CHILDREN) - before;
        for (const Attempt& each : result) ended.milliseconds -= &each == &ended ? 0 : each.milliseconds;
        if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF) ended.status = out_of_time;
    }
    return result;
}

Attempt attempt(const std::string& exercise, int number, int only_case) {
    return attempts(exercise, number, number, only_case).front();
}

// Of the cases that the function fails as it is, the first that takes little time, or the one that takes the least: most edits do
// not get further. Little time, so that it is the same one in every process and on every machine.
constexpr int little = 20;  // milliseconds of processor time
struct Hurdle {
    int only_case = 0;
    Attempt unedited{1, most_for_a_case, {}};
};
Hurdle hurdle_of(const std::string& exercise) {
    Hurdle cheapest;
    for (int number = 1;; ++number) {
        const Attempt unedited = attempt(exercise, 0, number);
        if (unedited.status == no_such_case) return cheapest;
        if (unedited.status != 0 && unedited.milliseconds < cheapest.unedited.milliseconds)
            cheapest = {number, unedited};
        if (cheapest.unedited.milliseconds <= little) return cheapest;
    }
}

bool got_further(const Attempt& tried, const Attempt& before) {
    const auto key = [](const Reached& each) { return std::tuple(each.calls, each.share, -each.error); };
    return key(tried.reached) > key(before.reached);
}

void tell(const std::string& exercise, int number, Attempt tried, const Hurdle& hurdle) {
    milliseconds = most_for_a_case;
    // A right function makes more calls of the case than one that fails in the first of them.
    if (tried.status == out_of_time && got_further(tried, hurdle.unedited))
        tried = attempt(exercise, number, hurdle.only_case);
    milliseconds = most_for_a_cure;
    if (tried.status == 0 && attempt(exercise, number, 0).status == 0)
        std::printf("edit %d\n", number);
    else if (tried.status == 0 || got_further(tried, hurdle.unedited))
        std::printf("step %d %d %ld %.9g %.9g %zx\n", number, tried.status == 0 ? 1 : 0, tried.reached.calls,
                    tried.reached.share, tried.reached.error, tried.reached.print);
}

}  // namespace

int try_edits(const std::string& exercise, const std::string& range) {
    int first = 0, last = 0;
    if (std::sscanf(range.c_str(), "%d-%d", &first, &last) != 2) refuse_options("--edits needs FIRST-LAST");
    if (attempts_made == nullptr) refuse_options("no memory for --edits");
    on_compared = measure;
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    const Hurdle hurdle = hurdle_of(exercise);
    while (first <= last) {
        milliseconds = std::min(3 * hurdle.unedited.milliseconds + 20, most_for_a_case);
        const std::vector<Attempt> some =
            attempts(exercise, first, std::min(first + together - 1, last), hurdle.only_case);
        for (const Attempt& each : some) tell(exercise, first++, each, hurdle);
        std::printf("tried %zu\n", some.size());
    }
    return 0;
}

}  // namespace linattn::testing
