// What the CPU run says of faults in shared memory that look like another fault: arrays that overlap, indices that are
// exchanged, sums that begin with nothing, arrays that are too short.
#include "gpu/launch_counts.hpp"
#include "kernel_runs.hpp"

namespace {

using gpu::Fault;

constexpr int rows = 6, columns = 9;  // of what a kernel calls S; for the tall one, the other way round

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

struct Outcome {
    gpu::Symptom symptom;  // Fault::not_written: none
    std::string text;
    bool says(const std::string& words) const { return text.find(words) != std::string::npos; }
};

Outcome run(void (*kernel)(float*), gpu::RunOptions::Order order = gpu::RunOptions::Order::forward,
            dim3 grid = dim3(1)) {
    const gpu::Buffer<float> x(std::vector<float>(256, 1.5f), "x");
    const gpu::Error error = error_of(kernel, x.data(), {order, 3, true, false}, grid, 64, 4096);
    return {error.symptoms().front(), error.what()};
}

const gpu::RunOptions::Order orders[] = {gpu::RunOptions::Order::forward, gpu::RunOptions::Order::reverse,
                                         gpu::RunOptions::Order::shuffled};

void check_symptom(void (*kernel)(float*), const gpu::Symptom& symptom) {
    for (const auto order : orders) CHECK(run(kernel, order).symptom == symptom);
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
__global__ void lets_arrays_overlap(float* x) {
    extern __shared__ float own_memory[];
    float *a = own_memory, *b = own_memory + 32;
    a[threadIdx.x] = x[threadIdx.x];
    b[threadIdx.x] = x[threadIdx.x + 64];
    __syncthreads();
    x[threadIdx.x] = a[63 - threadIdx.x] + b[threadIdx.x];
}
__global__ void begins_two_arrays_at_one_place(float* x) {
    extern __shared__ float own_memory[];
    float *a = own_memory, *b = own_memory;
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

TEST_CASE("two shared arrays at one address are no missing barrier") {
    for (const auto kernel :
         {uses_its_own_array_beside_shared_memory, lets_arrays_overlap, keeps_two_things_in_one_array})
        check_symptom(kernel, {Fault::two_arrays_at_one_address});
    for (const auto order : orders) {
        CHECK(run(begins_two_arrays_at_one_place, order).text == "no error");  // a GPU runs it without a fault
        CHECK(gpu::launch_counts.remarks().at(0).find("overwrites what") != std::string::npos);
    }
    CHECK(run(uses_its_own_array_beside_shared_memory).says("[0] is first[0]"));
}
TEST_CASE("who replaces what others read, and has read it only as they do, may mean another array") {
    check_symptom(keeps_sums_where_their_terms_lie<8>, {Fault::two_arrays_at_one_address});
    check_symptom(keeps_sums_where_their_terms_lie<16>, {Fault::race_read_then_replaced});
    check_symptom(updates_what_others_read, {Fault::race_read_then_write, "z"});
    check_symptom(loads_again_what_it_has_changed, {Fault::race_read_then_write, "row"});
}

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
    for (const auto order : orders) {
        CHECK(run(clears_before_it_stores, order).text == "no error");
        CHECK(gpu::launch_counts.remarks().empty());
        CHECK(run(uses_its_own_array_alone, order).text == "no error");
    }
}

// Indices that are exchanged ------------------------------------------------------------------------------------------

__global__ void exchanges_in_a_wide_one(float* x) {
    gpu::SharedMemory shared;
    const Tile S = Tile::take(shared, rows, columns, "S");
    for (int e = threadIdx.x; e < rows * columns; e += blockDim.x) S(e % columns, e / columns) = x[e];
    __syncthreads();
    x[threadIdx.x] = S(threadIdx.x % rows, threadIdx.x % columns);
}
__global__ void exchanges_in_a_tall_one(float* x) {
    gpu::SharedMemory shared;
    const Tile S = Tile::take(shared, columns, rows, "S");
    for (int e = threadIdx.x; e < rows * columns; e += blockDim.x) S(e % rows, e / rows) = x[e];
    __syncthreads();
    x[threadIdx.x] = S(threadIdx.x % columns, threadIdx.x % rows);
}
__global__ void exchanges_while_it_reads(float* x) {
    gpu::SharedMemory shared;
    const Tile S = Tile::take(shared, rows, columns, "S");
    for (int e = threadIdx.x; e < rows * columns; e += blockDim.x) S(e / columns, e % columns) = x[e];
    __syncthreads();
    float sum = 0.0f;
    for (int a = 0; a < rows; ++a) sum += S(threadIdx.x % columns, a);
    x[threadIdx.x] = sum;
}
__global__ void reads_above_the_diagonal(float* x) {
    gpu::SharedMemory shared;
    const Tile A = Tile::take(shared, rows, rows, "A");
    for (int e = threadIdx.x; e < rows * rows; e += blockDim.x)
        if (e % rows <= e / rows) A(e / rows, e % rows) = x[e];
    __syncthreads();
    if (threadIdx.x < 2) x[threadIdx.x] = A(threadIdx.x, 1);
}
__global__ void goes_a_row_too_far(float* x) {
    gpu::SharedMemory shared;
    const Tile S = Tile::take(shared, rows, columns, "S");
    for (int e = threadIdx.x; e <= rows * columns; e += blockDim.x) S(e / columns, e % columns) = x[e];
}

TEST_CASE("exchanged indices are no wrong limit of a loop") {
    for (const auto kernel : {exchanges_in_a_wide_one, exchanges_in_a_tall_one, exchanges_while_it_reads})
        check_symptom(kernel, {Fault::exchanged_indices});
    CHECK(run(exchanges_in_a_wide_one).says("S(6, 0) is no entry: S ends with row 5"));
    CHECK(run(exchanges_in_a_tall_one).says("is no entry: a row of S ends with column 5"));
    CHECK(run(reads_above_the_diagonal).says("A(0, 1) is read, but nothing has written it"));
    CHECK(run(reads_above_the_diagonal).says("A(1, 0) has been written: are the two indices exchanged"));
    CHECK(run(goes_a_row_too_far).symptom == gpu::Symptom{Fault::written_outside, "S"});
}

// Sums that begin with nothing ----------------------------------------------------------------------------------------

__global__ void adds_to_nothing(float* x) {
    gpu::SharedMemory shared;
    const Tile A = Tile::take(shared, rows, rows, "A");
    if (threadIdx.x < rows)
        for (int i = 0; i < 3; ++i) A(threadIdx.x, 2) += x[i];
}
__global__ void adds_atomically_to_nothing(float* x) {
    __shared__ float total;
    atomicAdd(&total, x[threadIdx.x]);
}
__global__ void reads_nothing(float* x) {
    __shared__ float row[8];
    if (threadIdx.x < 4) row[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = row[threadIdx.x % 8];
}
TEST_CASE("what is added to memory that nobody wrote is told from what is only read") {
    CHECK(run(adds_to_nothing).symptom == gpu::Symptom{Fault::added_to_unwritten, "A"});
    CHECK(run(adds_to_nothing).says("A(0, 2) is read, but nothing has written it in this block yet"));
    CHECK(run(adds_to_nothing).says("set it to 0 first"));
    CHECK(run(adds_atomically_to_nothing).symptom == gpu::Symptom{Fault::added_to_unwritten, "total"});
    CHECK(run(reads_nothing).symptom == gpu::Symptom{Fault::unwritten, "row"});
    CHECK_FALSE(run(reads_nothing).says("set it to 0 first"));
}

// Arrays that are too short -------------------------------------------------------------------------------------------

[[maybe_unused]] __global__ void has_too_short_an_array(float* x) {
    __shared__ float norms[33];
    norms[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = norms[63 - threadIdx.x];
}
__global__ void has_too_short_an_array_behind_a_pointer(float* x) {
    __shared__ float parts[17];
    float* volatile behind = parts;
    behind[16 + threadIdx.x * 4096] = x[threadIdx.x];
}
TEST_CASE("an array of a fixed length is named with its length") {
#ifndef __clang__  // does not say so; see gpu.hpp
    CHECK(run(has_too_short_an_array).symptom == gpu::Symptom{Fault::beyond_a_fixed_length});
    CHECK(run(has_too_short_an_array).says("index 33 is outside of the __shared__ array 'norms', float [33]"));
#endif
    CHECK(run(has_too_short_an_array_behind_a_pointer).symptom == gpu::Symptom{Fault::beyond_a_fixed_length});
    CHECK(run(has_too_short_an_array_behind_a_pointer).says("'parts' (68 bytes)"));
}

// Who, and in which order ---------------------------------------------------------------------------------------------

__global__ void forgets_blockIdx_y(float* x) { x[blockIdx.x * 64 + threadIdx.x] = 1.0f; }
__global__ void overlaps_with_the_next_block(float* x) { x[blockIdx.x * 32 + threadIdx.x] = 1.0f; }
__global__ void adds_in_any_order(float* x) {
    if (threadIdx.x > 0) atomicAdd(x, x[threadIdx.x]);
}
__global__ void writes_its_number(float* x) { x[63 - threadIdx.x] = static_cast<float>(threadIdx.x); }

TEST_CASE("a launch tells which index is left out, who wrote an entry, and where floats are added in any order") {
    CHECK(run(forgets_blockIdx_y, orders[0], dim3(2, 2)).says("the two differ in blockIdx.y alone"));
    CHECK_FALSE(run(forgets_blockIdx_y, orders[0], dim3(2, 1)).says("differ"));
    CHECK(run(overlaps_with_the_next_block, orders[0], dim3(2)).symptom ==
          gpu::Symptom{Fault::race_between_blocks, "x"});
    CHECK_FALSE(run(overlaps_with_the_next_block, orders[0], dim3(2)).says("differ"));
    run(adds_in_any_order);
    CHECK(gpu::launch_counts.float_atomic().starts_with("x[0] at gpu/shared_memory_test.cu:"));
    run(writes_its_number);
    CHECK(gpu::launch_counts.float_atomic() == "");
    CHECK(gpu::launch_counts.writer_of("x", 3).starts_with(
        "thread (60,0,0) of block (0,0,0) at gpu/shared_memory_test.cu:"));
}

// What accesses cost --------------------------------------------------------------------------------------------------

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
        CHECK(cost.line.starts_with("gpu/shared_memory_test.cu:"));
        CHECK(cost.requests == (cost.shared ? 32 : 2));
        CHECK(cost.fewest == (cost.shared ? 32 : 8));  // 128 bytes are 4 sectors
        CHECK(cost.cost == (cost.array == "wide" ? 32 * 32 : cost.array == "narrow" ? 32 : 64));
    }
    CHECK(found == 3);
    CHECK(gpu::launch_counts.blocks == 2);
    CHECK(gpu::launch_counts.threads == 64);
}

}  // namespace
