#include "channel.hpp"

#include <unistd.h>

namespace linattn::testing {
namespace {
int channel = -1;
}

void open_channel(int file_descriptor) { channel = file_descriptor; }

void send_event(std::string_view kind, std::string_view payload) {
    if (channel < 0) return;
    const auto put = [](std::string_view text) {
        while (!text.empty()) {
            const ssize_t written = ::write(channel, text.data(), text.size());
            if (written <= 0) return;
            text.remove_prefix(static_cast<std::size_t>(written));
        }
    };
    put(kind);
    put("\t");
    for (std::size_t at = 0; at <= payload.size();) {  // without allocating: this also runs in signal handlers
        const std::size_t stop = payload.find_first_of("\n\\", at);
        put(payload.substr(at, stop == std::string_view::npos ? std::string_view::npos : stop - at));
        if (stop == std::string_view::npos) break;
        put(payload[stop] == '\n' ? "\\n" : "\\\\");
        at = stop + 1;
    }
    put("\n");
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
