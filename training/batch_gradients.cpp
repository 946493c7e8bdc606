#include "batch_gradients.hpp"

#include <algorithm>

namespace linattn {
namespace {

// All arrays of a batch and a model, in a fixed order.
std::vector<Tensor*> arrays(Batch& batch, Model& w) {
    std::vector<Tensor*> all{&batch.ids, &batch.targets, &batch.counts};
    for (Tensor* weight : parameters(w)) all.push_back(weight);
    return all;
}

// Sequences of a part: of short ones more, since then calls take longer than what they compute.
std::size_t of_a_part(std::size_t length) { return std::max(std::size_t{4}, 128 / length); }

}  // namespace

BatchGradients::BatchGradients(AttentionKind kind, const Model& w, const Batch& batch, std::size_t processes)
    : kind_(kind),
      batch_(batch),
      w_(w),
      parts_(
          arrays(batch_, w_), length(batch.ids, 0), of_a_part(length(batch.ids, 1)), 1 + numbers_in(parameters(w_)),
          [this](std::size_t begin, std::size_t end, double* result) { find_part(begin, end, result); }, processes) {}

void BatchGradients::find_part(std::size_t begin, std::size_t end, double* result) const {
    const auto part_of = [&](const Tensor& x) { return slice(x, 0, begin, end); };
    const Tensor counts = part_of(batch_.counts);
    const double share = total(counts) / total(batch_.counts);
    ModelGradients gradients = share > 0.0
                                   ? gradients_of(kind_, part_of(batch_.ids), part_of(batch_.targets), counts, w_)
                                   : ModelGradients{0.0, zeros_like(w_)};
    *result++ = share * gradients.loss;
    for (const Tensor* each : parameters(gradients.dw))
        result = std::transform(each->data(), each->data() + each->size(), result,
                                [&](double entry) { return share * entry; });
}

ModelGradients BatchGradients::of(const Batch& batch, const Model& w) {
    batch_ = batch;
    w_ = w;
    const std::vector<double> sums = parts_.sums();
    ModelGradients result{sums.front(), w_};
    read_numbers(sums.data() + 1, parameters(result.dw));
    return result;
}

}  // namespace linattn
