// What CUDA allows runs, in every order of the threads and without a finding.
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <thread>

#include "gpu/executable.hpp"
#include "kernel_runs.hpp"
#include "legal_kernels.hpp"

namespace {

using namespace legal;

using Kernel = void (*)(unsigned*);

gpu::Error error_on(Kernel kernel, const gpu::Buffer<unsigned>& out, const gpu::RunOptions& run = {}, dim3 block = 64,
                    std::size_t shared_bytes = 0) {
    return error_of(kernel, out.data(), run, 1, block, shared_bytes);
}

// What the kernel writes, entry by entry, from one block.
void check_result(const char* what, Kernel kernel, dim3 block, unsigned (*entry)(unsigned number),
                  std::size_t shared_bytes = 0) {
    std::vector<unsigned> expected(std::size_t{block.x} * block.y * block.z);
    for (unsigned i = 0; i < expected.size(); ++i) expected[i] = entry(i);
    for (const gpu::RunOptions& run : all_runs()) {
        CAPTURE(what);
        CAPTURE(run.name());
        const gpu::Buffer<unsigned> out(expected.size(), "out");
        CHECK(error_on(kernel, out, run, block, shared_bytes).what() == std::string("no error"));
        CHECK(content(out) == expected);
    }
}

std::vector<float> counting(std::size_t count) {
    std::vector<float> x(count);
    std::iota(x.begin(), x.end(), 0.0f);
    return x;
}

TEST_CASE("kernels give what a GPU gives, in every order") {
    for (const gpu::RunOptions& run : all_runs()) {
        CAPTURE(run.name());
        const gpu::RunScope scope(run);
        const gpu::Buffer<float> matrix(counting(50 * 37), "matrix"), transposed(50 * 37, "transposed");
        gpu::launch(transpose<32>, dim3(2, 2), dim3(32, 4), 0, matrix.data(), transposed.data(), 50, 37);
        for (int e = 0; e < 50 * 37; ++e)
            REQUIRE(content(transposed)[static_cast<std::size_t>(e % 37 * 50 + e / 37)] == static_cast<float>(e));

        const gpu::Buffer<float> row(counting(64), "row");
        gpu::launch(linattn::kernels::reverse_in_dynamic_memory, 1, 64, 64 * sizeof(float), row.data());
        CHECK(content(row)[0] == 63.0f);
        CHECK(content(row)[63] == 0.0f);

        const gpu::Buffer<float> terms(counting(1000), "terms"), total(std::vector<float>{0.0f}, "total");
        const gpu::Buffer<int> blocks(std::vector<int>{0}, "blocks");
        gpu::launch(total_of, 5, 96, 0, terms.data(), total.data(), blocks.data(), 1000);
        CHECK(content(total)[0] == 499500.0f);
        CHECK(content(blocks)[0] == 5);

        const gpu::Buffer<float> fours(counting(256), "fours"), scan(64, "scan");
        gpu::launch(scan_of_fours, 1, 64, 64 * sizeof(float), reinterpret_cast<const float4*>(fours.data()),
                    scan.data());
        CHECK(content(scan)[63] == 32640.0f);
        CHECK(content(scan)[0] == 6.0f);

        const gpu::Buffer<float> entries(counting(64), "entries"), sums(2, "sums");
        gpu::launch(reduce_in_a_warp, 1, 64, 0, entries.data(), sums.data());
        CHECK(content(sums) == std::vector<float>{496.0f, 1520.0f});

        const gpu::Buffer<int> numbers(2 * 3 * 2 * 24, "numbers");
        gpu::launch(number_threads, dim3(2, 3, 2), dim3(4, 3, 2), 0, numbers.data());
        std::vector<int> expected(288);
        std::iota(expected.begin(), expected.end(), 0);
        CHECK(content(numbers) == expected);

        const gpu::Buffer<unsigned> votes(3, "votes");
        gpu::launch(vote, 1, 32, 0, votes.data());
        CHECK(content(votes) == std::vector<unsigned>{0x55555555u, 11u, 503u});
    }
}

TEST_CASE("what CUDA allows runs without a finding") {
    const auto reversed = [](unsigned i) { return 63 - i; };
    const auto same = [](unsigned i) { return i; };
    check_result("own bytes as a word", own_bytes_as_a_word, 64,
                 [](unsigned i) { return i | (i + 1) << 8 | (i + 2) << 16 | (i + 3) << 24; });
    check_result("neighbours' bytes", neighbours_bytes, 64, reversed);
    check_result("shorts, then chars", shorts_then_chars, 64, [](unsigned i) { return 63 - i + 7; });
#ifndef GPU_MEMCPY_IS_UNSEEN
    check_result("doubles out of words", doubles_out_of_words, 32, [](unsigned) { return 1u; });
    check_result("struct copies", struct_copies, 64, [](unsigned i) { return 1 + 2 + 63 - i; });
    check_result("memcpy", copies_memory, 64, reversed);
#endif
    check_result("votes of a partial warp", votes_of_a_partial_warp, 48, [](unsigned) { return 100u; });
    check_result("exited lanes", leaves_before_a_warp_operation, 64,
                 [](unsigned i) { return i % 32 >= 20 ? 0 : (i ^ 1) + 1001; });
    check_result("lanes that leave one by one", leaves_one_by_one, 64, same);
    check_result("shuffles in groups", shuffles_in_groups, 32, [](unsigned i) {
        const unsigned group = i / 8 * 8, place = i % 8, up = place < 3 ? i : i - 3, down = place > 4 ? i : i + 3,
                       crossed = (i & 8) != 0 ? i - 8 : i;
        return ((group + 3) * 32 + up) * 1024 + down * 32 + crossed;
    });
    check_result("lanes of a flat block", lanes_of_a_flat_block, dim3(4, 8, 2), [](unsigned i) { return i / 32 * 32; });
    check_result("a barrier in a uniform branch", barrier_in_a_uniform_branch, 64, same);
    check_result("atomics, then reads", atomics_then_reads, 64, [](unsigned) { return 128u + 1000 + 63 + 32; });
    check_result(
        "dynamic shared memory by other names", names_it_otherwise, 64, [](unsigned i) { return 63 - i + 1; },
        64 * sizeof(double));
    check_result("in a template", names_it_in_a_template<1>, 64, reversed, 64 * sizeof(float));
    check_result(
        "in another", names_it_in_a_template<2>, 64, [](unsigned i) { return 2 * (63 - i); }, 64 * 4);
    check_result("vocabulary", vocabulary, 64, [](unsigned) { return 3u + 5 + 39 + 2 + 1 + 2 + 12 + 16; });
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
            found = found || (line.find("legal_test.cu:") != std::string::npos && number >= line_of_loop &&
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

__global__ void races(unsigned* out) { out[0] = threadIdx.x; }

TEST_CASE("a second host thread gets a sentence while a launch runs, and its turn afterwards") {
    const gpu::RunScope scope({.checked = false});
    const gpu::Buffer<unsigned> out(64, "out");
    gpu::launch(starts_a_host_thread, 1, 64, 0, out.data());
    CHECK(second_thread_got.find("two host threads use gpu:: at the same time") == 0);
    std::vector<std::string> errors(8);
    for (std::string& error : errors)  // one after the other: CUDA, and the CPU run, do not mind
        std::thread([&] {
            error = std::string(error_on(neighbours_bytes, out).what()) + error_on(races, out).what();
        }).join();
    for (const std::string& error : errors) CHECK(error.starts_with("no errorraces: data race on out[0]"));
}

TEST_CASE("two host threads at once get what one gets, or the sentence") {
    const auto work = [](int& wrong) {
        for (int i = 0; i < 200; ++i) try {
                const gpu::Buffer<unsigned> out(64, "out");
                gpu::launch(neighbours_bytes, 1, 64, 0, out.data());
                wrong += content(out)[0] != 63;
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
