// The model of lab 07 in plain loops over Duals (dual.hpp), and its gradients: the slope along each number in turn. The
// settings say which slopes an answer forgets, and so serve as the wrong answers, too (mistakes/mutations.cpp).
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "dual.hpp"
#include "suite.hpp"
#include "training.hpp"

namespace linattn::testing {

/// The ways by which a slope reaches the result. Each may be left out, or counted with a factor.
enum class Path {
    affine_input,
    affine_weights,
    affine_bias,
    norm_mean,
    norm_deviation,
    norm_gain,
    norm_bias,
    query,
    key,
    value,
    normalizer,    ///< the denominator of attention
    attention,     ///< all that attention adds to the block's input
    feed_forward,  ///< all that the feed-forward layer adds
    attention_skip,
    feed_forward_skip,
    embedding,
    positions,
    query_input,  ///< X as the projection of the queries reads it
    key_input,
    value_input,
    attention_input,     ///< what attention's norm gives back to X; weights keep their gradients
    feed_forward_input,  ///< … the second norm to Y
    end                  ///< how many there are
};

/// What a block computes on the way: where a step of its backward pass may be taken.
enum class Point { right, X, normed, Y, normed_again, hidden, activated, end };
/// The steps of a block.
enum class Step { first_norm, attention, second_norm, up, gelu, down, end };
/// Whose gradient a step gets on the way back, where it is not its own.
enum class Received {
    right,
    attention_from_result,        ///< dY in place of dY + what comes back through the feed-forward layer
    attention_from_feed_forward,  ///< … without dY
    first_norm_from_middle,       ///< what attention gets, in place of what attention gives
    second_norm_from_result,      ///< dY, in place of what the feed-forward layer gives
    input_from_result,            ///< dX = dY + …, in place of all that reaches Y
};

/// What a block computes wrongly on the way forwards, for its backward pass.
enum class Recomputed {
    right,
    without_attention,
    without_skip,
    without_first_norm,
    first_norm_twice,
    second_norm_of_X,
    without_second_norm,
    without_bias_up,
    bias_up_twice,
    bias_up_after_gelu  ///< gelu(X W) + b
};
/// By how many the gradients of weights are divided: all tokens, the sequences, or the tokens of one of them.
enum class MeanOver { nothing, tokens, sequences, tokens_of_sequence };
/// Which uses of a weight count.
enum class Uses { all, first_sequence, last_sequence, last_token, later_than_first };
/// Which keys an output's slope sees.
enum class SeenKeys { up_to_itself, earlier, all };
/// What is taken for the slope of elu(x) + 1.
enum class MapSlope { right, one, itself, of_relu, at_the_features };

/// How many rows a loop takes at a time that leaves out what is left at the end.
struct WholeBlocks {
    std::size_t of_weights = 1, of_biases = 1, of_input = 1;
    bool of_sequence = false;                              ///< each sequence by itself, not all rows as one
    bool last_of_weights = false, last_of_biases = false;  ///< of all rows the last one alone
    bool operator==(const WholeBlocks&) const = default;
};

struct GradientSettings {
    std::array<double, static_cast<std::size_t>(Path::end)> along{};
    Uses uses = Uses::all;
    WholeBlocks blocks;
    SeenKeys seen = SeenKeys::up_to_itself;
    MapSlope query_map = MapSlope::right, key_map = MapSlope::right;
    bool values_mapped = false;                                   ///< φ(V) in place of V on the way back
    bool values_slope_mapped = false;                             ///< φ′(V) as a factor of V's gradient
    std::array<Point, static_cast<std::size_t>(Step::end)> at{};  ///< where each step of a block is taken
    Received received = Received::right;
    Recomputed recomputed = Recomputed::right;
    std::string left;  ///< the part of the model whose gradient is never assigned: it stays what it was, the weights
    bool left_at_0 = false;                                           ///< … or 0
    bool unused_positions_left = false, unused_symbols_left = false;  ///< rows that no token reads: they stay weights
    bool head_in_embedding = false;                             ///< the head's gradient is added to the embedding's
    bool added_to_left = false;                                 ///< … or is added to them
    bool queries_for_keys = false;                              ///< lab 06's gradient gets φ(Q) twice
    bool keys_for_queries = false;                              ///< … φ(K) twice
    bool key_map_at_query = false, query_map_at_key = false;    ///< φ′ of the one at the other
    bool keys_are_queries = false, values_are_keys = false;     ///< projected by the other's weights
    bool keys_through_w_q = false, values_through_w_k = false;  ///< dX through the other's weights
    bool dw_q_for_k = false, dw_k_for_v = false, dw_exchanged = false;  ///< gradients of W_Q and W_K
    bool blocks_forwards = false;                                       ///< block 0 first on the way back
    bool blocks_reversed = false;         ///< their gradients in the order in which they were computed
    bool last_norm_skipped = false;       ///< the blocks get the head's dX
    bool embedding_skips_blocks = false;  ///< the embedding gets the last norm's dX
    bool positions_not_added = false;     ///< in what the blocks read
    bool positions_gradient_runs_on = false;
    bool positions_run_on = false;  ///< from sequence to sequence, and from 0 again after the last row
    bool last_sequence_moves_positions = false, first_sequence_moves_positions = false;
    bool features_left_out_of_q = false;  ///< lab 06's gradient gets Q in place of φ(Q)
    bool features_left_out_of_k = false;
    bool output_skipped = false;          ///< the heads get dY, not the last projection's dX
    bool output_sees_result = false;      ///< the last projection's gradient from its result, not from the merged heads
    bool output_sees_input = false;       ///< … from X
    bool output_sees_bias = false;        ///< … from the merged heads and its own bias
    bool output_sees_all = false;         ///< … from heads that see later tokens
    bool keys_move_queries = false;       ///< the gradient of φ(Q) in place of that of φ(K)
    bool keys_values_exchanged = false;   ///< the gradients of both projections
    bool queries_keys_exchanged = false;  ///< the gradients of φ(Q) and φ(K)
    bool merged_heads_added = false;      ///< what comes back to the merged heads, to dX
    bool upstream_added = false;          ///< dY, to dX
    bool bias_subtracted = false;         ///< from dY, on its way to dX
    MeanOver mean_over = MeanOver::nothing;                ///< what weights' gradients are divided by
    bool bias_mean = false;                                ///< that of the bias alone
    bool bias_for_each_input = false;                      ///< … summed once for every column of X
    bool gain_mean = false, norm_bias_mean = false;        ///< … of the norm's gain, and of its bias
    bool sum_for_mean = false, sum_for_deviation = false;  ///< Σ g, and Σ g ⊙ x̂, in place of their means
    bool gain_squared = false, gain_divides = false;       ///< in dX of layer norm
    bool input_reshaped = false;                           ///< dW from X read on as (in, rows)
    bool weights_as_out_in = false;                        ///< the gradient of W is written as (out, in)
    bool weights_read_as_out_in = false;                   ///< dX from W read on as (out, in)
    bool by_transposed = false;                            ///< dX from W in place of Wᵀ
    bool gain_left_out = false;                            ///< of the slope of layer norm's input
    bool gain_twice = false;                               ///< the gain's gradient times the gain
    bool gain_in_bias = false;                             ///< the norm's bias' gradient times the gain
    bool no_gain_in_deviation = false;                     ///< mean(dY ⊙ x̂) in place of mean(g ⊙ x̂)
    bool result_for_normed = false;                        ///< the norm's result in place of x̂
    bool mean_over_axis_0 = false;                         ///< mean(g)
    bool gain_sees_input = false;                          ///< the gain's gradient from x, not from x̂
    bool divided_by_variance = false;                      ///< dX of layer norm, not by its root
    bool sample_variance = false;                          ///< d - 1 in place of d
    bool norm_is_identity = false;                         ///< dX of layer norm is dY
    bool gelu_is_identity = false;                         ///< dX of GELU is dY
    bool block_at_result = false;                          ///< back through each block at its result, not at its input
    bool one_pass_kept = false;                            ///< back through each block at what the last one has read
    bool blocks_skipped = false;                           ///< every block gets the gradient that the last one gets
    bool head_at_input_of_norm = false;                    ///< the head's gradient from what the last norm reads
    bool last_norm_at_result = false;                      ///< back through the last norm at its result
    bool output_sees_one_head = false;                     ///< the last projection's gradient from one head's output
    bool one_head_back = false;                            ///< of width d, on the way back alone
    bool heads_by_stride = false;                          ///< head h takes the columns h, h + heads, …
    bool heads_reshaped = false;                           ///< (n, h e) read on as (h, n, e)
    bool heads_merged_by_reshape = false, dO_split_by_reshape = false;  ///< on the way back alone
    bool projected_without_biases = false;                              ///< queries, keys and values, on the way back
    bool keys_with_bias_of_q = false, values_with_bias_of_q = false, values_with_bias_of_k = false;
    bool output_sees_reshaped = false;  ///< the last projection's gradient from heads merged by a reshape
    bool positions_mean = false;        ///< gradients of positions divided by the batch
    bool last_occurrence = false;       ///< a symbol's gradient is that of its last occurrence
    bool only_last_block = false;       ///< no gradient for what comes before the last block
    bool first_block_left_out = false, last_block_left_out = false;  ///< of the way back
    bool loss_is_sum = false;      ///< the gradient not divided by the number of counted positions
    bool loss_counts_all = false;  ///< every position counts in the gradient
    double norm_epsilon = linattn::norm_epsilon;
    double attention_epsilon = linattn::attention_epsilon;  ///< on the way back
    double outside_root = 0.0;                              ///< added to the deviation

