// The runner's end, inside the box: it holds the student's object file, serves the judge's calls, and says what they cost.
// Nothing that it says is relied on.
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <optional>
#include <string_view>

#include "call_stack.hpp"
#include "contract.hpp"
#include "cost.hpp"
#include "gpu/executable.hpp"
#include "gpu/launch_counts.hpp"
#include "memory_watch.hpp"
#include "peer.hpp"
#include "work_counter.hpp"

#ifdef LINATTN_SANITIZED
extern "C" void __asan_set_error_report_callback(void (*callback)(const char*));
extern "C" void __sanitizer_set_report_fd(void* file_descriptor);
#endif

namespace linattn::testing {
std::size_t blocks_run = 0;
}

namespace linattn::judge {
namespace {

std::optional<testing::MemoryWatch> watch;
std::size_t work_before = 0, blocks_before = 0;
std::array<const char*, 16> checking;

// Without allocating: memory is watched meanwhile.
void note_check(const char* caller) {
    for (const char*& name : checking) {
        if (name == nullptr) name = caller;
        if (name == caller) return;
    }
}

void begin_metering(std::uint32_t allocation_to_trace) {
    work_before = work_done;
    largest_work = 0;
    blocks_before = testing::blocks_run;
    checking.fill(nullptr);
    gpu::launch_counts = {};
    on_check = note_check;
    testing::forget_throw_site();
    watch.emplace(allocation_to_trace);
}

void end_metering(bool changed_argument) {
    watch.reset();
    on_check = nullptr;
    claims = {testing::blocks_run - blocks_before,
              work_done - work_before,
              largest_work,
              changed_argument,
              {},
              gpu::launch_counts.barriers,
              gpu::launch_counts.accesses,
              {testing::peak_bytes(), testing::traced_allocation(), testing::last_throw_site()}};
    for (const char* name : checking)
        if (name != nullptr) claims.checking.emplace_back(name);
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
#ifdef LINATTN_SANITIZED
void tell_report(const char* report) { tell(3, report); }  // Kind::crash
#endif

}  // namespace

void open_connection() { other_end_failed(nullptr); }

void other_end_failed(const char*) { ::_exit(0); }
void other_end_crashed(const std::string&) { ::_exit(0); }
void other_end_is_at(const std::string&) {}

}  // namespace linattn::judge

int main() {
    using namespace linattn::judge;
#ifdef LINATTN_SANITIZED
    __asan_set_error_report_callback(tell_report);
    if (std::FILE* nowhere = std::fopen("/dev/null", "w"))
        __sanitizer_set_report_fd(reinterpret_cast<void*>(static_cast<std::intptr_t>(fileno(nowhere))));
#endif
    linattn::testing::call_stack();  // its first use loads a library: not in a signal handler
    std::signal(SIGUSR1, tell_where);
    gpu::ask_for_addr2line = ask_the_judge;
    before_service = begin_metering;
    after_service = end_metering;
    connect(3, 4);
    serve_until_closed();
}
