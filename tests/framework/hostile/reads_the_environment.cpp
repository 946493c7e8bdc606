// class: reading
// Secrets and paths in the environment: anything but what a program needs to compute.
// expects: lab01 *=todo
#include <unistd.h>

#include <string_view>

#include "feature_maps.hpp"

static bool possible() {
    for (char** each = environ; each != nullptr && *each != nullptr; ++each)
        for (const char* word :
             {"SECRET", "TOKEN", "KEY", "HOME=/", "USER=", "SSH", "COURSE", "SEED", "RESULT", "GITHUB"})
            if (std::string_view(*each).find(word) != std::string_view::npos) return true;
    return false;
}