    bool transposed_before_joined = false;  ///< each sequence of X, for dW of an affine layer
    GradientSettings() { along.fill(1.0); }
    bool operator==(const GradientSettings&) const = default;
};

/// Rows of numbers: the last axis of a Tensor are its columns, all others its rows.
struct Matrix {
    std::size_t rows = 0, columns = 0;
    Shape shape;
    std::vector<Dual> entries;

    Matrix() = default;
    Matrix(std::size_t row_count, std::size_t column_count);
    explicit Matrix(const Tensor& x);
    Dual& operator()(std::size_t row, std::size_t column) { return entries[row * columns + column]; }
    const Dual& operator()(std::size_t row, std::size_t column) const { return entries[row * columns + column]; }
};

/// Names as in lab 07's structs.
struct AffineNumbers {
    Matrix W, b;
    explicit AffineNumbers(const Affine& w) : W(w.W), b(w.b) {}
};
struct NormNumbers {
    Matrix gain, bias;
    explicit NormNumbers(const Norm& w) : gain(w.gain), bias(w.bias) {}
};
struct AttentionNumbers {
    AffineNumbers Q, K, V, O;
    explicit AttentionNumbers(const Attention& w) : Q(w.Q), K(w.K), V(w.V), O(w.O) {}
};
struct BlockNumbers {
    NormNumbers before_attention;
    AttentionNumbers attention;
    NormNumbers before_feed_forward;
    AffineNumbers up, down;
    explicit BlockNumbers(const Block& w)
        : before_attention(w.before_attention),
          attention(w.attention),
          before_feed_forward(w.before_feed_forward),
          up(w.feed_forward.up),
          down(w.feed_forward.down) {}
};
struct ModelNumbers {
    Matrix embedding, positions;
    std::vector<BlockNumbers> blocks;
    NormNumbers last;
    AffineNumbers head;
    std::size_t heads;
    explicit ModelNumbers(const Model& w)
        : embedding(w.embedding),
          positions(w.positions),
          blocks(w.blocks.begin(), w.blocks.end()),
          last(w.last),
          head(w.head),
          heads(w.heads) {}
};

/// How the rows of a Matrix are sequences: rows = sequences · n.
struct Sequences {
    std::size_t n, heads;
};

class ModelDefinition {
public:
    explicit ModelDefinition(const GradientSettings& settings) : settings_(settings) {}

