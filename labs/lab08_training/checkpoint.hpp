// What training leaves in a folder: one .npy file for each weight and each of Adam's moments, and model.json, which says
// what they are. NumPy opens the files: np.load("embedding.npy").
#pragma once

#include <string>
#include <vector>

#include "training.hpp"

namespace linattn {

/// All that the next step depends on.
struct Training {
    Model w;
    std::vector<Moments> moments;  ///< one for each of parameters(w)
    std::vector<double> losses;    ///< of every step so far
};

/// What the folder's weights were trained for and how: model.json says it, and resuming with anything else is refused.
using Description = std::vector<std::pair<std::string, std::string>>;

/// Writes the folder DIR/checkpoint whole or not at all: an earlier one stays until the new one is complete.
/// \throws std::runtime_error with a sentence when it cannot be written
void save(const std::string& folder, const Training& training, const Description& description);

/// Reads what save() wrote into `training`, whose model says which shapes the weights must have.
/// \throws std::runtime_error with a sentence when a file is missing, cut short, of another shape, or holds a NaN, or when
/// the description is another one; `training` is then what it was
void load(const std::string& folder, Training& training, const Description& description);

}  // namespace linattn
