#include "kernel_claims.hpp"

#include <algorithm>
#include <bit>

#include "double_precision.hpp"
#include "gpu/launch_counts.hpp"

namespace linattn {

testing::Parts parts_of(const Array& array) {
    Tensor x = testing::tensor_of(array.values, array.shape);
    return {{"", x, true}};
}

std::string describe(const Sizes& sizes) {
    return "(" + std::to_string(sizes.heads) + (sizes.heads == 1 ? " head, n = " : " heads, n = ") +
           std::to_string(sizes.n) + ", d_k = " + std::to_string(sizes.d_k) + ", d_v = " + std::to_string(sizes.d_v) +
           ")";
}

}  // namespace linattn

namespace linattn::testing {

std::vector<float> rounded(const Tensor& x) {
    std::vector<float> values(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) values[i] = static_cast<float>(x.data()[i]);
    return values;
}

Tensor tensor_of(Values values, const Shape& shape) {
    Tensor x = zeros(shape);
    if (x.size() != values.size()) throw std::logic_error("an Array's shape does not fit its values");
    for (std::size_t i = 0; i < values.size(); ++i) {
        const bool unwritten = std::bit_cast<std::uint32_t>(values[i]) == 0xFFFFFFFF;  // as a gpu::Buffer starts out
        x.data()[i] = unwritten ? std::bit_cast<double>(0x7FF8'5EED'0000'0000) : static_cast<double>(values[i]);
    }
    return x;
}

Array array_of(const Tensor& x) { return {shape_of(x), rounded(x)}; }

std::vector<gpu::RunOptions> every_order(bool checked) {
    std::vector<gpu::RunOptions> runs;
    for (const auto order :
         {gpu::RunOptions::Order::forward, gpu::RunOptions::Order::reverse, gpu::RunOptions::Order::shuffled})
        runs.push_back({order, 7, checked, false});
    return runs;
}

Call<Array> placed(Call<Array> call, const Sizes& sizes, int chunk) {
    call.placed_by([sizes, chunk](std::size_t entry) {
        const int row = static_cast<int>(entry) / sizes.d_v, token = row % sizes.n;
        return "of head " + std::to_string(row / sizes.n) + ", chunk " + std::to_string(token / chunk) + ", row " +
               std::to_string(token % chunk) + " of the chunk";
    });
    return call;
}

void computes_in_float(const Call<Array>& call, const void* kernel) {
    call.result();
    if (active_mistake() != nullptr) return;  // which is no kernel
    const std::size_t found = double_operations_in(kernel);
    call.satisfies(found == 0,
                   "the kernel has " + std::to_string(found) +
                       " instructions that compute in double, and none is expected: a GPU has few units for "
                       "double; declare sums as float, write 0.5f for 0.5");
}

void spreads_its_work(const std::function<Call<Array>(int chunk, const gpu::RunOptions& run)>& run,
                      const std::string& shared, std::size_t barriers_of_a_chunk) {
    const Call<Array> call = run(64, quick);
    call.result();
    const gpu::LaunchCounts in_chunks_of_64 = gpu::launch_counts;
    if (in_chunks_of_64.accesses.empty()) return;  // a GPU does not count
    const std::size_t threads = in_chunks_of_64.accesses.size(),
                      most = *std::ranges::max_element(in_chunks_of_64.accesses);
    const auto busy = static_cast<std::size_t>(
        std::ranges::count_if(in_chunks_of_64.accesses, [&](std::size_t accesses) { return accesses >= most / 8; }));
    call.satisfies(busy > threads / 4, "the busiest thread made " + std::to_string(most) + " accesses to memory, and " +
                                           std::to_string(busy) + " of " + std::to_string(threads) +
                                           " threads made an eighth of that or more: share the work among all threads "
                                           "of the block; more than " +
                                           std::to_string(threads / 4) + " such threads are expected");
    const std::size_t chunks = 3, allowed = barriers_of_a_chunk * chunks + 8;
    call.satisfies(in_chunks_of_64.barriers >= chunks && in_chunks_of_64.barriers <= allowed,
                   "n = 130 in chunks of 64 took " + std::to_string(in_chunks_of_64.barriers) +
                       " barriers; from one a chunk to " + std::to_string(barriers_of_a_chunk) + " a chunk, " +
                       std::to_string(chunks) + " to " + std::to_string(allowed) +
                       ", are expected: the threads of a block share " + shared +
                       ", and a chunk of tokens goes through each step at once");
    const Call<Array> smaller = run(16, unwatched);
    smaller.result();
    smaller.satisfies(gpu::launch_counts.barriers > in_chunks_of_64.barriers,
                      "n = 130 took " + std::to_string(gpu::launch_counts.barriers) + " barriers in chunks of 16 and " +
                          std::to_string(in_chunks_of_64.barriers) +
                          " in chunks of 64: three times as many chunks take " +
                          "more of them; is the sequence cut by something else than `chunk`?");
}

std::string depends_on_order() {
    const std::string atomic = gpu::launch_counts.float_atomic ? gpu::launch_counts.float_atomic() : "";
    return "the order in which threads take turns changes the result" +
           (atomic.empty() ? ""
                           : "\natomicAdd adds to " + atomic +
                                 " in that order, and each order rounds in another way: let one thread own each sum");
}

}  // namespace linattn::testing
