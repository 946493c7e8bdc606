// What becomes of a run: how it ends, and the verdict.
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <chrono>
#include <csignal>

#include "call_stack.hpp"
#include "crash_report.hpp"
#include "deadline.hpp"
#include "expectations.hpp"
#include "gpu/executable.hpp"
#include "student_lines.hpp"
#include "supervised_run.hpp"
#include "verdict.hpp"

namespace linattn::testing {
namespace {

void busy_for_a_moment() {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
    while (std::chrono::steady_clock::now() < until) {
    }
}

TEST_SUITE("a supervised run") {
// What a shell script in the program's place leads to. $fd is the channel, $secret this run's secret.
SupervisedRun run_of(const std::string& script, int seconds = 30) {
    const std::string begin = "for fd in \"$@\"; do :; done; read -r -N 32 secret <&$fd; ";
    return run_supervised("/bin/bash", {"-c", begin + script, "program"}, seconds);
}

// What exits, is killed, or sends or prints without end: the transcripts and test_false_passes.py.
TEST_CASE("counts when it ends with its secret, and nothing else is sent") {
    const std::string done = "printf 'done\\t%s 3 0\\n' $secret >&$fd; ";
    const Ending right = run_of(done).ending;
    CHECK((right.reported && !right.damaged));
    const Ending forged = run_of("printf 'done\\t00000000000000000000000000000000 3 0\\n' >&$fd").ending;
    CHECK((!forged.reported && forged.damaged));
    CHECK(run_of(done + "echo anything >&$fd").ending.damaged);
    CHECK(run_of(done + "printf case >&$fd").ending.damaged);
}
TEST_CASE("is not charged for the time in which it queues for a processor") {
    cpu_set_t before, one;
    REQUIRE(::sched_getaffinity(0, sizeof before, &before) == 0);
    CPU_ZERO(&one);
    for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu)
        if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
    ::sched_setaffinity(0, sizeof one, &one);
    const pid_t other = ::fork();
    if (other == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;) busy_for_a_moment();
    }
    Deadline deadline(other, std::chrono::milliseconds(200));
    const auto began = std::chrono::steady_clock::now();
    while (!deadline.passed()) busy_for_a_moment();
    const std::chrono::duration<double> by_the_clock = std::chrono::steady_clock::now() - began;
    ::kill(other, SIGKILL);
    ::waitpid(other, nullptr, 0);
    ::sched_setaffinity(0, sizeof before, &before);
    CHECK(by_the_clock.count() > 0.25);
    CHECK(seconds_queued(other) == 0.0);  // it is gone
}
TEST_CASE("is ended when it does not end, also while it sends or when it has closed the channel") {
    CHECK(run_of("while sleep 0.05; do echo x >&$fd; done", 1).ending.timed_out);
    CHECK(run_of("exec {fd}>&-; exec sleep 1000", 1).ending.timed_out);
    CHECK_THROWS_WITH(run_supervised("/no/such", {}, 1), doctest::Contains("is not there: build it"));
}
}

TEST_SUITE("what ended a program") {
TEST_CASE("is told in a few words") {
    CHECK(finding_in_words("dynamic-stack-buffer-overflow read 1") == "went outside an array: read 1 bytes");
    for (const char* name : {"bad-free", "bad-malloc_usable_size"})
        CHECK(contains(finding_in_words(name), "freed already"));
    CHECK(finding_in_words("something-new") == "was stopped: something-new");
    CHECK(signal_in_words(SIGKILL).empty());
}
}

TEST_SUITE("call stacks") {
TEST_CASE("lead to a line of one of the sources, or to none") {
    const std::string here = call_stack();
    CHECK(source_line(here, gpu::executable_path(), {"no_such.cpp"}).empty());
}
}

