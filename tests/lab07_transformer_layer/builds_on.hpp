// Where an answer is wrong and an exercise that it builds on is wrong, too: it leads there.
#pragma once

#include "definition.hpp"
#include "weights.hpp"

namespace linattn::testing {

/// The exercises that another one builds on: each group with those before it, in the order of the chapter.
enum class BuildsOn { heads, layers, block, generation };

/// Fails where an exercise is wrong that `call` builds on, and leads there. The call itself is known to be wrong.
template <class Result>
void blame_what_it_builds_on(const Call<Result>& call, BuildsOn last) {
    const Tensor X = random_tensor({2, 5, 6}, 910, -2.0, 2.0);
    const std::size_t heads = 3;
    const Tensor in_heads = expected_split_heads(X, heads).value;
    call.blames("split_heads", [&] { return CALL(split_heads, X, heads).gives({exactly(in_heads)}); });
    call.blames("merge_heads", [&] { return CALL(merge_heads, in_heads).gives({exactly(X)}); });
    if (last == BuildsOn::heads) return;
    const Block block = random_block(6, 4, 911);
    call.blames("layer_norm", [&] {
        const Norm& w = block.before_attention;
        return CALL(layer_norm, X, w).gives({expected_layer_norm(X, w)});
    });
    call.blames("gelu", [&] { return CALL(gelu, X).gives({expected_gelu(X)}); });
    call.blames("multi_head_attention", [&] {
        const Attention& w = block.attention;
        return CALL(multi_head_attention, X, w, heads).gives({expected_multi_head_attention(X, w, heads)});
    });
    if (last == BuildsOn::layers) return;
    call.blames("transformer_block", [&] {
        const Block& w = block;
        return CALL(transformer_block, X, w, heads).gives({expected_transformer_block(X, w, heads)});
    });
    if (last == BuildsOn::block) return;
    call.blames("logits", [&] {
        const Model w = random_model({.blocks = 1}, 912);
        const Tensor ids{{6, 2, 5}, {1, 4, 0}};
        return CALL(logits, ids, w).gives({expected_logits(ids, w)});
    });
    call.blames("block_step", [&] {
        const Tensor x = random_tensor({2, 6}, 913);
        const Block& w = block;
        const Memory memory{random_tensor({2, 3, 2, 2}, 914), random_tensor({2, 3, 2}, 915, 0.5, 2.0)};
        return CALL(block_step, x, w, heads, memory).gives(expected_block_step(x, w, heads, memory));
    });
}

}  // namespace linattn::testing
