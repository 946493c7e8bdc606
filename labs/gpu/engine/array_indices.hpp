// Rows and columns. A kernel that takes the entry (row, column) of a two-dimensional array in shared memory computes an
// address, and a wrong index may well give the address of another entry. What the indices were tells more than that.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "memory.hpp"

namespace gpu::engine {

/// An index pair that is no entry of its array.
struct WrongIndex {
    std::string text;        ///< "S(3, 17) is no entry: a row of S ends with column 16"
    bool exchanged = false;  ///< (17, 3) would be one, and no limit of a loop explains it
};

void begin_indices();
/// The access of the running thread that follows a noted index.
void take_noted_index(std::uintptr_t address, const void* instruction);
/// What is wrong with the indices that this instruction uses, the ones of this address in the first place.
std::optional<WrongIndex> wrong_index(const Array& array, std::uintptr_t address, const void* instruction);
/// A sentence for each instruction whose columns leave their rows.
std::vector<std::string> remarks_on_indices();

}  // namespace gpu::engine
