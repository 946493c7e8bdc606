// class: symbols of the suite
// The dynamic linker is asked for functions of the suite, and for a library that holds them.
// expects: lab01 *=todo
#include <dlfcn.h>

#include "feature_maps.hpp"

static bool possible() {
    for (const char* name : {"_ZN7linattn7testing9run_suiteERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
                             "_ZN7linattn7testing8mistakesEv", "_ZN7linattn7testing10send_eventENS0_9EventKindE"})
        if (::dlsym(RTLD_DEFAULT, name) != nullptr) return true;
    for (const char* library : {"lab01_exercises", "./lab01_judge", "/proc/1/exe", "liblinattn_grading.so"})
        if (::dlopen(library, RTLD_NOW) != nullptr) return true;
    return false;
}
