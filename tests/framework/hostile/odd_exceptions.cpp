// class: exceptions
// What is thrown is no exception, has no message, throws itself when it is asked, or ends the process when it is destroyed.
// expects: lab01 relu=fail|crash, identity=fail|crash, elu_plus_one=fail|crash, polynomial_features=fail|crash|timeout, *=todo
#include <unistd.h>

#include <stdexcept>

#include "feature_maps.hpp"

namespace linattn {
struct WithoutMessage : std::exception {
    const char* what() const noexcept override { return nullptr; }
};
struct Ending : std::exception {
    ~Ending() override { ::_exit(0); }
    const char* what() const noexcept override { return "ends"; }
};
struct Endless : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
    const char* what() const noexcept override {
        for (;;) ::pause();
    }
};
Tensor relu(const Tensor&) { throw static_cast<const char*>(nullptr); }
Tensor identity(const Tensor&) { throw WithoutMessage(); }
Tensor elu_plus_one(const Tensor&) { throw Ending(); }
Tensor polynomial_features(const Tensor&) { throw Endless("never said"); }
}
