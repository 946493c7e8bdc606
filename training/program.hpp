// What the programs behind ./course gradcheck, generate and train have in common: their arguments, name=value each, what they
// print, and a signal that asks them to stop.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace linattn {

class Arguments {
public:
    explicit Arguments(const std::vector<std::string>& all);
    const std::string& text(const std::string& name) const { return values_.at(name); }
    std::size_t whole(const std::string& name) const { return std::stoul(text(name)); }
    double number(const std::string& name) const { return std::stod(text(name)); }
    bool is_set(const std::string& name) const { return text(name) == "1"; }
    std::vector<std::string> list(const std::string& name) const;  ///< what commas separate

private:
    std::map<std::string, std::string> values_;
};

/// What printf would print.
std::string format(const char* pattern, ...) __attribute__((format(printf, 1, 2)));
/// As many digits as it takes to read the same number back.
std::string exact(double number);
/// \throws std::runtime_error where the file cannot be written; its folder is made
void write_file(const std::string& path, const std::string& text);

enum ExitStatus { done = 0, incomplete = 1, failed = 2, stopped = 130 };

/// Runs it with the program's arguments. What it throws is printed. \return the exit status
int run_program(int count, char** values, const std::function<int(const Arguments&)>& run);
/// Whether SIGINT or SIGTERM came: the step that runs is finished.
bool asked_to_stop();
/// From here on these signals end the program: for one that has nothing to save.
void end_when_asked();

/// Seconds since it was made.
class Stopwatch {
public:
    double seconds() const;

private:
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

/// Seconds that a processor has worked for this program: other programs on the machine do not count.
double processor_seconds();
/// How often a second of a processor this can be done: it is done for half a second, and at least once.
double times_a_second(const std::function<void()>& work);

}  // namespace linattn
