// Runs a launch: block after block, the threads of a block by turns between barriers.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gpu::engine {

/// What runs at this moment. The checker looks at it on every access.
struct Now {
    bool in_kernel = false;  ///< a thread of the kernel runs, not the engine
    bool checking = false;   ///< and its accesses are watched
    unsigned thread = 0;     ///< its number in the block, x fastest
    std::uintptr_t stack_begin = 0;
    std::uintptr_t arguments_begin = 0, arguments_bytes = 0;  ///< the kernel's arguments, as launch() keeps them
    std::uint32_t epoch = 0;         ///< grows with every block and every __syncthreads() that lets its threads go
    std::uint32_t block_epoch = 0;   ///< of this block's beginning
    std::uint32_t launch_epoch = 0;  ///< of this launch's beginning
    std::vector<std::uint32_t> warp_epochs;  ///< grow with every __syncwarp()
};
extern Now now;

struct Finding {
    /// Which finding the message is about. A race often causes reads of unwritten memory, so it comes first.
    enum class Rank { stopped, race, unwritten } rank;
    std::string symptom;  ///< without numbers: see Error::symptoms
    std::string text;
};

/// Something wrong that the kernel survives.
void report(Finding finding);
/// Something wrong that it does not survive: the thread never runs again. `text` ends with who did it and where.
[[noreturn]] void stop(const std::string& symptom, const std::string& text);
/// "  by thread (5,0,0) of block (2,0,0) at student/x.cu:57"
std::string by_whom(const std::string& line);

/// The symptom of an access outside of all arrays, next to `array`; next to none: the host's memory.
std::string outside(const std::string& array, const std::string& did);

/// While a kernel has called the engine: the engine's own accesses are not the kernel's. The standard library's functions
/// may be instrumented even here, since the linker keeps one copy of each.
class InEngine {
public:
    InEngine() : checking_(std::exchange(now.checking, false)) {}
    ~InEngine() { now.checking = checking_; }
    InEngine(const InEngine&) = delete;
    InEngine& operator=(const InEngine&) = delete;

private:
    bool checking_;
};

struct Site;
/// Waits until all lanes of the warp have come to the same. \return what each of them brought
const std::uint64_t* meet_for_matrix(std::uint64_t value, Site site);
unsigned lanes_of_this_warp();

std::string thread_name(unsigned thread);
std::string this_block();
std::string block_at(std::uint32_t epoch);  ///< the block of this launch that ran then

}  // namespace gpu::engine
