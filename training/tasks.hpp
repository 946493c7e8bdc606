// What the labs' model is trained for: to copy, to continue a text, to draw digits.
#pragma once

#include <memory>

#include "kinds.hpp"
#include "program.hpp"

namespace linattn {

class Task {
public:
    explicit Task(const Arguments& in);
    virtual ~Task() = default;
    AttentionKind kind() const { return kind_; }
    virtual std::size_t vocab_size() const = 0;
    virtual std::size_t positions() const = 0;
    virtual Batch batch(std::size_t step) const = 0;
    /// Measures the model, as it is after a step, on what it is not trained on. \return in words, and whether nothing is left to
    /// learn
    virtual std::pair<std::string, bool> held_out(const Model& w, std::size_t step) const = 0;
    /// What the model makes of some of it, for people.
    virtual void show(const Model& w) const = 0;

protected:
    std::size_t batch_;
    std::uint64_t seed_;
    AttentionKind kind_;
};

/// By the arguments task, attention, batch, seed, length and file. Digits draws into the folder `out`.
std::unique_ptr<Task> task_of(const Arguments& in);

/// A text as bytes to predict, each from those before it in a window. The last tenth of it is held out.
class ByteText {
public:
    /// \param path a file, or a folder: all its files that end in .md, one after the other
    /// \throws std::runtime_error when it is too short for windows of that length
    ByteText(const std::string& path, std::size_t window);
    /// Different bytes.
    std::size_t symbols() const { return alphabet_.size(); }
    std::size_t window() const { return window_; }
    /// Windows at random places of what is not held out.
    Batch at_random(std::size_t count, std::uint64_t seed) const;
    /// Bits per byte of what is held out: of sixteen windows, or fewer where there is no room.
    double bits(const std::function<Tensor(const Tensor& ids)>& logits) const;
    /// Prints the beginning of what is held out, and what follows it. \param label before the latter
    void print_continued(const char* label,
                         const std::function<Tensor(const Tensor& prompt, std::size_t count)>& generate) const;

private:
    Batch windows(const std::vector<std::size_t>& starts) const;
    std::string quoted(const Tensor& ids) const;

    std::size_t window_;
    std::vector<char> alphabet_;
    std::vector<double> text_;
};

}  // namespace linattn
