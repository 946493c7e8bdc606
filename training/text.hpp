// A text as bytes to predict, each from those before it in a window. The last tenth of it is held out.
#pragma once

#include <string>
#include <vector>

#include "training.hpp"

namespace linattn {

class ByteText {
public:
    /// \param path a file, or a folder: all its files that end in .md, one after the other
    /// \throws std::runtime_error when it is too short for windows of that length
    ByteText(const std::string& path, std::size_t window);

    /// Different bytes.
    std::size_t symbols() const { return alphabet_.size(); }
    /// Windows at random places of what is not held out.
    Batch at_random(std::size_t count, std::uint64_t seed) const;
    /// Sixteen windows of what is held out, or fewer where there is no room.
    Batch held_out() const;
    /// The first bytes of what is held out \shape{(1, count)}
    Tensor beginning(std::size_t count) const;
    std::string words(const Tensor& ids) const;

private:
    Batch windows(const std::vector<std::size_t>& starts) const;

    std::size_t window_;
    std::vector<char> alphabet_;
    std::vector<double> text_;
};

}  // namespace linattn