TEST_SUITE("output of the C++ runtime") {
std::string runtime_output(std::string printed) { return take_runtime_output(printed); }

// Those of a std::vector and a std::array, and of exceptions under g++: tests/transcripts/faults_of_memory.
TEST_CASE("name what a container refused") {
    const auto refused = [](const std::string& signature, const std::string& condition) {
        return runtime_output("/usr/include/c++/12/bits/x.h:1123: " + signature + ": Assertion '" + condition +
                              "' failed.\n");
    };
    CHECK(refused("constexpr _Tp& std::_Optional_base_impl<_Tp, _Dp>::_M_get() [with _Tp = int]",
                  "this->_M_is_engaged()") == "read a std::optional that holds no value");
    CHECK(refused(
              "typename std::add_lvalue_reference<_Tp>::type std::unique_ptr<_Tp, _Dp>::operator*() const [with _Tp = "
              "int]",
              "get() != pointer()") == "followed a std::unique_ptr that points to nothing");
    CHECK(runtime_output(
              "/usr/include/c++/v1/vector:1456: assertion __n < size() failed: vector[] index out of bounds\n") ==
          "broke a condition of the standard library: vector[] index out of bounds");
    CHECK(runtime_output("program: file.cpp:12: int f(int): Assertion `n > 0' failed.\n") ==
          "failed the assertion n > 0");
}
TEST_CASE("name the exception that nothing could catch") {
    const std::string end = " where nothing can catch it: out of a noexcept function or a destructor";
    CHECK(runtime_output("terminate called after throwing an instance of 'int'\n") == "threw int" + end);
    CHECK(runtime_output("libc++abi: terminating due to uncaught exception of type std::runtime_error: seven\n") ==
          "threw std::runtime_error (\"seven\")" + end);
}
TEST_CASE("are taken out of what the student printed, and nothing else is") {
    std::string printed = "mine\nterminate called without an active exception\n";
    take_runtime_output(printed);
    CHECK(printed == "mine\n");
    std::string long_ago(20000, 'x');
    long_ago += "\nmine";
    CHECK(take_runtime_output(long_ago).empty());
    CHECK(long_ago.ends_with("mine"));
    CHECK(runtime_output(std::string(1'000'000, 'x')).empty());  // one line without end
    CHECK(runtime_output("").empty());
    CHECK(runtime_output("\n").empty());
}
}

