// The arrays that a kernel may touch: device buffers, each between two guard pages, and the shared memory of the block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gpu::engine {

/// What the checker knows of 4 bytes: the last write, and two reads by different threads since.
struct Cell {
    struct Access {
        const void* instruction = nullptr;
        std::uint32_t epoch = 0;  ///< 0: never
        std::uint32_t warp_epoch = 0;
        std::uint16_t thread = 0;
        bool atomic = false;
    };
    Access write, reads[2];
};

struct Array {
    std::uintptr_t begin = 0, end = 0;
    std::string name;
    std::size_t row_bytes = 0;  ///< from one row to the next; 0 for a vector
    bool shared = false;
    bool filled_by_host = false;
    std::vector<Cell> cells;  ///< made when the first checked access comes

    bool contains(std::uintptr_t address) const { return address >= begin && address < end; }
    /// "A(3, 5)", "z[7]": the float at this address.
    std::string entry(std::uintptr_t address) const;
};

/// Every array alive. Changes of the list change the number.
const std::vector<std::unique_ptr<Array>>& arrays();
unsigned arrays_version();
Array* find_array(std::uintptr_t address);

/// For an address in no array: "128 bytes past the end of 'Q' (19200 bytes)", or what else it may be.
/// \param array the name of the array nearby; "" if there is none
std::string describe_outside(std::uintptr_t address, std::string& array);

/// The launch's shared memory: the static arrays of the program and `bytes` of dynamic memory, at first one array.
void begin_shared(std::size_t bytes);
/// Fills shared memory with 0xFF, as every block finds it.
void poison_shared();
/// What the block wrote where no shared array is, or nothing.
std::string overrun_shared(std::string& array);
/// Takes the shared arrays off the list, and gives static variables the values they had before the launch.
void end_shared();

/// The next array of SharedMemory. Null if the launch did not ask for so much; `needed` is what it would take.
void* take_dynamic(std::size_t& used, std::size_t bytes, const char* name, std::size_t row_bytes, std::size_t& needed);
std::size_t dynamic_bytes();

}  // namespace gpu::engine
