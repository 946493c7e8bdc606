// class: symbols of the suite
// The vocabulary's hooks, by which suites see what an answer calls, are set and cleared by the submission.
// expects: lab01 softmax_features=todo|fail|crash, *=todo
#include <unistd.h>

#include "feature_maps.hpp"

[[gnu::constructor]] static void hook() {
    linattn::on_check = [](const char*) {
        for (int file = 3; file < 64; ++file) (void)!::write(file, "checked\t0 rounding\n", 19);
    };
}
