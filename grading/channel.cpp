#include "channel.hpp"

#include <unistd.h>

namespace linattn::testing {
namespace {
int channel = -1;
}

void open_channel(int file_descriptor) { channel = file_descriptor; }

void send_event(std::string_view kind, std::string_view payload) {
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
    put(kind);
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

std::string unescape(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 1 < text.size())
            result += text[++i] == 'n' ? '\n' : text[i];
        else
            result += text[i];
    }
    return result;
}

}  // namespace linattn::testing
