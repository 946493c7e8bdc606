// What the programs behind ./course gradcheck, generate and train have in common: their arguments, name=value each, one JSON object a line for what
// happens, and a signal that asks them to stop.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace linattn {

using Json = nlohmann::ordered_json;

class Arguments {
public:
    explicit Arguments(const std::vector<std::string>& all);
    const std::string& text(const std::string& name) const { return values_.at(name); }
    std::size_t whole(const std::string& name) const { return std::stoul(text(name)); }
    double number(const std::string& name) const { return std::stod(text(name)); }

private:
    std::map<std::string, std::string> values_;
};

void print_event(const Json& event);

/// Whether SIGINT or SIGTERM came: the step that runs is finished.
bool asked_to_stop();

/// Runs it with the program's arguments, and prints what it throws. \return the exit status
int run_program(int count, char** values, const std::function<int(const Arguments&)>& run);

/// Seconds since it was made.
class Stopwatch {
public:
    double seconds() const;

private:
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

/// Seconds that a processor has worked for this program: other programs on the machine do not count.
double processor_seconds();

}  // namespace linattn