TEST_SUITE("verdict") {
const ManifestEntry exercise{"lab07", "lab07_numbers", "twice", "7.1", {"lab07_numbers.cpp"}, 2.0, 10};
using Cases = std::vector<Case>;
const Cases two_cases{{.name = "one"}, {.name = "two"}};
const std::vector<Resemblance> thrice{{"thrice", "Double it (§7.1)"}};

Verdict judged(const ManifestEntry& entry, const SupervisedRun& run) {
    return verdict_of(entry, "", run, [&](std::size_t, std::size_t) { return run; });
}
Verdict judged(const Cases& cases, const Ending& ending) {
    return judged(exercise, {.cases = cases, .last_call = "twice with x 1", .ending = ending});
}

Ending reported(std::size_t run, std::size_t failed) { return {.reported = true, .run = run, .failed = failed}; }

// These cases, the last of which fails.
Cases failing(Cases cases, const Failure& failure = {.what = "    wrong"}) {
    cases.back().failures.push_back(failure);
    return cases;
}

TEST_CASE("passes only when every case ran and none failed") {
    const Verdict verdict = judged(two_cases, reported(2, 0));
    CHECK(verdict.status == Status::pass);
    CHECK(contains(verdict.message, "ok  one"));
    CHECK(verdict.mistakes.empty());
    CHECK(judged(Cases{}, reported(0, 0)).status == Status::not_run);
    CHECK(judged(Cases{}, reported(2, 1)).status == Status::fail);
    CHECK(judged(two_cases, reported(2, 1)).status == Status::fail);
    CHECK(judged(failing(two_cases), reported(2, 0)).status == Status::fail);
    CHECK(judged(two_cases, Ending{}).status == Status::crash);
}
TEST_CASE("what keeps the program from starting is no crash of the student's, and what it prints later is") {
    const auto said = [](const Cases& cases, const std::string& printed) {
        return judged(exercise, {.cases = cases, .ending = {.signal = SIGABRT, .printed = printed}}).status;
    };
    CHECK(said({}, "==1==ERROR: AddressSanitizer failed to allocate 0xdfff0001000 bytes\n") == Status::not_run);
    CHECK(said({}, "a: error while loading shared libraries: libasan.so.8\n") == Status::not_run);
    CHECK(said({}, "==1==ERROR: AddressSanitizer: heap-use-after-free\n") == Status::crash);
    CHECK(said(two_cases, "==1==ERROR: AddressSanitizer failed to allocate\n") == Status::crash);
}
TEST_CASE(
    "a first failure without a name that comes at another call when its case runs alone is about an earlier call") {
    const auto says_so = [](const Cases& cases, const Cases& alone) {
        const auto run_alone = [&](std::size_t from, std::size_t to) -> SupervisedRun {
            CHECK((from == 2 && to == 2));
            return {.cases = alone, .ending = reported(1, 1)};
        };
        const SupervisedRun run{.cases = cases, .ending = reported(2, 1)};
        return contains(verdict_of(exercise, "", run, run_alone).message, "from an earlier call");
    };
    const auto fails_with = [](const Cases& cases, const char* what) {
        return failing(cases, {.what = "    wrong", .inputs = what});
    };
    const Cases second{{.name = "two"}};
    CHECK(says_so(fails_with(two_cases, "x 1"), second));
    CHECK(says_so(fails_with(two_cases, "x 1"), fails_with(second, "x 2")));
    CHECK(!says_so(fails_with(two_cases, "x 1"), fails_with(second, "x 1")));
    CHECK(!says_so(failing(two_cases, {.what = "    wrong", .resembles = thrice, .inputs = "x 1"}), second));
    CHECK(!says_so(fails_with(second, "x 1"), second));  // no other case ran before it
}
TEST_CASE("what failed before the case in which the run ended is explained by running it once more without that case") {
    const SupervisedRun crashed{.cases = {failing({{.name = "one"}})[0], {.name = "two"}},
                                .ending = {.signal = SIGSEGV}};
    const auto again = [&](const Ending& ending) {
        return verdict_of(exercise, "", crashed, [&](std::size_t from, std::size_t to) -> SupervisedRun {
            CHECK((from == 1 && to == 1));
            return {.cases = failing({{.name = "one"}}, {.what = "    wrong", .resembles = thrice}), .ending = ending};
        });
    };
    CHECK(again(reported(1, 1)).mistakes == std::vector<std::string>{"thrice"});
    CHECK(again(reported(1, 1)).status == Status::crash);
    CHECK(again({.signal = SIGSEGV}).mistakes.empty());
}
TEST_CASE("what ends the program while it explains a failure does not hide the failure") {
    Ending ending = reported(2, 1);
    ending.signal = SIGTERM;
    const Verdict verdict = judged(failing(two_cases), ending);
    CHECK(verdict.status == Status::fail);
    CHECK(contains(verdict.message, "called once more, to find out why, it was stopped by signal 15"));
}
TEST_CASE("a float is suspected when every wrong value is right to seven digits") {
    const auto message = [](Digits digits) {
        return judged(failing(two_cases, {.what = "    first differs", .digits = digits}), reported(2, 1)).message;
    };
    CHECK(contains(message(Digits::seven), "precision of float"));
    CHECK_FALSE(contains(message(Digits::fewer), "precision of float"));
}
TEST_CASE("names that cannot be told apart are said to be one mistake, and what they concern") {
    const auto message = [](const std::vector<Resemblance>& names) {
        return judged(failing(two_cases, {.what = "    wrong", .resembles = names, .closeness = "exact"}),
                      reported(2, 1))
            .message;
    };
    CHECK(
        contains(message({{"thrice", "a", "the factor"}, {"half", "b", "the factor"}}),
                 "looks like: thrice or half (exact)\n      They give the same result here, and only one of them need "
                 "be yours; each concerns the factor.\n      a\n      b\n"));
    CHECK(contains(message({{"thrice", "a", "the factor"}, {"half", "b", "the sum"}}), "need be yours.\n"));
    CHECK(contains(message({{"thrice", "a", "the factor"}}), "looks like: thrice (exact)\n      a\n"));
}
TEST_CASE("to do is no failure, but a failure comes before to do") {
    Cases to_do = two_cases;
    to_do.back().todo = "twice is not written yet";
    const Verdict verdict = judged(to_do, reported(2, 2));
    CHECK(verdict.status == Status::todo);
    CHECK(contains(verdict.message, "twice is not written yet"));
    CHECK(judged(failing(to_do), reported(2, 2)).status == Status::fail);
}
TEST_CASE("what another exercise causes is all that the message says, and it leads there") {
    ManifestEntry waiting = exercise;
    waiting.sections = {{"twice", "7.1"}, {"half", "7.2"}};
    Cases cases = failing(two_cases, {.what = "    first differs", .resembles = thrice});
    cases.push_back({.name = "its part",
                     .failures = {{.what = "    half is wrong"}},
                     .begin_with = "half",
                     .caused_elsewhere = true});
    cases.push_back({.name = "later", .failures = {{.what = "    as well"}}});
    const Verdict verdict = judged(waiting, {.cases = cases, .ending = reported(4, 3)});
    CHECK(verdict.status == Status::fail);
    CHECK(contains(verdict.message, "  its part\n    half is wrong\n"));
    CHECK(!contains(verdict.message, "thrice"));
    CHECK(!contains(verdict.message, "as well"));
    CHECK(contains(verdict.message, "§7.2\n  again: ./course check lab07.half "));
    CHECK(verdict.mistakes.empty());
    CHECK(verdict.begin_with == "half");
    const SupervisedRun to_do{.cases = {{.name = "one", .todo = "twice calls half", .begin_with = "half"}},
                              .ending = reported(2, 2)};
    CHECK(contains(judged(waiting, to_do).message, "§7.2"));
}
TEST_CASE("what was printed stands under its case, without what came of repeating a call") {
    Ending ending = reported(2, 1);
    ending.printed = "early\none\ntwo\nagain\n";
    Cases cases = two_cases;
    cases[0].output_begins = 6;
    cases[1].output_begins = 10;
    cases[1].output_ends = 14;
    CHECK(contains(judged(failing(cases), ending).message, "  two\n    wrong\n    your output:\n      two\n  1 of 2"));
    ending.failed = 0;
    CHECK(contains(judged(cases, ending).message,
                   "  ok  one\n    your output:\n      early\n      one\n  ok  two\n    your output:\n      two\n"));
    ending.printed = std::string("a\x1b[31m\0b", 8);
    CHECK(contains(judged(cases, ending).message, "a\\x1b[31m"));
}
TEST_CASE("who wrote a large file and printed little is told so") {
    CHECK(contains(judged({{.name = "one"}}, {.signal = SIGXFSZ}).message,
                   "wrote a file of more than 16 MB, and was stopped"));
}
TEST_CASE("the share counts checks that a null answer does not pass, of a run that came to its end") {
    Cases cases{{.name = "one", .tells = true}, {.name = "two"}, {.name = "three"}};
    CHECK(judged(failing(cases, {.what = "    wrong"}), reported(3, 1)).share == 0.5);
    CHECK(judged(failing(cases, {.what = "    wrong"}), Ending{}).share == 0.0);
    cases[0].tells = false;
    CHECK(judged(failing(cases, {.what = "    wrong"}), reported(3, 1)).share == 0.0);
}
}

}  // namespace
}  // namespace linattn::testing
