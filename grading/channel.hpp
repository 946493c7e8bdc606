// The pipe from the process that runs the student's code to the supervisor that judges it: one event a line,
// "kind<TAB>payload". The supervisor alone turns events into a verdict and words.
#pragma once

#include <string>
#include <string_view>

namespace linattn::testing {

/// Where events go; -1 (the default) drops them, which is what a listing run wants.
void open_channel(int file_descriptor);

/// Sends one event. Line breaks in the payload are escaped. Safe in a signal handler as long as the payload is.
void send_event(std::string_view kind, std::string_view payload);

std::string unescape(std::string_view text);

}  // namespace linattn::testing
