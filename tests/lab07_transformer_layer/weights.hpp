// The weights of lab 07 in calls: random ones, and how a call describes, digests and changes them.
#pragma once

#include <string>

#include "suite.hpp"
#include "transformer.hpp"

namespace linattn {

/// f(name, array) for each array of the weights. Blocks of a model share their names.
template <class W, class F>
void each_array(W& w, const std::string& name, const F& f) {
    if constexpr (requires { w.W, w.b; }) {
        f(name + ".W", w.W);
        f(name + ".b", w.b);
    } else if constexpr (requires { w.gain, w.bias; }) {
        f(name + ".gain", w.gain);
        f(name + ".bias", w.bias);
    } else if constexpr (requires { w.up, w.down; }) {
        each_array(w.up, name + ".up", f);
        each_array(w.down, name + ".down", f);
    } else if constexpr (requires { w.Q.W, w.O; }) {
        each_array(w.Q, name + ".Q", f);
        each_array(w.K, name + ".K", f);
        each_array(w.V, name + ".V", f);
        each_array(w.O, name + ".O", f);
    } else if constexpr (requires { w.before_attention, w.feed_forward; }) {
        each_array(w.before_attention, name + ".before_attention", f);
        each_array(w.attention, name + ".attention", f);
        each_array(w.before_feed_forward, name + ".before_feed_forward", f);
        each_array(w.feed_forward, name + ".feed_forward", f);
    } else if constexpr (requires { w.embedding, w.blocks; }) {
        f(name + ".embedding", w.embedding);
        f(name + ".positions", w.positions);
        for (auto& block : w.blocks) each_array(block, name + ".blocks", f);
        each_array(w.last, name + ".last", f);
        each_array(w.head, name + ".head", f);
    } else {
        f(name + ".S", w.S);
        f(name + ".z", w.z);
        if constexpr (requires { w.K, w.V; }) {
            f(name + ".K", w.K);
            f(name + ".V", w.V);
        }
    }
}

template <class W>
concept IsWeights =
    std::same_as<W, Affine> || std::same_as<W, Norm> || std::same_as<W, Attention> || std::same_as<W, FeedForward> ||
    std::same_as<W, Block> || std::same_as<W, Model> || std::same_as<W, Memory> || std::same_as<W, HybridMemory>;

template <IsWeights W>
std::size_t fingerprint(const W& w) {
    std::size_t digest = 0;
    each_array(w, "", [&](const std::string&, const Tensor& x) { digest = 31 * digest + testing::fingerprint(x); });
    return digest;
}
template <IsWeights W>
void change(const testing::ArgumentChange& by, const std::string& argument, W& w, const Shape&) {
    each_array(w, argument, by);
}

inline std::string describe(const Norm& w) { return "d " + std::to_string(w.gain.size()); }
inline std::string describe(const Attention&) { return ""; }
inline std::string describe(const Block& w) { return "f " + std::to_string(w.feed_forward.up.b.size()); }
std::string describe(const Model& w);
std::string describe(const Memory& memory);
std::string describe(const HybridMemory& memory);

testing::Parts parts_of(const BlockStep& step);
testing::Parts parts_of(const HybridStep& step);

namespace testing {

/// Whether two Tensors are the same to the last bit.
bool same_bits(const Tensor& a, const Tensor& b);

// Random weights. W has entries of variance 1/in, so that tokens keep their size; biases and gains differ from 0 and 1, so
// that leaving them out shows.
Affine random_affine(std::size_t in, std::size_t out, std::uint64_t stream);
Norm random_norm(std::size_t d, std::uint64_t stream);
Attention random_attention(std::size_t d, std::uint64_t stream);
Block random_block(std::size_t d, std::size_t f, std::uint64_t stream);

struct ModelSize {
    std::size_t symbols = 7, longest = 12, blocks = 2, d = 6, f = 5, heads = 2;
};
Model random_model(const ModelSize& size, std::uint64_t stream);

/// Whole numbers from 0 to symbols - 1.
Tensor random_ids(const Shape& shape, std::size_t symbols, std::uint64_t stream);

/// Zeros: before the first token.
Memory no_memory(const Shape& leading, std::size_t heads, std::size_t e);
HybridMemory no_hybrid_memory(const Shape& leading, std::size_t d_k, std::size_t d_v);

}  // namespace testing
}  // namespace linattn
