#include "channel.hpp"

#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "escape.hpp"

namespace linattn::testing {
namespace {

int channel = -1;

constexpr std::string_view names[] = {"case", "call", "stack", "crash", "done"};  // in the order of EventKind
static_assert(std::size(names) == static_cast<std::size_t>(EventKind::done) + 1);

}  // namespace

void open_channel(int file_descriptor) { channel = file_descriptor; }
bool channel_is_open() { return channel >= 0; }

void send_event(EventKind kind, std::string_view payload) {
    if (channel < 0) return;
    // One write where it fits, without allocating: this also runs in signal handlers.
    char buffer[4096];
    std::size_t used = 0;
    const auto put = [&](char letter) {
        buffer[used++] = letter;
        if (used < sizeof buffer && letter != '\n') return;
        for (std::size_t sent = 0; sent < used;) {
            const ssize_t written = ::write(channel, buffer + sent, used - sent);
            if (written <= 0) break;
            sent += static_cast<std::size_t>(written);
        }
        used = 0;
    };
    std::ranges::for_each(names[static_cast<std::size_t>(kind)], put);
    put('\t');
    for (const char letter : payload) put(letter == '\n' ? ' ' : letter);
    put('\n');
}

std::optional<Event> read_event(std::string_view line) {
    const std::size_t tab = line.find('\t');
    const auto* name = std::ranges::find(names, line.substr(0, tab));
    if (tab == std::string_view::npos || name == std::end(names)) return std::nullopt;
    return Event{static_cast<EventKind>(name - std::begin(names)), escape(line.substr(tab + 1))};
}

}  // namespace linattn::testing
