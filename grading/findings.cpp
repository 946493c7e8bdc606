#include "findings.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <vector>

#include "channel.hpp"

namespace linattn::testing {
namespace {

std::vector<Case> cases;
std::vector<std::string> sent;  // of each case
std::string sizes;              // see tell_sizes

bool any_failure(bool (*is)(const Failure&)) {
    return std::ranges::any_of(cases, [is](const Case& each) { return std::ranges::any_of(each.failures, is); });
}

void for_each_failure(const std::function<void(Failure&)>& change) {
    for (Case& each : cases)
        for (Failure& failure : each.failures) change(failure);
}

// Whether a mistake would explain all calls whose values are wrong.
bool is_everywhere(const std::string& mistake) {
    const auto explains = [&](const Failure& failure) {
        return std::ranges::count(failure.partly, mistake, &Resemblance::mistake) > 0 ||
               std::ranges::count(failure.resembles, mistake, &Resemblance::mistake) > 0;
    };
    return std::ranges::all_of(cases, [&](const Case& each) {
        return std::ranges::all_of(each.failures, [&](const Failure& failure) {
            return (!failure.unexplained && failure.closeness.empty()) || explains(failure);
        });
    });
}

// As all failures together show it. A mistake whose values do not explain every failure is a mistake that was not made; one
// that shows by what a kernel or the cost did has no values to compare.
Case as_known_now(Case known) {
    const bool unexplained = any_failure([](const Failure&each) { return each.unexplained; }),
               fewer_digits = any_failure([](const Failure&each) { return each.digits == Digits::fewer; });
    for (Failure& failure : known.failures) {
        if (fewer_digits) failure.digits = Digits::fewer;
        if (failure.unexplained && !sizes.empty()) failure.guess += "\n    " + sizes;
        if (!unexplained || failure.closeness.empty()) continue;
        failure.partly.insert(failure.partly.end(), failure.resembles.begin(), failure.resembles.end());
        failure.resembles.clear();
    }
    for (Failure& failure : known.failures) {
        const auto elsewhere_not = [](const Resemblance& each) { return !is_everywhere(each.mistake); };
        if (!failure.closeness.empty() && !std::ranges::all_of(failure.resembles, elsewhere_not))
            std::erase_if(failure.resembles, elsewhere_not);
        std::erase_if(failure.partly, elsewhere_not);
        failure.partly.insert(failure.partly.end(), failure.withdrawn.begin(), failure.withdrawn.end());
    }
    return known;
}

void send(std::size_t number) {
    std::string line = to_line({number, as_known_now(cases[number])});
    if (line == sent[number]) return;
    send_event(EventKind::test_case, line);
    sent[number] = std::move(line);
}

// How much the program has printed, once all of it is written.
std::size_t output_so_far() {
    std::cout.flush();
    std::fflush(stdout);
    return static_cast<std::size_t>(std::max<off_t>(0, ::lseek(STDOUT_FILENO, 0, SEEK_END)));
}

}  // namespace

void begin_case(const std::string& name) {
    cases.emplace_back().name = name;
    sent.emplace_back();
    if (!channel_is_open()) return;
    cases.back().output_begins = output_so_far();
    send(cases.size() - 1);
}

Case& current_case() {
    if (cases.empty()) begin_case("");
    return cases.back();
}

void end_case() {
    if (!channel_is_open()) return;
    for (std::size_t number = 0; number < cases.size(); ++number)
        if (number + 1 == cases.size() || !cases[number].failures.empty()) send(number);
}

void withdraw(const std::string& mistake, const std::string& instead) {
    for_each_failure([&](Failure& failure) {
        const auto one = std::ranges::find(failure.resembles, mistake, &Resemblance::mistake);
        if (one == failure.resembles.end()) return;
        if (!instead.empty()) {
            one->mistake = instead;
            return;
        }
        if (failure.resembles.size() == 1) failure.withdrawn.push_back(*one);
        failure.resembles.erase(one);
    });
}

void forget(const std::string& mistake) {
    for_each_failure([&](Failure& failure) {
        std::erase_if(failure.withdrawn, [&](const Resemblance& each) { return each.mistake == mistake; });
    });
}

void tell_sizes(const std::string& fact) { sizes = fact; }

void end_output() {
    if (channel_is_open() && current_case().output_ends == 0) current_case().output_ends = output_so_far();
}

void note(const std::string& figures) { current_case().note = figures; }

}  // namespace linattn::testing
