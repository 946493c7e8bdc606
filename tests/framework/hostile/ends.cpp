#include <sys/syscall.h>
#include <unistd.h>
#include <csignal>
#include <cstdlib>
#include <thread>

/// executes_itself [relu=crash|fail|timeout]: The process executes its own program with the options of grading at home.
Tensor linattn::relu(const Tensor& x) {
    ::execl("/proc/self/exe", "lab01_exercises", "--exercise", "relu", "--mistake", "none", "--events", "3", nullptr);
    ::execl("/bin/true", "true", nullptr);
    return x;
}
/// exit_by_signal [relu=crash, identity=crash, elu_plus_one=crash]: Signals that cannot be caught, or are handled here.
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
    std::signal(SIGABRT, [](int) { ::_exit(0); });
    std::abort();
}
/// exit_in_a_call [relu=crash, identity=crash, elu_plus_one=crash]: The call leaves with success, by the system call
// itself.
Tensor linattn::relu(const Tensor&) {
    ::syscall(SYS_exit_group, 0);
    for (;;) ::pause();
}
Tensor linattn::identity(const Tensor&) { std::quick_exit(0); }
Tensor linattn::elu_plus_one(const Tensor&) { std::_Exit(0); }
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
/// sleep_before_main [lab00 *=timeout|crash]: The process never gets as far as main.
[[gnu::constructor]] static void wait() {
    for (;;) ::pause();
}
/// finaliser_forges [relu=crash, *=todo|crash]: Destructors and atexit send what a passed run would send.
static void forge() {
    const char forged[] = "case\tforged\ndone\t00000000000000000000000000000000 9 0\n";
    for (int file = 0; file < 64; ++file) (void)!::write(file, forged, sizeof forged - 1);
    ::_exit(0);
}
[[gnu::destructor]] static void last() { forge(); }
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
