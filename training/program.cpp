#include "program.hpp"

#include <malloc.h>
#include <sys/mman.h>

#include <charconv>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "contract.hpp"

namespace linattn {
namespace {

volatile std::sig_atomic_t signalled = 0;

void on_ending_signals(void (*handler)(int)) {
    for (const int number : {SIGINT, SIGTERM}) std::signal(number, handler);
}

// Memory is given back and asked for again at every step otherwise, which takes almost as long as the step.
void keep_memory() {
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
}

}  // namespace

Arguments::Arguments(const std::vector<std::string>& all) {
    for (const std::string& each : all) {
        const std::size_t at = each.find('=');
        values_[each.substr(0, at)] = at == std::string::npos ? "" : each.substr(at + 1);
    }
}

std::vector<std::string> Arguments::list(const std::string& name) const {
    std::vector<std::string> all;
    std::istringstream words(text(name));
    for (std::string word; std::getline(words, word, ',');) all.push_back(word);
    return all;
}

std::string format(const char* pattern, ...) {
    char text[1000];
    std::va_list values;
    va_start(values, pattern);
    std::vsnprintf(text, sizeof text, pattern, values);
    va_end(values);
    return text;
}

std::string exact(double number) {
    char text[40];
    return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

void write_file(const std::string& path, const std::string& text) {
    std::error_code none;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), none);
    std::ofstream out(path);
    out << text;
    out.close();
    if (!out) throw std::runtime_error(path + " could not be written; is there room on the disk?");
}

bool asked_to_stop() { return signalled != 0; }

void end_when_asked() { on_ending_signals(SIG_DFL); }

double Stopwatch::seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
}

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double times_a_second(const std::function<void()>& work) {
    double times = 0.0;
    const double began = processor_seconds();
    for (; times == 0.0 || processor_seconds() < began + 0.5; ++times) work();
    return times / (processor_seconds() - began);
}

int run_program(int count, char** values, const std::function<int(const Arguments&)>& run) {
    keep_memory();
    on_ending_signals([](int) { signalled = 1; });
    std::setvbuf(stdout, nullptr, _IOLBF, 0);  // a pipe gets each line at once, too
    try {
        return run(Arguments({values + 1, values + count}));
    } catch (const NotImplemented& missing) {
        std::fprintf(stderr,
                     "course: %s is not written yet, and this command needs it; ./course check lists what is missing\n",
                     missing.function().c_str());
        return incomplete;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "course: %s\n", error.what());
        return failed;
    }
}

}  // namespace linattn
