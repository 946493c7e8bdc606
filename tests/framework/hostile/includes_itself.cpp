// class: compile-time bombs
// The file includes itself twice, which doubles the work at every depth.
// expects: lab01 *=build
#include __FILE__
#include __FILE__
