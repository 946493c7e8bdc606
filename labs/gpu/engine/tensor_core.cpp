// What the lanes of a warp do together on fragments: they meet, and each may look at what the others brought until all
// have done so.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "../launch_counts.hpp"
#include "../wmma.hpp"
#include "faults.hpp"
#include "scheduler.hpp"

namespace gpu::engine {
namespace {

constexpr unsigned rows = 16, columns = 16, depth = 8;

/// What a lane brings.
struct Part {
    const char* operation;
    const void* address;  // of an access
    unsigned stride;
    const float *a = nullptr, *b = nullptr, *c = nullptr;  // of a product
};

[[noreturn]] void refuse(const std::string& text, Site site) {
    stop({Fault::matrix_operation}, text + by_whom(text_of(site)));
}

const Part& part_of(const std::uint64_t* brought, unsigned lane) {
    return *reinterpret_cast<const Part*>(static_cast<std::uintptr_t>(brought[lane]));
}

// Every lane calls this with its own part, which stays where it is until leave().
const std::uint64_t* meet(const Part& own, Site site) {
    const unsigned present = lanes_of_warp(running.thread / lanes);
    if (present < lanes)
        refuse(std::string(own.operation) + " takes a whole warp, and this one has " + std::to_string(present) +
                   " threads: launch blocks of a multiple of 32",
               site);
    const std::uint64_t* brought = meet_for_matrix(reinterpret_cast<std::uintptr_t>(&own), site);
    for (unsigned lane = 0; lane < lanes; ++lane) {
        const Part& other = part_of(brought, lane);
        if (std::strcmp(own.operation, other.operation) != 0 || own.address != other.address ||
            own.stride != other.stride)
            refuse(std::string("all lanes of a warp have to call the same ") + own.operation +
                       " with the same pointer and stride",
                   site);
    }
    return brought;
}

void leave(Site site) { meet_for_matrix(0, site); }

bool is_tf32(float x) { return std::isnan(x) || nvcuda::wmma::__float_to_tf32(x) == x; }

// The numbers of all lanes, put together row by row.
template <unsigned Rows, unsigned Columns>
void assemble(float (&matrix)[Rows * Columns], const std::uint64_t* brought, const float* Part::*which) {
    for (unsigned lane = 0; lane < lanes; ++lane)
        for (unsigned i = 0; i < Rows * Columns / lanes; ++i)
            matrix[fragment_entry(i, lane, Rows, Columns)] = (part_of(brought, lane).*which)[i];
}

}  // namespace

unsigned fragment_entry(unsigned i, unsigned lane, unsigned fragment_rows, unsigned fragment_columns) {
    if (!RunScope::current().profile) return (i * lanes + lane) * 37 % (fragment_rows * fragment_columns);
    // PTX ISA, "Matrix fragments for mma.m16n8k8": groups of 4 lanes have a row of A and of the sums, and a column of B.
    const unsigned group = lane / 4, member = lane % 4;
    const bool is_sum = fragment_rows == fragment_columns, is_b = fragment_rows < fragment_columns;
    const unsigned row = is_sum ? group + 8 * (i / 2 % 2) : is_b ? member + 4 * (i % 2) : group + 8 * (i % 2);
    const unsigned column = is_sum ? 2 * member + i % 2 + 8 * (i / 4)
                            : is_b ? group + 8 * (i / 2)
                                   : member + 4 * (i / 2);
    return row * fragment_columns + column;
}

void meet_for_access(const char* operation, const float* address, unsigned stride, unsigned row, Site site) {
    const InEngine engine;
    if (reinterpret_cast<std::uintptr_t>(address) % 32 != 0)
        refuse(std::string(operation) + " needs a pointer that is a multiple of 32 bytes, and this one is not", site);
    if (stride % 4 != 0 || stride < row)
        refuse(std::string(operation) + " needs a stride of at least " + std::to_string(row) +
                   " numbers and a multiple of 4, not " + std::to_string(stride),
               site);
    const Part own{operation, address, stride};
    meet(own, site);
    leave(site);
}

void meet_for_product(const float* a, const float* b, const float* c, float* d, Site site) {
    const InEngine engine;
    for (unsigned i = 0; i < rows * depth / lanes; ++i)
        if (!is_tf32(a[i]) || !is_tf32(b[i]))
            refuse(
                "mma_sync multiplies numbers in TF32, and here is one with more digits: put every x[i] of both "
                "operands through wmma::__float_to_tf32 first",
                site);
    const Part own{"mma_sync", nullptr, 0, a, b, c};
    const std::uint64_t* brought = meet(own, site);
    if (lane() == 0) ++launch_counts.matrix_products;
    float A[rows * depth], B[depth * columns], sums[rows * columns / lanes];
    assemble<rows, depth>(A, brought, &Part::a);
    assemble<depth, columns>(B, brought, &Part::b);
    for (unsigned i = 0; i < rows * columns / lanes; ++i) {
        const unsigned entry = fragment_entry(i, static_cast<unsigned>(lane()), rows, columns);
        const unsigned row = entry / columns, column = entry % columns;
        sums[i] = c[i];
        for (unsigned k = 0; k < depth; ++k) sums[i] += A[row * depth + k] * B[k * columns + column];
    }
    leave(site);
    std::copy_n(sums, rows * columns / lanes, d);
}

}  // namespace gpu::engine
