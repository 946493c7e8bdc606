// class: compile-time bombs
// The preprocessor reads a file without end.
// expects: lab01 *=build
#include "/dev/zero"
