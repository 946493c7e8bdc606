// The program that grades one exercise: see supervisor.hpp, which does the work.
#include <cstdint>
#include <cstdio>

#include "supervisor.hpp"

#ifdef LINATTN_SANITIZED
extern "C" void __asan_set_error_report_callback(void (*callback)(const char*));
extern "C" void __sanitizer_set_report_fd(void* file_descriptor);
#endif

int main(int argc, char** argv) {
#ifdef LINATTN_SANITIZED
    __asan_set_error_report_callback(linattn::testing::report_sanitizer_error);
    if (std::FILE* nowhere = std::fopen("/dev/null", "w"))
        __sanitizer_set_report_fd(reinterpret_cast<void*>(static_cast<std::intptr_t>(fileno(nowhere))));
#endif
    return linattn::testing::run_exercise(argc, argv);
}
