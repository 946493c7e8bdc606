#include "edits.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

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

struct Attempt {
    int status;        // 0: every case passes
    int milliseconds;  // of processor time
};
constexpr int no_such_case = 2;

// In a process of its own: what is edited may write anywhere, or never end.
Attempt attempt(const std::string& exercise, int number, int only_case) {
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
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 1,
            static_cast<int>(in_milliseconds(used.ru_utime) + in_milliseconds(used.ru_stime))};
}

// Of the cases that the function fails as it is, the one that takes the least time: most edits do not get further.
struct Hurdle {
    int only_case = 0, milliseconds = most_for_a_case;
};
Hurdle cheapest_failure(const std::string& exercise) {
    Hurdle cheapest;
    for (int number = 1;; ++number) {
        const Attempt unedited = attempt(exercise, 0, number);
        if (unedited.status == no_such_case) return cheapest;
        if (unedited.status != 0 && unedited.milliseconds < cheapest.milliseconds)
            cheapest = {number, unedited.milliseconds};
    }
}

}  // namespace

int try_edits(const std::string& exercise, const std::string& range) {
    int first = 0, last = 0;
    if (std::sscanf(range.c_str(), "%d-%d", &first, &last) != 2) refuse_options("--edits needs FIRST-LAST");
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    const Hurdle hurdle = cheapest_failure(exercise);
    for (int number = first; number <= last; ++number) {
        milliseconds = std::min(3 * hurdle.milliseconds + 20, most_for_a_case);
        const bool over = attempt(exercise, number, hurdle.only_case).status == 0;
        milliseconds = most_for_a_case;
        if (over && attempt(exercise, number, 0).status == 0) std::printf("edit %d\n", number);
        if (number % 20 == 0) std::puts("tried 20");
    }
    return 0;
}

}  // namespace linattn::testing
