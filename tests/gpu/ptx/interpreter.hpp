// The PTX interpreter: it reads PTX, the assembly that nvcc writes for every card, and runs a launch of it, thread by thread, on
// this processor. It knows what nvcc writes for the course's kernels and refuses anything else by its name.
//
// Watched are bounds, alignment and barriers. Races are the CPU run's business, which runs the same kernels. Not modelled: ptxas,
// which makes machine code of PTX; the order in which writes become visible; lanes of a warp in lockstep.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/error.hpp"

namespace ptx {

using Number = std::uint64_t;  ///< what a register holds, of whatever type

/// Where shared memory and a launch's parameters are. All memory has addresses of one kind; these fit 32 bits, as nvcc
/// computes addresses of shared memory in registers of that size.
constexpr Number shared_begin = 0x7e000000;
constexpr Number address_of_parameter(std::size_t number) { return 0x7f000000 + 0x1000 * number; }

using Dimensions = std::array<unsigned, 3>;
struct Instruction;
struct Thread;

/// What an instruction does, for the threads that do it together.
struct Operation {
    void (*execute)(std::span<Thread> threads, const Instruction& instruction) = nullptr;
    enum By { thread, warp, block } by = thread;
};

struct Instruction {
    std::string name;  ///< "kernel.cu:57, ld.shared.f32"
    Operation operation;
    std::size_t guard;                    ///< a place in Thread::values: the instruction is skipped where that holds 0,
    bool guard_negated;                   ///< or where it does not
    std::vector<std::size_t> operands{};  ///< places in Thread::values, in the order of the text
    Number offset = 0;                    ///< of an address
};

struct Kernel {
    std::vector<Instruction> code{};
    std::vector<std::size_t> parameters{};  ///< how many bytes each has
    /// A thread's values at its start: its index, the block's size, the block's index and the grid's size, each by x, y and
    /// z; then registers, constants and labels in the order of their first use.
    std::vector<Number> initial{};
};

struct Module {
    std::map<std::string, Kernel> kernels{};
    std::multimap<std::string, std::vector<char>> variables{};  ///< of the device; files may have the same names
};

/// Adds what is in the text.
void read_module(const std::string& text, Module& module);

/// \param name of an instruction: "add.s32". Throws std::runtime_error for an unknown one.
const Operation& find_operation(const std::string& name);

class Memory {
public:
    /// The first that is added is shared memory.
    void add(Number begin, std::span<char> bytes) { areas_.push_back({begin, bytes}); }

    /// Shared memory is new, as for each block.
    void begin_block() { std::fill(areas_[0].bytes.begin(), areas_[0].bytes.end(), '\xff'); }

    /// Throws where these bytes are nobody's.
    char* access(Number address, std::size_t bytes) {
        const auto area = std::find_if(areas_.begin(), areas_.end(), [&](const Area& each) {
            return address >= each.begin && address - each.begin + bytes <= each.bytes.size();
        });
        if (area == areas_.end())
            throw std::runtime_error("access outside of shared memory and of the device's buffers");
        return area->bytes.data() + (address - area->begin);
    }

private:
    struct Area {
        Number begin;
        std::span<char> bytes;
    };

    std::vector<Area> areas_;
};

struct Thread {
    const Kernel* kernel;
    Memory* memory;
    std::size_t number, block;
    std::vector<Number> values;
    enum { ready, waiting, done } state = ready;
    std::size_t next = 0;  ///< instruction
};

/// Runs all threads. They take turns as the options say, each until it ends or waits. Throws std::runtime_error when one
/// breaks a rule.
void run(const Kernel& kernel, const Dimensions& grid, const Dimensions& block, Memory& memory,
         const gpu::RunOptions& options);

}  // namespace ptx
