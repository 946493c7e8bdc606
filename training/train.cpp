// Trains a model with the functions of labs 06 to 08 and says what happens in one JSON object a line; ./course train
// starts this program and draws.
#include <array>
#include <fstream>
#include <numeric>

#include "batch_gradients.hpp"
#include "checkpoint.hpp"
#include "generation.hpp"
#include "parts.hpp"
#include "program.hpp"
#include "random.hpp"
#include "recall_run.hpp"
#include "text.hpp"

namespace {

using namespace linattn;

// The kinds of attention by the names that ./course train knows.
AttentionKind kind_of(const std::string& name) {
    return name == "softmax"  ? AttentionKind::softmax
           : name == "hybrid" ? AttentionKind::hybrid
                              : AttentionKind::linear;
}

// What a model is trained for.
class Task {
public:
    explicit Task(const Arguments& in)
        : batch_(in.whole("batch")), seed_(in.whole("seed")), kind_(kind_of(in.text("attention"))) {}
    virtual ~Task() = default;
    AttentionKind kind() const { return kind_; }
    virtual std::size_t vocab_size() const = 0;
    virtual std::size_t positions() const = 0;
    virtual Batch batch(std::size_t step) const = 0;
    /// Measures the model, as it is after a step, on what it is not trained on: name and value; and whether nothing is
    /// left to learn.
    virtual std::pair<Json, bool> held_out(const Model& w, std::size_t step) const = 0;
    /// What the model makes of some of it, for people.
    virtual void show(const Model& w) const = 0;

protected:
    std::size_t batch_;
    std::uint64_t seed_;
    AttentionKind kind_;
};

class Copying : public Task {
public:
    explicit Copying(const Arguments& in) : Task(in), length_(in.whole("length")) {}

    std::size_t vocab_size() const override { return alphabet + 1; }
    std::size_t positions() const override { return 2 * length_; }
    Batch batch(std::size_t step) const override {
        return copy_batch(batch_, length_, alphabet, seed_ * 1000000 + step);
    }
    /// The training ends by it, so each check draws new sequences: with one set, the training would end when the model is lucky on it.
    std::pair<Json, bool> held_out(const Model& w, std::size_t step) const override {
        const auto [wanted, answers] = copies(w, seed_ * 1000000 + 500000 + step);
        const double right = share(wanted, answers);
        return {{{"accuracy", right}}, right == 1.0};
    }
    /// On sequences that nothing was chosen by.
    void show(const Model& w) const override {
        const auto [wanted, answers] = copies(w, 77777777);
        print_event({{"event", "test"}, {"sequences", sequences}, {"accuracy", share(wanted, answers)}});
        for (std::size_t b = 0; b < 4; ++b)
            print_event({{"event", "answer"}, {"wanted", digits(wanted, b)}, {"got", digits(answers, b)}});
    }

private:
    static constexpr std::size_t alphabet = 10, sequences = 64;

    /// The symbols of new sequences, and what the model makes of them. No step of a training has this seed: there are
    /// fewer than half a million.
    std::pair<Tensor, Tensor> copies(const Model& w, std::uint64_t seed) const {
        const Batch batch = copy_batch(sequences, length_, alphabet, seed);
        return {slice(batch.ids, 1, 0, length_), answers_to(slice(batch.ids, 1, 0, length_ + 1), w)};
    }
    static double share(const Tensor& wanted, const Tensor& answers) {
        return total(answers == wanted) / static_cast<double>(answers.size());
    }

    std::string digits(const Tensor& ids, std::size_t b) const {
        std::string text;
        for (std::size_t i = 0; i < length_; ++i) text += "0123456789|"[static_cast<std::size_t>(ids(b, i))];
        return text;
    }

    // Those of lab 07's `generate`, which only knows linear attention.
    Tensor answers_to(const Tensor& prompt, const Model& w) const {
        return kind_ == AttentionKind::linear ? generate(prompt, length_, w)
                                              : generate_with_attention(kind_, prompt, length_, w, argmax);
    }

    std::size_t length_;
};

// The next byte of a text, from all before it in a window.
class Text : public Task {
public:
    explicit Text(const Arguments& in) : Task(in), length_(in.whole("length")), text_(in.text("file"), length_) {}

