// Which mistake explains an answer, once all calls are known.
#include "call.hpp"
#include "expectations.hpp"
#include "naming.hpp"
#include "null_answers.hpp"
#include "size_facts.hpp"

namespace linattn::testing {
namespace {

// A call of a function of x where 0 is right: what came, and whether it is right.
RecordedCall recorded(double x, double came, const std::string& words = "") {
    const Expectations right = shared({exactly(Tensor{0.0, 1.0})});
    const auto outcome = [](double first) { return outcome_of([&] { return parts_of(Tensor{first, 1.0}); }); };
    const Subject unused = subject(+[](double) { return 0.0; });
    ComparedCall call{.exercise = "explained", .subject = unused, .run = nullptr};
    call.run = [=](const Subject& any) { return outcome(std::any_cast<const std::function<double(double)>&>(any)(x)); };
    call.outcome = outcome(came);
    call.check = [right](const Outcome& each) {
        return difference(std::get<Tensor>(each.parts[0].value), right->front());
    };
    call.expected = right;
    call.words = words;
    return {call, came == 0.0 ? Came::right : Came::wrong};
}

// "doubled;|squared;": the names of each wrong call, those that fit it in part behind a question mark.
std::string names_of(const std::vector<RecordedCall>& calls) {
    static const bool registered = [] {
        register_mistake({"explained", "doubled", "", "", subject(+[](double x) { return 2.0 * x; })});
        register_mistake({"explained", "squared", "", "", subject(+[](double x) { return x * x; })});
        register_mistake({"explained", "always 6", "", "", subject(+[](double) { return 6.0; })});
        return true;
    }();
    CHECK(registered);
    std::vector<const RecordedCall*> all, failed;
    for (const RecordedCall& each : calls) {
        all.push_back(&each);
        if (each.came == Came::wrong) failed.push_back(&each);
    }
    std::string text;
    for (const Naming& each : name_calls(failed, all)) {
        text += text.empty() ? "" : "|";
        for (const Mistake* name : each.names) text += std::string(name->name) + ";";
        for (const Mistake* name : each.in_part) text += std::string(name->name) + "?;";
    }
    return text;
}

TEST_SUITE("an explanation") {
TEST_CASE("names a mistake that agrees with all calls") {
    CHECK(names_of({recorded(2.0, 4.0)}) == "doubled;squared;");
    CHECK(names_of({recorded(2.0, 4.0), recorded(3.0, 6.0)}) == "doubled;|doubled;");
    CHECK(names_of({recorded(2.0, 4.0), recorded(3.0, 9.0)}) == "squared;|squared;");
    CHECK(names_of({recorded(2.0, 4.0), recorded(3.0, 7.0)}).empty());
}
TEST_CASE("names one in part that agrees with all wrong calls, but not with a right one") {
    CHECK(names_of({recorded(5.0, 0.0), recorded(3.0, 6.0)}) == "doubled?;always 6?;");
    CHECK(names_of({recorded(3.0, 6.0), recorded(5.0, 0.0), recorded(4.0, 8.0)}) == "doubled?;|doubled?;");
    CHECK(names_of({recorded(0.0, 0.0), recorded(3.0, 6.0)}) == "doubled;");
}
TEST_CASE("says of a mistake that was made in one branch which branch that is") {
    CHECK(names_of({recorded(5.0, 0.0, "x, Mask::none"), recorded(7.0, 14.0, "x, Mask::causal")}) ==
          "doubled, with Mask::causal;");
}
TEST_CASE("tells by what the sizes of right and wrong calls differ") {
    const auto fact = [](const std::vector<std::pair<std::string, bool>>& calls) {
        std::vector<RecordedCall> all;
        for (const auto& [words, right] : calls) all.push_back(recorded(1.0, right ? 0.0 : 5.0, words));
        std::vector<const RecordedCall*> pointers;
        for (const RecordedCall& each : all) pointers.push_back(&each);
        return fact_about_sizes(pointers);
    };
    CHECK(fact({{"n 3, heads 1", true}, {"n 9, heads 1", true}}).empty());
    CHECK(fact({{"n 3, heads 1", true}, {"n 9, heads 1", true}, {"n 4, heads 2", false}}) ==
          "right with heads = 1; wrong with heads = 2");
    CHECK(fact({{"n 3, heads 1", true}, {"n 9, heads 1", false}, {"n 2, heads 2", false}}).empty());
    CHECK(fact({{"n 4", true}, {"n 12", true}, {"n 20", true}, {"n 5", false}, {"n 14", false}}) ==
          "right with n = 4, 12, 20; wrong with n = 5, 14: right with multiples of 4");
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
