// The memory that a launch may touch: the device's buffers and the block's shared memory. Watched word by word: bounds,
// alignment, and, in a checked run, reads of shared memory that nobody wrote, and races. A race is two accesses, one of them
// a write, of threads that no barrier separates, in whatever order they ran.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "program.hpp"

namespace ptx {

/// Who accesses, and how many barriers it has passed. Numbers count from 1, since 0 is nobody.
struct Accessor {
    std::uint32_t thread = 0, block = 0;
    std::uint32_t block_barriers = 0, warp_barriers = 0;
};

/// Generic addresses from here on are shared memory.
constexpr std::uint64_t shared_window = std::uint64_t{0x7e} << 56;

class Memory {
public:
    Memory(const std::vector<std::span<char>>& buffers, std::size_t shared_bytes, bool checked);

    /// Shared memory is new, as for each block.
    void begin_block();

    /// \throws std::runtime_error unless `who` may access these bytes now
    char* access(const Accessor& who, Space space, std::uint64_t address, std::size_t bytes, bool writes);

private:
    struct Word {
        Accessor writer, reader, other_reader;
    };
    struct Area {
        std::span<char> bytes;
        std::vector<Word> words;  // none before it is first accessed
    };

    Area& area_of(Space space, std::uint64_t address, std::size_t bytes);
    static void watch(Word& word, const Accessor& who, bool writes);

    std::vector<char> shared_bytes_;
    Area shared_;
    std::vector<Area> buffers_;
    bool checked_;
};

}  // namespace ptx
