#include <algorithm>
#include <stdexcept>

#include "interpreter.hpp"

namespace ptx {
namespace {

constexpr std::size_t word_bytes = 4;

bool separated(const Accessor& before, const Accessor& now) {
    if (before.thread == 0 || (before.block == now.block && before.thread == now.thread)) return true;
    const bool same_warp = (before.thread - 1) / 32 == (now.thread - 1) / 32;
    return before.block == now.block &&
           (before.barriers != now.barriers || (same_warp && before.warp_barriers != now.warp_barriers));
}

void require_separated(const char* access, const Accessor& before, const Accessor& now) {
    if (!separated(before, now))
        throw std::runtime_error("data race: thread " + std::to_string(before.thread - 1) + " of block " +
                                 std::to_string(before.block - 1) + " " + access + " there, with no barrier between");
}

}  // namespace

Memory::Memory(const std::vector<std::span<char>>& buffers, const std::vector<std::span<char>>& variables,
               std::size_t shared_bytes, bool checked)
    : shared_bytes_(shared_bytes), shared_{shared_bytes_, checked} {
    of_device_.reserve(buffers.size() + variables.size());
    for (const std::span<char> buffer : buffers) of_device_.push_back({buffer, checked});
    for (const std::span<char> variable : variables) of_device_.push_back({variable, false});
}

void Memory::begin_block() {
    std::fill(shared_bytes_.begin(), shared_bytes_.end(), '\xff');
    shared_.words.clear();
}

Memory::Area& Memory::area_of(Space space, Number address, std::size_t bytes) {
    if (space == Space::shared) {
        if (address + bytes <= shared_.bytes.size()) return shared_;
        throw std::runtime_error("access at byte " + std::to_string(address) + " of " +
                                 std::to_string(shared_.bytes.size()) + " bytes of shared memory");
    }
    for (Area& area : of_device_) {
        const auto begin = reinterpret_cast<Number>(area.bytes.data());
        if (address >= begin && address + bytes <= begin + area.bytes.size()) return area;
    }
    throw std::runtime_error("access outside of every buffer of the device");
}

/// Throws unless `who` may access these bytes now.
char* Memory::access(const Accessor& who, Space space, Number address, std::size_t bytes, bool writes) {
    if (space == Space::generic) space = address >= shared_window ? Space::shared : Space::global;
    if (space == Space::shared) address &= ~shared_window;
    if (address % bytes != 0) throw std::runtime_error("misaligned access of " + std::to_string(bytes) + " bytes");
    Area& area = area_of(space, address, bytes);
    const std::size_t at = space == Space::shared ? address : address - reinterpret_cast<Number>(area.bytes.data());
    if (!area.watched) return area.bytes.data() + at;
    if (area.words.empty()) area.words.resize(area.bytes.size() / word_bytes + 1);
    for (std::size_t number = at / word_bytes; number <= (at + bytes - 1) / word_bytes; ++number) {
        Word& word = area.words[number];
        if (!writes && space == Space::shared && word.writer.thread == 0)
            throw std::runtime_error("shared memory is read before it is written");
        require_separated("wrote", word.writer, who);
        if (writes) {
            require_separated("read", word.reader, who);
            require_separated("read", word.other_reader, who);
            word = {who, {}, {}};
        } else {  // two different readers are enough: whoever writes next is not both
            if (word.reader.thread != who.thread || word.reader.block != who.block) word.other_reader = word.reader;
            word.reader = who;
        }
    }
    return area.bytes.data() + at;
}

}  // namespace ptx