    std::size_t vocab_size() const override { return text_.symbols(); }
    std::size_t positions() const override { return length_; }
    Batch batch(std::size_t step) const override { return text_.at_random(batch_, seed_ * 1000000 + step); }
    std::pair<Json, bool> held_out(const Model& w, std::size_t) const override {
        const Batch test = text_.held_out();
        const double nats = cross_entropy(logits_of(kind_, test.ids, w), test.targets, test.counts).loss;
        return {{{"bits", nats / std::log(2.0)}}, false};
    }
    void show(const Model& w) const override {
        const Tensor prompt = text_.beginning(length_ / 2);
        const Tensor continuation = generate_with_attention(kind_, prompt, length_ - length_ / 2, w, argmax);
        print_event({{"event", "continued"}, {"prompt", text_.words(prompt)}, {"got", text_.words(continuation)}});
    }

private:
    std::size_t length_;
    ByteText text_;
};

// The next pixel of a digit, from all before it; the first from a start symbol. The last 297 images are held out.
class Digits : public Task {
public:
    explicit Digits(const Arguments& in) : Task(in) {
        std::ifstream file(in.text("file"));
        for (std::string line; std::getline(file, line);)
            if (line.size() > pixels && line[0] != '#') images_.push_back(line.substr(0, pixels));
        if (images_.size() <= 2 * held_out_images)
            throw std::runtime_error(in.text("file") + " holds " + std::to_string(images_.size()) +
                                     " images; restore it from the repository");
    }

    std::size_t vocab_size() const override { return start + 1; }
    std::size_t positions() const override { return pixels; }
    Batch batch(std::size_t step) const override {
        SplitMix64 random(seed_ * 1000000 + step);
        std::vector<std::size_t> chosen(batch_);
        for (std::size_t& image : chosen)
            image = static_cast<std::size_t>(random.uniform() * static_cast<double>(images_.size() - held_out_images));
        return batch_of(chosen);
    }
    std::pair<Json, bool> held_out(const Model& w, std::size_t) const override {
        double nats = 0.0;
        for (std::size_t first = images_.size() - held_out_images; first < images_.size();
             first += held_out_images / 3) {
            std::vector<std::size_t> chosen(held_out_images / 3);
            std::iota(chosen.begin(), chosen.end(), first);
            const Batch test = batch_of(chosen);
            nats += cross_entropy(logits_of(kind_, test.ids, w), test.targets, test.counts).loss / 3.0;
        }
        return {{{"bits", nats / std::log(2.0)}}, false};
    }
    void show(const Model& w) const override {
        const Tensor drawn =
            generate_with_attention(kind_, full({10, 1}, static_cast<double>(start)), pixels, w, at_random(seed_));
        for (std::size_t b = 0; b < 10; ++b)
            print_event({{"event", "image"}, {"kind", "drawn"}, {"pixels", picture(drawn, b)}});
        std::vector<std::size_t> chosen(10);
        std::iota(chosen.begin(), chosen.end(), images_.size() - held_out_images);
        const Batch half = batch_of(chosen);
        const std::size_t given = pixels / 2;
        const Tensor rest =
            generate_with_attention(kind_, slice(half.ids, 1, 0, given + 1), pixels - given, w, at_random(seed_ + 1));
        for (std::size_t b = 0; b < 10; ++b)
            print_event({{"event", "image"},
                         {"kind", "completed"},
                         {"pixels", images_[chosen[b]].substr(0, given) + picture(rest, b)},
                         {"was", images_[chosen[b]]}});
    }

private:
    static constexpr std::size_t pixels = 64, start = 17, held_out_images = 297;

    static std::string picture(const Tensor& ids, std::size_t b) {
        std::string text;  // a start symbol in the middle of an image, which no training image has, is drawn white
        for (std::size_t i = 0; i < length(ids, 1); ++i)
            text += "0123456789abcdefg0"[static_cast<std::size_t>(ids(b, i))];
        return text;
    }
    Batch batch_of(const std::vector<std::size_t>& chosen) const {
        const Shape shape{chosen.size(), pixels};
        Batch result{full(shape, static_cast<double>(start)), zeros(shape), ones(shape)};
        for (std::size_t b = 0; b < chosen.size(); ++b)
            for (std::size_t i = 0; i < pixels; ++i) {
                const char grey = images_[chosen[b]][i];
                result.targets(b, i) = grey <= '9' ? grey - '0' : grey - 'a' + 10;
                if (i + 1 < pixels) result.ids(b, i + 1) = result.targets(b, i);
            }
        return result;
    }

