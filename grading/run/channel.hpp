// The events that the process with the student's code (labNN_exercises) sends to the one that judges it (labNN_check):
// one a line, "kind<TAB>payload". A case is sent whole; the other lines must survive a crash.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace linattn::testing {

/// What an event says; the comment is its payload.
enum class EventKind {
    test_case,  ///< what is known of a case (case_record.hpp), in place of what was known of it before
    call,       ///< the call of the student's function that begins, in words
    stack,      ///< the calls that are open now (call_stack.hpp)
    crash,      ///< what the address sanitizer found (crash_report.hpp)
    done,       ///< the suite has ended: this run's secret, how many cases ran and how many failed
};

struct Event {
    EventKind kind;
    std::string payload = "";
};

/// Where events go; -1 (the default) drops them, which is what a listing run wants.
void open_channel(int file_descriptor);

/// Whether anybody listens: not when the suite runs by hand or in a debugger.
bool channel_is_open();

/// Sends one event; a line break in the payload becomes a space. Safe in a signal handler as long as the payload is.
void send_event(EventKind kind, std::string_view payload = "");

/// The event in a line (without its line break); nothing when the line is not one that send_event wrote. Control
/// characters in the payload become visible (escape.hpp).
std::optional<Event> read_event(std::string_view line);

}  // namespace linattn::testing
