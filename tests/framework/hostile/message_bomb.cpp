// class: compile-time bombs
// Every line of a long file draws a remark of the compiler, with a control sequence in it.
// expects: lab01 *=build
#include "feature_maps.hpp"

#define REMARK _Pragma("message \"\033[2J\033]0;PASS\007\"")
#define R1 REMARK REMARK REMARK REMARK REMARK REMARK REMARK REMARK
#define R2 R1 R1 R1 R1 R1 R1 R1 R1
#define R3 R2 R2 R2 R2 R2 R2 R2 R2
#define R4 R3 R3 R3 R3 R3 R3 R3 R3
R4 R4
#error
