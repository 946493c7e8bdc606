#include "searches.hpp"

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

#include "exercise.hpp"
#include "options.hpp"
#include "reporter.hpp"

extern "C" {
int linattn_edit = 0;  // the number of the edit that a function built with edits does; 0: none
}

namespace linattn::testing {
namespace {

constexpr int most_for_a_case = 1000;  // milliseconds of processor time
int milliseconds = most_for_a_case;
bool any_case = false;

void limit_case() {
    any_case = true;
    const itimerval timer{{0, 0}, {milliseconds / 1000, milliseconds % 1000 * 1000}};
    ::setitimer(ITIMER_PROF, &timer, nullptr);  // SIGPROF ends the process
}

// How far an attempt came before its first failure. Its own process writes it.
struct Reached {
    long calls;         // that gave what they should
    double share;       // of the entries of the next one that are right
    double error;       // of that one, relative to what is expected
    std::size_t print;  // of its entries: those with the same do the same
};
Reached* const reached = [] {
    void* memory = ::mmap(nullptr, sizeof(Reached), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<Reached*>(memory);
}();

void count_right(const ComparedCall&) { ++reached->calls; }

void measure_wrong(const ComparedCall& call) {
    std::size_t right = 0, all = 0;
    double squares = 0.0, wanted = 0.0;
    for (std::size_t p = 0; p < std::min(call.outcome.parts.size(), call.expected.size()); ++p) {
        const auto* got = std::get_if<Tensor>(&call.outcome.parts[p].value);
        const Tensor& value = call.expected[p].value;
        if (got == nullptr || shape_of(*got) != shape_of(value)) return;
        for (std::size_t i = 0; i < value.size(); ++i) {
            right += is_right(*got, call.expected[p], i);
            squares += std::pow(got->data()[i] - value.data()[i], 2);
            wanted += std::pow(value.data()[i], 2);
            reached->print = 31 * reached->print + std::hash<float>()(static_cast<float>(got->data()[i]));
        }
        all += value.size();
    }
    if (all == 0) return;
    reached->share = static_cast<double>(right) / static_cast<double>(all);
    const double error = std::sqrt(squares / wanted);
    reached->error = std::isfinite(error) ? std::round(1e6 * error) / 1e6 : 1e9;
}

struct Attempt {
    int status;        // 0: every case passes
    int milliseconds;  // of processor time
};
constexpr int no_such_case = 2, out_of_time = 3;

// In a process of its own: what is edited may write anywhere, or never end.
Attempt attempt(const std::string& exercise, int number, int only_case) {
    *reached = {0, 0.0, 1e9, 0};
    const pid_t child = ::fork();
    if (child == 0) {
        const int nowhere = ::open("/dev/null", O_WRONLY);
        ::dup2(nowhere, STDOUT_FILENO);
        ::dup2(nowhere, STDERR_FILENO);
        linattn_edit = number;
        choose_case(only_case);
        stop_at_first_failure(limit_case);
        const RunCount count = run_suite(exercise);
        ::_exit(!any_case ? no_such_case : count.failed == 0 ? 0 : 1);
    }
    int status = 1;
    rusage used{};
    if (child < 0 || ::wait4(child, &status, 0, &used) != child) return {1, 0};
    const auto in_milliseconds = [](const timeval& time) { return time.tv_sec * 1000 + time.tv_usec / 1000; };
    return {WIFEXITED(status)             ? WEXITSTATUS(status)
            : WTERMSIG(status) == SIGPROF ? out_of_time
                                          : 1,
            static_cast<int>(in_milliseconds(used.ru_utime) + in_milliseconds(used.ru_stime))};
}

// Of the cases that the function fails as it is, the first that takes little time, or the one that takes the least: most edits do
// not get further. Little time, so that it is the same one in every process and on every machine.
constexpr int little = 20;  // milliseconds of processor time
struct Hurdle {
    int only_case = 0, milliseconds = most_for_a_case;
    Reached unedited{};
};
Hurdle hurdle_of(const std::string& exercise) {
    Hurdle cheapest;
    for (int number = 1;; ++number) {
        const Attempt unedited = attempt(exercise, 0, number);
        if (unedited.status == no_such_case) return cheapest;
        if (unedited.status != 0 && unedited.milliseconds < cheapest.milliseconds)
            cheapest = {number, unedited.milliseconds, *reached};
        if (cheapest.milliseconds <= little) return cheapest;
    }
}

void tell_step(int number, bool over) {
    std::printf("step %d %d %ld %.9g %.9g %zx\n", number, over ? 1 : 0, reached->calls, reached->share, reached->error,
                reached->print);
}

bool got_further(const Reached& before) {
    const auto key = [](const Reached& each) { return std::tuple(each.calls, each.share, -each.error); };
    return key(*reached) > key(before);
}

}  // namespace

int try_edits(const std::string& exercise, const std::string& range) {
    int first = 0, last = 0;
    if (std::sscanf(range.c_str(), "%d-%d", &first, &last) != 2) refuse_options("--edits needs FIRST-LAST");
    if (reached == nullptr) refuse_options("no memory for --edits");
    on_right_call = count_right;
    on_wrong_call = measure_wrong;
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    const Hurdle hurdle = hurdle_of(exercise);
    for (int number = first; number <= last; ++number) {
        milliseconds = std::min(3 * hurdle.milliseconds + 20, most_for_a_case);
        int status = attempt(exercise, number, hurdle.only_case).status;
        milliseconds = most_for_a_case;
        // A right function makes more calls of the case than one that fails in the first of them.
        if (status == out_of_time && got_further(hurdle.unedited))
            status = attempt(exercise, number, hurdle.only_case).status;
        const bool over = status == 0;
        if (over && attempt(exercise, number, 0).status == 0)
            std::printf("edit %d\n", number);
        else if (over || got_further(hurdle.unedited))
            tell_step(number, over);
        if (number % 20 == 0) std::puts("tried 20");
    }
    return 0;
}

}  // namespace linattn::testing
