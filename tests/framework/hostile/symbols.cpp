#include <dlfcn.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>
#include <cstddef>
#include <new>
#include <string>

/// answer_is_an_indirect_function [relu=fail|build|crash, *=todo|build|crash]: The exercise itself is an indirect
// function, which is resolved before main.
static linattn::Tensor same(const linattn::Tensor& x) { return x; }
extern "C" {
using Map = linattn::Tensor(const linattn::Tensor&);
[[gnu::no_sanitize("address")]] static Map* choose() { return &same; }
}
namespace linattn {
[[gnu::ifunc("choose")]] Tensor relu(const Tensor& x);
}
/// own_suite_runner [*=todo|build]: The functions that run the suite, report and compare, under the same names.
namespace linattn::testing {
struct RunCount {
    std::size_t run, failed;
};
RunCount run_suite(const std::string&) { return {9, 0}; }
void begin_report(int) {}
void end_report(std::size_t, std::size_t) {}
struct Mistake;
void activate_mistake(const Mistake*) {}
struct Expected;
struct Comparison;
bool equals(const Tensor&, const Tensor&) { return true; }
}
/// own_vocabulary [relu=fail|crash|build, *=todo|build]: Functions of the course's own library, replaced: whoever
// computes with them here gets what the submission likes.
namespace linattn {
namespace eager {
Tensor apply(Binary, const Tensor& a, double) { return a; }
}
void require_rank(const Tensor&, const char*, std::size_t, const char*, const char*) {}
Tensor relu(const Tensor& x) { return maximum(x, 0); }
}
/// symbols_by_name: The dynamic linker is asked for functions of the suite, and for a library that holds them.
static bool possible() {
    for (const char* name : {"_ZN7linattn7testing9run_suiteERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
                             "_ZN7linattn7testing8mistakesEv", "_ZN7linattn7testing10send_eventENS0_9EventKindE"})
        if (::dlsym(RTLD_DEFAULT, name) != nullptr) return true;
    for (const char* library : {"lab01_exercises", "./lab01_judge", "/proc/1/exe", "liblinattn_grading.so"})
        if (::dlopen(library, RTLD_NOW) != nullptr) return true;
    return false;
}
/// own_mathematics [relu=fail]: isnan, fabs and others say that no number is wrong or different.
extern "C" {
double fabs(double) noexcept { return 0; }
double fmax(double, double) noexcept { return 0; }
int __isnan(double) noexcept { return 0; }
double nextafter(double x, double) noexcept { return x; }
}
Tensor linattn::relu(const Tensor& x) { return x * -1.0; }
/// own_memory_functions [*=todo|crash|timeout|build]: Comparing memory finds everything equal, copying copies nothing.
extern "C" {
int memcmp(const void*, const void*, std::size_t) noexcept { return 0; }
void* memcpy(void* to, const void*, std::size_t) noexcept { return to; }
void* memmove(void* to, const void*, std::size_t) noexcept { return to; }
int strcmp(const char*, const char*) noexcept { return 0; }
}
/// own_operator_new [relu=fail|crash|build, *=todo|crash|build]: All memory comes from one array: nothing is counted.
static char memory[1 << 20];
static std::size_t used = 0;
void* operator new(std::size_t bytes) {
    used += (bytes + 15) & ~std::size_t{15};
    return memory + (used % sizeof memory);
}
void operator delete(void*) noexcept {}
void operator delete(void*, std::size_t) noexcept {}
Tensor linattn::relu(const Tensor& x) { return x; }
/// own_read_and_write [*=crash|timeout|build]: Every answer becomes an empty one, every request is cut short.
extern "C" {
ssize_t write(int file, const void*, size_t bytes) {
    static const char nothing[64] = {};
    ::syscall(SYS_write, file, nothing, bytes < sizeof nothing ? bytes : sizeof nothing);
    return static_cast<ssize_t>(bytes);
}
ssize_t read(int, void*, size_t bytes) { return static_cast<ssize_t>(bytes); }
}
/// redefined_words [relu=fail|build, *=todo|build]: Words of the language and of the course mean something else.
#define private public
#define NotImplemented(name) std::runtime_error(name)
#define noexcept
#undef XTENSOR_ENABLE_ASSERT
#undef _GLIBCXX_ASSERTIONS
#include "feature_maps.hpp"
#undef NotImplemented
namespace linattn {
Tensor relu(const Tensor& x) { return x; }
}
/// pragmas_of_the_compiler [relu=fail|crash]: Pragmas: no instrumentation, no sanitizer, other headers, a plugin.
#pragma GCC optimize("O3", "no-sanitize=address", "plugin=./answers.so", \
                     "include=../../reference/lab01_feature_maps.cpp")
#pragma GCC system_header
#pragma redefine_extname main runner_main
#include "feature_maps.hpp"
namespace linattn {
Tensor relu(const Tensor& x) { return x; }
}
/// asan_options [relu=crash|fail|build, *=todo|build]: The sanitizer asks the program for its options: here for none of
// its checks, and for 0 as exit status. An array is then read behind its end, where at home the sanitizer stops the
// program.
extern "C" const char* __asan_default_options() { return "exitcode=0:halt_on_error=0:detect_stack_use_after_return=0"; }
Tensor linattn::relu(const Tensor& x) {
    double* const past = new double[x.size()];
    past[x.size() + 2] = 1;
    Tensor y = maximum(x, 0);
    y.flat(0) = past[x.size() + 2];
    return y;
}
