// class: descriptors
// What is typed, or piped, into the program that grades is read by the submission.
// expects: lab01 *=todo
#include <unistd.h>

#include "feature_maps.hpp"

static bool possible() {
    char byte = 0;
    return ::read(0, &byte, 1) > 0;
}
