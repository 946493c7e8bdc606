// Wrong gradients of layer norm: one line each. What can go wrong with one path alone is in backward_mutations.cpp.
#include "results.hpp"

namespace linattn::testing::layer_norm_backward_mistakes {

// What the formulas are made of. All means are over the entries of a token, and keep that axis.
struct NormTerms {
    Tensor X, dY, gain, g, centred, variance, deviation, x;

    NormTerms(const Tensor& input, const Norm& w, const Tensor& upstream)
        : X(input),
          dY(upstream),
          gain(w.gain),
          g(w.gain * upstream),
          centred(input - mean_of(input)),
          variance(mean_of(centred * centred)),
          deviation(sqrt(variance + norm_epsilon)),
          x(centred / deviation) {}

    static Tensor mean_of(const Tensor& y) { return mean(y, -1, keep_dims); }
    // With the sums of all tokens before.
    Tensor mean_so_far(const Tensor& y) const {
        const Tensor means = mean_of(y);
        return reshape(cumsum(reshape(means, {means.size()}), 0), shape_of(means));
    }
    // Another norm than this one: what each token is shifted and divided by.
    NormTerms& normed_by(const Tensor& shifted, const Tensor& divisor) {
        centred = shifted;
        deviation = divisor;
        x = centred / deviation;
        return *this;
    }
    Tensor dX() const { return (g - mean_of(g) - x * mean_of(g * x)) / deviation; }
    Tensor over_tokens(const Tensor& y) const {
        const std::size_t d = length(X, -1);
        return sum(reshape(y, {d == 0 ? 0 : X.size() / d, d}), 0);
    }
    Backward<Norm> with(const Tensor& dX_, const Tensor& of_gain, const Tensor& of_bias) const {
        return {dX_, {over_tokens(of_gain), over_tokens(of_bias)}};
    }
    // The weights' gradients as they should be.
    Backward<Norm> with(const Tensor& dX_) const { return with(dX_, dY * x, dY); }
};

#define NORM_MISTAKE(name, explanation, ...)                                                                  \
    MISTAKE(layer_norm_backward, (const Tensor& X, const Norm& w, const Tensor& dY), name, "", explanation) { \
        require_layer_norm_backward(X, w, dY);                                                                \
        NormTerms t(X, w, dY);                                                                                \
        [[maybe_unused]] const auto mean_of = &NormTerms::mean_of;                                            \
        return __VA_ARGS__;                                                                                   \
    }

NORM_MISTAKE("gain applied after the means",
             "The gain is the last step forwards, so the first one back: both means are of g = gain ⊙ dY.",
             t.with(t.gain*(t.dY - mean_of(t.dY) - t.x * mean_of(t.dY * t.x)) / t.deviation))
NORM_MISTAKE("sums of the tokens before not set back", "Each token has means of its own: begin both sums anew for it.",
             t.with((t.g - t.mean_so_far(t.g) - t.x * t.mean_so_far(t.g * t.x)) / t.deviation))
NORM_MISTAKE("g without the factor d beside sums", "With sums in place of means it is (d g − Σ g − x̂ Σ g ⊙ x̂) / d.",
             t.with((t.g / static_cast<double>(length(X, -1)) - mean_of(t.g) - t.x * mean_of(t.g * t.x)) / t.deviation))
NORM_MISTAKE("gain left out of both means", "Both means are of g = gain ⊙ dY: mean(g) and mean(g ⊙ x̂).",
             t.with((t.g - mean_of(t.dY) - t.x * mean_of(t.dY * t.x)) / t.deviation))
NORM_MISTAKE("gain left out of mean(g)", "Both means are of g = gain ⊙ dY: mean(g) and mean(g ⊙ x̂).",
             t.with((t.g - mean_of(t.dY) - t.x * mean_of(t.g * t.x)) / t.deviation))
NORM_MISTAKE("gain in the means only", "All three terms have the gain: begin with g = gain ⊙ dY.",
             t.with((t.dY - mean_of(t.g) - t.x * mean_of(t.g * t.x)) / t.deviation))
NORM_MISTAKE("sign of the mean's term", "It is − mean(g), with a minus.",
             t.with((t.g + mean_of(t.g) - t.x * mean_of(t.g * t.x)) / t.deviation))
NORM_MISTAKE("signs of the mean's and the deviation's term", "Both are subtracted: g − mean(g) − x̂ mean(g ⊙ x̂).",
             t.with((t.g + mean_of(t.g) + t.x * mean_of(t.g * t.x)) / t.deviation))
NORM_MISTAKE("deviation's term doubled",
             "The deviation is a root, whose slope has a half: it gives the term − x̂ mean(g ⊙ x̂).",
             t.with((t.g - mean_of(t.g) - 2.0 * t.x * mean_of(t.g * t.x)) / t.deviation))
NORM_MISTAKE("deviation's term halved",
             "The slope of the square cancels the half of the root: it gives the term − x̂ mean(g ⊙ x̂).",
             t.with((t.g - mean_of(t.g) - 0.5 * t.x * mean_of(t.g * t.x)) / t.deviation))
NORM_MISTAKE("dX not divided by the deviation", "All three terms of dX are divided by the deviation.",
             t.with(t.g - mean_of(t.g) - t.x * mean_of(t.g * t.x)))
NORM_MISTAKE("dX times the deviation", "The forward pass divides by the deviation, and so does dX.",
             t.with((t.g - mean_of(t.g) - t.x * mean_of(t.g * t.x)) * t.deviation))
NORM_MISTAKE("only g divided by the deviation",
             "The deviation divides all three: (g − mean(g) − x̂ mean(g ⊙ x̂)) / deviation.",
             t.with(t.g / t.deviation - mean_of(t.g) - t.x * mean_of(t.g * t.x)))
NORM_MISTAKE("only the last term divided by the deviation",
             "The deviation divides all three: (g − mean(g) − x̂ mean(g ⊙ x̂)) / deviation.",
             t.with(t.g - mean_of(t.g) - t.x * mean_of(t.g * t.x) / t.deviation))
NORM_MISTAKE("x̂ left out before its mean", "The deviation's term is − x̂ mean(g ⊙ x̂), with x̂ twice.",
             t.with((t.g - mean_of(t.g) - mean_of(t.g * t.x)) / t.deviation))
NORM_MISTAKE("x̂ left out of its mean", "The deviation's term is − x̂ mean(g ⊙ x̂), with x̂ twice.",
             t.with((t.g - mean_of(t.g) - t.x * mean_of(t.g)) / t.deviation))
NORM_MISTAKE("deviation's term divided by σ², not by σ³",
             "It is − x̂ mean(g ⊙ x̂) / σ: each x̂ has a σ below it, too, which x − mean in its place has not.",
             t.with((t.g - mean_of(t.g)) / t.deviation - t.x * mean_of(t.g * t.x)))
NORM_MISTAKE("deviation's term divided by σ⁴, not by σ³",
             "It is − x̂ mean(g ⊙ x̂) / σ: that is σ once, and once more in each x̂.",
             t.with((t.g - mean_of(t.g)) / t.deviation - t.x * mean_of(t.g * t.x) / (t.deviation * t.deviation)))
NORM_MISTAKE("mean's term not divided by the deviation",
             "The deviation divides all three: (g − mean(g) − x̂ mean(g ⊙ x̂)) / deviation.",
             t.with((t.g - t.x * mean_of(t.g * t.x)) / t.deviation - mean_of(t.g)))
NORM_MISTAKE("only the mean's term divided by σ²",
             "The deviation divides all three once: (g − mean(g) − x̂ mean(g ⊙ x̂)) / deviation.",
             t.with((t.g - mean_of(t.g) / t.deviation - t.x * mean_of(t.g * t.x)) / t.deviation))
NORM_MISTAKE("x − mean in place of x̂ in dX", "x̂ = (x − mean) / deviation, in all its places.",
             t.with((t.g - mean_of(t.g) - t.centred * mean_of(t.g * t.centred)) / t.deviation))
NORM_MISTAKE("x in place of x̂ in dX", "x̂ = (x − mean) / deviation, in all its places.",
             t.with((t.g - mean_of(t.g) - t.X * mean_of(t.g * t.X)) / t.deviation))
NORM_MISTAKE("x̂ not divided by the deviation", "x̂ = (x − mean) / deviation, in all its places.",
             t.with((t.g - mean_of(t.g) - t.centred * mean_of(t.g * t.centred)) / t.deviation, t.dY* t.centred, t.dY))
NORM_MISTAKE("gain's gradient from x − mean in place of x̂",
             "The gain multiplies the normalised entries: its gradient is the sum of dY ⊙ x̂.",
             t.with(t.dX(), t.dY* t.centred, t.dY))
NORM_MISTAKE("gain's and bias' gradient exchanged",
             "The gain's gradient is the sum of dY ⊙ x̂, the bias' that of dY; a Norm holds the gain first.",
             t.with(t.dX(), t.dY, t.dY* t.x))
NORM_MISTAKE("bias' gradient from dX", "The bias is added to the result: its gradient is the sum of dY.",
             t.with(t.dX(), t.dY* t.x, t.dX()))
NORM_MISTAKE("gain's gradient from dX", "The gain's gradient is the sum of dY ⊙ x̂, not of dX ⊙ x̂.",
             t.with(t.dX(), t.dX() * t.x, t.dY))
NORM_MISTAKE("root of the variance forgotten", "The deviation is the root of variance + norm_epsilon.",
             t.normed_by(t.centred, t.variance + norm_epsilon).with(t.dX()))
NORM_MISTAKE("sum of the squares in place of the variance", "The variance is the mean of (x − mean)² over the token.",
             t.normed_by(t.centred, sqrt(sum(t.centred* t.centred, -1, keep_dims) + norm_epsilon)).with(t.dX()))
NORM_MISTAKE("mean of x² in place of the variance", "The variance is the mean of (x − mean)²: subtract the mean first.",
             t.normed_by(t.centred, sqrt(mean_of(t.X* t.X) + norm_epsilon)).with(t.dX()))
NORM_MISTAKE("x̂ not centred", "The mean is subtracted first: x̂ = (x − mean) / deviation.",
             t.normed_by(t.X, t.deviation).with(t.dX()))
NORM_MISTAKE(
    "gradient of RMS norm", "Layer norm subtracts the mean: x̂ = (x − mean) / deviation, and dX has − mean(g).",
    t.normed_by(t.X, sqrt(mean_of(t.X* t.X) + norm_epsilon)).with((t.g - t.x * mean_of(t.g * t.x)) / t.deviation))
NORM_MISTAKE("both means over the tokens",
             "mean(g) and mean(g ⊙ x̂) are over the entries of one token, axis -1: over the tokens is batch norm.",
             t.with((t.g - t.over_tokens(t.g) / static_cast<double>(X.size() / length(X, -1)) -
                     t.x * t.over_tokens(t.g * t.x) / static_cast<double>(X.size() / length(X, -1))) /
                    t.deviation))

}  // namespace linattn::testing::layer_norm_backward_mistakes
