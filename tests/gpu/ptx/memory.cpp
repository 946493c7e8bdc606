#include "memory.hpp"

#include <algorithm>
#include <stdexcept>

namespace ptx {
namespace {

constexpr std::size_t word_bytes = 4;

bool separated(const Accessor& before, const Accessor& now) {
    if (before.thread == 0 || (before.block == now.block && before.thread == now.thread)) return true;
    if (before.block != now.block) return false;
    const bool same_warp = (before.thread - 1) / 32 == (now.thread - 1) / 32;
    return before.block_barriers != now.block_barriers || (same_warp && before.warp_barriers != now.warp_barriers);
}

void require_separated(const char* access, const Accessor& before, const Accessor& now) {
    if (!separated(before, now))
        throw std::runtime_error("data race: thread " + std::to_string(before.thread - 1) + " of block " +
                                 std::to_string(before.block - 1) + " " + access + " there, with no barrier between");
}

}  // namespace

Memory::Memory(const std::vector<std::span<char>>& buffers, std::size_t shared_bytes, bool checked)
    : shared_bytes_(shared_bytes), shared_{shared_bytes_, {}}, checked_(checked) {
    buffers_.reserve(buffers.size());
    for (const std::span<char> buffer : buffers) buffers_.push_back({buffer, {}});
}

void Memory::begin_block() {
    std::fill(shared_bytes_.begin(), shared_bytes_.end(), '\xff');
    shared_.words.clear();
}

Memory::Area& Memory::area_of(Space space, std::uint64_t address, std::size_t bytes) {
    const bool in_shared = space == Space::shared;
    if (in_shared && address + bytes <= shared_.bytes.size()) return shared_;
    for (Area& buffer : buffers_) {
        const auto begin = reinterpret_cast<std::uint64_t>(buffer.bytes.data());
        if (!in_shared && address >= begin && address + bytes <= begin + buffer.bytes.size()) return buffer;
    }
    throw std::runtime_error(in_shared ? "access outside of the block's " + std::to_string(shared_.bytes.size()) +
                                             " bytes of shared memory, at byte " + std::to_string(address)
                                       : "access outside of every buffer of the device");
}

char* Memory::access(const Accessor& who, Space space, std::uint64_t address, std::size_t bytes, bool writes) {
    if (space == Space::generic) space = address >= shared_window ? Space::shared : Space::global;
    if (space == Space::shared) address &= ~shared_window;
    if (address % bytes != 0) throw std::runtime_error("misaligned access of " + std::to_string(bytes) + " bytes");
    Area& area = area_of(space, address, bytes);
    const std::size_t at = space == Space::shared ? address : address - reinterpret_cast<std::uint64_t>(area.bytes.data());
    if (checked_) {
        if (area.words.empty()) area.words.resize(area.bytes.size() / word_bytes + 1);
        for (std::size_t word = at / word_bytes; word <= (at + bytes - 1) / word_bytes; ++word) {
            if (!writes && &area == &shared_ && area.words[word].writer.thread == 0)
                throw std::runtime_error("shared memory is read before it is written");
            watch(area.words[word], who, writes);
        }
    }
    return area.bytes.data() + at;
}

// Two readers of different threads are enough: whoever writes next is another thread than one of them.
void Memory::watch(Word& word, const Accessor& who, bool writes) {
    require_separated("wrote", word.writer, who);
    if (writes) {
        require_separated("read", word.reader, who);
        require_separated("read", word.other_reader, who);
        word = {who, {}, {}};
    } else if (word.reader.thread == who.thread && word.reader.block == who.block) {
        word.reader = who;
    } else {
        word.other_reader = word.reader;
        word.reader = who;
    }
}

}  // namespace ptx
