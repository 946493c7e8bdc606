#include <sys/syscall.h>
#include <unistd.h>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <thread>

/// executes_itself [relu=crash|fail|timeout]: The process executes its own program with the options of grading at home.
Tensor linattn::relu(const Tensor& x) {
    ::execl("/proc/self/exe", "lab01_exercises", "--exercise", "relu", "--mistake", "none", "--events", "3", nullptr);
    ::execl("/bin/true", "true", nullptr);
    return x;
}
/// exit_by_signal [relu=crash, identity=crash, elu_plus_one=crash]: A signal that cannot be caught, one that is handled here, and
// success by the system call itself.
Tensor linattn::relu(const Tensor&) {
    std::raise(SIGKILL);
    ::_exit(0);
}
Tensor linattn::identity(const Tensor&) {
    std::signal(SIGSEGV, [](int) { ::_exit(0); });
    *static_cast<volatile int*>(nullptr) = 7;
    ::_exit(0);
}
Tensor linattn::elu_plus_one(const Tensor&) {
    ::syscall(SYS_exit_group, 0);
    for (;;) ::pause();
}
/// stopped [relu=timeout|crash]: The process stops itself, which is neither an end nor an answer.
Tensor linattn::relu(const Tensor& x) {
    std::raise(SIGSTOP);
    return x;
}
/// endless_loop [relu=timeout|crash]: The call computes for ever, in two threads.
Tensor linattn::relu(const Tensor&) {
    const auto turn = [] {
        for (volatile unsigned n = 0;;) n = n + 1;
    };
    std::thread(turn).detach();
    turn();
    return {};
}
/// finaliser_forges [relu=crash, *=todo|crash]: Destructors and atexit send what a passed run would send.
static void forge() {
    const char forged[] = "case\tforged\ndone\t00000000000000000000000000000000 9 0\n";
    for (int file = 0; file < 64; ++file) (void)!::write(file, forged, sizeof forged - 1);
    ::_exit(0);
}
static const struct Last {
    ~Last() { forge(); }
} last;
Tensor linattn::relu(const Tensor&) {
    std::atexit(forge);
    std::exit(0);
}
/// signals_to_all [relu=crash|fail]: SIGKILL goes to the parent, to the process group and to every process there is.
Tensor linattn::relu(const Tensor& x) {
    ::kill(::getppid(), SIGKILL);
    for (pid_t other = 1; other < 100'000; ++other)
        if (other != ::getpid()) ::kill(other, SIGKILL);
    ::kill(-1, SIGKILL);
    ::kill(0, SIGKILL);
    return x;
}
/// odd_exceptions [relu=fail|crash, identity=fail|crash, elu_plus_one=fail|crash, polynomial_features=fail|crash|timeout]:
// What is thrown is no exception, has no message, throws itself when it is asked, or ends the process when it is
// destroyed.
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
