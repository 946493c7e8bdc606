#include "counterexample.hpp"

#include <fcntl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <map>
#include <set>
#include <sstream>

#include "changed_arguments.hpp"
#include "channel.hpp"
#include "memory_watch.hpp"

namespace linattn::testing {
namespace {

constexpr int most_trials = 400;
constexpr itimerval most_processor_time{{0, 0}, {0, 200'000}}, most_time{{0, 0}, {2, 0}};
constexpr std::size_t most_lines = 10, longest_line = 110;
constexpr double clearly_wrong = 1e-5, clearly_wrong_float32 = 1e-3;  // of the largest value: no rounding

struct Argument {
    std::string name;  ///< of ChangeScope
    Tensor value;
    Shape axes;              ///< the lengths at first: axes that had one length keep having one
    double lowest, highest;  ///< of the entries at first: no entry leaves this range
    bool fixed;              ///< entries that were integers at first, indices perhaps, stay
};
using Arguments = std::vector<Argument>;

bool is_finite(const Outcome& outcome) {
    return !any_number(outcome.parts, [](double x) { return !std::isfinite(x); });
}

bool differs(const Part& got, const Part& right) {
    const auto &x = std::get<Tensor>(got.value), &y = std::get<Tensor>(right.value);
    if (inconsistent_storage(x)) return false;  // which another message tells
    if (shape_of(x) != shape_of(y)) return true;
    double largest = 1.0;
    for (std::size_t e = 0; e < y.size(); ++e) largest = std::max(largest, std::fabs(y.data()[e]));
    const double allowed = (right.float32 ? clearly_wrong_float32 : clearly_wrong) * largest;
    for (std::size_t e = 0; e < y.size(); ++e)
        if (!(std::fabs(x.data()[e] - y.data()[e]) <= allowed)) return true;
    return false;
}

bool is_integer(double x) { return std::nearbyint(x) == x; }

// What is simpler to read has less of it: 0, 1, -1, 2, -2, …, and other numbers last.
double complexity(double x) { return is_integer(x) ? 2.0 * std::fabs(x) + (x < 0.0 ? 0.5 : 0.0) : 1e300; }

class Search {
public:
    /// \param report file descriptor to which the numbers of the accepted trials and the lines of the message are written
    Search(const ComparedCall& call, int report)
        : call_(call), right_(not_offered(call.exercise).right), inputs_(call.inputs), report_(report) {}

    /// With these trials accepted, and no other. Nothing is reported.
    void repeat(const std::set<int>& accepted) {
        accepted_ = accepted;
        repeats_ = true;
        run();
        run_with(call_.subject, best_);
    }

    void run() {
        if (!begin()) return;
        while (reduce_lengths()) {
        }
        leave_out_leading_axes();
        for (const bool one_by_one : {false, true}) simplify_entries(one_by_one);
    }

private:
    // Reads the arguments; false where the definition does not pass this very check, or an array does not know its shape.
    bool begin() {
        bool all_tensors = true;
        const ChangeScope scope([&](const std::string& name, Tensor& value) {
            all_tensors = all_tensors && (name.find('.') != std::string::npos || input(name).value != nullptr);
            const Shape axes = shape_of(value);
            for (const std::size_t length : axes) lengths_[length] = length;
            const double *first = value.data(), *last = first + value.size();
            if (first == last) return;
            const auto [low, high] = std::minmax_element(first, last);
            const bool both_signs = *low < 0.0 && *high > 0.0;  // and not a decay, say, which may not be 0 or 1
            best_.push_back({name, value, axes, both_signs ? std::floor(*low) : *low,
                             both_signs ? std::ceil(*high) : *high, std::all_of(first, last, is_integer)});
        });
        const Outcome right = call_.run(right_);
        return right.error.empty() && !call_.check(right) && all_tensors;
    }

    // Of "argument 2" or "argument 2.S".
    const Input& input(const std::string& name) const {
        return inputs_.at(std::stoul(name.substr(name.find(' '))) - 1);
    }

    Outcome run_with(const Subject& subject, const Arguments& arguments) const {
        const ChangeScope scope([&](const std::string& name, Tensor& value) {
            const auto found = std::ranges::find(arguments, name, &Argument::name);
            if (found != arguments.end()) value = found->value;
        });
        return call_.run(subject);
    }

    // Keeps these arguments if the function is wrong for them, too.
    bool accept(const Arguments& candidate) {
        ++trials_;
        if (repeats_ ? !accepted_.contains(trials_) : trials_ > most_trials || !is_wrong_for(candidate)) return false;
        best_ = candidate;
        return true;
    }

    // The definition refuses what is no input.
    bool is_wrong_for(const Arguments& candidate) {
        const Outcome right = run_with(right_, candidate);
        if (!right.error.empty() || !is_finite(right)) return false;
        const Outcome got = run_with(call_.subject, candidate);
        if (!got.error.empty() || (is_finite(call_.outcome) && !is_finite(got))) return false;
        for (std::size_t p = 0; p < right.parts.size(); ++p)
            if (differs(got.parts.at(p), right.parts[p])) {
                accepted_.insert(trials_);
                report(candidate, got.parts[p], right.parts[p]);
                return true;
            }
        return false;
    }

    void report(const Arguments& arguments, const Part& got, const Part& right) const {
        const auto &came = std::get<Tensor>(got.value), &wanted = std::get<Tensor>(right.value);
        std::vector<std::string> lines{"    the smallest input found for which it is wrong:"};
        for (const Argument& each : arguments) {
            const std::size_t dot = each.name.find('.');
            const std::string label = dot != std::string::npos ? each.name.substr(dot + 1) : input(each.name).name;
            lines.push_back("      " + (label.empty() ? each.name : label) + " = " + to_string(each.value));
        }
        if (inputs_.size() > arguments.size()) lines.emplace_back("      and all else as in the call below");
        const std::string of_part = right.name.empty() ? "" : right.name + " ";
        lines.push_back("      expected " + of_part + to_string(wanted));
        lines.push_back("      got      " + of_part + to_string(came));
        if (shape_of(came) != shape_of(wanted)) lines.back() += " of shape " + to_string(shape_of(came));
        bool fits = lines.size() <= most_lines;
        std::string text, trials;
        for (const std::string& line : lines) {
            text += "\n" + line;
            fits = fits && line.size() <= longest_line;
        }
        for (const int each : accepted_) trials += std::to_string(each) + " ";
        trials += fits ? text : "";
        if (::write(report_, trials.c_str(), trials.size() + 1) < 0) ::_exit(1);
    }

    // One step for each length, the longest first: tokens, then widths, then heads in most calls. First the end is left out,
    // then one index, wherever it is.
    bool reduce_lengths() {
        bool any = false;
        for (auto& [length, now] : lengths_) {
            bool shorter = false;
            for (const std::size_t to :
                 {std::size_t{1}, std::size_t{2}, std::size_t{3}, now / 2, now - now / 4, now - 1})
                shorter = shorter || (to > 0 && to < now && leave_out(length, to, now));
            for (std::size_t index = 0; index < now && now > 1; ++index)
                shorter = shorter || leave_out(length, index, index + 1);
            any = any || shorter;
        }
        return any;
    }

    // Indices begin to end - 1 of every axis that had this length at first.
    bool leave_out(std::size_t length, std::size_t begin, std::size_t end) {
        Arguments candidate = best_;
        for (Argument& each : candidate)
            for (std::size_t axis = 0; axis < each.axes.size(); ++axis) {
                if (each.axes[axis] != length) continue;
                const auto along = static_cast<std::ptrdiff_t>(axis);
                each.value = concatenate(slice(each.value, along, 0, begin),
                                         slice(each.value, along, end, lengths_[length]), along);
            }
        if (!accept(candidate)) return false;
        lengths_[length] -= end - begin;
        return true;
    }

    // Those of length 1 that are left, each in all arrays.
    void leave_out_leading_axes() {
        for (const auto& [first_length, now] : lengths_) {
            const std::size_t length = first_length;  // clang 14 lets no lambda use a structured binding
            if (now != 1 || std::ranges::none_of(best_, [&](const Argument& each) {
                    return each.axes.size() > 2 && each.axes.front() == length;
                }))
                continue;
            Arguments candidate = best_;
            for (Argument& each : candidate) {
                Shape left;
                for (std::size_t axis = 0; axis < each.axes.size(); ++axis)
                    if (each.axes[axis] != length) left.push_back(shape_of(each.value)[axis]);
                std::erase(each.axes, length);
                each.value = reshape(each.value, left);
            }
            accept(candidate);
        }
    }

    bool simplify(std::size_t argument, std::size_t begin, std::size_t end, double (*to)(double)) {
        Arguments candidate = best_;
        Argument& changed = candidate[argument];
        bool any = false;
        for (std::size_t e = begin; e < end && !changed.fixed; ++e) {
            double& entry = changed.value.data()[e];
            const double simpler = to(entry);
            if (simpler < changed.lowest || simpler > changed.highest || complexity(simpler) >= complexity(entry))
                continue;
            entry = simpler;
            any = true;
        }
        return any && accept(candidate);
    }

    void simplify_entries(bool one_by_one) {
        using Change = double (*)(double);
        static constexpr std::array<Change, 4> changes{[](double) { return 0.0; }, [](double) { return 1.0; },
                                                       [](double) { return -1.0; },
                                                       [](double x) { return std::nearbyint(x) + 0.0; }};
        for (std::size_t a = 0; a < best_.size(); ++a) {
            const std::size_t size = best_[a].value.size(), step = one_by_one ? 1 : size;
            for (std::size_t e = 0; e < size; e += step)
                std::ranges::any_of(changes, [&](Change change) { return simplify(a, e, e + step, change); });
        }
    }

    const ComparedCall& call_;
    const Subject right_;
    const std::vector<Input>& inputs_;
    const int report_;
    Arguments best_;
    std::map<std::size_t, std::size_t, std::greater<>> lengths_;  // at first, and now
    int trials_ = 0;
    std::set<int> accepted_;
    bool repeats_ = false;
};

[[noreturn]] void search_in_child(const ComparedCall& call, int report) {
    open_channel(-1);  // the suite's events are the parent's to send
    const int nowhere = ::open("/dev/null", O_RDWR);
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, stream);
    for (const int signal : {SIGPROF, SIGALRM}) std::signal(signal, SIG_DFL);
    ::setitimer(ITIMER_PROF, &most_processor_time, nullptr);
    ::setitimer(ITIMER_REAL, &most_time, nullptr);  // for a function that sleeps
    try {
        Search(call, report).run();
    } catch (...) {  // NOLINT(bugprone-empty-catch): what was found so far counts
    }
    ::_exit(0);
}

std::string read_to_end(int from) {
    std::string received;
    std::array<char, 4096> buffer;
    for (ssize_t got = 0; (got = ::read(from, buffer.data(), buffer.size())) != 0 && (got > 0 || errno == EINTR);)
        received.append(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    return received;
}

// The last report of a search in a forked process; empty where there was none.
std::string search(const ComparedCall& call) {
    const bool elsewhere = most_bytes_so_far != nullptr;  // in the box: two processes cannot share the pipe to it
    const bool has_tensor = std::ranges::any_of(call.inputs, [](const Input& each) { return each.value != nullptr; });
    int ends[2];
    if (elsewhere || !has_tensor || !not_offered(call.exercise).right.has_value() || ::pipe(ends) != 0) return "";
    const pid_t child = ::fork();
    if (child == 0) search_in_child(call, ends[1]);
    ::close(ends[1]);
    std::string received = child < 0 ? "" : read_to_end(ends[0]);
    ::close(ends[0]);
    while (child > 0 && ::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    received.resize(received.rfind('\0') + 1);  // npos + 1 is 0
    if (!received.empty()) received.pop_back();
    return received.substr(received.rfind('\0') + 1);
}

}  // namespace

std::string smallest_counterexample(const ComparedCall& call) {
    const std::string report = search(call);
    const std::size_t text = report.find('\n');
    return text == std::string::npos ? "" : report.substr(text);
}

void call_counterexample() {
    on_compared = [](const ComparedCall& call, bool right) {
        if (right || call.expected->empty()) return;
        on_compared = nullptr;
        std::istringstream report(search(call));
        std::set<int> accepted;
        for (int trial = 0; report >> trial;) accepted.insert(trial);
        if (!accepted.empty()) Search(call, -1).repeat(accepted);
    };
}

}  // namespace linattn::testing
