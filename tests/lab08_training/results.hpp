// What this lab's functions return, as the parts that the comparison sees, and the same parts of the definition.
#pragma once

#include "model_definition.hpp"

namespace linattn {

// Every weight below `weights`, each with its name: one order for results, for definitions and for random weights.
template <class T, class Weights>
concept MaybeConst = std::same_as<std::remove_const_t<T>, Weights>;

template <MaybeConst<Affine> W, class Visit>
void visit(const std::string& name, W& w, const Visit& each) {
    each(name + ".W", w.W);
    each(name + ".b", w.b);
}
template <MaybeConst<Norm> W, class Visit>
void visit(const std::string& name, W& w, const Visit& each) {
    each(name + ".gain", w.gain);
    each(name + ".bias", w.bias);
}
template <MaybeConst<Attention> W, class Visit>
void visit(const std::string& name, W& w, const Visit& each) {
    visit(name + ".Q", w.Q, each);
    visit(name + ".K", w.K, each);
    visit(name + ".V", w.V, each);
    visit(name + ".O", w.O, each);
}
template <MaybeConst<Block> W, class Visit>
void visit(const std::string& name, W& w, const Visit& each) {
    visit(name + ".before_attention", w.before_attention, each);
    visit(name + ".attention", w.attention, each);
    visit(name + ".before_feed_forward", w.before_feed_forward, each);
    visit(name + ".feed_forward.up", w.feed_forward.up, each);
    visit(name + ".feed_forward.down", w.feed_forward.down, each);
}
template <MaybeConst<Model> W, class Visit>
void visit(const std::string& name, W& w, const Visit& each) {
    each(name + ".embedding", w.embedding);
    each(name + ".positions", w.positions);
    for (std::size_t l = 0; l < w.blocks.size(); ++l)
        visit(name + ".blocks[" + std::to_string(l) + "]", w.blocks[l], each);
    visit(name + ".last", w.last, each);
    visit(name + ".head", w.head, each);
}

template <class Weights>
testing::Parts parts_of(const Backward<Weights>& result) {
    testing::Parts parts{{"dX", result.dX}};
    visit("dw", result.dw, [&](const std::string& name, const Tensor& x) { parts.push_back({name, x}); });
    return parts;
}
inline testing::Parts parts_of(const ModelGradients& result) {
    testing::Parts parts{{"loss", Tensor(result.loss)}};
    visit("dw", result.dw, [&](const std::string& name, const Tensor& x) { parts.push_back({name, x}); });
    return parts;
}
inline testing::Parts parts_of(const CrossEntropy& result) {
    return {{"loss", Tensor(result.loss)}, {"dlogits", result.dlogits}};
}
inline testing::Parts parts_of(const Update& result) {
    return {{"w", result.w},
            {"state.m", result.state.m},
            {"state.v", result.state.v},
            {"state.step", Tensor(static_cast<double>(result.state.step))}};
}
inline testing::Parts parts_of(const Batch& batch) {
    return {{"ids", batch.ids}, {"targets", batch.targets}, {"counts", batch.counts}};
}

}  // namespace linattn
