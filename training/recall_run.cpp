#include "recall_run.hpp"

#include <array>
#include <numeric>
#include <sstream>

namespace linattn {
namespace {

constexpr std::array<const char*, 4> kinds{"last 4", "last 12", "before", "void"};

// What a question is about: how long ago the last value was written, or that a clear came after it.
std::size_t kind_of(const RecallTask& task, std::size_t i) {
    const double since = task.writes_since.data()[i];
    if (task.wanted.data()[i] == static_cast<double>(RecallRules::values)) return 3;
    return since < 4 ? 0 : since < 12 ? 1 : 2;
}

// How many of the last values a memory knows, all of them and by what was asked, and what its gates let pass: the mean
// decay and the mean strength of a write, and the mean decay of a clear.
Json measured(const RecallModel& model, const RecallRules& rules) {
    std::array<double, 4> right{}, asked{};
    double decay = 0.0, strength = 0.0, decay_of_clear = 0.0, clears = 0.0, writes = 0.0;
    for (std::uint64_t each = 0; each < 16; ++each) {
        const RecallTask task(rules, 77777777 + each);  // no step's seed
        const Tensor answers = model.answers(task);
        for (std::size_t i = 0; i < answers.size(); ++i) {
            asked[kind_of(task, i)] += 1.0;
            right[kind_of(task, i)] += answers.data()[i] == task.wanted.data()[i] ? 1.0 : 0.0;
        }
        const auto [a, beta] = model.decays_and_strengths(task);
        const Tensor clear = task.key == static_cast<double>(rules.keys);
        clears += total(clear);
        writes += total(1.0 - clear);
        decay_of_clear += total(clear * a);
        decay += total((1.0 - clear) * a);
        strength += total((1.0 - clear) * beta);
    }
    const double all = std::accumulate(asked.begin(), asked.end(), 0.0);
    Json found{{"recall", std::accumulate(right.begin(), right.end(), 0.0) / all}};
    for (std::size_t kind = 0; kind < kinds.size(); ++kind)
        if (asked[kind] > 0.0) found[kinds[kind]] = right[kind] / asked[kind];
    found["decay"] = decay / writes;
    found["strength"] = strength / writes;
    if (clears > 0.0) found["decay of clear"] = decay_of_clear / clears;
    return found;
}

}  // namespace

int run_recall(const Arguments& in, const std::map<std::string, RecallMemory>& known) {
    const std::size_t steps = in.whole("steps"), every = in.whole("every");
    const std::uint64_t seed = in.whole("seed");
    const RecallRules rules{in.whole("keys"), in.whole("writes"), in.text("clears") == "1", in.text("once") == "1",
                            in.whole("width")};
    std::istringstream names(in.text("memories"));
    for (std::string name; std::getline(names, name, ',');) {
        RecallModel model(known.at(name), rules, seed, in.whole("threads"));
        print_event({{"event", "memory"}, {"name", name}, {"weights", model.weights()}});
        const Stopwatch watch;
        for (std::size_t step = 1; step <= steps && !asked_to_stop(); ++step) {
            const double loss = model.train(RecallTask(rules, seed * 1000000 + step), in.number("rate"));
            Json event{{"event", "step"}, {"step", step}, {"loss", loss}, {"seconds", watch.seconds()}};
            if (step % every == 0 || step == steps) event.update(measured(model, rules));
            print_event(event);
        }
    }
    print_event({{"event", "end"}, {"stopped", asked_to_stop()}});
    return 0;
}

}  // namespace linattn
