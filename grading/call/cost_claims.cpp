#include "cost_claims.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <string>

#include "changed_arguments.hpp"
#include "memory_watch.hpp"

namespace linattn::testing {
namespace {

constexpr double a_few_ticks = 0.01;    // seconds: seen from outside, a clock moves only when the scheduler looks
constexpr double to_get_memory = 0.05;  // seconds: what the system takes to hand out large arrays does not grow evenly
constexpr double too_much = 8;          // times as long for 4 times as many: 16 times is quadratic
constexpr double long_enough = too_much * to_get_memory;   // a call that takes more tells how the cost grows
constexpr std::size_t a_few_pages = std::size_t{2} << 20;  // bytes: what an allocator keeps does not grow evenly

std::string grown(std::size_t more, const char* of_what, const std::string& amounts, const std::string& of) {
    return std::to_string(more) + " and " + std::to_string(4 * more) + " " + of_what + " took " + amounts + " of " +
           of + ": 4 times the " + of_what + " may cost about 4 times as much; 16 times is quadratic";
}

// The system's own figure may come down by some pages.
std::size_t most_bytes_beyond(std::size_t before) { return std::max(most_bytes_so_far(), before) - before; }

// Each call gets other numbers, by a factor that nobody can foresee: an answer that was kept would take no time. Whole numbers
// stay, since they may be places or counts.
Trial with_other_numbers(const std::function<Trial(std::size_t count)>& run, std::size_t count) {
    static std::random_device device;
    const double factor = 1.0 - std::uniform_real_distribution<>(0.0, 0.125)(device);
    const ChangeScope scope([factor](const std::string&, Tensor& values) {
        for (double& each : values)
            if (each != std::floor(each)) each *= factor;
    });
    return run(count);
}

// Where steps and bytes are only claimed. A matrix of all pairs of tokens shows in the memory, however quickly it is made.
// Of time the lesser of two runs counts, since other programs can only slow one down. Where time is too short to be measured
// or grows more than a little over 4 times, a comparison with more decides: from some size on, an allocator asks the
// system for every array, and a quadratic part that is hidden beside a slow linear one outgrows it.
void time_and_memory_agree(const std::function<Trial(std::size_t count)>& run, const char* of_what, std::size_t few,
                           const char* mistake) {
    for (const std::size_t more : {16 * few, 64 * few, 256 * few}) {
        double seconds_of_more = std::numeric_limits<double>::infinity(), seconds_of_most = seconds_of_more;
        const std::size_t before = most_bytes_so_far(), bytes_of_all_pairs = 16 * more * more;  // a byte for each
        std::size_t bytes_of_more = 0;
        for (const bool again : {false, true}) {
            for (int twice = 0; twice < 2; ++twice) {  // too long a time here would let the next one look short
                with_other_numbers(run, more);
                seconds_of_more = std::min(seconds_of_more, seconds_of_latest_call());
            }
            if (!again) bytes_of_more = most_bytes_beyond(before);
            const Trial call = with_other_numbers(run, 4 * more);
            seconds_of_most = std::min(seconds_of_most, seconds_of_latest_call());
            const std::size_t bytes_of_most = most_bytes_beyond(before);
            call.satisfies(
                bytes_of_most < std::max(8 * std::max(bytes_of_more, a_few_pages), bytes_of_all_pairs),
                grown(more, of_what,
                      std::to_string(bytes_of_more >> 10) + " KiB and " + std::to_string(bytes_of_most >> 10) + " KiB",
                      "memory"),
                mistake);
            const bool holds = seconds_of_most < too_much * std::max(seconds_of_more, to_get_memory);
            char seconds[64];
            std::snprintf(seconds, sizeof seconds, "%.2g s and %.2g s", seconds_of_more, seconds_of_most);
            call.satisfies(holds || !again || more == 16 * few, grown(more, of_what, seconds, "processor time"),
                           mistake);
            if (more == 16 * few && !again && on_seconds != nullptr) on_seconds(seconds_of_more);
            if (seconds_of_most < 4.4 * seconds_of_more && seconds_of_more >= a_few_ticks) return;
            if (again && more == 64 * few && seconds_of_most > long_enough) return;
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
    if (seconds_of_latest_call != nullptr) time_and_memory_agree(run, of_what, few, mistake);
}

}  // namespace linattn::testing
