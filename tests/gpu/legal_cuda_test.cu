// What CUDA allows runs, in every order of the threads and without a finding. Sections are those of the CUDA C++
// Programming Guide 12.
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <execinfo.h>
#include <pthread.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "gpu/executable.hpp"
#include "gpu/gpu.hpp"

#if defined(__clang__) && __clang_major__ < 15  // announces no memcpy to the engine, of a large struct neither
#define GPU_MEMCPY_IS_UNSEEN
#endif

namespace {

std::vector<gpu::RunOptions> all_orders() {
    std::vector<gpu::RunOptions> runs;
    for (const auto order :
         {gpu::RunOptions::Order::forward, gpu::RunOptions::Order::reverse, gpu::RunOptions::Order::shuffled})
        for (const bool checked : {true, false}) runs.push_back({order, 9, checked, false});
    return runs;
}

using Kernel = void (*)(unsigned*);

// What the kernel writes, entry by entry, from one block; on an error its text stands in the message.
void check_result(const char* what, Kernel kernel, dim3 block, const std::vector<unsigned>& expected,
                  std::size_t shared_bytes = 0) {
    for (const gpu::RunOptions& run : all_orders()) {
        CAPTURE(what);
        CAPTURE(run.name());
        const gpu::RunScope scope(run);
        const gpu::Buffer<unsigned> out(expected.size(), "out");
        std::string error;
        try {
            gpu::launch(kernel, 1, block, shared_bytes, out.data());
        } catch (const gpu::Error& e) {
            error = e.what();
        }
        CHECK(error == "");
        std::vector<unsigned> got(expected.size());
        out.copy_to(got);
        CHECK(got == expected);
    }
}

template <class Entry>
std::vector<unsigned> table(unsigned count, Entry entry) {
    std::vector<unsigned> entries(count);
    for (unsigned i = 0; i < count; ++i) entries[i] = entry(i);
    return entries;
}

// Accesses of every size (5.3.2, "Device Memory Accesses": 1, 2, 4, 8 or 16 bytes, naturally aligned) -----------------

__global__ void own_bytes_as_a_word(unsigned* out) {
    __shared__ unsigned words[64];
    volatile unsigned char* bytes = reinterpret_cast<unsigned char*>(&words[threadIdx.x]);
    for (unsigned i = 0; i < 4; ++i) bytes[i] = static_cast<unsigned char>(threadIdx.x + i);
    out[threadIdx.x] = *reinterpret_cast<volatile unsigned*>(&words[threadIdx.x]);
}
__global__ void neighbours_bytes(unsigned* out) {
    __shared__ unsigned char bytes[64];
    bytes[threadIdx.x] = static_cast<unsigned char>(threadIdx.x);  // four threads, one word: no race
    __syncthreads();
    out[threadIdx.x] = bytes[63 - threadIdx.x];
}
[[maybe_unused]] __global__ void doubles_out_of_words(unsigned* out) {
    __shared__ __align__(8) unsigned words[128];
    words[threadIdx.x] = 0;
    words[threadIdx.x + 64] = 0x3ff00000u + threadIdx.x;
    __syncthreads();
    words[2 * threadIdx.x] = 0;
    words[2 * threadIdx.x + 1] = 0x3ff00000u;  // the upper half of 1.0
    __syncwarp();
    double one = 0.0;
    memcpy(&one, words + 2 * (threadIdx.x ^ 1), sizeof one);
    out[threadIdx.x] = static_cast<unsigned>(one);
}
__global__ void shorts_then_chars(unsigned* out) {
    __shared__ unsigned short halves[64];
    halves[threadIdx.x] = static_cast<unsigned short>(256 * threadIdx.x + 7);
    __syncthreads();
    const volatile unsigned char* bytes = reinterpret_cast<const unsigned char*>(halves);
    out[threadIdx.x] = bytes[2 * (63 - threadIdx.x)] + bytes[2 * (63 - threadIdx.x) + 1];
}
struct Padded {
    char letter;
    float number;
    short last;
};
[[maybe_unused]] __global__ void struct_copies(unsigned* out) {
    __shared__ Padded in[64], copies[64];
    in[threadIdx.x].letter = 1;
    in[threadIdx.x].number = 2.0f;
    in[threadIdx.x].last = static_cast<short>(threadIdx.x);
    copies[63 - threadIdx.x] = in[threadIdx.x];  // what lies between the members too
    __syncthreads();
    const Padded copy = copies[threadIdx.x];
    out[threadIdx.x] =
        static_cast<unsigned>(copy.letter) + static_cast<unsigned>(copy.number) + static_cast<unsigned>(copy.last);
}
// memcpy, memmove and memset are device functions too (10.34, "Dynamic Global Memory Allocation and Operations").
[[maybe_unused]] __global__ void copies_memory(unsigned* out) {
    __shared__ unsigned rows[64][9], shifted[64][9];
    memset(rows[threadIdx.x], 0, sizeof rows[0]);
    rows[threadIdx.x][8] = threadIdx.x;
    __syncthreads();
    memcpy(shifted[threadIdx.x], rows[63 - threadIdx.x], 4 * (threadIdx.x % 2 + 8));
    memmove(shifted[threadIdx.x] + 1, shifted[threadIdx.x], 8 * sizeof(unsigned));
    out[threadIdx.x] = shifted[threadIdx.x][8] + rows[63 - threadIdx.x][8];
}

// Warps ---------------------------------------------------------------------------------------------------------------

// 10.19, "Warp Vote Functions": "for all non-exited threads in mask". The second warp of 48 threads has 16 lanes.
__global__ void votes_of_a_partial_warp(unsigned* out) {
    const unsigned all = static_cast<unsigned>(__all_sync(~0u, 1)), any = static_cast<unsigned>(__any_sync(~0u, 0));
    const unsigned ballot = __ballot_sync(~0u, 1), some = static_cast<unsigned>(__all_sync(~0u, threadIdx.x % 32 > 0));
    out[threadIdx.x] = ballot == (threadIdx.x < 32 ? ~0u : 0xffffu) ? all * 100 + any * 10 + some : 0;
}
// 10.6, "Synchronization Functions", and 10.22, "Warp Shuffle Functions": "all non-exited threads named in mask must
// execute the same intrinsic with the same mask".
__global__ void leaves_before_a_warp_operation(unsigned* out) {
    __shared__ unsigned shared[64];
    out[threadIdx.x] = 0;
    if (threadIdx.x % 32 >= 20) return;
    shared[threadIdx.x] = threadIdx.x;
    __syncwarp();
    out[threadIdx.x] = shared[threadIdx.x ^ 1] + __shfl_xor_sync(~0u, 1000u, 2) + (__ballot_sync(~0u, 1) == 0xfffffu);
}
__global__ void leaves_one_by_one(unsigned* out) {
    unsigned passed = 0;
    for (unsigned i = 0; i < threadIdx.x; ++i) {
        __syncwarp();
        ++passed;
    }
    out[threadIdx.x] = passed;
}
// 10.22: a width divides the warp into groups; a lane that would leave its group keeps its own value.
__global__ void shuffles_in_groups(unsigned* out) {
    const unsigned lane = threadIdx.x;
    const unsigned from = __shfl_sync(~0u, lane, 11, 8);  // 11 mod 8 of the own group
    const unsigned up = __shfl_up_sync(~0u, lane, 3, 8), down = __shfl_down_sync(~0u, lane, 3, 8);
    const unsigned crossed = __shfl_xor_sync(~0u, lane, 8, 8);  // earlier groups only
    const unsigned far = __shfl_down_sync(~0u, lane, 0xffffffffu);
    out[lane] = ((from * 32 + up) * 32 + down) * 32 + crossed + (far == lane ? 0 : 1u << 31);
}
// 2.2, "Thread Hierarchy": the number of a thread is x + y Dx + z Dx Dy, and 32 in a row are a warp.
__global__ void lanes_of_a_flat_block(unsigned* out) {
    const unsigned number = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    out[number] = __shfl_sync(~0u, number, 0);
}
// 10.6: allowed in a branch that all threads of the block take alike.
__global__ void barrier_in_a_uniform_branch(unsigned* out) {
    __shared__ unsigned shared[64];
    shared[threadIdx.x] = threadIdx.x;
    for (int round = 0; round < 3; ++round)
        if (round % 2 == 0) {
            __syncthreads();
            const unsigned other = shared[63 - threadIdx.x];
            __syncthreads();
            shared[threadIdx.x] = other;
        } else {
            __syncthreads();
        }
    out[threadIdx.x] = shared[threadIdx.x];
}
// 10.14, "Atomic Functions": no order among themselves, and read after a barrier.
__global__ void atomics_then_reads(unsigned* out) {
    __shared__ unsigned sum, bits, last;
    __shared__ double total;
    if (threadIdx.x == 0) {
        sum = bits = last = 0;
        total = 0.0;
    }
    __syncthreads();
    atomicAdd(&sum, 1u);
    atomicOr(&bits, 1u << threadIdx.x % 32);
    atomicMax(&last, threadIdx.x);
    atomicInc(&sum, ~0u);
    atomicAdd(&total, 0.5);
    __syncthreads();
    out[threadIdx.x] = sum + (bits == ~0u ? 1000 : 0) + last + static_cast<unsigned>(total);
}

// Dynamic shared memory (10.3.3, "__shared__"): under any name, all begin at the same place ---------------------------

extern __shared__ unsigned whatever[];
extern __shared__ double numbers[];

__global__ void names_it_otherwise(unsigned* out) {
    extern __shared__ unsigned inside[];
    whatever[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = inside[63 - threadIdx.x];
    __syncthreads();
    numbers[threadIdx.x] = 1.0;
    __syncthreads();
    out[threadIdx.x] += static_cast<unsigned>(numbers[63 - threadIdx.x]);
}
template <unsigned Step>
__global__ void names_it_in_a_template(unsigned* out) {
    extern __shared__ float of_template[];
    of_template[threadIdx.x] = static_cast<float>(threadIdx.x * Step);
    __syncthreads();
    out[threadIdx.x] = static_cast<unsigned>(of_template[63 - threadIdx.x]);
}

// The language --------------------------------------------------------------------------------------------------------

__global__ void vocabulary(unsigned* __restrict__ out) {
    __shared__ float3 points[64];
    __shared__ uint2 pairs[64];
    const int t = static_cast<int>(threadIdx.x);
    points[t] = make_float3(1.0f, 2.0f, static_cast<float>(t));
    pairs[t] = make_uint2(1, threadIdx.x);
    __syncthreads();
    float sum = 0.0f;
#pragma unroll 4
    for (int i = -1; i <= 1; ++i) sum += (points + 1)[min(max(t + i, -1), 62)].x;
    volatile unsigned late = __popc(0xf0u) + __ffs(8) + __clz(1);  // 4 + 4 + 31
    const double widest = max(1.0f, 2.0);
    out[t] = static_cast<unsigned>(sum) + min(5, 7u) + late + static_cast<unsigned>(widest) + __ldg(&pairs[63 - t].x) +
             __float_as_uint(__uint_as_float(2u)) + sizeof(float3) + alignof(double2);
}

TEST_CASE("what CUDA allows runs without a finding") {
    const auto reversed = table(64, [](unsigned i) { return 63 - i; });
    check_result("own bytes as a word", own_bytes_as_a_word, 64,
                 table(64, [](unsigned i) { return i | (i + 1) << 8 | (i + 2) << 16 | (i + 3) << 24; }));
    check_result("neighbours' bytes", neighbours_bytes, 64, reversed);
#ifndef GPU_MEMCPY_IS_UNSEEN
    check_result("doubles out of words", doubles_out_of_words, 32, table(32, [](unsigned) { return 1u; }));
#endif
    check_result("shorts, then chars", shorts_then_chars, 64, table(64, [](unsigned i) { return 63 - i + 7; }));
#ifndef GPU_MEMCPY_IS_UNSEEN
    check_result("struct copies", struct_copies, 64, table(64, [](unsigned i) { return 1 + 2 + 63 - i; }));
#endif
#ifndef GPU_MEMCPY_IS_UNSEEN
    check_result("memcpy", copies_memory, 64, reversed);
#endif
    check_result("votes of a partial warp", votes_of_a_partial_warp, 48, table(48, [](unsigned) { return 100u; }));
    check_result("exited lanes", leaves_before_a_warp_operation, 64,
                 table(64, [](unsigned i) { return i % 32 >= 20 ? 0 : (i ^ 1) + 1001; }));
    check_result("lanes that leave one by one", leaves_one_by_one, 64, table(64, [](unsigned i) { return i; }));
    check_result("shuffles in groups", shuffles_in_groups, 32, table(32, [](unsigned i) {
                     const unsigned group = i / 8 * 8, place = i % 8, up = place < 3 ? i : i - 3,
                                    down = place > 4 ? i : i + 3, crossed = (i & 8) != 0 ? i - 8 : i;
                     return ((group + 3) * 32 + up) * 1024 + down * 32 + crossed;
                 }));
    check_result("lanes of a flat block", lanes_of_a_flat_block, dim3(4, 8, 2),
                 table(64, [](unsigned i) { return i / 32 * 32; }));
    check_result("a barrier in a uniform branch", barrier_in_a_uniform_branch, 64,
                 table(64, [](unsigned i) { return i; }));
    check_result("atomics, then reads", atomics_then_reads, 64,
                 table(64, [](unsigned) { return 128u + 1000 + 63 + 32; }));
    check_result("dynamic shared memory by other names", names_it_otherwise, 64,
                 table(64, [](unsigned i) { return 63 - i + 1; }), 64 * sizeof(double));
    check_result("in a template", names_it_in_a_template<1>, 64, reversed, 64 * sizeof(float));
    check_result("in another", names_it_in_a_template<2>, 64, table(64, [](unsigned i) { return 2 * (63 - i); }),
                 64 * 4);
    check_result("vocabulary", vocabulary, 64, table(64, [](unsigned) { return 3u + 5 + 39 + 2 + 1 + 2 + 12 + 16; }));
}

// What stays forbidden ------------------------------------------------------------------------------------------------

__global__ void races_on_bytes(unsigned* out) {
    __shared__ unsigned char bytes[64];
    bytes[threadIdx.x] = 1;
    out[threadIdx.x] = bytes[threadIdx.x ^ 1];
}
__global__ void races_on_a_byte_of_a_word(unsigned* out) {
    __shared__ unsigned words[64];
    reinterpret_cast<volatile unsigned char*>(words)[4 * threadIdx.x + 2] = 1;
    out[threadIdx.x] = words[63 - threadIdx.x];
}
[[maybe_unused]] __global__ void races_by_memcpy(unsigned* out) {
    __shared__ unsigned words[64];
    words[threadIdx.x] = 1;
    memcpy(out + threadIdx.x, words + (63 - threadIdx.x), 4);
}
__global__ void reads_an_exited_lane(unsigned* out) {
    if (threadIdx.x >= 16) return;
    out[threadIdx.x] = __shfl_down_sync(~0u, threadIdx.x, 16);
}
__global__ void shuffles_with_an_odd_width(unsigned* out) { out[threadIdx.x] = __shfl_sync(~0u, 1u, 0, 12); }
__global__ void makes_host_memory(unsigned* out) {
    std::vector<unsigned> own(8, 1u);
    out[threadIdx.x] = own[threadIdx.x % 8];
}

std::string error_of(Kernel kernel) {
    const gpu::Buffer<unsigned> out(64, "out");
    try {
        gpu::launch(kernel, 1, 64, 0, out.data());
    } catch (const gpu::Error& error) {
        return error.symptoms().front() + ": " + error.what();
    }
    return "no error";
}

TEST_CASE("what CUDA leaves undefined is still named") {
    CHECK(error_of(races_on_bytes).find("race on bytes, write then read") == 0);
    CHECK(error_of(races_on_bytes).find("data race on bytes[1]") != std::string::npos);
    CHECK(error_of(races_on_a_byte_of_a_word).find("race on words") == 0);
#ifndef GPU_MEMCPY_IS_UNSEEN
    CHECK(error_of(races_by_memcpy).find("race on words, write then read") == 0);
#endif
    CHECK(error_of(reads_an_exited_lane).find("a shuffle reads lane 16, which does not take part") !=
          std::string::npos);
    CHECK(error_of(shuffles_with_an_odd_width).find("width is 1, 2, 4, 8, 16 or 32, not 12") != std::string::npos);
    const std::string host = error_of(makes_host_memory);
    CAPTURE(host);
    CHECK(host.find("std::vector") != std::string::npos);
    CHECK(host.find("legal_cuda_test.cu:") != std::string::npos);
}

// Endless kernels -----------------------------------------------------------------------------------------------------

// A supervisor's handler for SIGUSR1 looks at the call stack; here it also ends the loop.
std::vector<std::string> stack_in_handler;
volatile std::sig_atomic_t answered = 0;
void answer(int) {
    void* frames[64];
    const int depth = ::backtrace(frames, 64);
    Dl_info program{};
    ::dladdr(reinterpret_cast<void*>(&answer), &program);
    std::vector<std::uintptr_t> offsets;
    for (int i = 0; i < depth; ++i)
        offsets.push_back(reinterpret_cast<std::uintptr_t>(frames[i]) - 1 -
                          reinterpret_cast<std::uintptr_t>(program.dli_fbase));
    stack_in_handler = gpu::source_lines(gpu::executable_path(), offsets);
    answered = 1;
}

volatile int line_of_loop = 0;
__global__ void loops_without_end(unsigned* out) {
    line_of_loop = __LINE__ + 1;
    while (answered == 0) {
    }
    out[threadIdx.x] = 0;
}
__global__ void waits_without_end(unsigned* out) {
    __shared__ bool over;
    if (threadIdx.x + 1 == blockDim.x) line_of_loop = __LINE__ + 2;  // once the last thread is in the kernel, too
    do {
        __syncthreads();
        if (threadIdx.x == 0) over = answered != 0;
        __syncthreads();
    } while (!over);
    out[threadIdx.x] = 0;
}

TEST_CASE("where an endless kernel is can be asked by a signal") {
    for (const Kernel kernel : {loops_without_end, waits_without_end}) {
        answered = 0;
        stack_in_handler.clear();
        const auto before = std::signal(SIGUSR1, answer);
        const gpu::Buffer<unsigned> out(64, "out");
        const pthread_t here = pthread_self();
        line_of_loop = 0;
        std::thread other([&] {
            while (line_of_loop == 0) std::this_thread::yield();
            pthread_kill(here, SIGUSR1);
        });
        gpu::launch(kernel, 1, 64, 0, out.data());
        other.join();
        std::signal(SIGUSR1, before);
        bool found = false;
        std::string said;
        for (const std::string& line : stack_in_handler) {
            const int number = std::atoi(line.c_str() + line.rfind(':') + 1);
            said += line + "\n";
            found = found || (line.find("legal_cuda_test.cu:") != std::string::npos && number >= line_of_loop &&
                              number <= line_of_loop + 4);
        }
        CAPTURE(said);
        CAPTURE(int{line_of_loop});
        CHECK(found);
    }
}

// Host threads --------------------------------------------------------------------------------------------------------

std::string second_thread_got;
__global__ void starts_a_host_thread(unsigned* out) {
    if (threadIdx.x != 0) return;
    std::thread([] {
        try {
            const gpu::Buffer<unsigned> other(4, "other");
            second_thread_got = "memory";
        } catch (const gpu::Error& error) {
            second_thread_got = error.what();
        }
    }).join();
    out[0] = 1;
}

TEST_CASE("a second host thread gets a sentence while a launch runs, and its turn afterwards") {
    const gpu::RunScope scope({.checked = false});
    const gpu::Buffer<unsigned> out(64, "out");
    gpu::launch(starts_a_host_thread, 1, 64, 0, out.data());
    CHECK(second_thread_got.find("two host threads use gpu:: at the same time") == 0);
    std::vector<std::string> errors(8);
    for (std::string& error : errors)  // one after the other: CUDA, and the CPU run, do not mind
        std::thread([&] { error = error_of(neighbours_bytes) + error_of(races_on_bytes).substr(0, 13); }).join();
    for (const std::string& error : errors) CHECK(error == "no errorrace on bytes");
}

TEST_CASE("two host threads at once get what one gets, or the sentence") {
    const auto work = [](int& wrong) {
        for (int i = 0; i < 200; ++i) try {
                const gpu::Buffer<unsigned> out(64, "out");
                gpu::launch(neighbours_bytes, 1, 64, 0, out.data());
                std::vector<unsigned> got(64);
                out.copy_to(got);
                wrong += got[0] != 63;
            } catch (const gpu::Error& error) {
                wrong += std::string(error.what()).find("two host threads") != 0;
            }
    };
    int wrong_here = 0, wrong_there = 0;
    std::thread other([&] { work(wrong_there); });
    work(wrong_here);
    other.join();
    CHECK(wrong_here == 0);
    CHECK(wrong_there == 0);
}

}  // namespace
