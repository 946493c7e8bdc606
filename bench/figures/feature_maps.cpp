// Four feature maps of one entry: lab 01's functions, and the exponential without the shift that exp_features takes
// from the other entries.
#include <cmath>
#include <cstdio>

#include "feature_maps.hpp"

int main() {
    std::puts("x,elu_plus_one,relu,identity,exp");
    for (int step = -60; step <= 60; ++step) {
        const double x = step / 20.0;
        const linattn::Tensor entry{x};
        std::printf("%.2f,%.6g,%.6g,%.6g,%.6g\n", x, linattn::elu_plus_one(entry)(0), linattn::relu(entry)(0),
                    linattn::identity(entry)(0), std::exp(x));
    }
}
