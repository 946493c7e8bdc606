// class: before main
// Code in .preinit_array runs ahead of every constructor, those of the sanitizer included.
// expects: lab01 *=crash|build
#include <unistd.h>

#include "feature_maps.hpp"

static void first(int, char**, char**) { ::_exit(0); }
[[gnu::section(".preinit_array"), gnu::used]] static void (*const entry)(int, char**, char**) = first;