    std::vector<std::string> images_;
};

std::unique_ptr<Task> task_of(const Arguments& in) {
    if (in.text("task") == "digits") return std::make_unique<Digits>(in);
    if (in.text("task") == "text") return std::make_unique<Text>(in);
    return std::make_unique<Copying>(in);
}

double step_once(Training& training, const Task& task, BatchGradients& batch_gradients, double rate) {
    ModelGradients gradients = batch_gradients.of(task.batch(training.losses.size() + 1), training.w);
    clip(gradients.dw, 1.0);
    const std::vector<Tensor*> weights = parameters(training.w), slopes = parameters(gradients.dw);
    for (std::size_t i = 0; i < weights.size(); ++i) {
        Update update = adam_step(*weights[i], *slopes[i], training.moments[i], rate);
        *weights[i] = std::move(update.w);
        training.moments[i] = std::move(update.state);
    }
    training.losses.push_back(gradients.loss);
    return gradients.loss;
}

// Symbols a second, one sequence at a time, from the first symbol to the last that the model has a position for.
void print_speeds(const Model& w, std::size_t positions, AttentionKind kind) {
    const auto rate = [&](const auto& way) {
        const Stopwatch watch;
        double seconds = 0.0;
        std::size_t generated = 0;
        while (seconds < 0.5) {
            way(zeros({1, 1}), positions - 1, w, at_random(1));
            generated += positions - 1;
            seconds = watch.seconds();
        }
        return static_cast<double>(generated) / seconds;
    };
    Json event{{"event", "speed"},
               {"length", positions},
               {"state", rate(generate_with_state)},
               {"cache", rate(generate_with_kv_cache)},
               {"nothing kept", rate(generate_recomputing)}};
    if (kind == AttentionKind::hybrid) event["window"] = rate(generate_with_window);
    print_event(event);
}

int run(const Arguments& in) {
    if (in.text("task") == "recall")
        return run_recall(in, {{"sum", sum_in_closed_form(false)}, {"decay", sum_in_closed_form(true)}});
    const std::unique_ptr<Task> task = task_of(in);
    const std::size_t width = in.whole("width"), steps = in.whole("steps"), every = in.whole("every");
    const std::string folder = in.text("out");
    Training training;
    training.w = initial_model(task->vocab_size(), task->positions(), in.whole("layers"), width, in.whole("heads"),
                               in.whole("seed"));
    for (const Tensor* weight : parameters(training.w))
        training.moments.push_back({zeros(shape_of(*weight)), zeros(shape_of(*weight)), 0});
    Description description;
    for (const char* name : {"task", "length", "layers", "width", "heads", "batch", "rate", "seed", "attention"})
        description.emplace_back(name, in.text(name));
    const bool falls = in.text("task") == "digits" || in.text("task") == "text";  // the rate, to 0 at the last step
    if (falls) description.emplace_back("steps", in.text("steps"));
    if (in.text("resume") == "1") load(folder, training, description);
    if (training.losses.size() > steps)
        throw std::runtime_error(std::to_string(training.losses.size()) + " steps are already done, and --steps is " +
                                 std::to_string(steps) + ": there is nothing left to train");
    print_event({{"event", "start"},
                 {"weights", numbers_in(parameters(training.w))},
                 {"vocab_size", task->vocab_size()},
                 {"losses", training.losses}});

    BatchGradients gradients(task->kind(), training.w, task->batch(1), in.whole("threads"));
    const std::size_t begun = training.losses.size();
    const Stopwatch watch;
    bool learned = training.losses.size() == steps && task->held_out(training.w, steps).second;
    while (training.losses.size() < steps && !learned && !asked_to_stop()) {
        const double done = static_cast<double>(training.losses.size()) / static_cast<double>(steps);
        const double rate = in.number("rate") * (falls ? 1.0 - done : 1.0);
        const double loss = step_once(training, *task, gradients, rate);
        const std::size_t step = training.losses.size();
        Json event{{"event", "step"}, {"step", step}, {"loss", loss}, {"seconds", watch.seconds()}};
        if (!std::isfinite(loss))
            throw std::runtime_error("the loss of step " + std::to_string(step) +
                                     " is not a number; the checkpoint before it is kept");
        if (training.losses.size() == begun + 1 && !gradients.give_the_same_again())
            print_event({{"event", "remembers"}});
        if (step % every == 0 || step == steps || asked_to_stop()) {
            const auto [measured, all] = task->held_out(training.w, step);
            event.update(measured);
            learned = all;
            save(folder, training, description);
        }
        print_event(event);
    }
    if (training.losses.empty() || asked_to_stop() || steps == 0) save(folder, training, description);
    if (!asked_to_stop()) {
        task->show(training.w);
        print_speeds(training.w, task->positions(), task->kind());
    }
    print_event({{"event", "end"},
                 {"step", training.losses.size()},
                 {"learned", learned},
                 {"stopped", asked_to_stop()},
                 {"seconds", watch.seconds()}});
    return 0;
}

}  // namespace

int main(int count, char** values) { return run_program(count, values, run); }
