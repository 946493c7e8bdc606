// The parts of grading one by one: what the suites of all labs rely on.
#include <doctest/doctest.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <chrono>
#include <cmath>
#include <csignal>
#include <limits>
#include <map>
#include <sstream>

#include "attention_definition.hpp"
#include "call_stack.hpp"
#include "channel.hpp"
#include "comparison.hpp"
#include "crash_report.hpp"
#include "deadline.hpp"
#include "diagnosis.hpp"
#include "error_pattern.hpp"
#include "exercise.hpp"
#include "findings.hpp"
#include "gpu/executable.hpp"
#include "lengths.hpp"
#include "manifest_entry.hpp"
#include "memory_watch.hpp"
#include "null_answers.hpp"
#include "oracle.hpp"
#include "printable.hpp"
#include "random_inputs.hpp"
#include "student_lines.hpp"
#include "supervised_run.hpp"
#include "verdict.hpp"
#include "work_counter.hpp"

namespace linattn::testing {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void busy_for_a_moment() {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
    while (std::chrono::steady_clock::now() < until) {
    }
}

// (n, 1); in braces alone {{1}, {2}} would be ambiguous.
Tensor column(const Tensor& values) { return reshape(values, {values.size(), 1}); }

// One entry with one tolerance.
bool accepts(double expected, double tolerance, double got) {
    return !difference(Tensor{got}, {Tensor{expected}, Tensor{tolerance}, "by hand", false});
}

TEST_SUITE("comparison") {
TEST_CASE("the tolerance is the last value that is still right") {
    CHECK(accepts(1.0, 0.5, 1.5));
    CHECK_FALSE(accepts(1.0, 0.5, std::nextafter(1.5, 2.0)));
    CHECK(accepts(1.0, 0.5, 0.5));
    CHECK_FALSE(accepts(1.0, 0.5, 0.5 - 1e-15));
    CHECK(accepts(1.0, 0.0, 1.0));
    CHECK_FALSE(accepts(1.0, 0.0, std::nextafter(1.0, 2.0)));
    CHECK(accepts(0.0, 0.0, -0.0));
}
TEST_CASE("NaN equals only NaN, an infinity only itself") {
    CHECK_FALSE(accepts(1.0, 0.5, nan));
    CHECK_FALSE(accepts(nan, 0.5, 1.0));
    CHECK(accepts(nan, 0.0, nan));
    CHECK_THROWS_AS(accepts(1.0, nan, 1.5), std::logic_error);
    CHECK(accepts(inf, 0.0, inf));
    CHECK_FALSE(accepts(inf, 0.5, -inf));
    CHECK_FALSE(accepts(inf, inf, 1.0));
    CHECK_FALSE(accepts(1.0, 0.5, inf));
}
TEST_CASE("shapes come first, then the first difference and how many there are") {
    const Tensor expected{{1, 2, 3}, {4, 5, 6}}, other{{1, 2, 3}, {7, 5, 7}};
    Tensor hollow = expected;
    hollow.storage().resize(0);
    CHECK(contains(*difference(hollow, exactly(expected)), "holds 0 of its 6 numbers"));
    CHECK(contains(*difference(zeros({3, 2}), exactly(expected)), "has shape (3, 2), expected shape (2, 3)"));
    CHECK(difference(zeros({6}), exactly(expected)));
    CHECK_THROWS_AS(difference(expected, {expected, full({2, 3}, inf), "1/0", true}), std::logic_error);
    const std::string text = *difference(other, exactly(expected));
    CHECK(contains(text, "first differs at [token 1, 0]: expected 4, got 7; 2 of 6 values differ"));
    CHECK(contains(*difference(other, exactly(expected, false)), "at [1, 0]"));
    CHECK_FALSE(difference(zeros({0, 3}), exactly(zeros({0, 3}))));
    CHECK(difference(zeros({0, 3}), exactly(zeros({3, 0}))));
}
TEST_CASE("numbers in braces may have been meant as a shape") {
    const Expected y = exactly(zeros({2, 3}));
    CHECK(contains(*difference(Tensor{2, 3}, y), "if it was made by Tensor y({…})"));
    CHECK_FALSE(contains(*difference(Tensor{4, 5}, y), "zeros"));
    CHECK_FALSE(contains(*difference(Tensor{4, 5, 6}, y), "zeros"));
    CHECK(contains(*difference(full({}, 0.0), y), "if it was made by `Tensor y;`"));
    CHECK_FALSE(contains(*difference(full({}, 7.0), y), "zeros"));
}
TEST_CASE("two values that differ are never printed alike") {
    const std::string text = *difference(Tensor{1.0 + 1e-12, 0.0}, exactly(Tensor{1.0, 0.0}));
    CHECK(contains(text, "expected 1, got 1.000000000001"));
    CHECK_FALSE(contains(text, "{1, 0}"));
}
TEST_CASE("roundings are counted in units of the value") {
    CHECK_FALSE(difference(Tensor{1.0 + 0x1p-52}, to_rounding(Tensor{1.0}, 2, "two")));
    CHECK(difference(Tensor{1.0 + 0x1p-51}, to_rounding(Tensor{1.0}, 2, "two")));
}
TEST_CASE("an expected 0 may be as wrong as the terms that cancel, and no more") {
    const Tensor value{0.0, 1.0}, terms{3.0, 5.0};
    const Expected sums = to_rounding_of_terms(value, terms, 2, "3 - 3 and 3 - 2");
    CHECK_FALSE(difference(Tensor{6 * 0x1p-53, 1.0 - 10 * 0x1p-53}, sums));
    CHECK(difference(Tensor{7 * 0x1p-53, 1.0}, sums));
    CHECK(difference(Tensor{0.0, 1.0 + 12 * 0x1p-53}, sums));
    const Tensor row = reshape(Tensor{0.0, 1e-16}, {1, 2});
    CHECK_FALSE(difference(row, to_rounding_of_terms(zeros({1, 2}), ones({1, 1}), 1, "the terms of a row")));
}
TEST_CASE("a value that is nearly right comes with the tolerance it was given, and why") {
    CHECK(contains(*difference(Tensor{1.0 + 1e-7}, to_rounding(Tensor{1.0}, 2, "two sums")),
                   "allowed there: 2.22045e-16 (2·2^-53 of the value, one for each rounding: two sums)"));
    CHECK(contains(*difference(Tensor{1.0 - 1e-7}, exactly(Tensor{1.0})), "allowed there: 0 (exact)"));
    for (const double value : {7.0, nan})
        CHECK_FALSE(contains(*difference(Tensor{value}, exactly(Tensor{1.0})), "allowed there"));
    const std::string two = *difference(Tensor{1.0 + 1e-9, 1.0, 5.0}, exactly(ones({3}), false));
    CHECK(contains(two,
                   "first differs at [0]: expected 1, got 1.000000001; 2 of 3 values differ\n"
                   "the largest difference is at [2]: expected 1, got 5"));
    CHECK_FALSE(contains(two, "allowed there"));
    CHECK_FALSE(contains(*difference(Tensor{4.0, 5.0}, exactly(ones({2}), false)), "largest"));
    CHECK(contains(*difference(Tensor(2.0), exactly(Tensor(1.0))), "first differs: expected 1, got 2"));
}
TEST_CASE("words are compared one by one") {
    const std::vector<std::string> expected{"a", "ab"};
    CHECK_FALSE(difference(expected, expected));
    CHECK(
        contains(*difference({"a", "ba"}, expected), "entry 1: expected ab, got ba; the same states in another order"));
    CHECK(contains(*difference({"a", "bb"}, expected), "got bb; missing: a; too often: b"));
    CHECK(contains(*difference(std::vector<std::string>{"a"}, expected), "has 1 entries, expected 2"));
}
TEST_CASE("alike up to rounding is not alike up to a formula") {
    const Tensor x{1.0, -2.0, 1000.0};
    CHECK(*distance_if_alike(parts_of(x), parts_of(x)) == 0.0);
    CHECK(*distance_if_alike(parts_of(x), parts_of(x + 1e-9)) == doctest::Approx(1e-9).epsilon(1e-3));
    CHECK_FALSE(distance_if_alike(parts_of(x), parts_of(x + 1e-6)));
    CHECK_FALSE(distance_if_alike(parts_of(x), parts_of(reshape(x, {3, 1}))));
    CHECK_FALSE(distance_if_alike(parts_of(Tensor{nan, 1}), parts_of(Tensor{0, 1})));
    CHECK(distance_if_alike(parts_of(Tensor{nan, 1}), parts_of(Tensor{nan, 1})));
    CHECK_FALSE(distance_if_alike(parts_of(Tensor{inf}), parts_of(Tensor{-inf})));
    CHECK_FALSE(distance_if_alike(parts_of(x), parts_of(std::vector<std::string>{"x"})));
    CHECK_FALSE(distance_if_alike(parts_of(std::vector<std::string>{"x"}), parts_of(std::vector<std::string>{"y"})));
}
TEST_CASE("where a NaN spreads further, the other entries can still be alike") {
    const auto alike = [](const Tensor& a, const Tensor& b) {
        return distance_if_alike_where_finite(parts_of(a), parts_of(b)).has_value();
    };
    CHECK(alike({nan, inf, 3, 1}, {nan, 2, 3, 1}));
    CHECK_FALSE(alike({nan, 2, 3}, {nan, 2, 3.1}));
    CHECK_FALSE(alike({nan, 3}, {2, 3}));      // one of them is finite throughout
    CHECK_FALSE(alike({nan, nan}, {nan, 2}));  // nothing to compare
    CHECK_FALSE(alike({nan, 2, 3}, {nan, 2}));
}
}

TEST_SUITE("memory") {
TEST_CASE("the peak is counted, not the sum") {
    {
        const MemoryWatch watch;
        for (int i = 0; i < 10; ++i) zeros({1000});
    }
    CHECK(peak_bytes() >= 8000);
    CHECK(peak_bytes() < 3 * 8000);
    { const MemoryWatch watch; }
    CHECK(peak_bytes() == 0);
}
TEST_CASE("a value that was never written is recognised, also after arithmetic") {
    const Shape shape{4};
    Tensor y;
    {
        const MemoryWatch watch;
        y = Tensor(Tensor::shape_type(shape.begin(), shape.end()));
    }
    const double value = y(2);
    REQUIRE(unwritten_origin(value));
    for (const double computed : {value + 1.0, 3.0 * value, -value, value / 7.0, value - value, std::sqrt(value)})
        CHECK(unwritten_origin(computed) == unwritten_origin(value));
    for (const double ordinary : {0.0, 1.0, -1e308, inf, nan, -nan, 5e-324}) CHECK_FALSE(unwritten_origin(ordinary));
}
TEST_CASE("what was allocated outside a watch is left alone") {
    const Tensor x = zeros({3});
    const MemoryWatch watch;
    CHECK_FALSE(unwritten_origin(x(0)));
}
TEST_CASE("an unset local is recognised by the pattern of either compiler") {
    const double gcc = std::bit_cast<double>(0xFEFE'FEFE'FEFE'FEFE),
                 clang = std::bit_cast<double>(0xFFFF'FFFF'FFFF'FFFF);
    const double in_a_kernel = static_cast<double>(std::bit_cast<float>(0xFEFE'FEFEu));
    for (const double value : {gcc, -gcc, gcc + 1e6, clang, -clang, clang * 2.0, in_a_kernel, -in_a_kernel})
        CHECK(is_unset_local(value));
    CHECK(may_come_from_unset_local(gcc * 0.5));
    for (const double ordinary : {0.0, 1.0, 1e200, nan, -nan, inf, -inf}) {
        CHECK_FALSE(is_unset_local(ordinary));
        CHECK_FALSE(may_come_from_unset_local(ordinary));
    }
}
}

TEST_SUITE("cost") {
TEST_CASE("the vocabulary counts its work") {
    const Tensor a = ones({3, 4}), b = ones({4, 5});
    const std::size_t before = work_done;
    matmul(a, b);
    const std::size_t product = work_done - before;
    CHECK(product >= 3 * 4 * 5);
    CHECK(product <= 3 * 4 * 5 + 2 * 3 * 5);
    const std::size_t then = work_done;
    for (int i = 0; i < 10; ++i) a + 1.0;
    CHECK(work_done - then >= 10 * a.size());
}
}

TEST_SUITE("oracle") {
const Tensor Q{{1, 0}, {0, 1}, {1, 1}}, K{{1, 2}, {3, 4}, {5, 6}}, V = column({1, 10, 100});

TEST_CASE("attention by hand") {
    const FeatureMap identity = oracle_feature_map("identity");
    // scores q_i·k_j are {1, 3, 5}, {2, 4, 6}, {3, 7, 11}
    CHECK(expected_attention(Q, K, V, identity, causal).value == column({1, 42, 1173}));
    CHECK(expected_attention(Q, K, V, identity, everywhere).value == column({531, 642, 1173}));
    CHECK_FALSE(difference(column({1, 42, 1173}), expected_attention(Q, K, V, identity, causal)));
    CHECK(difference(column({1, 42, 1173.0001}), expected_attention(Q, K, V, identity, causal)));
    CHECK(expected_state(K, V, identity).value == column({531, 642}));
}
TEST_CASE("feature maps by hand") {
    const Tensor x{-1.0, 0.0, 2.0};
    CHECK(oracle_feature_map("relu")(x) == Tensor{0, 0, 2});
    CHECK(oracle_feature_map("elu_plus_one")(x) == Tensor{std::exp(-1.0), 1.0, 3.0});
    CHECK(oracle_feature_map("pairs")(Tensor{2, 3}) == Tensor{4, 6, 9, 6});
    CHECK_THROWS_AS(oracle_feature_map("no such"), std::invalid_argument);
}
TEST_CASE("rows of a softmax are weights") {
    const Tensor scores{{1000.0, 1000.0, -1000.0}, {0.0, std::log(3.0), 5.0}, {-1000.0, 0.0, 0.0}};
    const Tensor all = softmax_rows(scores, everywhere), below = softmax_rows(scores, causal);
    CHECK(token(all, 0) == Tensor{0.5, 0.5, 0.0});
    CHECK(token(below, 0) == Tensor{1.0, 0.0, 0.0});
    CHECK(below(1, 0) == doctest::Approx(0.25));
    CHECK(below(1, 2) == 0.0);
    for (const Tensor& weights : {all, below})
        for (const double total : sum(weights, 1)) CHECK(total == doctest::Approx(1.0));
}
TEST_CASE("a token that is not looked at may be NaN") {
    Tensor V_nan = V;
    V_nan(2, 0) = nan;
    const Tensor output = expected_attention(Q, K, V_nan, oracle_feature_map("identity"), causal).value;
    CHECK(output(1, 0) == 42.0);
    CHECK(std::isnan(output(2, 0)));
}
}

TEST_SUITE("inputs") {
TEST_CASE("a stream gives the same numbers every time, another stream others") {
    CHECK(random_tensor({3, 4}, 1) == random_tensor({3, 4}, 1));
    CHECK(random_tensor({3, 4}, 1) != random_tensor({3, 4}, 2));
    for (const double x : random_tensor({1000}, 3, 5.0, 6.0)) CHECK((x >= 5.0 && x < 6.0));
}
}

TEST_SUITE("channel") {
// The lines that come out of the channel when these events go in.
std::string sent(const std::vector<Event>& events) {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    open_channel(ends[1]);
    for (const auto& [kind, payload] : events) send_event(kind, payload);
    open_channel(-1);
    ::close(ends[1]);
    std::string text;
    char buffer[512];
    for (ssize_t got; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;)
        text.append(buffer, static_cast<std::size_t>(got));
    ::close(ends[0]);
    return text;
}

TEST_CASE("every kind of event comes out as it went in, on one line") {
    for (int kind = 0; kind <= static_cast<int>(EventKind::done); ++kind)
        for (const std::string& payload :
             std::vector<std::string>{"", "plain", "back\\slash", "tab\there", std::string(10000, 'x')}) {
            const std::string line = sent({{static_cast<EventKind>(kind), payload}});
            REQUIRE(line.find('\n') == line.size() - 1);
            const auto event = read_event(std::string_view(line).substr(0, line.size() - 1));
            REQUIRE(event);
            CHECK(event->kind == static_cast<EventKind>(kind));
            CHECK(event->payload == payload);
        }
    CHECK(sent({{EventKind::call, "two\nlines"}}) == "call\ttwo lines\n");
}
TEST_CASE("a case comes out as it went in, whatever its texts hold") {
    for (const std::string text : {"", "plain", "two\nlines", "\"quoted\" \\", "tab\there", "φ ε √"}) {
        const Failure failure{.what = text,
                              .differs_when_repeated = true,
                              .resembles = {{text, text, text}},
                              .closeness = text,
                              .partly = {{text, text}},
                              .guess = text,
                              .digits = Digits::seven,
                              .inputs = text,
                              .stack = text,
                              .unset_local = UnsetLocal::surely};
        const Case known{text, text, text, {failure, {}}, text, text, true, true, 7, 8};
        const std::string line = to_line({3, known});
        CHECK(line.find('\n') == std::string::npos);
        CHECK(read_event("case\t" + line)->payload == line);
        const auto read = read_case(line);
        REQUIRE(read);
        CHECK(read->number == 3);
        CHECK(read->known.output_ends == 8);
        CHECK(read->known.failures[0].resembles[0].explanation == text);
        CHECK(to_line(*read) == line);
    }
    CHECK(read_event("case\t" + to_line({0, {.note = "\xC2\x9B\x7f"}}))->payload ==
          to_line({0, {.note = "\xC2\x9B\x7f"}}));
    CHECK(read_case(to_line({0, {.note = std::string("\x1b[31m\0\xff", 7)}}))->known.note ==
          "\\x1b[31m\\x00\xEF\xBF\xBD");
    for (const char* line : {"", "{}", "[1]", "{\"number\": 1}", "no case"}) CHECK_FALSE(read_case(line));
}
TEST_CASE("what is no event is told apart") {
    for (const char* line : {"", "case", "no such kind\tx", "Case\tx", "\tx"}) CHECK_FALSE(read_event(line));
}
TEST_CASE("without a channel nothing happens") { send_event(EventKind::call, "payload"); }
TEST_CASE("control characters and bytes that are no text become visible") {
    CHECK(printable("plain\ttext\n φ ε √") == "plain\ttext\n φ ε √");
    CHECK(printable(std::string("a\0b", 3)) == "a\\x00b");
    CHECK(printable("\x1b[31mred\x7f") == "\\x1b[31mred\\x7f");
    CHECK(printable("10%\r20%\r\n") == "10%\n20%\n");
    CHECK(printable("\xC2\x9B") == "\\x9b");  // a control character of two bytes
    for (const char* no_text : {"\xFF", "\x80", "\xC3", "\xC0\xAF", "\xED\xA0\x80", "\xF5"})
        CHECK(contains(printable(no_text), "\xEF\xBF\xBD"));
    CHECK(read_event(std::string("call\tgot \0", 10))->payload == "got \\x00");
}
}

TEST_SUITE("a supervised run") {
// What a shell script in the program's place leads to. $fd is the channel, $secret this run's secret.
SupervisedRun run_of(const std::string& script, int seconds = 30) {
    const std::string begin = "for fd in \"$@\"; do :; done; read -r -N 32 secret <&$fd; ";
    return run_supervised("/bin/bash", {"-c", begin + script, "program"}, seconds);
}

// What exits, is killed, or sends or prints without end: test_messages.py and test_false_passes.py.
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

// Those of a std::vector and a std::array, and of exceptions under g++: test_messages.py.
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
    return verdict_of(entry, "", run, [&](std::size_t) { return run; });
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
TEST_CASE(
    "a first failure without a name that comes at another call when its case runs alone is about an earlier call") {
    const auto says_so = [](const Cases& cases, const Cases& alone) {
        const auto run_alone = [&](std::size_t number) -> SupervisedRun {
            CHECK(number == 2);
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
                 "looks like: thrice or half (exact)\n      They give the same in this call, and only one of them need "
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
TEST_CASE("a call that a null answer passes tells nothing") {
    const auto tells = [](const Tensor& right) {
        const Outcome outcome = outcome_of([&] { return parts_of(right); });
        const auto nulls = null_answers(outcome, {{"x", Tensor{1.0, 2.0, 4.0}}});
        return std::ranges::all_of(nulls, [&](const auto& null) {
            return difference(std::get<Tensor>(null.second.parts.front().value), exactly(right)).has_value();
        });
    };
    CHECK(tells({1.0, 2.0, 5.0}));
    CHECK(!tells({1.0, 2.0, 4.0}));
    CHECK(!tells({3.0, 3.0, 3.0}));
    CHECK(!tells({0.0, 0.0, 0.0}));
}
}

TEST_SUITE("call") {
TEST_CASE("an argument that changes has another fingerprint") {
    Tensor x{1, 2, 3};
    const std::size_t before = fingerprint(x);
    CHECK(fingerprint(Tensor{1, 2, 3}) == before);
    x(1) = std::nextafter(2.0, 3.0);
    CHECK(fingerprint(x) != before);
}
TEST_CASE("a mistake explains an answer only if no other call speaks against it") {
    const Subject doubled = subject(+[](double x) { return 2.0 * x; }),
                  squared = subject(+[](double x) { return x * x; });
    register_mistake({"explained", "doubled", "", "", doubled});
    register_mistake({"explained", "squared", "", "", squared});
    const auto call_with = [&](double x, double got) {
        const Expected right = exactly(Tensor{x, x + 1.0});
        const auto parts = [](double first, double second) {
            return outcome_of([&] { return parts_of(Tensor{first, second}); });
        };
        ComparedCall call{"explained", doubled, nullptr, parts(got, 2.0 * (x + 1.0)), nullptr, shared({right})};
        call.run = [=](const Subject& any) {
            return parts(std::any_cast<const std::function<double(double)>&>(any)(x), 2.0 * (x + 1.0));
        };
        call.check = [right](const Outcome& outcome) {
            return difference(std::get<Tensor>(outcome.parts[0].value), right);
        };
        return call;
    };
    const auto names = [](const std::vector<const Mistake*>& mistakes) {
        std::string found;
        for (const Mistake* each : mistakes) found += std::string(each->name) + ";";
        return found;
    };
    CHECK(names(explain(call_with(2.0, 4.0)).mistakes) == "doubled;squared;");
    CHECK(names(explain(call_with(3.0, 6.0)).mistakes) == "doubled;");
    const auto retracted = [] {
        std::string found;
        for (const auto& [name, instead] : retract("explained")) found += std::string(name->name) + ";";
        return found;
    };
    CHECK(retracted() == "squared;");
    const Explanation neither = explain(call_with(5.0, 7.0));
    CHECK(neither.mistakes.empty());
    CHECK(neither.partial_matches.empty());
    CHECK(retracted() == "doubled;");
}
TEST_CASE("what right and wrong calls differ by is told of all of them together") {
    const auto call = [](std::size_t n, std::size_t heads, double came, const char* exercise = "sized") {
        const Outcome outcome = outcome_of([&] { return parts_of(Tensor{came, 0.0}); });
        const auto check = [](const Outcome& each) {
            return difference(std::get<Tensor>(each.parts[0].value), exactly(Tensor{1.0, 0.0}));
        };
        ComparedCall made{exercise, {},    [outcome](const Subject&) { return outcome; },
                          outcome,  check, shared({exactly(Tensor{1.0, 0.0})})};
        made.sizes = {{"n", n}, {"heads", heads}};
        return made;
    };
    keep_as_evidence(call(3, 1, 1.0));
    keep_as_evidence(call(9, 1, 1.0));
    CHECK(fact_about_sizes("sized").empty());
    explain(call(4, 2, 5.0));
    CHECK(fact_about_sizes("sized") == "right with heads = 1; wrong with heads = 2");
    explain(call(9, 1, 5.0));
    CHECK(fact_about_sizes("sized").empty());
    for (const std::size_t n : {4U, 12U, 20U}) keep_as_evidence(call(n, 1, 1.0, "in blocks"));
    for (const std::size_t n : {5U, 14U}) explain(call(n, 1, 5.0, "in blocks"));
    CHECK(fact_about_sizes("in blocks") == "right with n = 4, 12, 20; wrong with n = 5, 14: right with multiples of 4");
}
TEST_CASE("what a later case shows is known of the earlier ones") {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    open_channel(ends[1]);
    std::map<std::size_t, Case> known;
    const auto latest = [&](std::size_t number) {
        char buffer[16384];
        pollfd waiting{ends[0], POLLIN, 0};
        const ssize_t got = ::poll(&waiting, 1, 0) > 0 ? ::read(ends[0], buffer, sizeof buffer) : 0;
        std::istringstream lines(std::string(buffer, static_cast<std::size_t>(got)));
        for (std::string line; std::getline(lines, line);)
            if (const auto read = read_case(read_event(line).value().payload)) known[read->number] = read->known;
        return known.at(number).failures.at(0);
    };
    const std::vector<Resemblance> names{{"thrice", "a"}, {"squared", "b"}, {"halved", "c"}};
    begin_case("one");
    current_case().failures.push_back({.resembles = names, .closeness = "matches exactly", .digits = Digits::seven});
    end_case();
    CHECK(latest(0).resembles.size() == 3);
    begin_case("one more");  // speaks against a name, and not against others
    current_case().failures.push_back({.resembles = {names[1], names[2]}, .closeness = "matches exactly"});
    end_case();
    CHECK(latest(0).resembles.size() == 2);
    begin_case("two");
    current_case().failures.push_back({.resembles = names});  // what a kernel did: no values compared
    withdraw("halved");
    end_case();
    CHECK(latest(0).resembles.size() == 1);
    begin_case("three");
    current_case().failures.push_back({.partly = {names[1]}, .unexplained = true, .digits = Digits::fewer});
    end_case();
    const Failure first = latest(0);
    CHECK(first.resembles.empty());
    CHECK((first.partly.size() == 1 && first.partly[0].mistake == "squared"));
    CHECK(first.digits != Digits::seven);
    begin_case("four");
    current_case().failures.push_back({.unexplained = true});  // the name is not true of this call
    end_case();
    CHECK(latest(0).partly.empty());
    open_channel(-1);
    ::close(ends[0]);
    ::close(ends[1]);
}
TEST_CASE("what all wrong values are of the right ones is told") {
    const Tensor right = random_tensor({2, 4, 3}, 5);
    const auto pattern = [&](const Tensor& got) { return error_pattern(got, exactly(right)); };
    CHECK(pattern(2.5 * right) == "every value is 2.5 times the right one");
    CHECK(pattern(-right) == "every value is the right one with the other sign");
    CHECK(pattern(right + 0.5) == "every value is the right one plus 0.5");
    CHECK(pattern(flip(right, -2)) == "the tokens are right, but in reverse order");
    Tensor later = right, earlier = right;
    set_tokens(later, 1, tokens(right, 0, 3));
    set_tokens(earlier, 0, tokens(right, 1, 4));
    CHECK(pattern(later).starts_with("token i has what belongs to token i - 1"));
    CHECK(pattern(earlier).starts_with("token i has what belongs to token i + 1"));
    CHECK(pattern(cumsum(right, -2)).starts_with("each token holds the sum of those up to it"));
    CHECK(pattern(cumsum(right, -1)).starts_with("each entry holds the sum of those up to it in its row"));
    CHECK(pattern(concatenate(slice(right, 0, 0, 1), slice(right, 0, 0, 1), 0))
              .starts_with("every leading index has what belongs to the first one"));
    CHECK(pattern(flip(right, -1)).starts_with("the entries of each row are right, but in reverse order"));
    CHECK(pattern(flip(right, 0)).starts_with("the leading indices are right, but in reverse order"));
    CHECK(pattern(right / sum(right, -1, keep_dims)).starts_with("each row is divided by its sum"));
    CHECK(pattern(right - sum(right, -1, keep_dims) / 3.0).starts_with("from each row its mean is subtracted"));
    CHECK(pattern(concatenate(slice(right, 0, 1, 2), zeros({1, 4, 3}), 0))
              .starts_with("the first leading index has what belongs to the last one, and the others have nothing"));
    CHECK(pattern(right * right).empty());
    CHECK_FALSE(contains(pattern(right + 1e-15 * (right + 1.0)), "leading index has"));
    Tensor some = right;
    set_tokens(some, 2, zeros({2, 2, 3}));
    CHECK(pattern(some).starts_with("every wrong value is 0\n"));
    set_tokens(some, 2, 3.0 * tokens(right, 2, 4));
    CHECK(pattern(some).starts_with("every wrong value is 3 times the right one\n"));
}
TEST_CASE("what wrong values are of arguments and of other results is told") {
    const Tensor right = random_tensor({2, 4, 3}, 5), X = random_tensor({2, 4, 3}, 6), beta = random_tensor({2, 4}, 7);
    const std::vector<KnownTensor> others{{"X", &X}, {"beta", &beta}};
    const auto told = [&](const Tensor& got) { return relation_to(got, exactly(right), others); };
    CHECK(told(X) == "every value is X");
    CHECK(told(right + X) == "every value is the right one plus X");
    CHECK(told(right - X) == "every value is the right one minus X");
    CHECK(told(right * X) == "every value is the right one times X");
    CHECK(told(right / expand_dims(beta, -1)) == "every value is the right one divided by its row's entry of beta");
    Tensor some = right;
    set_tokens(some, 2, tokens(right + X, 2, 4));
    CHECK(told(some) == "every wrong value is the right one plus X");
    CHECK(told(right + X * X).empty());
    CHECK(told(right).empty());
    // A rounding error more than is allowed, and arguments that are as small.
    const Tensor tiny = 1e-14 * X;
    const Expected loose{right, 1e-14 * ones({2, 4, 3}), ""};
    CHECK(relation_to(right + 3e-14, loose, {{"tiny", &tiny}}).empty());
    const Tensor centred = right - sum(right, -1, keep_dims) / 3.0;
    CHECK_FALSE(contains(error_pattern(centred + 2e-14 * abs(X), {centred, 1e-14 * ones({2, 4, 3}), ""}), "mean"));
}
TEST_CASE("the place of wrong values is told where it says more than the first of them") {
    const auto pattern = [](std::size_t n, std::size_t d, auto is_wrong) {
        Tensor value = ones({2, n, d}), got = value;
        for (std::size_t h = 0; h < 2; ++h)
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t b = 0; b < d; ++b)
                    if (is_wrong(h, i, b)) got(h, i, b) = 7.0 + static_cast<double>(i + b);
        return error_pattern(got, exactly(value));
    };
    CHECK(pattern(20, 3, [](auto, auto i, auto) { return i >= 16; }) == "right before token 16, wrong from there on");
    CHECK(pattern(20, 3, [](auto, auto i, auto) { return i >= 5; }) == "right before token 5, wrong from there on");
    CHECK(pattern(9, 3, [](auto, auto i, auto) { return i % 2 == 1; }) == "every second token is wrong, from 1 on");
    CHECK(pattern(9, 3, [](auto, auto i, auto) { return i == 2 || i == 3 || i > 4; }) ==
          "right before token 2, mostly wrong from there on");
    CHECK(pattern(5, 3, [](auto, auto i, auto) { return i == 4; }) == "only the last token, 4, is wrong");
    CHECK(pattern(6, 3, [](auto, auto i, auto) { return i < 5; }) == "only the last token, 5, is right");
    CHECK(pattern(6, 3, [](auto h, auto, auto) { return h == 1; }) == "only the last leading index, 1, is wrong");
    CHECK(pattern(6, 17, [](auto, auto, auto b) { return b < 16; }) == "only the last column, 16, is right");
    CHECK(pattern(6, 19, [](auto, auto, auto b) { return b < 16; }) == "wrong before column 16, right from there on");
    CHECK(pattern(20, 3, [](auto h, auto i, auto) { return h == 1 && i >= 16; }) ==
          "only the last leading index, 1, is wrong\nright before token 16, wrong from there on");
    Expected mixed = exactly(ones({2, 2, 3}));
    mixed.has_columns = false;
    CHECK(error_pattern(ones({2, 2, 3}) + Tensor{0.0, 0.0, 1.0}, mixed).empty());
    Tensor batches = ones({3, 2, 4, 5});
    for (std::size_t i = 0; i < 4; ++i) batches(1, 0, i, 2) = batches(2, 0, i, 2) = 7.0 + static_cast<double>(i);
    CHECK(error_pattern(batches, exactly(ones({3, 2, 4, 5}))) ==
          "only the first index of the first axis is right\nonly the last index of the second axis, 1, is right\n"
          "only column 2 is wrong");
    CHECK(pattern(6, 3, [](auto, auto, auto) { return true; }).empty());
    CHECK(pattern(6, 3, [](auto, auto, auto) { return false; }).empty());
    const Tensor value = random_tensor({4, 5}, 31);
    CHECK(digits_of(value * 1.0, exactly(value)) == Digits::unknown);
    Tensor rounded = value;
    for (double& x : rounded) x = static_cast<double>(static_cast<float>(x));
    CHECK(digits_of(rounded, exactly(value)) == Digits::seven);
    Tensor few = value;
    few.data()[3] += 1e-8;
    CHECK(digits_of(few, exactly(value)) == Digits::fewer);
    CHECK(digits_of(value + 1e-3, exactly(value)) == Digits::fewer);
    CHECK(digits_of(value + 1e-8, exactly(value)) == Digits::fewer);  // none of them too small
    CHECK(digits_of(Tensor{nan}, exactly(Tensor{1e200})) == Digits::unknown);
    CHECK(digits_of(value + 1e-13, exactly(value)) == Digits::fewer);
}
TEST_CASE("with its settings as they are, the definition is causal linear attention") {
    const Tensor Q = random_tensor({2, 6, 3}, 41), K = random_tensor({2, 6, 3}, 42), V = random_tensor({2, 6, 4}, 43);
    const FeatureMap phi = oracle_feature_map("pairs");
    const Tensor output = attention_by_settings({.Q = Q, .K = K, .V = V, .phi = phi}, {}).output;
    CHECK_FALSE(difference(output, expected_attention(Q, K, V, phi, causal)));
    AttentionSettings divided;
    divided.divisor = Divisor::sum;
    const FeatureMap positive = oracle_feature_map("elu_plus_one");
    CHECK_FALSE(
        difference(attention_by_settings({.Q = Q, .K = K, .V = V, .phi = positive, .epsilon = 0.5}, divided).output,
                   expected_normalized_attention(Q, K, V, positive, causal, 0.5)));
}
TEST_CASE("a call reads as it was written") {
    CHECK(describe_call("in.Q, Mask::causal, phi", {"(2, 3)", "Mask::causal", "relu"}) ==
          "Q (2, 3), Mask::causal, phi relu");
    CHECK(describe_call("zeros({2, 3}), \"x\"", {"(2, 3)", "\"x\""}) == "(2, 3), \"x\"");
    CHECK(describe_call("worked_example::sizes, gpu::Run{}, quick", {"(1 head)", "forward, checked", "shuffled(3)"}) ==
          "sizes (1 head), forward, checked, shuffled(3)");
    CHECK(describe_call("in.V, phi, state", {"", "pairs (c = d_k^2)", "S (2, 3), z (3,)"}) ==
          "V, phi pairs (c = d_k^2), S (2, 3), z (3,)");
    CHECK(describe_call("letters(n), token(Q, 1)", {describe(std::vector<std::string>(4)), ""}) == "n = 4");
    CHECK(describe_call("epsilon", {describe(1e-6f)}) == "epsilon 1e-06");
    CHECK(describe_call("relu_map, 1e-12, 0.0", {"relu", describe(1e-12), describe(0.0)}) == "relu, 1e-12, 0");
    CHECK(describe_call("log(P), Mask::none, 0.5, Run{}", {"(4, 2)", "Mask::none", "0.5", "(1 head)"},
                        {"Q", "mask", "epsilon", "run"}) == "Q (4, 2), Mask::none, epsilon 0.5, (1 head)");
}
TEST_CASE("a message about shapes tells which arguments have the lengths in it") {
    const Tensor Q = zeros({4, 2}), V = zeros({4, 3});
    const std::vector<Input> inputs{{"Q", &Q}, {"K", &Q}, {"V", &V}, {"phi", nullptr}, {"", &V}};
    CHECK(lengths_in("has shape (4, 2), expected shape (4, 3)", inputs) ==
          "2 is the width of Q and K, 3 that of V: does one of them stand where the other should?");
    CHECK(lengths_in("matmul of (4, 2) and (4, 2): 2 and 4 must be equal", inputs) ==
          "2 is the width of Q and K, 4 the number of rows of Q, K and V: is a transpose missing, or one too many?");
    CHECK(lengths_in("axis 2 does not exist: the shape is (4, 7), so n = 4", inputs) == "");
    CHECK(lengths_in("cannot reshape (4, 3) with 12 entries into (2, 3)", inputs) == "");
    CHECK(lengths_in("token 4 does not exist", {}) == "");
    CHECK(lengths_in("shapes (2, 3) and (9, 3) do not broadcast: axis -2 has lengths 2 and 9", inputs) == "");
    CHECK(lengths_in("token 2 does not exist: the shape is (4, 2, 3), so n = 2", inputs) == "");
    CHECK(lengths_in("set_token: a token of (4, 3) has shape (3,), got (1, 3)", inputs) == "");
}
}

}  // namespace
}  // namespace linattn::testing

int main(int argc, char** argv) { return doctest::Context(argc, argv).run(); }
