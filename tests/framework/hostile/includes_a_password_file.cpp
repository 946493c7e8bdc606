// class: include
// The compiler's complaints would quote the lines of a file that students must not read.
// expects: lab01 *=build
// hides: root:
#include "/etc/passwd"
#include "/etc/shadow"
#include "/proc/1/cmdline"
#include "/proc/self/environ"

#include "feature_maps.hpp"
