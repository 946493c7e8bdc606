#include "program.hpp"

#include <malloc.h>
#include <sys/mman.h>

#include <csignal>
#include <cstdlib>
#include <ctime>
#include <iostream>

#include "contract.hpp"

namespace linattn {
namespace {

volatile std::sig_atomic_t signalled = 0;

}  // namespace

Arguments::Arguments(const std::vector<std::string>& all) {
    for (const std::string& each : all) {
        const std::size_t at = each.find('=');
        values_[each.substr(0, at)] = at == std::string::npos ? "" : each.substr(at + 1);
    }
}

void print_event(const Json& event) {
    std::cout << event.dump(-1, ' ', true, Json::error_handler_t::replace) << std::endl;
}

bool asked_to_stop() { return signalled != 0; }

double Stopwatch::seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
}

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

int run_program(int count, char** values, const std::function<int(const Arguments&)>& run) {
    // Memory is given back and asked for again at every step otherwise, which takes almost as long as the step.
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 2000000000);
    constexpr std::size_t room = std::size_t{128} << 20;
    mallopt(M_TOP_PAD, room);
#ifdef MADV_HUGEPAGE
    constexpr std::size_t large_page = 2 << 20;
    void* const first = std::aligned_alloc(large_page, large_page);  // asks for the room
    madvise(first, room, MADV_HUGEPAGE);                             // a processor finds larger pages sooner
    std::free(first);
#endif
    for (const int number : {SIGINT, SIGTERM}) std::signal(number, [](int) { signalled = 1; });
    try {
        return run(Arguments({values + 1, values + count}));
    } catch (const NotImplemented& missing) {
        print_event({{"event", "missing"}, {"function", missing.function()}});
    } catch (const std::exception& error) {
        print_event({{"event", "error"}, {"why", error.what()}});
    }
    return 1;
}

}  // namespace linattn
