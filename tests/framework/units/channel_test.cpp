// What the two programs tell each other.
#include <unistd.h>

#include "case_record.hpp"
#include "channel.hpp"
#include "escape.hpp"
#include "expectations.hpp"

namespace linattn::testing {
namespace {

TEST_SUITE("channel") {
// The lines that come out of the channel when these events go in.
std::string sent(const std::vector<Event>& events) {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    open_channel(ends[1]);
    for (const auto& [kind, payload] : events) send_event(kind, payload);
    open_channel(-1);
    ::close(ends[1]);
    std::string text;
    char buffer[512];
    for (ssize_t got; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;)
        text.append(buffer, static_cast<std::size_t>(got));
    ::close(ends[0]);
    return text;
}

TEST_CASE("every kind of event comes out as it went in, on one line") {
    for (int kind = 0; kind <= static_cast<int>(EventKind::done); ++kind)
        for (const std::string& payload :
             std::vector<std::string>{"", "plain", "back\\slash", "tab\there", std::string(10000, 'x')}) {
            const std::string line = sent({{static_cast<EventKind>(kind), payload}});
            REQUIRE(line.find('\n') == line.size() - 1);
            const auto event = read_event(std::string_view(line).substr(0, line.size() - 1));
            REQUIRE(event);
            CHECK(event->kind == static_cast<EventKind>(kind));
            CHECK(event->payload == payload);
        }
    CHECK(sent({{EventKind::call, "two\nlines"}}) == "call\ttwo lines\n");
}
TEST_CASE("a case comes out as it went in, whatever its texts hold") {
    for (const std::string text : {"", "plain", "two\nlines", "\"quoted\" \\", "tab\there", "φ ε √"}) {
        const Failure failure{.what = text,
                              .differs_when_repeated = true,
                              .resembles = {{text, text, text}},
                              .closeness = text,
                              .partly = {{text, text}},
                              .guess = text,
                              .digits = Digits::seven,
                              .inputs = text,
                              .stack = text,
                              .unset_local = UnsetLocal::surely};
        const Case known{text, text, text, {failure, {}}, text, text, true, true, 7, 8};
        const std::string line = to_line({3, known});
        CHECK(line.find('\n') == std::string::npos);
        CHECK(read_event("case\t" + line)->payload == line);
        const auto read = read_case(line);
        REQUIRE(read);
        CHECK(read->number == 3);
        CHECK(read->known.output_ends == 8);
        CHECK(read->known.failures[0].resembles[0].explanation == text);
        CHECK(to_line(*read) == line);
    }
    CHECK(read_event("case\t" + to_line({0, {.note = "\xC2\x9B\x7f"}}))->payload ==
          to_line({0, {.note = "\xC2\x9B\x7f"}}));
    CHECK(read_case(to_line({0, {.note = std::string("\x1b[31m\0\xff", 7)}}))->known.note ==
          "\\x1b[31m\\x00\xEF\xBF\xBD");
    for (const char* line : {"", "{}", "[1]", "{\"number\": 1}", "no case"}) CHECK_FALSE(read_case(line));
}
TEST_CASE("what is no event is told apart") {
    for (const char* line : {"", "case", "no such kind\tx", "Case\tx", "\tx"}) CHECK_FALSE(read_event(line));
}
TEST_CASE("without a channel nothing happens") { send_event(EventKind::call, "payload"); }
TEST_CASE("control characters and bytes that are no text become visible") {
    CHECK(escape("plain\ttext\n φ ε √") == "plain\ttext\n φ ε √");
    CHECK(escape(std::string("a\0b", 3)) == "a\\x00b");
    CHECK(escape("\x1b[31mred\x7f") == "\\x1b[31mred\\x7f");
    CHECK(escape("10%\r20%\r\n") == "10%\n20%\n");
    CHECK(escape("\xC2\x9B") == "\\x9b");  // a control character of two bytes
    for (const char* no_text : {"\xFF", "\x80", "\xC3", "\xC0\xAF", "\xED\xA0\x80", "\xF5"})
        CHECK(contains(escape(no_text), "\xEF\xBF\xBD"));
    CHECK(read_event(std::string("call\tgot \0", 10))->payload == "got \\x00");
}
}

}  // namespace
}  // namespace linattn::testing
