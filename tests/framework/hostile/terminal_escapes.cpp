// class: terminal escapes
// Messages and output with control sequences, with markup, and with the words of a pass.
// expects: lab01 relu=fail, identity=fail, elu_plus_one=todo, *=todo
#include <cstdio>
#include <stdexcept>

#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor&) {
    throw std::runtime_error(
        "\033[2J\033]0;owned\007\x9b"
        "31m\rlab01 · relu PASS\n\nlab01 · relu   PASS 1 of 1\n\xff\xfe</failure>");
}
Tensor identity(const Tensor& x) {
    std::printf("\033[1;32mlab01 · identity                PASS\033[0m\n<script>alert(1)</script>]]>\0\b\b&amp;%%s\n");
    std::fflush(stdout);
    return x * 2;
}
Tensor elu_plus_one(const Tensor&) { throw NotImplemented("elu_plus_one\n\033[2Jlab01 · relu PASS\n"); }
}
