#include "case_log.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>

#include "channel.hpp"

namespace linattn::testing {
namespace {

void send(std::size_t number) {
    if (channel_is_open()) send_event(EventKind::test_case, to_line({number, all_cases()[number]}));
}

// How much the program has printed, once all of it is written.
std::size_t output_so_far() {
    std::cout.flush();
    std::fflush(stdout);
    return static_cast<std::size_t>(std::max<off_t>(0, ::lseek(STDOUT_FILENO, 0, SEEK_END)));
}

}  // namespace

std::vector<Case>& all_cases() {
    static std::vector<Case> cases;
    return cases;
}

void begin_case(const std::string& name) {
    all_cases().emplace_back().name = name;
    if (channel_is_open()) current_case().output_begins = output_so_far();
    send(number_of_current_case());
}

Case& current_case() {
    if (all_cases().empty()) begin_case("");
    return all_cases().back();
}

std::size_t number_of_current_case() { return static_cast<std::size_t>(&current_case() - all_cases().data()); }

void end_case() { send(number_of_current_case()); }

void end_output() {
    current_case().output_ends = output_so_far();
    send(number_of_current_case());
}

void send_explained() {
    for (std::size_t number = 0; number < all_cases().size(); ++number)
        if (!all_cases()[number].failures.empty()) send(number);
}

void note(const std::string& figures) { current_case().note = figures; }

}  // namespace linattn::testing
