#include "faults.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "../gpu.hpp"
#include "scheduler.hpp"
#include "symbols.hpp"

namespace gpu::engine {
namespace {

struct Finding {
    Rank rank;
    Symptom symptom;
    std::string text;
};

struct {
    bool stopped = false;
    std::vector<Finding> findings;
    std::string not_written, not_written_file;
} faults;

}  // namespace

void begin_faults() { faults = {}; }

void report(Rank rank, const Symptom& symptom, const std::string& text) {
    auto& all = faults.findings;
    all.insert(std::ranges::upper_bound(all, rank, {}, &Finding::rank), {rank, symptom, text});
}

void amend(const Symptom& symptom, Fault fault, const std::string& more) {
    const auto found = std::ranges::find(faults.findings, symptom, &Finding::symptom);
    if (found == faults.findings.end()) return;
    found->symptom.fault = fault;
    found->text += more;
}

void report_and_stop(const Symptom& symptom, const std::string& text) {
    report(Rank::stopped, symptom, text);
    faults.stopped = true;
}

void stop(const Symptom& symptom, const std::string& text) {
    running.checking = false;
    report_and_stop(symptom, text);
    yield(State::done);
    std::abort();
}

void stop_not_written(const char* function, const char* file) {
    const InEngine engine;
    faults.not_written = function;
    faults.not_written_file = file;
    stop({Fault::not_written}, "");
}

bool has_stopped() { return faults.stopped; }
bool has_findings() { return !faults.findings.empty(); }

void throw_findings(const void* kernel) {
    if (!faults.not_written.empty()) throw NotWritten(faults.not_written, faults.not_written_file);
    if (faults.findings.empty()) return;
    std::vector<Symptom> symptoms;
    symptoms.reserve(faults.findings.size());
    for (const Finding& finding : faults.findings) symptoms.push_back(finding.symptom);
    std::string text = function_name(kernel) + ": " + faults.findings.front().text;
    if (symptoms.size() > 1) text += "\n(" + std::to_string(symptoms.size() - 1) + " more after this one)";
    throw Error(text, symptoms);
}

std::string by_whom(const std::string& line) {
    return "\nby " + thread_name(running.thread) + " of block " + this_block() + (line.empty() ? "" : " at " + line);
}

Symptom outside(const std::string& array, bool written) {
    if (array.empty()) return {Fault::host_memory};
    return {written ? Fault::written_outside : Fault::read_outside, array};
}

}  // namespace gpu::engine
