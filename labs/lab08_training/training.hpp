// Lab 08: the gradients of lab 07's model, the loss, the optimisers and the copy task.
//
// A function called x_backward has the arguments of x and, last, the gradient dY of the loss with respect to the result
// of x. It returns the gradients with respect to the input and to the weights. It recomputes from its arguments
// whatever it needs of the forward pass: nothing is stored between the two. Shapes: X \shape{(…, n, d)}; ids, targets
// and counts of a Batch \shape{(batch, n)}.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gradients.hpp"
#include "transformer.hpp"

namespace linattn {

/// Gradients with respect to the input of a layer and to its weights, in the shapes of both.
template <class Weights>
struct Backward {
    Tensor dX;
    Weights dw;
};

/// The backward pass of Y = X W + b: dX = dY Wᵀ, and dW = Xᵀ dY and db = Σ dY over all tokens of all sequences.
/// \param X \shape{(…, in)}   \param w W \shape{(in, out)}, b \shape{(out)}   \param dY \shape{(…, out)}
/// \return the gradients with respect to X and to the weights
/// \throws std::invalid_argument when the shapes do not belong together
/// \complexity{n\,in\,out, n\,in}   \solves{8,1}
Backward<Affine> affine_backward(const Tensor& X, const Affine& w, const Tensor& dY);

/// The backward pass of layer_norm. With x̂ = (x − mean) / √(variance + ε) and g = gain ⊙ dy, for each token
/// dx = (g − mean(g) − x̂ mean(g ⊙ x̂)) / √(variance + ε); the gradients of gain and bias are sums over all tokens.
/// \param X \shape{(…, d)}   \param w gain and bias \shape{(d)}   \param dY \shape{(…, d)}
/// \return the gradients with respect to X and to the weights
/// \throws std::invalid_argument when the shapes do not belong together
/// \complexity{n\,d, n\,d}   \paper{ba2016, section 3}   \solves{8,2}
Backward<Norm> layer_norm_backward(const Tensor& X, const Norm& w, const Tensor& dY);

/// dY ⊙ GELU′(X), where GELU′(x) = Φ(x) + x e^(−x²/2)/√(2π). Finite for every finite x.
/// \param X any shape   \param dY the shape of X
/// \return the gradient with respect to X, in its shape
/// \throws std::invalid_argument when the shapes differ
/// \complexity{n\,d, n\,d}   \paper{hendrycks2016, section 2}   \solves{8,3}
Tensor gelu_backward(const Tensor& X, const Tensor& dY);

/// The backward pass of multi_head_attention. Each head uses causal_attention_backward of lab 06, or its
/// chunkwise form.
/// \param X \shape{(…, n, d)}   \param w projections \shape{(d, d)} and biases \shape{(d)}
/// \param heads a divisor of d   \param dY \shape{(…, n, d)}
/// \return the gradients with respect to X and to the weights
/// \throws std::invalid_argument when the shapes do not belong together or heads does not divide d
/// \complexity{n\,d^2, n\,d}   \paper{katharopoulos2020, section 3.3.1}   \solves{8,4}
Backward<Attention> attention_backward(const Tensor& X, const Attention& w, std::size_t heads, const Tensor& dY);

/// The backward pass of transformer_block.
/// \param X \shape{(…, n, d)}   \param dY \shape{(…, n, d)}
/// \param w the weights of the block   \param heads a divisor of d
/// \return the gradients with respect to X and to the weights
/// \throws std::invalid_argument when the shapes do not belong together or heads does not divide d
/// \complexity{n\,d^2, n\,d}   \solves{8,5}
Backward<Block> block_backward(const Tensor& X, const Block& w, std::size_t heads, const Tensor& dY);

struct CrossEntropy {
    double loss;     ///< in nats (natural logarithm)
    Tensor dlogits;  ///< its gradient, in the shape of the logits
};

/// loss = −Σ counts log softmax(logits)[target] / Σ counts: the mean over the positions that count. Stable: logits of
/// ±1000 give no NaN and no infinity.
/// \param logits \shape{(…, n, v)}
/// \param targets whole numbers from 0 to v − 1 \shape{(…, n)}   \param counts 1 where a position counts, else 0
/// \return the loss and its gradient
/// \throws std::invalid_argument when the shapes do not belong together, a target is not one of 0, …, v − 1 (whether its
/// position counts or not), a count is neither 0 nor 1, or none is 1
/// \complexity{n\,v, n\,v}   \paper{radford2019, equation 1}   \solves{8,6}
CrossEntropy cross_entropy(const Tensor& logits, const Tensor& targets, const Tensor& counts);

struct ModelGradients {
    double loss;
    Model dw;  ///< in the shapes of the model
};

/// The loss of the model on a batch, and its gradient with respect to every weight. The embedding row of a symbol that
/// occurs several times gets the sum of the gradients at all its places; positions beyond n get 0.
/// \param ids \shape{(batch, n)}   \param targets \shape{(batch, n)}   \param counts \shape{(batch, n)}
/// \param w the model
/// \return the loss and the gradient of every weight
/// \throws std::invalid_argument when the shapes do not belong together, no position counts, or an id or a target is
/// not a symbol of the model
/// \complexity{n\,d^2, n\,d} for each sequence and block   \solves{8,7}
ModelGradients model_gradients(const Tensor& ids, const Tensor& targets, const Tensor& counts, const Model& w);

/// What Adam keeps for one weight between two steps. Initially: zeros in the shape of the weight, and 0 steps.
struct Moments {
    Tensor m;              ///< running mean of the gradient
    Tensor v;              ///< running mean of its square
    std::size_t step = 0;  ///< steps taken so far
};

struct Update {
    Tensor w;       ///< the weight after the step
    Moments state;  ///< the moments after it; step is larger by 1
};

/// One step of Adam with β₁ = 0.9, β₂ = 0.999 and ε = 1e-8: m ← β₁m + (1−β₁)g, v ← β₂v + (1−β₂)g²,
/// w ← w − rate · m̂ / (√v̂ + ε) with m̂ = m/(1−β₁ᵗ) and v̂ = v/(1−β₂ᵗ), where the first step has t = 1.
/// \param w any shape   \param g the gradient, in the shape of w
/// \param state the moments so far   \param rate the learning rate, finite and ≥ 0
/// \return the weight and the moments after the step
/// \throws std::invalid_argument when the shapes differ or the rate is negative or not finite
/// \complexity{d, d} for d numbers   \paper{kingma2015, algorithm 1}   \solves{8,8}
Update adam_step(const Tensor& w, const Tensor& g, const Moments& state, double rate);

struct Batch {
    Tensor ids;      ///< what the model reads \shape{(batch, n)}
    Tensor targets;  ///< what it should predict \shape{(batch, n)}
    Tensor counts;   ///< 1 where the prediction counts, else 0 \shape{(batch, n)}
};

/// The copy task. A sequence holds L symbols, each uniform in 0, …, symbols − 1, then the separator, which is `symbols`,
/// and then the same L symbols again. ids are all but the last of each sequence, targets all but the first, so n = 2L;
/// counts are 1 where the target belongs to the second half.
/// \param batch how many sequences   \param length L   \param symbols how many different symbols a sequence may hold
/// \param seed the same seed gives the same batch, another seed other sequences
/// \return ids, targets and counts
/// \throws std::invalid_argument when batch, length or symbols is 0
/// \complexity{batch\,L, batch\,L}   \paper{katharopoulos2020, section 4.1}   \solves{8,9}
Batch copy_batch(std::size_t batch, std::size_t length, std::size_t symbols, std::uint64_t seed);

/// One step of RAdam: Adam whose step is multiplied by r_t = √(a/b), with a = (ρ−4)(ρ−2)ρ∞ and b = (ρ∞−4)(ρ∞−2)ρ,
/// where ρ∞ = 2/(1−β₂) − 1 and ρ = ρ∞ − 2tβ₂ᵗ/(1−β₂ᵗ); while ρ ≤ 4, w ← w − rate · m̂ instead.
/// \param w any shape   \param g the gradient, in the shape of w
/// \param state the moments so far   \param rate the learning rate, finite and ≥ 0
/// \return the weight and the moments after the step
/// \throws std::invalid_argument when the shapes differ or the rate is negative or not finite
/// \complexity{d, d} for d numbers   \paper{liu2020, algorithm 2}   \solves{8,10}
Update radam_step(const Tensor& w, const Tensor& g, const Moments& state, double rate);

// Checks of the arguments. Each names the calling function in its message; do not pass `caller`. ----------------------

void require_affine_backward(const Tensor& X, const Affine& w, const Tensor& dY,
                             const char* caller = __builtin_FUNCTION());
void require_layer_norm_backward(const Tensor& X, const Norm& w, const Tensor& dY,
                                 const char* caller = __builtin_FUNCTION());
void require_attention_backward(const Tensor& X, const Attention& w, std::size_t heads, const Tensor& dY,
                                const char* caller = __builtin_FUNCTION());
void require_block_backward(const Tensor& X, const Block& w, std::size_t heads, const Tensor& dY,
                            const char* caller = __builtin_FUNCTION());
void require_cross_entropy(const Tensor& logits, const Tensor& targets, const Tensor& counts,
                           const char* caller = __builtin_FUNCTION());
void require_model_gradients(const Tensor& ids, const Tensor& targets, const Tensor& counts, const Model& w,
                             const char* caller = __builtin_FUNCTION());
void require_step(const Tensor& w, const Tensor& g, const Moments& state, double rate,
                  const char* caller = __builtin_FUNCTION());
void require_copy_batch(std::size_t batch, std::size_t length, std::size_t symbols,
                        const char* caller = __builtin_FUNCTION());

// Given ---------------------------------------------------------------------------------------------------------------

/// Every weight of a model, always in the same order, and their names in this order: "blocks.0.attention.Q.W".
std::vector<Tensor*> parameters(Model& w);
std::vector<std::string> parameter_names(const Model& w);

/// A model with random weights: embedding and positions N(0, 1), affine maps N(0, 1/(3·in)), biases 0, gains 1.
Model initial_model(std::size_t vocabulary, std::size_t positions, std::size_t layers, std::size_t d, std::size_t heads,
                    std::uint64_t seed);

/// Scales the gradients of a model so that the norm of all of them together is at most `norm`.
void clip(Model& gradients, double norm);

}  // namespace linattn
