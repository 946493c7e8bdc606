// class: compile-time bombs
// The preprocessor waits for what nobody will type.
// expects: lab01 *=build|todo
#include "/dev/stdin"
#include "/proc/self/fd/0"

#include "feature_maps.hpp"
