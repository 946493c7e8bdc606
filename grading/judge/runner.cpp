// The runner's end, inside the box: it holds the student's object file, serves the judge's calls, and says what they cost.
// Nothing that it says is relied on.
#include <sys/uio.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <string_view>

#include "call_stack.hpp"
#include "cost.hpp"
#include "crash_watch.hpp"
#include "gpu/executable.hpp"
#include "gpu/launch_counts.hpp"
#include "memory_watch.hpp"
#include "remote_calls.hpp"

namespace linattn::judge {
namespace {

void begin_call(std::uint32_t allocation_to_trace) {
    gpu::launch_counts = {};
    testing::forget_throw_site();
    testing::begin_metering(allocation_to_trace);
}

void end_call(bool changed_argument) {
    const testing::Cost cost = testing::end_metering();
    claims = {cost.blocks,
              cost.work,
              cost.largest,
              changed_argument,
              {cost.checking.begin(), cost.checking.end()},
              gpu::launch_counts.barriers,
              gpu::launch_counts.accesses,
              {cost.extra_bytes, testing::traced_allocation(), testing::last_throw_site()}};
    std::cout.flush();
    std::fflush(nullptr);
}

// The box lets nobody start addr2line here; the judge does it, in a box of its own.
std::string ask_the_judge(const std::vector<std::string>& options, const std::vector<std::uintptr_t>& offsets) {
    Bytes arguments;
    put(arguments, options.front() == "-f");
    put(arguments, offsets);
    const Answer answer = ask("addr2line", arguments);
    Reader in{std::span<const char>(answer.result)};
    return get<std::string>(in);
}

// In the middle of a call, and perhaps of a crash.
void tell(char kind, std::string_view text) {
    const std::size_t length = text.size(), count = 1 + sizeof length + length;
    const iovec parts[] = {{const_cast<std::size_t*>(&count), sizeof count},
                           {&kind, 1},
                           {const_cast<std::size_t*>(&length), sizeof length},
                           {const_cast<char*>(text.data()), length}};
    if (::writev(4, parts, 4) < 0) ::_exit(1);
}
void tell_where(int) { tell(4, testing::call_stack()); }  // Kind::stack
void tell_crash(std::string_view what, std::string_view stack) {
    tell(4, stack);
    if (!what.empty()) tell(3, what);  // Kind::crash
}

}  // namespace

void open_connection() { other_end_failed(nullptr); }

void other_end_failed(const char*) { ::_exit(0); }
void other_end_crashed(const std::string&) { ::_exit(0); }
void other_end_is_at(const std::string&) {}

}  // namespace linattn::judge

int main() {
    using namespace linattn::judge;
    linattn::testing::watch_for_crashes(tell_crash, false);
    std::signal(SIGUSR1, tell_where);
    gpu::ask_for_addr2line = ask_the_judge;
    before_service = begin_call;
    after_service = end_call;
    connect(3, 4);
    serve_until_closed();
}
