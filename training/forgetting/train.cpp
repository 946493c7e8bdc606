// Trains models whose memory your functions of lab 09 compute; ./course train starts this program and draws.
#include <sstream>

#include "program.hpp"
#include "recall_run.hpp"
#include "text.hpp"
#include "text_model.hpp"

namespace {

using namespace linattn;

// The argument `own` lists which functions are yours: sums (9.4 and 9.5) and gradient (9.12). What is not yours is given.
bool is_own(const Arguments& in, const char* part) { return in.text("own").find(part) != std::string::npos; }

std::map<std::string, RecallMemory> recall_memories(const Arguments& in) {
    std::map<std::string, RecallMemory> memories;
    for (const char* name : {"sum", "decay", "delta", "both"})
        memories[name] = recall_by(rule_of(name, is_own(in, "gradient")));
    if (!is_own(in, "sums")) {
        memories["sum"] = sum_in_closed_form(false);
        memories["decay"] = sum_in_closed_form(true);
    }
    return memories;
}

// Bits per byte of what is held out.
double bits(const TextModel& model, const ByteText& text) {
    const Batch test = text.held_out();
    return cross_entropy(model.logits(test.ids), test.targets, test.counts).loss / std::log(2.0);
}

// The models that the argument `memories` lists, one after the other, from the same weights on the same windows.
int run_text(const Arguments& in) {
    const std::size_t steps = in.whole("steps"), every = in.whole("every"), window = in.whole("length");
    const ByteText text(in.text("file"), window);
    std::istringstream names(in.text("memories"));
    for (std::string name; std::getline(names, name, ',') && !asked_to_stop();) {
        const std::optional<Rule> rule =
            name == "softmax" ? std::nullopt : std::optional(rule_of(name, is_own(in, "gradient")));
        TextModel model(rule, initial_model(text.symbols(), window, in.whole("layers"), in.whole("width"),
                                            in.whole("heads"), in.whole("seed")));
        print_event({{"event", "memory"}, {"name", name}, {"bytes", text.symbols()}});
        const Stopwatch watch;
        for (std::size_t step = 1; step <= steps && !asked_to_stop(); ++step) {
            const double done = static_cast<double>(step - 1) / static_cast<double>(steps);  // the rate falls to 0
            const double loss = model.train(text.at_random(in.whole("batch"), in.whole("seed") * 1000000 + step),
                                            in.number("rate") * (1.0 - done));
            Json event{{"event", "step"}, {"step", step}, {"loss", loss}, {"seconds", watch.seconds()}};
            if (step % every == 0 || step == steps) event["bits"] = bits(model, text);
            print_event(event);
        }
        const Tensor prompt = text.beginning(window / 2);
        print_event({{"event", "continued"},
                     {"prompt", text.words(prompt)},
                     {"got", text.words(model.continued(prompt, window - window / 2))}});
    }
    print_event({{"event", "end"}, {"stopped", asked_to_stop()}});
    return 0;
}

int run(const Arguments& in) { return in.text("task") == "text" ? run_text(in) : run_recall(in, recall_memories(in)); }

}  // namespace

int main(int count, char** values) { return run_program(count, values, run); }
