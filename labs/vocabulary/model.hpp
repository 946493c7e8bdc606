// The weights of a transformer, as the signatures of labs 07 and 08 pass them, and the checks of their shapes.
// Shapes: d is the width of a token, e = d / heads that of a head, f that of the feed-forward layer in between.
#pragma once

#include <vector>

#include "contract.hpp"

namespace linattn {

/// A projection with a bias: x W + b for each token x.
struct Affine {
    Tensor W;  ///< \shape{(in, out)}
    Tensor b;  ///< \shape{(out)}
};

/// What layer norm multiplies a token of mean 0 and variance 1 by, and what it adds.
struct Norm {
    Tensor gain;  ///< \shape{(d)}
    Tensor bias;  ///< \shape{(d)}
};

/// The four projections of multi-head attention, each (d, d) and (d). The columns of the first head come first.
struct Attention {
    Affine Q, K, V, O;
};

/// The two projections of the feed-forward layer.
struct FeedForward {
    Affine up;    ///< W \shape{(d, f)}
    Affine down;  ///< W \shape{(f, d)}
};

/// One layer of a transformer, with its norms in front.
struct Block {
    Norm before_attention;
    Attention attention;
    Norm before_feed_forward;
    FeedForward feed_forward;
};

/// A whole language model.
struct Model {
    Tensor embedding;  ///< one row for each symbol \shape{(vocab_size, d)}
    Tensor positions;  ///< one row for each position \shape{(longest, d)}
    std::vector<Block> blocks;
    Norm last;          ///< after the last block
    Affine head;        ///< W \shape{(d, vocab_size)}
    std::size_t heads;  ///< of each block
};

// Each check names the calling function in its message; leave `caller` to its default.

/// At least one head, and d divisible by their number. \return e = d / heads
std::size_t require_heads(std::size_t d, std::size_t heads, const char* caller = __builtin_FUNCTION());
/// The weights belong to tokens of width d. `argument` is the name that the message gives them.
void require_norm(const Norm& w, const char* argument, std::size_t d, const char* caller = __builtin_FUNCTION());
void require_attention(const Attention& w, const char* argument, std::size_t d,
                       const char* caller = __builtin_FUNCTION());
void require_block(const Block& w, const char* argument, std::size_t d, const char* caller = __builtin_FUNCTION());
/// All weights of a model belong together.
void require_model(const Model& w, const char* argument, const char* caller = __builtin_FUNCTION());
/// ids (…, n) are whole numbers from 0 to vocab_size - 1.
void require_ids(const Tensor& ids, const char* argument, std::size_t vocab_size,
                 const char* caller = __builtin_FUNCTION());
/// The model has positions for n tokens.
void require_positions(const Model& w, const char* argument, std::size_t n, const char* caller = __builtin_FUNCTION());

}  // namespace linattn
