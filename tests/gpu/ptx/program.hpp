// PTX, the assembly that nvcc writes for every card, as the PTX interpreter keeps it: instructions of which each knows the
// function that runs it. What nvcc writes for the course's kernels is read; anything else is refused with its text.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ptx {

struct Thread;

enum class Space { generic, global, shared, parameter };

struct Instruction {
    enum class Kind { plain, branch, exit, block_barrier, warp };
    /// Runs it for one thread; what a warp does together is run for all of its lanes, of which the first is passed.
    using Execute = void (*)(Thread* thread, const Instruction& instruction);

    std::string text, source;  ///< as nvcc wrote it, and "kernel.cu:57"
    Kind kind = Kind::plain;
    Execute execute = nullptr;
    std::vector<std::size_t> operands{};  ///< places in Thread::values, in the order of the text
    std::uint64_t offset = 0;             ///< of an address
    Space space = Space::generic;
    std::size_t target = 0;  ///< of a branch: an index into Kernel::code
    bool guarded = false, guard_negated = false;
    std::size_t guard = 0;  ///< a place in Thread::values
};

struct Parameter {
    std::size_t offset, bytes;
};

/// Registers, constants and special registers are places in one array, of which each thread has its own.
struct Kernel {
    std::vector<Instruction> code{};
    std::vector<Parameter> parameters{};
    std::vector<std::uint64_t> initial{};                        ///< a thread's values when it starts
    std::vector<std::pair<std::size_t, std::size_t>> special{};  ///< a place, and what it holds: see special_names
};

/// In the order of Thread::special.
inline constexpr std::array special_names{"%tid.x",   "%tid.y",   "%tid.z",   "%ntid.x",   "%ntid.y",   "%ntid.z",
                                   "%ctaid.x", "%ctaid.y", "%ctaid.z", "%nctaid.x", "%nctaid.y", "%nctaid.z"};

struct Module {
    std::map<std::string, Kernel> kernels{};
    std::map<std::string, std::vector<char>> variables{};  ///< of the device; in kernels, their addresses here
};

/// \throws std::runtime_error for what the interpreter does not know
std::unique_ptr<Module> read_module(const std::string& text);

/// What runs an instruction of this name ("add.s32"), and of which kind it is; null for an unknown name.
Instruction::Execute find_instruction(const std::string& name);

}  // namespace ptx
