// The arrays that a kernel may touch: device buffers, each between two guard pages, and the shared memory of the block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../gpu.hpp"

namespace gpu::engine {

// Dynamic shared memory, twice: as the one array that every `extern __shared__` array is (dynamic_memory.cpp), and as the
// arrays of SharedMemory. On a GPU the two lie at one address; here a kernel that uses both is found out.
inline constexpr std::size_t gap = 64;  // between the arrays of SharedMemory
inline constexpr std::size_t most_dynamic_arrays = 63;
inline constexpr std::size_t dynamic_capacity = most_shared_bytes() + (most_dynamic_arrays + 1) * gap;

}  // namespace gpu::engine

extern "C" {
extern constinit thread_local unsigned char gpu_dynamic_memory[gpu::engine::dynamic_capacity];
/// The symbols of the arrays that lie there; ends with a null pointer.
extern const char* const gpu_dynamic_arrays[];
}

namespace gpu::engine {

/// What the checker knows of 4 bytes, or of 1 (Array::cell_bytes): the last write, and two reads by different threads
/// since.
struct Cell {
    struct Access {
        const void* instruction = nullptr;
        std::uint32_t epoch = 0;  ///< 0: never
        std::uint32_t warp_epoch = 0;
        std::uint16_t thread = 0;
        bool atomic = false;
        bool was_read = false;  ///< a write: somebody has read it since
    };
    Access write, reads[2];
    const void* written_before = nullptr;  ///< by which instruction, if that of the last write replaced its number
    const void* writer_read = nullptr;     ///< with which the last writer had read it since the barrier before
};

struct Array {
    std::uintptr_t begin = 0, end = 0;
    std::string name;
    std::size_t row_bytes = 0;  ///< from one row to the next; 0 for a vector
    bool shared = false;
    bool declared = false;    ///< the `extern __shared__` array
    bool taken = false;       ///< by SharedMemory
    bool has_length = false;  ///< a __shared__ array of a fixed length
    std::size_t offset = 0;   ///< of dynamic shared memory: where a GPU has it
    bool filled_by_host = false;
    std::vector<Cell> cells;     ///< made when the first checked access comes
    std::size_t cell_bytes = 4;  ///< 1 as soon as the kernel touches less than 4 bytes, or 4 that lie across two cells

    std::size_t cell_at(std::size_t at_byte) const { return cell_bytes == 4 ? at_byte / 4 : at_byte; }
    bool contains(std::uintptr_t address) const { return address >= begin && address < end; }
    /// "A(3, 5)", "z[7]": the entry of so many bytes at this address.
    std::string entry(std::uintptr_t address, std::size_t entry_bytes = 4) const;
};

/// Every array alive. Changes of the list change the number.
const std::vector<std::unique_ptr<Array>>& arrays();
unsigned arrays_version();
Array* find_array(std::uintptr_t address);

/// Buffers that were released since the last launch: what the checker knows of them is kept that long.
const std::vector<std::unique_ptr<Array>>& released_arrays();
void forget_released();

/// For an address in no array: "128 bytes past the end of 'Q' (19200 bytes)", or what else it may be.
/// \param near the array nearby, or null   \param likely the array that it is likely to be past
std::string describe_outside(std::uintptr_t address, const Array*& near, const Array* likely = nullptr);

/// The launch's shared memory: the static arrays of the program and `bytes` of dynamic memory, at first one array.
void begin_shared(std::size_t bytes);
/// Fills shared memory with 0xFF, as every block finds it.
void poison_shared();
/// What the block wrote where no shared array is, or nothing.
std::string overrun_shared(std::string& array);
/// Takes the shared arrays off the list, and gives static variables the values they had before the launch.
void end_shared();

}  // namespace gpu::engine
