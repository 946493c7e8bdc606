// class: memory
// memfd_create makes files of pure memory, which count for no limit of a process.
// expects: lab01 *=todo
#include <sys/mman.h>
#include <unistd.h>

#include "feature_maps.hpp"

static bool possible() { return ::memfd_create("hidden", 0) >= 0; }
