// What training needs apart from the labs' functions: random weights, a list of them, and a limit for their gradients.
#include <cmath>

#include "random.hpp"
#include "training.hpp"

namespace linattn {
namespace {

Affine random_affine(std::size_t in, std::size_t out, std::uint64_t seed) {
    return {normal({in, out}, seed) / std::sqrt(3.0 * static_cast<double>(in)), zeros({out})};
}
Norm initial_norm(std::size_t d) { return {ones({d}), zeros({d})}; }

// Calls `each` with the name of every weight and the weight.
template <class Visit>
void visit(Model& w, const Visit& each) {
    const auto affine = [&](const std::string& name, Affine& map) {
        each(name + ".W", map.W);
        each(name + ".b", map.b);
    };
    const auto norm = [&](const std::string& name, Norm& weights) {
        each(name + ".gain", weights.gain);
        each(name + ".bias", weights.bias);
    };
    each("embedding", w.embedding);
    each("positions", w.positions);
    for (std::size_t layer = 0; layer < w.blocks.size(); ++layer) {
        const std::string name = "blocks." + std::to_string(layer);
        Block& block = w.blocks[layer];
        norm(name + ".before_attention", block.before_attention);
        affine(name + ".attention.Q", block.attention.Q);
        affine(name + ".attention.K", block.attention.K);
        affine(name + ".attention.V", block.attention.V);
        affine(name + ".attention.O", block.attention.O);
        norm(name + ".before_feed_forward", block.before_feed_forward);
        affine(name + ".feed_forward.up", block.feed_forward.up);
        affine(name + ".feed_forward.down", block.feed_forward.down);
    }
    norm("last", w.last);
    affine("head", w.head);
}

}  // namespace

std::vector<Tensor*> parameters(Model& w) {
    std::vector<Tensor*> all;
    visit(w, [&](const std::string&, Tensor& weight) { all.push_back(&weight); });
    return all;
}

std::vector<std::string> parameter_names(const Model& w) {
    std::vector<std::string> all;
    Model copy = w;
    visit(copy, [&](const std::string& name, const Tensor&) { all.push_back(name); });
    return all;
}

Model initial_model(std::size_t vocabulary, std::size_t positions, std::size_t layers, std::size_t d, std::size_t heads,
                    std::uint64_t seed) {
    std::uint64_t stream = seed * 1000;  // neighbouring seeds give independent numbers (random.hpp)
    Model w{normal({vocabulary, d}, stream + 1),
            normal({positions, d}, stream + 2),
            {},
            initial_norm(d),
            random_affine(d, vocabulary, stream + 3),
            heads};
    stream += 4;
    for (std::size_t layer = 0; layer < layers; ++layer, stream += 6)
        w.blocks.push_back({initial_norm(d),
                            {random_affine(d, d, stream), random_affine(d, d, stream + 1),
                             random_affine(d, d, stream + 2), random_affine(d, d, stream + 3)},
                            initial_norm(d),
                            {random_affine(d, 4 * d, stream + 4), random_affine(4 * d, d, stream + 5)}});
    return w;
}

void clip(Model& gradients, double norm) {
    double squares = 0.0;
    for (const Tensor* g : parameters(gradients)) squares += total(*g * *g);
    if (squares <= norm * norm) return;
    for (Tensor* g : parameters(gradients)) *g *= norm / std::sqrt(squares);
}

}  // namespace linattn
