// Lab 07: a transformer with linear attention, over a whole sequence at once or token by token. The weights, from
// Affine to Model, are in labs/vocabulary/model.hpp. Shapes: X \shape{(…, n, d)} for n tokens of width d, x \shape{(…,
// d)} for one; h heads of width e = d / h.
#pragma once

#include <cstdint>

#include "model.hpp"

namespace linattn {

/// What layer norm adds to the variance.
inline constexpr double norm_epsilon = 1e-5;
/// What linear attention adds to each denominator.
inline constexpr double attention_epsilon = 1e-6;

/// Makes heads an axis of their own: head t gets the columns t·e to t·e + e - 1 of each token.
/// \param X \shape{(…, n, h e)}
/// \param heads h, a divisor of the width of X
/// \return \shape{(…, h, n, e)}
/// \throws std::invalid_argument when X has fewer than two axes, or heads does not divide its width
/// \complexity{n\,d, n\,d}   \paper{vaswani2017, section 3.2.2}   \solves{7,1}
Tensor split_heads(const Tensor& X, std::size_t heads);

/// The inverse of split_heads: puts the heads of each token side by side again.
/// \param X \shape{(…, h, n, e)}
/// \return \shape{(…, n, h e)}
/// \throws std::invalid_argument when X has fewer than three axes
/// \complexity{n\,d, n\,d}   \paper{vaswani2017, section 3.2.2}   \solves{7,2}
Tensor merge_heads(const Tensor& X);

/// Normalises each token by itself: (x - m) / √(s + norm_epsilon) · gain + bias, with the mean m and the variance s of
/// its d entries. s is the mean of (x - m)²: the sum divided by d, not by d - 1. Accurate even when the entries are
/// large and nearly equal.
/// \param X \shape{(…, d)}, any number of leading axes
/// \param w gain and bias \shape{(d)}
/// \return the shape of X
/// \throws std::invalid_argument when the shapes do not belong together
/// \complexity{n\,d, n\,d}   \paper{ba2016, equation 3}   \solves{7,3}
Tensor layer_norm(const Tensor& X, const Norm& w);

/// x·Φ(x), entry by entry, where Φ(x) = (1 + erf(x/√2)) / 2 is the probability that a standard normal variable is below
/// x. Computed with erf, not approximated; the absolute error is a few units in the last place of x.
/// \param X any shape
/// \return the shape of X
/// \throws nothing, whatever the shape and the numbers
/// \complexity{n, n}   \paper{hendrycks2016, section 2}   \solves{7,4}
Tensor gelu(const Tensor& X);

/// For training: each entry, independently of the others, becomes 0 with probability p; the rest are divided by 1 - p,
/// which keeps the expectation. The seed alone decides which entries become 0: the same ones for all X of one shape.
/// For p = 0 the result is X.
/// \param X any shape, with finite entries
/// \param p 0 ≤ p < 1   \param seed decides which entries become 0
/// \return the shape of X
/// \throws std::invalid_argument when p is not in [0, 1)
/// \complexity{n, n}   \paper{srivastava2014, figure 2}   \solves{7,5}
Tensor dropout(const Tensor& X, double p, std::uint64_t seed);

/// Projections to Q, K and V, split into heads; in each head causal linear attention with φ = elu + 1, as in lab 03:
/// o_i = φ(q_i)ᵀS_i / (φ(q_i)·z_i + attention_epsilon); the heads merged; the projection O.
/// \param X \shape{(…, n, d)}
/// \param w four projections \shape{(d, d)} with their biases
/// \param heads h, a divisor of d
/// \return \shape{(…, n, d)}
/// \throws std::invalid_argument when the shapes do not belong together, or heads does not divide d
/// \complexity{n(d^2 + d\,e), n\,d + d\,e} (all S_i at once are accepted too)
/// \paper{vaswani2017, section 3.2.2}   \solves{7,6}
Tensor multi_head_attention(const Tensor& X, const Attention& w, std::size_t heads);

/// One layer, pre-norm: Y = X + attention(norm(X)), then Y + down(gelu(up(norm(Y)))).
/// \param X \shape{(…, n, d)}
/// \param w all weights of the layer
/// \param heads h, a divisor of d
/// \return \shape{(…, n, d)}
/// \throws std::invalid_argument when the shapes do not belong together, or heads does not divide d
/// \complexity{n(d^2 + d\,e + d\,f), n(d + f) + d\,e} (all S_i at once are accepted too)
/// \paper{xiong2020, figure 1}   \solves{7,7}
Tensor transformer_block(const Tensor& X, const Block& w, std::size_t heads);

/// What the model predicts to follow each token: the id's row of the embedding plus the position's row of the positions
/// (the first token has position 0); then all blocks, one after another; the last norm; the head.
/// \param ids whole numbers, at least 0 and below the number of symbols \shape{(…, n)}
/// \param w the model; n is at most the number of its positions
/// \return one row of logits for each token \shape{(…, n, vocab_size)}
/// \throws std::invalid_argument when an id, n or a shape does not fit the model
/// \complexity{n, n} at a fixed size of the model   \paper{radford2019, section 2.3}   \solves{7,8}
Tensor logits(const Tensor& ids, const Model& w);

/// All that a block needs to know of earlier tokens: S and z of each head, as in lab 03. Zeros before the first token.
struct Memory {
    Tensor S;  ///< Σ_j φ(k_j)v_jᵀ \shape{(…, h, e, e)}
    Tensor z;  ///< Σ_j φ(k_j) \shape{(…, h, e)}
};

/// The result of one step: the token's output and the memory after it.
struct BlockStep {
    Tensor output;  ///< \shape{(…, d)}
    Memory memory;
};

/// transformer_block for one token. The memory passed in is not modified; the one returned has the same size.
/// \param x \shape{(…, d)}
/// \param w all weights of the layer
/// \param heads h, a divisor of d
/// \param memory S \shape{(…, h, e, e)} and z \shape{(…, h, e)} of the tokens before
/// \return the output of transformer_block for this token, and the memory after it
/// \throws std::invalid_argument when the shapes do not belong together, or heads does not divide d
/// \complexity{d^2 + d\,e + d\,f, d\,e + f}   \paper{katharopoulos2020, section 3.4}   \solves{7,9}
BlockStep block_step(const Tensor& x, const Block& w, std::size_t heads, const Memory& memory);

/// Continues the prompt, each time with the symbol that has the largest logit; among equal ones, the smallest id. Each
/// block has a memory of its own. Every token is read once, except the last new one, which is not read at all.
/// \param prompt ids, at least one for each leading index \shape{(…, n)}
/// \param count how many symbols to append, at least 1; n + count - 1 is at most the number of positions
/// \param w the model
/// \return the new symbols without the prompt \shape{(…, count)}
/// \throws std::invalid_argument when the prompt, count or a shape does not fit the model
/// \complexity{n + count, n + count} at a fixed size of the model   \paper{katharopoulos2020, section 3.4}   \solves{7,10}
Tensor generate(const Tensor& prompt, std::size_t count, const Model& w);

/// Two kinds of attention, mixed by a gate: o_i = g_i · (softmax attention over the last `window` tokens, token i
/// included) + (1 - g_i) · (causal linear attention over all tokens up to i). The first has the scale 1/√d_k and is
/// stable for large scores; the second has φ = elu + 1 and is divided by φ(q_i)·z_i + attention_epsilon.
/// \param Q \shape{(…, n, d_k)}   \param K \shape{(…, n, d_k)}   \param V \shape{(…, n, d_v)}
/// \param gate g_i, one number for each token \shape{(…, n)}
/// \param window at least 1; it holds fewer tokens while there are fewer
/// \return \shape{(…, n, d_v)}
/// \throws std::invalid_argument when the shapes do not belong together, or the window is 0
/// \complexity{n(window(d_k + d_v) + d_k\,d_v), n\,d_v + d_k\,d_v + window(d_k + d_v)}
/// \paper{munkhdalai2024, section 2}   \solves{7,11}
Tensor hybrid_attention(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& gate, std::size_t window);

/// All that the next token of hybrid attention needs to know of earlier ones. Before the first token S and z are zeros,
/// and K and V hold no token: (…, 0, d_k) and (…, 0, d_v).
struct HybridMemory {
    Tensor S;  ///< Σ_j φ(k_j)v_jᵀ over all earlier tokens \shape{(…, d_k, d_v)}
    Tensor z;  ///< Σ_j φ(k_j) over all earlier tokens \shape{(…, d_k)}
    Tensor K;  ///< the last m keys, the oldest first; m = min(window, tokens so far) \shape{(…, m, d_k)}
    Tensor V;  ///< their values \shape{(…, m, d_v)}
};

/// The result of one step of hybrid attention.
struct HybridStep {
    Tensor output;  ///< \shape{(…, d_v)}
    HybridMemory memory;
};

/// hybrid_attention for one token. The memory passed in is not modified; the one returned holds at most `window` keys.
/// \param q \shape{(…, d_k)}   \param k \shape{(…, d_k)}   \param v \shape{(…, d_v)}
/// \param gate g \shape{(…)}
/// \param window at least 1, the same at every step
/// \param memory of the tokens before
/// \return the output of hybrid_attention for this token, and the memory after it
/// \throws std::invalid_argument when the shapes do not belong together, the window is 0, or K holds more keys than that
/// \complexity{window(d_k + d_v) + d_k\,d_v, window(d_k + d_v) + d_k\,d_v}   \paper{munkhdalai2024, section 2}   \solves{7,12}
HybridStep hybrid_attention_step(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& gate,
                                 std::size_t window, const HybridMemory& memory);

}  // namespace linattn
