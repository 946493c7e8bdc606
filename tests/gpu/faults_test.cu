// What the CPU run says of kernels that break a rule of CUDA: one message with the fault, the array, the thread and the line.
#include <vector>

#include "gpu/launch_counts.hpp"
#include "kernel_runs.hpp"

namespace {

using gpu::Fault, gpu::Symptom;

constexpr int few = 6, many = 9;  // rows or columns

struct Tile {
    float* entries;
    int width;
    __device__ float& operator()(int row, int column) const {
        return entries[gpu::row_major(entries, row, column, width, width + 1)];
    }
    __device__ static Tile take(gpu::SharedMemory& shared, int height, int width, const char* name) {
        return {shared.take<float>(static_cast<std::size_t>(height) * (width + 1), name, width + 1), width};
    }
};

// Addresses that a kernel may not use: x has 256 entries, a block 64 threads and 4096 bytes of dynamic shared memory ----

__global__ void writes_past_the_end(float* x) { FAULT x[threadIdx.x + 193] = 0.0f; }
__global__ void reads_before_the_beginning(float* x) {
    FAULT if (x[static_cast<int>(threadIdx.x) - 1] > 0.0f) x[0] = 0.0f;
}
__global__ void reads_far_away(float* x) { FAULT if (x[threadIdx.x + 100000] > 0.0f) x[0] = 1.0f; }
__global__ void uses_null(float* x) { FAULT if (x != nullptr || threadIdx.x == 0)* x = 1.0f; }
__global__ void overflows_its_stack(float* x) {
    volatile float large[40000];
    for (int i = 40000; i-- > 0;) large[i] = x[0];
    x[0] = large[7];
}
__global__ void makes_host_memory(float* x) {
    std::vector<float> own(8, 1.0f);
    FAULT x[threadIdx.x] = own[threadIdx.x % 8];
}
[[maybe_unused]] __global__ void reads_misaligned(float* x) {
    FAULT const float4 four = *reinterpret_cast<const float4*>(x + 1);
    x[0] = four.x;
}
__global__ void takes_too_much(float* x) {
    gpu::SharedMemory shared;
    shared.take<float>(1008, "first");
    FAULT float* second = shared.take<float>(17, "second");
    x[threadIdx.x] = second[0];
}
__global__ void overruns_a_shared_array(float* x) {
    gpu::SharedMemory shared;
    float* first = shared.take<float>(16, "first");
    shared.take<float>(16, "second");
    if (threadIdx.x <= 16) {
        FAULT first[threadIdx.x] = x[threadIdx.x];
    }
}
[[maybe_unused]] __global__ void has_too_short_an_array(float* x) {
    __shared__ float norms[33];
    norms[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = norms[63 - threadIdx.x];
}
__global__ void has_too_short_an_array_behind_a_pointer(float* x) {
    __shared__ float parts[17];
    float* volatile behind = parts;
    behind[16 + threadIdx.x * 16384] = x[threadIdx.x];  // past all shared arrays of the program
}

// Threads that do not come to the same place --------------------------------------------------------------------------

__global__ void waits_in_a_branch(float* x) {
    if (threadIdx.x < 32) {
        FAULT __syncthreads();
    } else {
        __syncthreads();
    }
    x[threadIdx.x] = 1.0f;
}
__global__ void returns_early(float* x) {
    if (threadIdx.x >= 32) return;
    FAULT __syncthreads();
    x[threadIdx.x] = 1.0f;
}
__global__ void forgets_lanes(float* x) {
    if (threadIdx.x < 16) {
        FAULT x[threadIdx.x] = __shfl_xor_sync(0xffffffffu, x[threadIdx.x], 1);
    }
    __syncthreads();  // where the other lanes wait: they have not returned
}
__global__ void leaves_itself_out(float* x) { FAULT x[threadIdx.x] = __shfl_sync(0x1u, x[threadIdx.x], 0); }
__global__ void reads_an_exited_lane(float* x) {
    if (threadIdx.x >= 16) return;
    FAULT x[threadIdx.x] = __shfl_down_sync(~0u, x[threadIdx.x], 16);
}
__global__ void shuffles_with_an_odd_width(float* x) { FAULT x[threadIdx.x] = __shfl_sync(~0u, 1.0f, 0, 12); }

// Accesses that nothing orders ----------------------------------------------------------------------------------------

__global__ void races(float* x) {
    __shared__ float shared[64];
    shared[threadIdx.x] = x[threadIdx.x];
    FAULT x[threadIdx.x] = shared[63 - threadIdx.x];
}
__global__ void overwrites_what_others_read(float* x) {
    __shared__ float TABLE[64];
    TABLE[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    const float other = TABLE[63 - threadIdx.x];
    FAULT TABLE[threadIdx.x] = other;
}
__global__ void writes_over_zeros(float* x) {
    __shared__ float TABLE[64];
    TABLE[threadIdx.x] = 0.0f;
    FAULT TABLE[63 - threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = TABLE[threadIdx.x];
}
__global__ void shares_an_entry(float* x) {
    __shared__ float sum;
    if (threadIdx.x == 0) sum = 0.0f;
    __syncthreads();
    FAULT sum += x[threadIdx.x];
    x[threadIdx.x] = 0.0f;
}
__global__ void solves_row_by_row(float* x) {
    __shared__ float rows[64];
    rows[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    for (unsigned j = 0; j < 8; ++j)
        if (threadIdx.x > j) {
            FAULT rows[threadIdx.x] -= rows[j];
        }
    x[threadIdx.x] = rows[threadIdx.x];
}
__global__ void races_between_blocks(float* x) { FAULT x[threadIdx.x] = 1.0f; }
__global__ void forgets_blockIdx_y(float* x) { FAULT x[blockIdx.x * 64 + threadIdx.x] = 1.0f; }
__global__ void overlaps_with_the_next_block(float* x) { FAULT x[blockIdx.x * 32 + threadIdx.x] = 1.0f; }
__global__ void lacks_syncwarp(float* x) {
    __shared__ float shared[64];
    shared[threadIdx.x] = x[threadIdx.x];
    __shfl_sync(0xffffffffu, 0, 0);  // orders lanes, not memory
    FAULT x[threadIdx.x] = shared[threadIdx.x ^ 1];
}
__global__ void races_on_bytes(float* x) {
    __shared__ unsigned char bytes[64];
    bytes[threadIdx.x] = 1;
    FAULT x[threadIdx.x] = bytes[threadIdx.x ^ 1];
}
__global__ void races_on_a_byte_of_a_word(float* x) {
    __shared__ unsigned words[64];
    reinterpret_cast<volatile unsigned char*>(words)[4 * threadIdx.x + 2] = 1;
    FAULT x[threadIdx.x] = static_cast<float>(words[63 - threadIdx.x]);
}
[[maybe_unused]] __global__ void races_by_memcpy(float* x) {
    __shared__ float words[64];
    words[threadIdx.x] = 1.0f;
    FAULT memcpy(x + threadIdx.x, words + (63 - threadIdx.x), 4);
}

// Two arrays at one address -------------------------------------------------------------------------------------------

__global__ void uses_its_own_array_beside_shared_memory(float* x) {
    gpu::SharedMemory shared;
    float* first = shared.take<float>(64, "first");
    extern __shared__ float own_memory[];
    own_memory[threadIdx.x] = x[threadIdx.x];
    first[threadIdx.x] = 2.0f;
    __syncthreads();
    x[threadIdx.x] = own_memory[63 - threadIdx.x] + first[threadIdx.x];
}
template <int Offset>
__global__ void lets_arrays_overlap(float* x) {
    extern __shared__ float own_memory[];
    float *a = own_memory, *b = own_memory + Offset;
    a[threadIdx.x] = x[threadIdx.x];
    b[threadIdx.x] = x[threadIdx.x + 64];
    __syncthreads();
    x[threadIdx.x] = a[63 - threadIdx.x] + b[threadIdx.x];
}
__global__ void keeps_two_things_in_one_array(float* x) {
    gpu::SharedMemory shared;
    float* sums = shared.take<float>(64, "sums");
    sums[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    float total = 0.0f;
    for (int i = 1; i < 64; ++i) total += sums[(threadIdx.x + i) % 64];
    if (threadIdx.x < 16) sums[threadIdx.x] = total;
    __syncthreads();
    x[threadIdx.x] = sums[threadIdx.x % 16];
}
template <unsigned Sums>  // of 16 numbers
__global__ void keeps_sums_where_their_terms_lie(float* x) {
    gpu::SharedMemory shared;
    float* z = shared.take<float>(16, "z");
    if (threadIdx.x < 16) z[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < Sums) {
        float sum = 1.0f;
        for (int i = 0; i < 16; ++i) sum += z[i];
        z[threadIdx.x] = sum;
    }
    __syncthreads();
    x[threadIdx.x] = z[threadIdx.x % 16];
}
__global__ void updates_what_others_read(float* x) {
    gpu::SharedMemory shared;
    float* z = shared.take<float>(16, "z");
    if (threadIdx.x < 16) z[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    float sum = 0.0f;
    for (int i = 0; i < 16; ++i) sum += z[i];
    x[threadIdx.x] = sum;
    if (threadIdx.x >= 16) return;
    const float before = z[threadIdx.x];
    z[threadIdx.x] = before + 1.0f;
}
__global__ void loads_again_what_it_has_changed(float* x) {
    __shared__ float row[64];
    for (int turn = 0; turn < 2; ++turn) {
        row[threadIdx.x] = x[turn * 64 + threadIdx.x];
        __syncthreads();
        row[threadIdx.x] *= 2.0f;
        __syncthreads();
        x[turn * 64 + threadIdx.x] = row[63 - threadIdx.x];
    }
}

// Entries that have no value, or are not those that were meant --------------------------------------------------------

__global__ void reads_unwritten(float* x) {
    __shared__ float shared[64];
    if (threadIdx.x < 32) shared[threadIdx.x] = 1.0f;
    __syncthreads();
    FAULT x[threadIdx.x] = shared[threadIdx.x];
}
__global__ void adds_to_nothing(float* x) {
    gpu::SharedMemory shared;
    const Tile A = Tile::take(shared, few, few, "A");
    if (threadIdx.x < few)
        for (int i = 0; i < 3; ++i) A(threadIdx.x, 2) += x[i];
}
__global__ void adds_atomically_to_nothing(float* x) {
    __shared__ float total;
    atomicAdd(&total, x[threadIdx.x]);
}
template <int Height, int Width>
__global__ void exchanges_indices(float* x) {
    gpu::SharedMemory shared;
    const Tile S = Tile::take(shared, Height, Width, "S");
    for (int e = threadIdx.x; e < Height * Width; e += blockDim.x) S(e % Width, e / Width) = x[e];
    __syncthreads();
    x[threadIdx.x] = S(threadIdx.x % Height, threadIdx.x % Width);
}
__global__ void exchanges_while_it_reads(float* x) {
    gpu::SharedMemory shared;
    const Tile S = Tile::take(shared, few, many, "S");
    for (int e = threadIdx.x; e < few * many; e += blockDim.x) S(e / many, e % many) = x[e];
    __syncthreads();
    float sum = 0.0f;
    for (int a = 0; a < few; ++a) sum += S(threadIdx.x % many, a);
    x[threadIdx.x] = sum;
}
__global__ void reads_above_the_diagonal(float* x) {
    gpu::SharedMemory shared;
    const Tile A = Tile::take(shared, few, few, "A");
    for (int e = threadIdx.x; e < few * few; e += blockDim.x)
        if (e % few <= e / few) A(e / few, e % few) = x[e];
    __syncthreads();
    if (threadIdx.x < 2) x[threadIdx.x] = A(threadIdx.x, 1);
}
__global__ void goes_a_row_too_far(float* x) {
    gpu::SharedMemory shared;
    const Tile S = Tile::take(shared, few, many, "S");
    for (int e = threadIdx.x; e <= few * many; e += blockDim.x) S(e / many, e % many) = x[e];
}

gpu::Error error_on_x(void (*kernel)(float*), const gpu::RunOptions& run = {}, dim3 grid = 1) {
    const gpu::Buffer<float> x(std::vector<float>(256, 1.5f), "x");
    line_of_fault = 0;
    return error_of(kernel, x.data(), run, grid, 64, 4096);
}

bool has(const gpu::Error& error, const std::string& words) {
    return std::string(error.what()).find(words) != std::string::npos;
}

struct Faulty {
    void (*kernel)(float*);
    Symptom symptom;
    std::vector<const char*> words = {};  // of the message, when threads take turns forward
    bool seen_unchecked = false;
    dim3 grid = 1;
};

const Faulty faults[] = {
    {writes_past_the_end, {Fault::written_outside, "x"}, {}, true},
    {reads_before_the_beginning, {Fault::read_outside, "x"}},
    {reads_far_away, {Fault::read_outside, "x"}},
    {overflows_its_stack, {Fault::stack_overflow}, {"block ("}, true},
    {makes_host_memory, {Fault::host_memory}, {"std::vector"}},
    {takes_too_much, {Fault::shared_memory_too_small}, {}, true},
    {overruns_a_shared_array, {Fault::written_outside, "first"}, {}, true},
    {waits_in_a_branch, {Fault::different_barriers}, {}, true},
    {returns_early, {Fault::returned_before_a_barrier}, {}, true},
    {forgets_lanes, {Fault::warp_operation}, {}, true},
    {leaves_itself_out, {Fault::warp_operation}, {}, true},
    {reads_an_exited_lane, {Fault::warp_operation}, {"a shuffle reads lane 16, which does not take part"}, true},
    {shuffles_with_an_odd_width, {Fault::warp_operation}, {"width is 1, 2, 4, 8, 16 or 32, not 12"}, true},
    {races, {Fault::race_write_then_read, "shared"}},
    {overwrites_what_others_read, {Fault::race_read_then_replaced}},
    {writes_over_zeros, {Fault::race_write_then_write, "TABLE"}},
    {shares_an_entry, {Fault::race_on_one_line, "sum"}},
    {solves_row_by_row, {Fault::race_between_rounds, "rows"}},
    {races_between_blocks, {Fault::race_between_blocks, "x"}, {}, false, 2},
    {forgets_blockIdx_y, {Fault::race_between_blocks, "x"}, {"the two differ in blockIdx.y alone"}, false, dim3(2, 2)},
    {overlaps_with_the_next_block, {Fault::race_between_blocks, "x"}, {}, false, 2},
    {lacks_syncwarp, {Fault::race_write_then_read, "shared"}},
    {races_on_bytes, {Fault::race_write_then_read, "bytes"}, {"data race on bytes[1]"}},
    {races_on_a_byte_of_a_word, {Fault::race_write_then_read, "words"}, {"data race on words"}},
    {uses_its_own_array_beside_shared_memory, {Fault::two_arrays_at_one_address}, {"[0] is first[0]"}},
    {lets_arrays_overlap<32>, {Fault::two_arrays_at_one_address}},
    {keeps_two_things_in_one_array, {Fault::two_arrays_at_one_address}},
    {keeps_sums_where_their_terms_lie<8>, {Fault::two_arrays_at_one_address}},
    {keeps_sums_where_their_terms_lie<16>, {Fault::race_read_then_replaced}},
    {updates_what_others_read, {Fault::race_read_then_write, "z"}},
    {loads_again_what_it_has_changed, {Fault::race_read_then_write, "row"}},
    {reads_unwritten, {Fault::unwritten, "shared"}},
    {adds_to_nothing,
     {Fault::added_to_unwritten, "A"},
     {"A(0, 2) is read, but nothing has written it in this block yet", "set it to 0 first"}},
    {adds_atomically_to_nothing, {Fault::added_to_unwritten, "total"}},
    {exchanges_indices<few, many>, {Fault::exchanged_indices}, {"S(6, 0) is no entry: S ends with row 5"}},
    {exchanges_indices<many, few>, {Fault::exchanged_indices}, {"is no entry: a row of S ends with column 5"}},
    {exchanges_while_it_reads, {Fault::exchanged_indices}},
    {reads_above_the_diagonal,
     {Fault::unwritten, "A"},
     {"A(0, 1) is read, but nothing has written it", "A(1, 0) has been written: are the two indices exchanged"}},
#ifndef __clang__  // splits the access, and says nothing of an index; see gpu.hpp
    {reads_misaligned, {Fault::misaligned, "x"}},
    {has_too_short_an_array,
     {Fault::beyond_a_fixed_length},
     {"index 33 is outside of the __shared__ array 'norms', float [33]"}},
#endif
#ifndef GPU_MEMCPY_IS_UNSEEN
    {races_by_memcpy, {Fault::race_write_then_read, "words"}, {"data race on words"}},
#endif
};

TEST_CASE("every fault ends in one message with the kernel's thread, the array and the line") {
    for (const Faulty& fault : faults)
        for (const gpu::RunOptions& run : all_runs()) {
            if (!run.checked && !fault.seen_unchecked) continue;
            const gpu::Error error = error_on_x(fault.kernel, run, fault.grid);
            CAPTURE(run.name());
            const std::string text = error.what();
            CAPTURE(text);
            REQUIRE(!error.symptoms().empty());
            CHECK(error.symptoms().front() == fault.symptom);
            const bool found_later =
                !run.checked && fault.kernel == overruns_a_shared_array;  // when the block has ended
            if (line_of_fault != 0) CHECK(has(error, "block ("));
            if (line_of_fault != 0 && !found_later)
                CHECK(has(error, "faults_test.cu:" + std::to_string(line_of_fault)));
            for (const char* words : fault.words)
                if (run.order == gpu::RunOptions::Order::forward) CHECK(has(error, words));
        }
}

TEST_CASE("what an instruction has touched before tells which array and which index it means") {
    CHECK(error_on_x(goes_a_row_too_far).symptoms().front() == Symptom{Fault::written_outside, "S"});
    const gpu::Buffer<float> x(64, "x");
    const gpu::Error error = error_of(has_too_short_an_array_behind_a_pointer, x.data(), {}, 1, 64, 0);
    CHECK(error.symptoms().front() == Symptom{Fault::beyond_a_fixed_length});
    CHECK(has(error, "'parts' (68 bytes)"));
}

TEST_CASE("what does not apply is not said") {
    CHECK_FALSE(has(error_on_x(forgets_blockIdx_y, {}, dim3(2, 1)), "differ"));
    CHECK_FALSE(has(error_on_x(overlaps_with_the_next_block, {}, 2), "differ"));
    CHECK_FALSE(has(error_on_x(reads_unwritten), "set it to 0 first"));
}

TEST_CASE("pointers that are none of the device's") {
    std::vector<float> on_host(64, 1.0f);
    CHECK(error_of(races_between_blocks, on_host.data()).symptoms().front() == Symptom{Fault::host_memory});
    CHECK(has(error_of(uses_null, static_cast<float*>(nullptr)), "null pointer"));
}

TEST_CASE("the order decides who comes first, and nothing else does") {
    const auto words = [](const gpu::RunOptions& run) { return std::string(error_on_x(races, run).what()); };
    for (const gpu::RunOptions& run : all_runs())
        if (run.checked) CHECK(words(run) == words(run));
    CHECK(words({gpu::RunOptions::Order::forward}) != words({gpu::RunOptions::Order::reverse}));
}

TEST_CASE("a launch that CUDA would refuse is refused") {
    const gpu::Buffer<float> x(64, "x");
    CHECK_THROWS_AS(gpu::launch(races_between_blocks, 0, 64, 0, x.data()), gpu::Error);
    CHECK_THROWS_AS(gpu::launch(races_between_blocks, 1, 1025, 0, x.data()), gpu::Error);
    CHECK_THROWS_AS(gpu::launch(races_between_blocks, 1, 64, 228 * 1024, x.data()), gpu::Error);
    CHECK_THROWS_AS(gpu::launch(races_between_blocks, dim3(1, 65536), 64, 0, x.data()), gpu::Error);
}

TEST_CASE("after a fault the next launch starts afresh") {
    error_on_x(returns_early);
    CHECK(error_on_x(races_between_blocks).what() == std::string("no error"));
}

// What a launch can say without a fault -------------------------------------------------------------------------------

__global__ void clears_before_it_stores(float* x) {
    __shared__ float entries[64];
    entries[threadIdx.x] = x[threadIdx.x];
    if (threadIdx.x % 2 == 0) entries[threadIdx.x] = 0.0f;  // as a mask does
    __syncthreads();
    x[threadIdx.x] = entries[63 - threadIdx.x];
}
__global__ void uses_its_own_array_alone(float* x) {
    gpu::SharedMemory shared;
    shared.take<float>(64, "first");
    shared.take<float>(64, "second");
    extern __shared__ float own_memory[];
    for (int i = threadIdx.x; i < 128; i += 64) own_memory[i] = x[i];
    __syncthreads();
    x[threadIdx.x] = own_memory[127 - threadIdx.x];
}
TEST_CASE("what is cleared is not lost, and arrays that are taken and not used are in nobody's way") {
    for (const gpu::RunOptions& run : all_runs()) {
        if (!run.checked) continue;
        CHECK(error_on_x(clears_before_it_stores, run).what() == std::string("no error"));
        CHECK(gpu::launch_counts.remarks().empty());
        CHECK(error_on_x(uses_its_own_array_alone, run).what() == std::string("no error"));
        CHECK(error_on_x(lets_arrays_overlap<0>, run).what() == std::string("no error"));  // as on a GPU
        CHECK(gpu::launch_counts.remarks().at(0).find("overwrites what") != std::string::npos);
    }
}

__global__ void adds_in_any_order(float* x) {
    if (threadIdx.x > 0) atomicAdd(x, x[threadIdx.x]);
}
__global__ void writes_its_number(float* x) { x[63 - threadIdx.x] = static_cast<float>(threadIdx.x); }
TEST_CASE("a launch tells who wrote an entry, and where floats are added in any order") {
    error_on_x(adds_in_any_order);
    CHECK(gpu::launch_counts.float_atomic().starts_with("x[0] at gpu/faults_test.cu:"));
    error_on_x(writes_its_number);
    CHECK(gpu::launch_counts.float_atomic() == "");
    CHECK(gpu::launch_counts.writer_of("x", 3).starts_with("thread (60,0,0) of block (0,0,0) at gpu/faults_test.cu:"));
}

__global__ void reads_columns(float* x) {
    __shared__ float narrow[32][33], wide[32][64];
    for (int b = threadIdx.x / 32; b < 32; b += 2) narrow[threadIdx.x % 32][b] = wide[threadIdx.x % 32][b] = 1.0f;
    __syncthreads();
    float sum = 0.0f;
    for (int b = threadIdx.x / 32; b < 32; b += 2) sum += narrow[threadIdx.x % 32][b] + wide[threadIdx.x % 32][b];
    x[(blockIdx.x * 64 + threadIdx.x) * 16] = sum;
}
TEST_CASE("a profile counts passes and sectors of all warps of the first block") {
    const gpu::RunScope scope({.checked = false, .profile = true});
    const gpu::Buffer<float> x(128 * 16, "x");
    gpu::launch(reads_columns, 2, 64, 0, x.data());
    std::size_t found = 0;
    for (const gpu::AccessCost& cost : gpu::launch_counts.profile) {
        if (cost.writes != (cost.array == "x")) continue;
        ++found;
        CAPTURE(cost.array);
        CHECK(cost.line.starts_with("gpu/faults_test.cu:"));
        CHECK(cost.requests == (cost.shared ? 32 : 2));
        CHECK(cost.fewest == (cost.shared ? 32 : 8));  // 128 bytes are 4 sectors
        CHECK(cost.cost == (cost.array == "wide" ? 32 * 32 : cost.array == "narrow" ? 32 : 64));
    }
    CHECK(found == 3);
    CHECK(gpu::launch_counts.blocks == 2);
    CHECK(gpu::launch_counts.threads == 64);
}

}  // namespace
