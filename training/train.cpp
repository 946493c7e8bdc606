// Trains a model with the functions of labs 06 to 08, and completes digits with them; ./course train and ./course generate
// start this program.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <xtensor/xnpy.hpp>

#include "digits.hpp"
#include "process_pool.hpp"
#include "recall.hpp"
#include "tasks.hpp"

namespace {

using namespace linattn;

// The gradients of the labs' model on a batch, a few sequences at a time.
class BatchGradients {
public:
    /// \param batch of the shapes that all later ones have
    BatchGradients(AttentionKind kind, const Model& w, const Batch& batch, std::size_t processes)
        : kind_(kind),
          batch_(batch),
          w_(w),
          pool_(
              read(), length(batch.ids, 0), sequences_of_a_part(length(batch.ids, 1)), numbers_in(parameters(w_)),
              [this](std::size_t begin, std::size_t end, double* result) { find_part(begin, end, result); },
              processes) {}

    ModelGradients of(const Batch& batch, const Model& w) {
        batch_ = batch;
        w_ = w;
        ModelGradients result{0.0, w_};
        result.loss = pool_.find(parameters(result.dw));
        return result;
    }
    bool give_the_same_again() const { return pool_.gives_the_same_again(); }

private:
    // Of short sequences more, since then calls take longer than what they compute.
    static std::size_t sequences_of_a_part(std::size_t length) { return std::max(std::size_t{4}, 128 / length); }

    std::vector<Tensor*> read() {
        std::vector<Tensor*> all{&batch_.ids, &batch_.targets, &batch_.counts};
        for (Tensor* weight : parameters(w_)) all.push_back(weight);
        return all;
    }
    void find_part(std::size_t begin, std::size_t end, double* result) const {
        const auto part_of = [&](const Tensor& x) { return slice(x, 0, begin, end); };
        const Tensor counts = part_of(batch_.counts);
        const double share = total(counts) / total(batch_.counts);
        ModelGradients gradients = share > 0.0
                                       ? gradients_of(kind_, part_of(batch_.ids), part_of(batch_.targets), counts, w_)
                                       : ModelGradients{0.0, zeros_like(w_)};
        *result++ = share * gradients.loss;
        for (const Tensor* each : parameters(gradients.dw))
            result = std::transform(each->data(), each->data() + each->size(), result,
                                    [&](double entry) { return share * entry; });
    }

