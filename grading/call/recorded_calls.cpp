#include "recorded_calls.hpp"

#include <utility>

namespace linattn::testing {

std::size_t size_of(const Parts& parts) {
    std::size_t size = 0;
    for (const Part& part : parts)
        if (const auto* tensor = std::get_if<Tensor>(&part.value)) size += tensor->size();
    return size;
}

std::vector<RecordedCall>& recorded_calls() {
    static std::vector<RecordedCall> calls;
    return calls;
}

void record(RecordedCall call) {
    Parts& parts = call.call.outcome.parts;
    call.stored_something = any_number(parts, [](double x) { return x != 0.0; });
    if (call.came == Came::right && size_of(parts) > most_numbers) parts.clear();
    recorded_calls().push_back(std::move(call));
}

}  // namespace linattn::testing
