// What training leaves in a folder: one .npy file for each weight and each of Adam's moments, and model.json, which says
// what they are. NumPy opens the files: np.load("embedding.npy").
#pragma once

#include <string>
#include <vector>

#include "training.hpp"

namespace linattn {

/// Everything on which the next step depends.
struct Training {
    Model w;
    std::vector<Moments> moments;  ///< one for each of parameters(w)
    std::vector<double> losses;    ///< of every step so far
};

/// What the folder's weights were trained for and how. model.json holds it; resuming with anything else is rejected.
using Description = std::vector<std::pair<std::string, std::string>>;

/// Writes the folder DIR/checkpoint whole or not at all: an earlier one stays until the new one is complete.
/// \throws std::runtime_error with a sentence when it cannot be written
void save(const std::string& folder, const Training& training, const Description& description);

/// Reads what save() wrote into `training`, whose model determines the shapes of the weights. \throws
/// std::runtime_error with a sentence when a file is missing, cut short, of another shape, or holds a NaN, or when the
/// description is different; `training` is then unchanged
void load(const std::string& folder, Training& training, const Description& description);

}  // namespace linattn
