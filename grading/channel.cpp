#include "channel.hpp"

#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "printable.hpp"

namespace linattn::testing {
namespace {

int channel = -1;

// In the order of EventKind.
constexpr std::string_view names[] = {"case",
                                      "call",
                                      "checked",
                                      "note",
                                      "todo",
                                      "begin with",
                                      "caused elsewhere",
                                      "mistake",
                                      "closeness",
                                      "chance resemblance",
                                      "ruled out",
                                      "resembles nothing",
                                      "differs when repeated",
                                      "stack",
                                      "unset local",
                                      "inputs",
                                      "failure",
                                      "crash",
                                      "right sizes",
                                      "output begins",
                                      "output ends",
                                      "done"};
static_assert(std::size(names) == static_cast<std::size_t>(EventKind::done) + 1);

}  // namespace

void open_channel(int file_descriptor) { channel = file_descriptor; }
bool channel_is_open() { return channel >= 0; }

void send_event(EventKind kind, std::string_view payload) {
    if (channel < 0) return;
    // One write where it fits, without allocating: this also runs in signal handlers.
    char buffer[1024];
    std::size_t used = 0;
    const auto flush = [&] {
        for (std::size_t sent = 0; sent < used;) {
            const ssize_t written = ::write(channel, buffer + sent, used - sent);
            if (written <= 0) break;
            sent += static_cast<std::size_t>(written);
        }
        used = 0;
    };
    const auto put = [&](std::string_view text) {
        for (const char letter : text) {
            if (used == sizeof buffer) flush();
            buffer[used++] = letter;
        }
    };
    put(names[static_cast<std::size_t>(kind)]);
    put("\t");
    for (std::size_t at = 0; at <= payload.size();) {
        const std::size_t stop = payload.find_first_of("\n\\", at);
        put(payload.substr(at, stop == std::string_view::npos ? std::string_view::npos : stop - at));
        if (stop == std::string_view::npos) break;
        put(payload[stop] == '\n' ? "\\n" : "\\\\");
        at = stop + 1;
    }
    put("\n");
    flush();
}

std::optional<Event> read_event(std::string_view line) {
    const std::size_t tab = line.find('\t');
    const auto* name = std::ranges::find(names, line.substr(0, tab));
    if (tab == std::string_view::npos || name == std::end(names)) return std::nullopt;
    std::string payload;
    for (std::size_t i = tab + 1; i < line.size(); ++i) {
        if (line[i] != '\\') {
            payload += line[i];
            continue;
        }
        if (++i == line.size() || (line[i] != 'n' && line[i] != '\\')) return std::nullopt;
        payload += line[i] == 'n' ? '\n' : '\\';
    }
    return Event{static_cast<EventKind>(name - std::begin(names)), printable(payload)};
}

}  // namespace linattn::testing
