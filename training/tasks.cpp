#include "tasks.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "digits.hpp"
#include "random.hpp"

namespace linattn {
namespace {

// Numbers from 0 to `below` - 1.
std::vector<std::size_t> chosen_at_random(std::size_t count, std::size_t below, std::uint64_t seed) {
    SplitMix64 random(seed);
    std::vector<std::size_t> chosen(count);
    for (std::size_t& each : chosen) each = static_cast<std::size_t>(random.uniform() * static_cast<double>(below));
    return chosen;
}

class Copying : public Task {
public:
    explicit Copying(const Arguments& in) : Task(in), length_(in.whole("length")) {}

    std::size_t vocab_size() const override { return alphabet + 1; }
    std::size_t positions() const override { return 2 * length_; }
    Batch batch(std::size_t step) const override {
        return copy_batch(batch_, length_, alphabet, seed_ * 1000000 + step);
    }
    /// The training ends by it, so each check draws new sequences: with one set, the training would end when the model is lucky on it.
    std::pair<std::string, bool> held_out(const Model& w, std::size_t step) const override {
        const auto [wanted, answers] = copies(w, seed_ * 1000000 + 500000 + step);
        const double right = share(wanted, answers);
        return {format("%.1f%% of unseen right", 100 * right), right == 1.0};
    }
    /// On fresh sequences, by which nothing was chosen.
    void show(const Model& w) const override {
        const auto [wanted, answers] = copies(w, 77777777);
        std::printf("last test, %zu fresh sequences: %.1f%% right\n", sequences, 100 * share(wanted, answers));
        for (std::size_t b = 0; b < 4; ++b) {
            const std::string asked = digits(wanted, b), got = digits(answers, b);
            std::printf("  to copy %s   copied %s\n", asked.c_str(), got.c_str());
            std::string marks(length_, ' ');
            for (std::size_t i = 0; i < length_; ++i) marks[i] = asked[i] == got[i] ? ' ' : '^';
            if (asked != got) std::printf("%*s%s\n", static_cast<int>(length_ + 20), "", marks.c_str());
        }
    }

private:
    static constexpr std::size_t alphabet = 10, sequences = 64;

    /// The symbols of new sequences, and what the model makes of them. No step of a training has this seed: there are
    /// fewer than half a million.
    std::pair<Tensor, Tensor> copies(const Model& w, std::uint64_t seed) const {
        const Batch batch = copy_batch(sequences, length_, alphabet, seed);
        const Tensor prompt = slice(batch.ids, 1, 0, length_ + 1);
        return {slice(batch.ids, 1, 0, length_), kind_ == AttentionKind::linear  // lab 07's `generate` knows no other
                                                     ? generate(prompt, length_, w)
                                                     : generate_with_attention(kind_, prompt, length_, w, argmax)};
    }
    static double share(const Tensor& wanted, const Tensor& answers) {
        return total(answers == wanted) / static_cast<double>(answers.size());
    }
    std::string digits(const Tensor& ids, std::size_t b) const {
        std::string text;
        for (std::size_t i = 0; i < length_; ++i) text += "0123456789|"[static_cast<std::size_t>(ids(b, i))];
        return text;
    }

    std::size_t length_;
};

// The next byte of a text, from all before it in a window.
class Text : public Task {
public:
    explicit Text(const Arguments& in) : Task(in), text_(in.text("file"), in.whole("length")) {}

    std::size_t vocab_size() const override { return text_.symbols(); }
    std::size_t positions() const override { return text_.window(); }
    Batch batch(std::size_t step) const override { return text_.at_random(batch_, seed_ * 1000000 + step); }
    std::pair<std::string, bool> held_out(const Model& w, std::size_t) const override {
        const double bits = text_.bits([&](const Tensor& ids) { return logits_of(kind_, ids, w); });
        return {format("%.3f bits on unseen", bits), false};
    }
    void show(const Model& w) const override {
        text_.print_continued("continued:     ", [&](const Tensor& prompt, std::size_t count) {
            return generate_with_attention(kind_, prompt, count, w, argmax);
        });
    }

private:
    ByteText text_;
};

// The next pixel of a digit, from all before it.
class Drawing : public Task {
public:
    explicit Drawing(const Arguments& in)
        : Task(in), attention_(in.text("attention")), folder_(in.text("out")), digits_(in.text("file")) {}

