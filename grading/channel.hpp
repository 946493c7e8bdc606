// The events that the process with the student's code (labNN_exercises) sends to the one that judges it (labNN_check):
// one a line, "kind<TAB>payload". This file and channel.cpp are the only ones that know how an event is written.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace linattn::testing {

/// What an event says; the comment is its payload.
enum class EventKind {
    case_begins,         ///< the name of a test case
    call_begins,         ///< a call of the student's function, in words
    checked,             ///< a call was right; the share of the tolerance it used, and where the tolerance comes from
    note,                ///< figures for the student
    todo,                ///< what is not written yet
    begin_with,          ///< the exercise to write or fix first
    caused_elsewhere,    ///< this case fails by another exercise's fault: nothing else counts
    mistake,             ///< the next failure looks like this one; its name, and in the next line how to fix it
    closeness,           ///< how well it matches
    chance_resemblance,  ///< a mistake that does what the next failure shows, but not everything else; its name
    ruled_out,           ///< a mistake that an earlier failure named, and that a later call speaks against; its name
    resembles_nothing,  ///< this failure, so that no mistake explains all of them; how many digits of its values are right
    differs_when_repeated,  ///< the next failure's call gave another result when it was made again
    stack,                  ///< calls that were open at the next failure, or at the end
    unset_local,            ///< the next failure may come from a local variable without a value: "surely" or "perhaps"
    inputs,                 ///< what the next failure's call was made with
    failure,                ///< what is wrong
    crash,                  ///< the address sanitizer's report
    right_sizes,            ///< at which sizes the calls were right, and at which wrong
    output_begins,          ///< how many bytes the program had printed when the case began
    output_ends,            ///< the same when its call had ended and was repeated to learn more
    done,                   ///< the last one: this run's secret, how many cases ran and how many failed
};

struct Event {
    EventKind kind;
    std::string payload = "";
};

/// Where events go; -1 (the default) drops them, which is what a listing run wants.
void open_channel(int file_descriptor);

/// Whether anybody listens: not when the suite runs by hand or in a debugger.
bool channel_is_open();

/// Sends one event. Line breaks in the payload are escaped. Safe in a signal handler as long as the payload is.
void send_event(EventKind kind, std::string_view payload = "");

/// The event in a line (without its line break); nothing when the line is not one that send_event wrote. Control
/// characters in the payload become visible (printable.hpp).
std::optional<Event> read_event(std::string_view line);

}  // namespace linattn::testing