    AttentionKind kind_;
    Batch batch_;
    Model w_;
    ProcessPool pool_;
};

// A checkpoint is a folder: one .npy file for each weight and each of Adam's moments, and model.json, which says what they are.
// NumPy opens the files: np.load("embedding.npy").

// Everything on which the next step depends.
struct Training {
    Model w;
    std::vector<Moments> moments;  // one for each of parameters(w)
    std::vector<double> losses;    // of every step so far
};

// What the folder's weights were trained for and how. model.json holds it; resuming with anything else is rejected.
using Description = std::vector<std::pair<std::string, std::string>>;

namespace fs = std::filesystem;

// Where a checkpoint lies: under its name, or, when writing was interrupted between two renames, under that of the last.
fs::path complete(const fs::path& folder) {
    const fs::path now = folder / "checkpoint", before = folder / "checkpoint.before";
    return fs::exists(now / "model.json") || !fs::exists(before / "model.json") ? now : before;
}

// Every array of a checkpoint but the losses, by its name.
std::vector<std::pair<std::string, Tensor*>> arrays(Training& training) {
    const std::vector<std::string> names = parameter_names(training.w);
    const std::vector<Tensor*> weights = parameters(training.w);
    std::vector<std::pair<std::string, Tensor*>> all;
    for (std::size_t i = 0; i < names.size(); ++i) {
        all.emplace_back(names[i], weights[i]);
        all.emplace_back("adam.m." + names[i], &training.moments[i].m);
        all.emplace_back("adam.v." + names[i], &training.moments[i].v);
    }
    return all;
}

void write(const fs::path& file, const Tensor& x) {
    try {
        xt::dump_npy(file.string(), x);
    } catch (const std::exception&) {
    }
    std::error_code none;
    if (fs::file_size(file, none) < x.size() * sizeof(double) || none)
        throw std::runtime_error(file.string() +
                                 " could not be written; is there room on the disk, and may you write there?");
}

// The bytes of numbers in an .npy file, after its header, whose length is in its ninth and tenth byte.
std::uintmax_t bytes_of_numbers(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    unsigned char start[10] = {};
    in.read(reinterpret_cast<char*>(start), sizeof start);
    const std::uintmax_t header = 10 + start[8] + 256U * start[9], all = fs::file_size(file);
    return all < header ? 0 : all - header;
}

Tensor read(const fs::path& file, const Shape& shape) {
    Tensor x;
    try {
        x = xt::load_npy<double>(file.string());
        if (bytes_of_numbers(file) != x.size() * sizeof(double))
            throw std::runtime_error("its length is not what it says");
    } catch (const std::exception& error) {
        throw std::runtime_error(file.string() + " cannot be read as an .npy file of float64 (" + error.what() +
                                 "); was it cut short? Train again, or bring it back from a copy");
    }
    if (shape_of(x) != shape)
        throw std::runtime_error(file.string() + " has shape " + to_string(shape_of(x)) + " where this model has " +
                                 to_string(shape) + "; resume with the options that it was trained with");
    if (!std::ranges::all_of(x, [](double value) { return std::isfinite(value); }))
        throw std::runtime_error(file.string() + " holds a NaN or an infinity; nothing can be trained from that");
    return x;
}

// Writes the folder DIR/checkpoint whole or not at all: an earlier one stays until the new one is complete.
void save(const std::string& folder, const Training& training, const Description& description) {
    const fs::path to = folder, next = to / "checkpoint.next", now = to / "checkpoint",
                   before = to / "checkpoint.before";
    try {
        fs::remove_all(next);
        fs::create_directories(next);
        Training copy = training;
        for (const auto& [name, array] : arrays(copy)) write(next / (name + ".npy"), *array);
        Tensor losses = zeros({training.losses.size()});
        std::ranges::copy(training.losses, losses.begin());
        write(next / "losses.npy", losses);
        nlohmann::ordered_json json;
        for (const auto& [key, value] : description) json[key] = value;
        json["step"] = training.losses.size();
        json["weights"] = parameter_names(copy.w);
        write_file((next / "model.json").string(), json.dump(2) + "\n");
        fs::remove_all(before);
        if (fs::exists(now)) fs::rename(now, before);
        fs::rename(next, now);
        fs::remove_all(before);
    } catch (const std::runtime_error& error) {
        std::error_code none;
        fs::remove_all(next, none);  // half of a checkpoint is of no use, and takes room
        const auto* cause = dynamic_cast<const fs::filesystem_error*>(&error);
        if (cause == nullptr) throw;
        throw std::runtime_error(folder + " cannot hold a checkpoint: " + cause->code().message() +
                                 "; choose another folder with --out");
    }
}

// Reads what save() wrote into `training`, whose model determines the shapes of the weights; when a file is missing or wrong,
// or when the description is different, `training` is unchanged.
void load(const std::string& folder, Training& training, const Description& description) {
    const fs::path from = complete(folder);
    std::size_t step = 0;
    try {
        std::ifstream in(from / "model.json");
        const nlohmann::json json = nlohmann::json::parse(in);
        step = json.at("step").get<std::size_t>();
        for (const auto& [key, value] : description)
            if (json.at(key).get<std::string>() != value)
                throw std::runtime_error(folder + " was trained with " + key + " " + json.at(key).get<std::string>() +
                                         ", not with " + value + "; resume with the options that it was trained with");
    } catch (const nlohmann::json::exception&) {
        throw std::runtime_error(
            (from / "model.json").string() +
            " is not what training writes; was it cut short? Train again, or bring it back from a copy");
    }
    Training found = training;
    for (const auto& [name, array] : arrays(found)) *array = read(from / (name + ".npy"), shape_of(*array));
    const Tensor losses = read(from / "losses.npy", {step});
    found.losses.assign(losses.begin(), losses.end());
    for (Moments& each : found.moments) each.step = step;
    training = found;
}

// What one training does and prints.
class Run {
public:
    explicit Run(const Arguments& in);
    int train();

private:
    void print_step(double loss, bool is_measured) const;
    void save_all() const;
    void print_speeds() const;

