// Which mistake explains an answer, and what later cases show of earlier ones.
#include <poll.h>
#include <unistd.h>
#include <map>
#include <sstream>

#include "channel.hpp"
#include "diagnosis.hpp"
#include "exercise.hpp"
#include "expectations.hpp"
#include "findings.hpp"
#include "null_answers.hpp"

namespace linattn::testing {
namespace {

TEST_SUITE("diagnosis") {
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

}  // namespace
}  // namespace linattn::testing
