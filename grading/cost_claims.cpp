#include "cost_claims.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <string>

namespace linattn::testing {
namespace {

constexpr double a_few_ticks = 0.01;  // seconds: seen from outside, a clock moves only when the scheduler looks

// Where steps are only claimed. The lesser of two runs counts, since other programs can only slow one down. Where time
// jumps, or is too short to be measured, there is a second comparison with more: from some size on, an allocator asks the
// system for every array.
void time_agrees(const std::function<Trial(std::size_t count)>& run, const char* of_what, std::size_t few,
                 const char* mistake) {
    for (const std::size_t more : {16 * few, 64 * few}) {
        double seconds_of_more = std::numeric_limits<double>::infinity(), seconds_of_most = seconds_of_more;
        for (const bool last : {false, more > 16 * few}) {
            run(more);
            seconds_of_more = std::min(seconds_of_more, seconds_of_latest_call());
            const Trial call = run(4 * more);
            seconds_of_most = std::min(seconds_of_most, seconds_of_latest_call());
            const bool holds = seconds_of_most < 8 * std::max(seconds_of_more, a_few_ticks);
            char seconds[64];
            std::snprintf(seconds, sizeof seconds, "%.2g s and %.2g s", seconds_of_more, seconds_of_most);
            call.satisfies(holds || !last,
                           std::to_string(more) + " and " + std::to_string(4 * more) + " " + of_what + " took " +
                               seconds + " of processor time: 4 times the " + of_what +
                               " may cost about 4 times the time; 16 times is quadratic",
                           mistake);
            if (holds && seconds_of_more >= a_few_ticks) return;
        }
    }
}

}  // namespace

void costs_no_more_than_in_proportion(const std::function<Trial(std::size_t count)>& run, const char* of_what,
                                      std::size_t few, const char* mistake) {
    const std::size_t many = 4 * few, steps_of_few = run(few).cost().steps;
    const Trial call = run(many);
    call.satisfies(call.cost().steps < 8 * steps_of_few,
                   std::to_string(few) + " " + of_what + " took " + std::to_string(steps_of_few) + " steps and " +
                       std::to_string(many) + " " + of_what + " took " + std::to_string(call.cost().steps) +
                       ": 4 times the " + of_what + " may cost about 4 times the steps; 16 times is quadratic",
                   mistake);
    if (seconds_of_latest_call != nullptr) time_agrees(run, of_what, few, mistake);
}

}  // namespace linattn::testing
