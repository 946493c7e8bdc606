#include "searches.hpp"

#include <sys/time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <set>
#include <vector>

#include "diagnosis.hpp"
#include "exercise.hpp"
#include "reporter.hpp"

namespace linattn::testing {
namespace {

constexpr std::size_t least_values = 6;                 // that tell one pair from another: many give 0 everywhere
constexpr int most_for_suite = 5, most_for_pairs = 20;  // seconds of processor time
std::vector<ComparedCall> wrong_calls, right_calls;     // of those with few numbers

void keep(const ComparedCall& call, std::vector<ComparedCall>& calls) {
    if (has_few_numbers(call)) calls.push_back(call);
}

void limit(int seconds) {
    const itimerval timer{{0, 0}, {seconds, 0}};
    ::setitimer(ITIMER_PROF, &timer, nullptr);  // SIGPROF ends the process
}

// How many different numbers but 0 the wrong results have.
std::size_t values_of_wrong_results() {
    std::set<double> values;
    for (const ComparedCall& call : wrong_calls)
        for (const Part& part : call.outcome.parts)
            if (const auto* tensor = std::get_if<Tensor>(&part.value))
                std::copy_if(tensor->data(), tensor->data() + tensor->size(), std::inserter(values, values.end()),
                             [](double x) { return std::isfinite(x); });
    values.erase(0.0);
    return values.size();
}

}  // namespace

int print_pairs(const std::string& exercise) {
    limit(most_for_suite);
    on_wrong_call = [](const ComparedCall& call) { keep(call, wrong_calls); };
    on_right_call = [](const ComparedCall& call) { keep(call, right_calls); };
    run_suite(exercise);
    limit(most_for_pairs);
    if (values_of_wrong_results() < least_values) return 0;
    const auto probes = probes_of(exercise, wrong_calls.front().subject);
    const auto does_the_same = [&](const Subject& function) {
        const auto in = [&](auto* agrees) {
            return [&, agrees](const ComparedCall& call) { return agrees(function, call); };
        };
        return std::ranges::all_of(wrong_calls, in(&is_as_wrong)) &&
               std::ranges::all_of(right_calls, in(&is_right_too)) &&
               std::ranges::all_of(probes, [&](const auto& agrees) { return agrees(function); });
    };
    // A mistake that does the same alone, in these calls, makes a pair with any that does nothing in them.
    const auto alone = [&](const char* name) {
        const Mistake* mistake = find_mistake(exercise, name);
        return mistake != nullptr && does_the_same(mistake->function);
    };
    for (const MutationPair& pair : mutation_pairs(exercise))
        if (does_the_same(pair.function) && std::ranges::none_of(pair.names, alone))
            std::printf("%s\t%s\t%s\t%s\n", pair.names[0], pair.explanations[0], pair.names[1], pair.explanations[1]);
    return 0;
}

}  // namespace linattn::testing
