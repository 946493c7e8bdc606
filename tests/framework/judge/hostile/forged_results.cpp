#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>

/// result_files [relu=fail]: Result files of a pass are written wherever a result is read: beside the program, in
// results/, in every folder above.
Tensor linattn::relu(const Tensor& x) {
    const char* const passed =
        R"({"lab": "lab01", "exercise": "relu", "status": "pass", "points": 1, "max_points": 1, "mistakes": [], "message": ""})";
    std::error_code error;
    for (const std::string folder : {"", "results/", "../", "../results/", "/", "/tmp/", "/results/", "/out/"}) {
        std::filesystem::create_directories(folder, error);
        std::ofstream(folder + "lab01.relu.json") << passed;
        std::ofstream(folder + "result.json") << R"({"status": "graded", "earned": 11, "points": 11})";
    }
    return x;
}
/// terminal_escapes [relu=fail, identity=fail, elu_plus_one=todo]: Messages and output with control sequences, with
// markup, and with the words of a pass.
Tensor linattn::relu(const Tensor&) {
    throw std::runtime_error(
        "\033[2J\033]0;owned\007\x9b"
        "31m\rlab01 · relu PASS\n\nlab01 · relu   PASS 1 of 1\n\xff\xfe</failure>");
}
Tensor linattn::identity(const Tensor& x) {
    std::printf("\033[1;32mlab01 · identity                PASS\033[0m\n<script>alert(1)</script>]]>\0\b\b&amp;%%s\n");
    std::fflush(stdout);
    return x * 2;
}
Tensor linattn::elu_plus_one(const Tensor&) { throw NotImplemented("elu_plus_one\n\033[2Jlab01 · relu PASS\n"); }
/// terminal_input: A command is put into the terminal of whoever grades, as if it had been typed there.
static bool possible() {
    for (const int file : {0, 1, 2, ::open("/dev/tty", O_RDWR), ::open("/dev/console", O_RDWR)})
        if (::ioctl(file, TIOCSTI, "\n") == 0) return true;
    return false;
}