    Matrix affine(const Matrix& X, const AffineNumbers& w, std::size_t n) const;
    Matrix layer_norm(const Matrix& X, const NormNumbers& w, std::size_t n) const;
    Matrix gelu(const Matrix& X) const;
    Matrix attention(const Matrix& X, const AttentionNumbers& w, const Sequences& in) const;
    Matrix block(const Matrix& X, const BlockNumbers& w, const Sequences& in) const;
    Matrix logits(const Tensor& ids, const ModelNumbers& w) const;
    /// −Σ counts log softmax(logits)[target] / Σ counts
    Dual cross_entropy(const Matrix& logits, const Tensor& targets, const Tensor& counts) const;

private:
    Dual along(Path path, Dual x) const {  // here, since it is called for every product
        const double factor = settings_.along[static_cast<std::size_t>(path)];
        x.slope *= factor;
        x.slope_terms *= std::fabs(factor);
        return x;
    }
    bool used(std::size_t row, std::size_t rows, std::size_t n) const;
    bool in_whole_block(std::size_t row, std::size_t rows, std::size_t n, std::size_t WholeBlocks::*size) const;
    double share_of_token(std::size_t rows, std::size_t n) const;
    static Dual feature(const Dual& x, MapSlope map);
    Matrix merged_heads(const Matrix& Q, const Matrix& K, const Matrix& V, const Sequences& in, double epsilon,
                        bool back = false) const;
    Matrix along(Path path, Matrix X) const;
    template <class F>
    Matrix taken_at(const Matrix& x, const Matrix& point, const F& f) const;

    const GradientSettings& settings_;
};

/// Σ dY ⊙ Y: what a backward pass is the gradient of.
Dual weighted(const Matrix& Y, const Tensor& dY);

/// Slopes of f along each number of the arrays: one Tensor for each array.
struct Slopes {
    std::vector<Tensor> values, terms;
};
Slopes slopes(const std::vector<Matrix*>& arrays, const std::function<Dual()>& f);

}  // namespace linattn::testing
