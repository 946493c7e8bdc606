// class: sections
// The assembler gives the address of one exercise the names of others, main among them.
// expects: lab01 *=build|crash|fail
#include "feature_maps.hpp"

asm(R"(
    .globl main
    .set main, _ZN7linattn4reluERKN2xt16xarray_containerINS0_7uvectorIdSaIdEEELNS0_11layout_typeE1ENS0_7svectorImLm4ESaImELb1EEENS0_22xtensor_expression_tagEEE
    .symver memcpy, memcpy@GLIBC_2.2.5
    .text
)");
