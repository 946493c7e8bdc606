// How much a computation allocates. Replaces operator new for the whole program.
#pragma once

#include <cstddef>

/// From here on both count anew, beyond what is held now.
void restart_peak();
/// The most bytes held at once since then.
std::size_t peak_bytes();
/// The bytes held now.
std::size_t held_bytes();