    const Arguments& in_;
    std::unique_ptr<Task> task_ = task_of(in_);
    std::size_t steps_ = in_.whole("steps"), every_ = in_.whole("every"), begun_ = 0;
    Description description_;
    Training training_;
    std::string measured_;  ///< in words, at the last check
    Stopwatch watch_;
};

Run::Run(const Arguments& in) : in_(in) {
    training_.w = initial_model(task_->vocab_size(), task_->positions(), in.whole("layers"), in.whole("width"),
                                in.whole("heads"), in.whole("seed"));
    training_.moments = first_moments(parameters(training_.w));
    for (const char* name : {"task", "length", "layers", "width", "heads", "batch", "rate", "seed", "attention"})
        description_.emplace_back(name, in.text(name));
    if (in.is_set("falls")) description_.emplace_back("steps", in.text("steps"));
    if (in.is_set("resume")) load(in.text("out"), training_, description_);
    begun_ = training_.losses.size();
    if (begun_ > steps_)
        throw std::runtime_error(
            format("%zu steps are already done, and --steps is %zu: there is nothing left to train", begun_, steps_));
    std::printf("%zu weights, %zu symbols, at most %zu steps of %zu sequences", numbers_in(parameters(training_.w)),
                task_->vocab_size(), steps_, in.whole("batch"));
    std::printf("%s\n", begun_ > 0 ? format(", from step %zu on", begun_).c_str() : "");
}

int Run::train() {
    BatchGradients gradients(task_->kind(), training_.w, task_->batch(1), in_.whole("threads"));
    std::size_t step = begun_;
    bool learned = step == steps_ && task_->held_out(training_.w, steps_).second;
    while (step < steps_ && !learned && !asked_to_stop()) {
        const double share_done = static_cast<double>(step) / static_cast<double>(steps_);
        ModelGradients found = gradients.of(task_->batch(step + 1), training_.w);
        clip(found.dw, 1.0);
        adam_steps(parameters(training_.w), parameters(found.dw), training_.moments,
                   in_.number("rate") * (in_.is_set("falls") ? 1.0 - share_done : 1.0));
        training_.losses.push_back(found.loss);
        if (!std::isfinite(found.loss))
            throw std::runtime_error(
                format("the loss of step %zu is not a number; the checkpoint before it is kept", step + 1));
        if (++step == begun_ + 1 && !gradients.give_the_same_again())
            std::fprintf(stderr,
                         "ATTENTION: the same sequences gave other gradients when they were computed again: does a "
                         "function keep "
                         "something in a static or global variable?\n  The weights may then depend on --threads.\n");
        const bool is_check = step % every_ == 0 || step == steps_ || asked_to_stop();
        if (is_check) {
            std::tie(measured_, learned) = task_->held_out(training_.w, step);
            save_all();
        }
        print_step(found.loss, is_check);
    }
    if (isatty(STDOUT_FILENO) != 0) std::printf("\n");
    if (step == 0 || asked_to_stop()) save_all();
    if (asked_to_stop()) {
        std::printf("stopped after step %zu and saved; continue with\n  %s\n", step, in_.text("again").c_str());
        return stopped;
    }
    task_->show(training_.w);
    print_speeds();
    if (!learned && in_.text("task") == "copy")
        std::printf("not every unseen sequence is copied yet; more steps: %s\n", in_.text("more").c_str());
    return done;
}

void Run::print_step(double loss, bool is_check) const {
    const std::size_t step = training_.losses.size();
    const double seconds = watch_.seconds(),
                 left = seconds / static_cast<double>(step - begun_) * static_cast<double>(steps_ - step);
    const std::string words = format("step %4zu/%zu  loss %.4f  %-24s %6.1f s", step, steps_, loss, measured_.c_str(),
                                     seconds),
                      time = step == steps_ ? ""
                             : left >= 100  ? format("%.0f min left", left / 60)
                                            : format("%.0f s left", left);
    if (isatty(STDOUT_FILENO) != 0) {
        const std::size_t share = 20 * step / steps_;
        const std::string bar = std::string(share, '#') + std::string(20 - share, '.');
        std::printf("\r[%s] %s%s \033[K", bar.c_str(), words.c_str(),
                    time.empty() ? "" : (", " + time + " at most").c_str());
        std::fflush(stdout);
    } else if (is_check) {
        std::printf("%s%s\n", words.c_str(), time.empty() ? "" : ("  " + time).c_str());
    }
}

void Run::save_all() const {
    save(in_.text("out"), training_, description_);
    std::string csv = "step,loss\n";
    for (std::size_t i = 0; i < training_.losses.size(); ++i)
        csv += std::to_string(i + 1) + "," + exact(training_.losses[i]) + "\n";
    write_file(in_.text("out") + "/loss.csv", csv);
}

// 26 950, and 8.42: about four digits, thousands apart.
std::string rounded(double number) {
    std::string text = format("%.4g", number);
    if (number < 1000) return text;
    text = format("%.0f", std::stod(text));
    for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, " ");
    return text;
}

// Symbols a second, or images, one at a time, from the first symbol to the last that the model has a position for.
void Run::print_speeds() const {
    const bool is_image = in_.text("task") == "digits";
    const std::size_t count = task_->positions() - 1;
    const double generated = static_cast<double>(count) / static_cast<double>(is_image ? task_->positions() : 1);
    const auto speed = [&](const auto& way) {
        return rounded(generated * times_a_second([&] { way(zeros({1, 1}), count, training_.w, at_random(1)); }));
    };
    std::printf(
        "%s a second, with the same weights: %s from the state of linear attention, %s by softmax from a cache, "
        "%s by softmax from scratch",
        is_image ? "images" : "symbols", speed(generate_with_state).c_str(), speed(generate_with_kv_cache).c_str(),
        speed(generate_recomputing).c_str());
    if (task_->kind() == AttentionKind::hybrid)
        std::printf(", %s by the hybrid from a state and a window", speed(generate_with_window).c_str());
    std::printf("\n");
}

int run(const Arguments& in) {
    if (in.text("task") == "complete") return complete_digits(in);
    if (in.text("task") == "recall")
        return run_recall(in, {{"sum", sum_in_closed_form(false)}, {"decay", sum_in_closed_form(true)}});
    return Run(in).train();
}

}  // namespace

int main(int count, char** values) { return run_program(count, values, run); }
