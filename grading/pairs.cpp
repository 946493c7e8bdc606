#include "pairs.hpp"

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
std::vector<ComparedCall> calls;

void limit(int seconds) {
    const itimerval timer{{0, 0}, {seconds, 0}};
    ::setitimer(ITIMER_PROF, &timer, nullptr);  // SIGPROF ends the process
}

bool was_wrong(const ComparedCall& call) { return call.check(call.outcome).has_value(); }

// How many different numbers but 0 the wrong results have.
std::size_t values_of_wrong_results() {
    std::set<double> values;
    for (const ComparedCall& call : calls)
        for (const Part& part : call.outcome.parts)
            if (const auto* tensor = std::get_if<Tensor>(&part.value); tensor != nullptr && was_wrong(call))
                std::copy_if(tensor->data(), tensor->data() + tensor->size(), std::inserter(values, values.end()),
                             [](double x) { return std::isfinite(x); });
    values.erase(0.0);
    return values.size();
}

}  // namespace

int print_pairs(const std::string& exercise) {
    limit(most_for_suite);
    on_right_call = on_wrong_call = [](const ComparedCall& call) {
        if (has_few_numbers(call)) calls.push_back(call);
    };
    run_suite(exercise);
    limit(most_for_pairs);
    std::stable_partition(calls.begin(), calls.end(), was_wrong);  // a wrong one rules out nearly all
    if (values_of_wrong_results() < least_values) return 0;
    for (const MutationPair& pair : mutation_pairs(exercise))
        if (std::ranges::all_of(calls, [&](const ComparedCall& call) { return does_the_same(pair.function, call); }))
            std::printf("%s\t%s\t%s\t%s\n", pair.names[0], pair.explanations[0], pair.names[1], pair.explanations[1]);
    return 0;
}

}  // namespace linattn::testing
