// class: remembered answers
// A batch that ignores its seed and takes the time instead: no two calls agree, unlike what the seed promises.
// expects: lab08 copy_batch=fail|crash, *=todo
#include <ctime>

#include "random.hpp"
#include "training.hpp"

namespace linattn {
Batch copy_batch(std::size_t batch, std::size_t length, std::size_t, std::uint64_t) {
    const auto now = static_cast<double>(std::clock() % 7);
    Batch result;
    result.ids = full({batch, 2 * length}, now);
    result.targets = full({batch, 2 * length}, now);
    result.counts = ones({batch, 2 * length});
    return result;
}
}