    std::size_t vocab_size() const override { return Digits::start + 1; }
    std::size_t positions() const override { return Digits::pixels; }
    Batch batch(std::size_t step) const override {
        return digits_.batch(chosen_at_random(batch_, digits_.first_held_out(), seed_ * 1000000 + step));
    }
    std::pair<std::string, bool> held_out(const Model& w, std::size_t) const override {
        double nats = 0.0;
        for (std::size_t part = 0; part < 3; ++part) {
            const Batch test = digits_.batch_held_out(part * Digits::held_out / 3, Digits::held_out / 3);
            nats += cross_entropy(logits_of(kind_, test.ids, w), test.targets, test.counts).loss / 3.0;
        }
        return {format("%.3f bits on unseen", nats / std::log(2.0)), false};
    }
    void show(const Model& w) const override {
        const Digits::Images drawn = Digits::images(generate_with_attention(
            kind_, full({shown, 1}, static_cast<double>(Digits::start)), Digits::pixels, w, at_random(seed_)));
        const std::size_t given = Digits::pixels / 2;
        const Tensor half = slice(digits_.batch_held_out(0, shown).ids, 1, 0, given + 1);
        const Digits::Images completed =
            digits_.completed(generate_with_attention(kind_, half, Digits::pixels - given, w, at_random(seed_ + 1)));
        print_pictures("drawn by the model", drawn);
        std::printf("\n");
        print_pictures("lower halves completed by the model", completed);
        write_pictures(folder_ + "/samples.svg",
                       "digits drawn and completed by a transformer with " + attention_ + " attention",
                       {{"drawn", drawn}, {"completed", completed}, {"were", digits_.originals(shown)}});
    }

private:
    static constexpr std::size_t shown = 10;

    std::string attention_, folder_;
    Digits digits_;
};

std::string bytes_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::string all_bytes(const std::string& path) {
    if (!std::filesystem::is_directory(path)) return bytes_of(path);
    std::set<std::filesystem::path> chapters;  // in the order of their names
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path))
        if (entry.path().extension() == ".md") chapters.insert(entry.path());
    std::string all;
    for (const auto& chapter : chapters) all += bytes_of(chapter);
    return all;
}

}  // namespace

Task::Task(const Arguments& in) : batch_(in.whole("batch")), seed_(in.whole("seed")), kind_(AttentionKind::linear) {
    if (in.text("attention") == "softmax") kind_ = AttentionKind::softmax;
    if (in.text("attention") == "hybrid") kind_ = AttentionKind::hybrid;
}

std::unique_ptr<Task> task_of(const Arguments& in) {
    if (in.text("task") == "digits") return std::make_unique<Drawing>(in);
    if (in.text("task") == "text") return std::make_unique<Text>(in);
    return std::make_unique<Copying>(in);
}

ByteText::ByteText(const std::string& path, std::size_t window) : window_(window) {
    const std::string bytes = all_bytes(path);
    const std::set<char> different(bytes.begin(), bytes.end());
    alphabet_.assign(different.begin(), different.end());
    std::map<char, double> id;
    for (std::size_t i = 0; i < alphabet_.size(); ++i) id[alphabet_[i]] = static_cast<double>(i);
    for (const char byte : bytes) text_.push_back(id[byte]);
    if (text_.size() < 20 * (window + 1))
        throw std::runtime_error(path + format(" has %zu bytes; at least %zu are needed for windows of %zu",
                                               text_.size(), 20 * (window + 1), window));
}

Batch ByteText::at_random(std::size_t count, std::uint64_t seed) const {
    return windows(chosen_at_random(count, text_.size() * 9 / 10 - window_ - 1, seed));
}

double ByteText::bits(const std::function<Tensor(const Tensor& ids)>& logits) const {
    const std::size_t first = text_.size() * 9 / 10;
    std::vector<std::size_t> starts;
    const std::size_t apart = std::max<std::size_t>(window_, (text_.size() - first - window_ - 1) / 16);
    for (std::size_t at = first; at + window_ + 1 <= text_.size() && starts.size() < 16; at += apart)
        starts.push_back(at);
    const Batch test = windows(starts);
    return cross_entropy(logits(test.ids), test.targets, test.counts).loss / std::log(2.0);
}

void ByteText::print_continued(const char* label,
                               const std::function<Tensor(const Tensor& prompt, std::size_t count)>& generate) const {
    const std::size_t given = window_ / 2, first = text_.size() * 9 / 10;
    Tensor prompt = zeros({1, given});
    for (std::size_t i = 0; i < given; ++i) prompt(0, i) = text_[first + i];
    std::printf("  from the text: %s\n  %s%s\n", quoted(prompt).c_str(), label,
                quoted(generate(prompt, window_ - given)).c_str());
}

std::string ByteText::quoted(const Tensor& ids) const {
    std::string text;
    for (const double id : ids) text += alphabet_[static_cast<std::size_t>(id)];
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Batch ByteText::windows(const std::vector<std::size_t>& starts) const {
    const Shape shape{starts.size(), window_};
    Batch result{zeros(shape), zeros(shape), ones(shape)};
    for (std::size_t b = 0; b < starts.size(); ++b)
        for (std::size_t i = 0; i < window_; ++i) {
            result.ids(b, i) = text_[starts[b] + i];
            result.targets(b, i) = text_[starts[b] + i + 1];
        }
    return result;
}

}  // namespace linattn
