// What the suites of all kernels share: float32 arrays as the comparison sees them, the orders in which threads run, and
// claims about how a kernel works.
#pragma once

#include <functional>

#include "gpu/error.hpp"
#include "kernels/float_arrays.hpp"
#include "suite.hpp"

namespace linattn {

testing::Parts parts_of(const Array& array);
std::string describe(const Sizes& sizes);

}  // namespace linattn

namespace linattn::testing {

using Values = std::span<const float>;

std::vector<float> rounded(const Tensor& x);
Tensor tensor_of(Values values, const Shape& shape);
Array array_of(const Tensor& x);

/// One order for cases that are about numbers; the large ones unwatched, which is 3 times faster.
inline const gpu::RunOptions quick{gpu::RunOptions::Order::shuffled, 3, true, false};
inline const gpu::RunOptions unwatched{gpu::RunOptions::Order::shuffled, 3, false, false};

/// Forward, reverse and shuffled.
std::vector<gpu::RunOptions> every_order(bool checked);

/// In messages, an entry of an output (heads, n, d_v) lies in a chunk of a head.
Call<Array> placed(Call<Array> call, const Sizes& sizes, int chunk);

void computes_in_float(const Call<Array>& call, const void* kernel);

/// Of one head with n = 130, more than a quarter of the threads work, and they go through each step of a chunk at once. A GPU
/// does not count.
/// \param shared what the threads of a block share, for the message: "A and S"
/// \param barriers_of_a_chunk how many are allowed in chunks of 64
void spreads_its_work(const std::function<Call<Array>(int chunk, const gpu::RunOptions& run)>& run,
                      const std::string& shared, std::size_t barriers_of_a_chunk = 16);

/// What is wrong with a result that is another in another order of the threads.
std::string depends_on_order();

/// A call of `form` with each order gives the same `values_of` its result.
template <class Form, class ValuesOf>
void same_bits_in_every_order(const Form& form, const ValuesOf& values_of) {
    const std::vector<gpu::RunOptions> orders = every_order(true);
    const std::vector<float> first = values_of(form(orders.front()).result());
    for (const gpu::RunOptions& run : orders) {
        const auto call = form(run);
        const bool same = values_of(call.result()) == first;
        call.satisfies(same, same ? "" : depends_on_order());
    }
}

}  // namespace linattn::testing
