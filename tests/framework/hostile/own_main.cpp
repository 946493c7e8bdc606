// class: before main
// The submission has a main of its own that says that all is well.
// expects: lab01 *=crash|build
#include <cstdio>

#include "feature_maps.hpp"

int main() {
    std::puts("done\t00000000000000000000000000000000 9 0");
    return 0;
}
