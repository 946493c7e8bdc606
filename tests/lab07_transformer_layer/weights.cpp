#include "weights.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace linattn {

std::string describe(const Model& w) {
    return "blocks " + std::to_string(w.blocks.size()) + ", d " + std::to_string(length(w.embedding, -1)) + ", heads " +
           std::to_string(w.heads) + ", symbols " + std::to_string(length(w.embedding, -2)) + ", positions " +
           std::to_string(length(w.positions, -2));
}
std::string describe(const Memory& memory) {
    return "S " + testing::describe(memory.S) + ", z " + testing::describe(memory.z);
}
std::string describe(const HybridMemory& memory) {
    return "S " + testing::describe(memory.S) + ", z " + testing::describe(memory.z) + ", K " +
           testing::describe(memory.K) + ", V " + testing::describe(memory.V);
}

testing::Parts parts_of(const BlockStep& step) {
    return {{"output", step.output}, {"memory.S", step.memory.S}, {"memory.z", step.memory.z}};
}
testing::Parts parts_of(const HybridStep& step) {
    return {{"output", step.output},
            {"memory.S", step.memory.S},
            {"memory.z", step.memory.z},
            {"memory.K", step.memory.K},
            {"memory.V", step.memory.V}};
}

namespace testing {

bool same_bits(const Tensor& a, const Tensor& b) {
    return shape_of(a) == shape_of(b) &&
           (a.size() == 0 || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

Affine random_affine(std::size_t in, std::size_t out, std::uint64_t stream) {
    const double size = std::sqrt(3.0 / static_cast<double>(in));
    return {random_tensor({in, out}, stream, -size, size), random_tensor({out}, stream + 1, -0.7, 0.7)};
}
Norm random_norm(std::size_t d, std::uint64_t stream) {
    return {random_tensor({d}, stream, 0.5, 1.5), random_tensor({d}, stream + 1, -0.5, 0.5)};
}
Attention random_attention(std::size_t d, std::uint64_t stream) {
    return {random_affine(d, d, stream), random_affine(d, d, stream + 2), random_affine(d, d, stream + 4),
            random_affine(d, d, stream + 6)};
}
Block random_block(std::size_t d, std::size_t f, std::uint64_t stream) {
    return {random_norm(d, stream),
            random_attention(d, stream + 2),
            random_norm(d, stream + 10),
            {random_affine(d, f, stream + 12), random_affine(f, d, stream + 14)}};
}
Model random_model(const ModelSize& size, std::uint64_t stream) {
    Model model{random_tensor({size.symbols, size.d}, stream),
                random_tensor({size.longest, size.d}, stream + 1),
                {},
                random_norm(size.d, stream + 2),
                random_affine(size.d, size.symbols, stream + 4),
                size.heads};
    for (std::size_t l = 0; l < size.blocks; ++l)
        model.blocks.push_back(random_block(size.d, size.f, stream + 20 * (l + 1)));
    return model;
}

Tensor random_ids(const Shape& shape, std::size_t symbols, std::uint64_t stream) {
    Tensor ids = random_tensor(shape, stream, 0.0, static_cast<double>(symbols));
    std::transform(ids.data(), ids.data() + ids.size(), ids.data(), [](double x) { return std::floor(x); });
    return ids;
}

Memory no_memory(const Shape& leading, std::size_t heads, std::size_t e) {
    Memory memory;
    memory.z = zeros(join(leading, {heads, e}));
    memory.S = zeros(join(shape_of(memory.z), {e}));
    return memory;
}
HybridMemory no_hybrid_memory(const Shape& leading, std::size_t d_k, std::size_t d_v) {
    HybridMemory memory;
    memory.z = zeros(join(leading, {d_k}));
    memory.S = zeros(join(shape_of(memory.z), {d_v}));
    memory.K = zeros(join(leading, {0, d_k}));
    memory.V = zeros(join(leading, {0, d_v}));
    return memory;
}

}  // namespace testing
}  // namespace linattn
