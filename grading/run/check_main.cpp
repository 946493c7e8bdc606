// labNN_check: one exercise, one verdict. It starts labNN_exercises, the suite linked with the student's code, in a
// process of its own, and it alone decides, prints and writes. None of the student's code is linked here.
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/executable.hpp"
#include "manifest_entry.hpp"
#include "options.hpp"
#include "supervised_run.hpp"
#include "verdict.hpp"

using namespace linattn::testing;

namespace {

// build/lab02_exercises for build/lab02_check, build/lab05_exercises_gpu for build/lab05_check_gpu.
std::string neighbour_of(const std::filesystem::path& check) {
    const std::string mine = "_check", its = "_exercises";
    std::string name = check.filename().string();
    const std::size_t at = name.rfind(mine);
    if (at == std::string::npos)
        throw std::runtime_error(check.string() +
                                 " was renamed: it needs a name like lab02_check to find lab02_exercises");
    return std::filesystem::path(check).replace_filename(name.replace(at, mine.size(), its)).string();
}

// What labNN.build had run ahead (tools/course/build/ctest/run_ahead.py) is told once; the status with which it ended, or -1.
int told_what_ran_ahead(const Options& options, const std::string& check) {
    const std::string lab = std::filesystem::path(check).filename().string();
    for (const int status : {0, 1}) {
        const std::string path = options.results + "/" + lab.substr(0, lab.find('_')) + "." + options.exercise +
                                 ".done" + std::to_string(status);
        std::ifstream said(path, std::ios::binary);
        if (!said) continue;
        if (said.peek() != std::ifstream::traits_type::eof()) std::cout << said.rdbuf() << std::flush;
        std::filesystem::remove(path);
        return status;
    }
    return -1;
}

Verdict judged(const ManifestEntry& entry, const std::string& program, const std::vector<std::string>& arguments) try {
    return verdict_of(entry, program, run_supervised(program, arguments, entry.timeout_seconds),
                      [&](std::size_t first, std::size_t last) {
                          std::vector<std::string> some = arguments;
                          some.insert(some.end(), {"--cases", std::to_string(first) + "-" + std::to_string(last)});
                          return run_supervised(program, some, entry.timeout_seconds);
                      });
} catch (const std::runtime_error& e) {
    return not_graded(entry, e.what());
}

int grade(const Options& options, const std::string& program, const std::vector<std::string>& arguments) {
    ManifestEntry entry = read_manifest_entry(options.manifest, options.exercise);
    entry.on_gpu = options.on_gpu;
    const pid_t ctest = ::getppid();
    const Verdict verdict = judged(entry, program, arguments);
    std::fputs(verdict.message.c_str(), stdout);
    std::fflush(stdout);
    if (::getppid() != ctest) throw std::runtime_error("ctest was killed, so nobody waits for this result any more");
    write_result(options.results, entry, verdict);
    return verdict.status == Status::pass ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
    const Options options = parse_options(argc, argv);
    const std::string own = gpu::executable_path(), program = neighbour_of(own.empty() ? argv[0] : own);
    if (options.list || options.alone) {
        ::execv(program.c_str(), argv);
        throw std::runtime_error(program + " cannot be started: build it first");
    }
    if (options.manifest.empty() || options.results.empty())
        refuse_options("--manifest, --exercise and --results are needed");
    int status = options.on_gpu ? -1 : told_what_ran_ahead(options, own.empty() ? argv[0] : own);
    if (status < 0) status = grade(options, program, {argv + 1, argv + argc});
    std::fflush(nullptr);
    ::_exit(status);  // at once: there is nothing to tidy
} catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
}
