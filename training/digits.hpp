// Handwritten digits, 8 × 8 pixels each of which is a letter from 0 (white) to g (black), and pictures of them.
#pragma once

#include "kinds.hpp"
#include "program.hpp"

namespace linattn {

/// The last 297 images are held out. A sequence begins with a start symbol.
class Digits {
public:
    static constexpr std::size_t side = 8, pixels = side * side, start = 17, held_out = 297;
    using Images = std::vector<std::string>;  ///< a letter for each pixel

    /// \throws std::runtime_error when the file does not hold them
    explicit Digits(const std::string& file);
    std::size_t first_held_out() const { return images_.size() - held_out; }
    Batch batch(const std::vector<std::size_t>& chosen) const;
    /// Of what is held out.
    Batch batch_held_out(std::size_t first, std::size_t count) const;
    /// The first ones that are held out.
    Images originals(std::size_t count) const;
    /// The same, with these pixels at their ends \shape{(count, pixels that are new)}.
    Images completed(const Tensor& ends) const;
    static Images images(const Tensor& ids);

private:
    Images images_;
};

/// Some of them in the terminal, side by side.
void print_pictures(const char* heading, const Digits::Images& images);
/// An SVG with a row of pictures for each caption.
void write_pictures(const std::string& file, const std::string& title,
                    const std::vector<std::pair<std::string, Digits::Images>>& rows);
/// What ./course generate does: completes held-out digits by lab 07's `generate` with given weights, and compares its speed
/// with that of a cache and from scratch.
int complete_digits(const Arguments& in);

}  // namespace linattn
