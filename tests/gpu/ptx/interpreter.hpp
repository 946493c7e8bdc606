// The PTX interpreter: it reads PTX, the assembly that nvcc writes for every card, and runs a launch of it, thread by thread, on
// this processor. It knows what nvcc writes for the course's kernels and refuses anything else with its text.
//
// Watched are bounds, alignment and barriers; in a checked run also reads of shared memory that nobody wrote, and races: two
// accesses, one of them a write, of threads that no barrier separates, in whatever order they ran. Not modelled: ptxas, which
// makes machine code of PTX; the order in which writes become visible; lanes of a warp in lockstep.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/error.hpp"

namespace ptx {

using Number = std::uint64_t;  ///< what a register holds, of whatever type
using Dimensions = std::array<unsigned, 3>;
struct Thread;

enum class Space { generic, global, shared, parameter };
constexpr Number shared_window = Number{0x7e} << 56;  ///< generic addresses from here on are shared memory

struct Instruction {
    enum class Kind { plain, branch, exit, barrier, warp };
    /// Runs it for one thread; what a warp does together, for all of its lanes, of which the first is passed.
    using Execute = void (*)(Thread* thread, const Instruction& instruction);

    std::string text, source;  ///< as nvcc wrote it, and "kernel.cu:57"
    Kind kind = Kind::plain;
    Execute execute = nullptr;
    std::vector<std::size_t> operands{};  ///< places in Thread::values, in the order of the text
    Number offset = 0;                    ///< of an address
    Space space = Space::generic;
    std::size_t target = 0;  ///< of a branch: an index into Kernel::code
    bool guarded = false, guard_negated = false;
    std::size_t guard = 0;  ///< a place in Thread::values
};

struct Parameter {
    std::size_t offset, bytes;
};

struct Kernel {
    std::vector<Instruction> code{};
    std::vector<Parameter> parameters{};
    std::vector<Number> initial{};  ///< a thread's values at its start: special registers, other registers, constants
};

/// The first places of Thread::values.
inline constexpr std::array special_registers{"%tid.x",   "%tid.y",    "%tid.z",    "%ntid.x",
                                              "%ntid.y",  "%ntid.z",   "%ctaid.x",  "%ctaid.y",
                                              "%ctaid.z", "%nctaid.x", "%nctaid.y", "%nctaid.z"};

struct Module {
    std::map<std::string, Kernel> kernels{};
    std::map<std::string, std::vector<char>> variables{};  ///< of the device
};

std::unique_ptr<Module> read_module(const std::string& text);

/// What runs an instruction of this name ("add.s32"); null for an unknown name.
Instruction::Execute find_instruction(const std::string& name);

/// Who accesses memory, and how many barriers it has passed. Threads count from 1: 0 is nobody.
struct Accessor {
    std::uint32_t thread = 0, block = 0, barriers = 0, warp_barriers = 0;
};

/// What a launch may touch: the device's buffers and the block's shared memory.
class Memory {
public:
    /// \param variables not watched for races: a kernel that is not written yet names itself there in all threads
    Memory(const std::vector<std::span<char>>& buffers, const std::vector<std::span<char>>& variables,
           std::size_t shared_bytes, bool checked);

    /// Shared memory is new, as for each block.
    void begin_block();
    char* access(const Accessor& who, Space space, Number address, std::size_t bytes, bool writes);

private:
    struct Word {
        Accessor writer, reader, other_reader;
    };
    struct Area {
        std::span<char> bytes;
        bool watched;
        std::vector<Word> words{};  // none before the first access
    };

    Area& area_of(Space space, Number address, std::size_t bytes);

    std::vector<char> shared_bytes_;
    Area shared_;
    std::vector<Area> of_device_;
};

struct Launch {
    const Kernel* kernel;
    Dimensions grid, block;
    std::vector<char> parameters;
    Memory memory;
    gpu::RunOptions options;

    /// Threads take turns as the options say, each until it ends or waits. Throws std::runtime_error when one breaks a rule.
    void run();

private:
    void run_block(std::size_t number);
    void run_thread(Thread& thread) const;
    bool run_warp(std::span<Thread> lanes) const;
    void pass_barrier(std::span<Thread> threads) const;
    [[noreturn]] void fail(const std::string& what, const Thread& thread) const;
    std::vector<std::size_t> turns(std::size_t count, std::size_t round) const;
};

struct Thread {
    enum class State { ready, at_barrier, at_warp, done };

    std::vector<Number> values;
    Accessor accessor;
    Launch* launch;
    State state = State::ready;
    std::size_t next = 0;  ///< instruction
};

}  // namespace ptx
