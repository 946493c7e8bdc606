// Trains models whose memory your functions of lab 09 compute; ./course train starts this program and draws.
#include "program.hpp"
#include "recall.hpp"
#include "tasks.hpp"
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

// The models that the argument `memories` lists, one after the other, from the same weights on the same windows.
int run_text(const Arguments& in) {
    const std::size_t steps = in.whole("steps"), window = in.whole("length"), seed = in.whole("seed");
    const ByteText text(in.text("file"), window);
    std::string csv = "memory,seed,step,bits\n", table = "bits per byte of unseen text\n";
    std::optional<TextModel> first;
    for (const std::string& name : in.list("memories")) {
        const std::string label = label_of(name);
        const std::optional<Rule> rule =
            name == "softmax" ? std::nullopt : std::optional(rule_of(name, is_own(in, "gradient")));
        TextModel model(rule, initial_model(text.symbols(), window, in.whole("layers"), in.whole("width"),
                                            in.whole("heads"), seed));
        const Stopwatch watch;
        for (std::size_t step = 1; step <= steps; ++step) {
            if (asked_to_stop()) return stopped_without_weights();
            const double done = static_cast<double>(step - 1) / static_cast<double>(steps);  // the rate falls to 0
            const double loss =
                model.train(text.at_random(in.whole("batch"), seed * 1000000 + step), in.number("rate") * (1.0 - done));
            if (step % in.whole("every") != 0 && step != steps) continue;
            const double bits = text.bits([&](const Tensor& ids) { return model.logits(ids); });
            std::printf("%-10s  step %4zu/%zu  loss %.4f  %.3f bits per byte of unseen text  %6.1f s\n", label.c_str(),
                        step, steps, loss, bits, watch.seconds());
            csv += label + format(",%zu,%zu,", seed, step) + exact(bits) + "\n";
            if (step == steps) table += format("  %-10s  %.3f\n", label.c_str(), bits);
        }
        if (!first) first = std::move(model);
    }
    text.print_continued(("continued by " + label_of(in.list("memories").front()) + ", from its state: ").c_str(),
                         [&](const Tensor& prompt, std::size_t count) { return first->continued(prompt, count); });
    std::printf("%s", table.c_str());
    write_file(in.text("out") + "/bits.csv", csv);
    return done;
}

int run(const Arguments& in) { return in.text("task") == "text" ? run_text(in) : run_recall(in, recall_memories(in)); }

}  // namespace

int main(int count, char** values) { return run_program(count, values, run); }
