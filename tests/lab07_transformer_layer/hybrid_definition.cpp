#include "hybrid_definition.hpp"

#include <algorithm>
#include <cmath>

#include "weights.hpp"
#include "work_counter.hpp"

namespace linattn::testing {
namespace {

// One leading index.
struct Head {
    const double *Q, *K, *V, *gate;
    std::size_t n, d_k, d_v;
    const double *S = nullptr, *z = nullptr, *old_K = nullptr, *old_V = nullptr;  // of a memory
    std::size_t kept = 0;
    const double *all_K = nullptr, *all_V = nullptr;  // of all heads, of which this is one
    std::size_t number = 0, heads = 1;

    // Keys and values from the oldest one in the memory on.
    const double* key(std::size_t j) const { return j < kept ? old_K + j * d_k : K + (j - kept) * d_k; }
    const double* value(std::size_t j) const { return j < kept ? old_V + j * d_v : V + (j - kept) * d_v; }
};

bool in_window(const HybridSettings& settings, std::size_t window, std::size_t i, std::size_t j) {
    const auto wide = static_cast<std::ptrdiff_t>(window) + settings.wider;
    const auto back = static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(j);
    switch (settings.window) {
        case Window::last:
        case Window::with_empty_places: break;
        case Window::in_blocks: return back >= 0 && i / window == j / window;
        case Window::all_before: return back >= 0;
        case Window::without_own: return back >= 1 && back <= wide;
        case Window::around: return std::abs(back) < wide;
        case Window::future_too: return back < wide;
        case Window::first: return back >= 0 && j < window;
        case Window::first_and_own: return back >= 0 && (j + 1 < window || back == 0);
    }
    return back >= 0 && back < wide;
}

// Averages of values with weights that are given one by one.
struct Average {
    std::vector<SumOfTerms> above;
    SumOfTerms below;
    void add(const Rounded& weight, const double* value) { add(weight, weight, value); }
    void add(const Rounded& weight_above, const Rounded& weight_below, const double* value) {
        below.add(weight_below);
        for (std::size_t b = 0; b < above.size(); ++b) above[b].add(weight_above * Rounded{value[b]});
    }
};

Rounded feature_of_query(double x, std::size_t d_k, const HybridSettings& settings) {
    return feature(scaled({x}, d_k, settings.power_of_q), settings.features_q);
}
Rounded feature_of_key(double x, std::size_t d_k, const HybridSettings& settings) {
    return feature(scaled({x}, d_k, settings.power_of_k), settings.features_k);
}

// Adds what the tokens before have left to a token's sum.
void keep(SumOfTerms& kept, SumOfTerms& own, bool used) {
    kept.add(own.total());
    if (used) own = kept;
}

/// Sums of the tokens before, where they are not set back.
struct SumsSoFar {
    Average local, linear;
};

// Output of token i.
std::vector<Rounded> mixed(const Head& head, std::size_t i, std::size_t window, const HybridSettings& settings,
                           SumsSoFar* of_tokens_before = nullptr) {
    const std::size_t now = head.kept + i, count = head.kept + head.n;
    const auto width = static_cast<double>(settings.scale_of_values ? head.d_v : head.d_k);
    const double* q = head.Q + i * head.d_k;
    const auto score = [&](std::size_t j) {
        SumOfTerms dot;
        for (std::size_t a = 0; a < head.d_k; ++a) {
            const Features kind = settings.features_in_softmax ? Features::elu_plus_one : Features::none;
            dot.add(feature({q[a]}, kind) * feature({head.key(j)[a]}, kind));
        }
        return dot.total() * rounded(std::pow(width, settings.scale_power), 0.0);
    };
    Average local{std::vector<SumOfTerms>(head.d_v), {}}, linear = local;
    double largest = -infinity;
    for (std::size_t j = 0; j < count; ++j)
        if (in_window(settings, window, now, j)) largest = std::max(largest, score(j).value);
    const bool empty_places = settings.window == Window::with_empty_places && now + 1 < window;
    if (empty_places) {
        largest = std::max(largest, 0.0);
        const Rounded each = exponential(Rounded{settings.shifted ? -largest : 0.0});
        local.below.add(each * Rounded{static_cast<double>(window - now - 1)});
    }
    double so_far = -infinity;
    for (std::size_t j = 0; j < count; ++j) {
        const bool in = in_window(settings, window, now, j);
        if (!in && !(settings.softmax_divided_by_all && j <= now)) continue;
        const Rounded own = score(j), weight = exponential(settings.shifted ? own - Rounded{largest} : own);
        if (!in) {
            local.below.add(weight);
            continue;
        }
        so_far = std::max(so_far, own.value);
        const auto unless = [&](NotRescaled alone) {
            const bool kept = settings.not_rescaled == alone || settings.not_rescaled == NotRescaled::both;
            return kept ? exponential(own - Rounded{so_far}) : weight;
        };
        local.add(unless(NotRescaled::values), unless(NotRescaled::denominator), head.value(j));
    }
    const auto weight = [&](const double* key) {
        SumOfTerms dot;
        for (std::size_t a = 0; a < head.d_k; ++a)
            dot.add(feature_of_query(q[a], head.d_k, settings) * feature_of_key(key[a], head.d_k, settings));
        return dot.total();
    };
    const auto feature_of_q = [&](std::size_t a) { return feature_of_query(q[a], head.d_k, settings); };
    const auto add = [&](const double* key, const double* value, bool above = true, bool below = true) {
        if (!settings.S_read_reshaped) {
            const Rounded own = weight(key), none{0.0};
            linear.add(above ? own : none, below ? own : none, value);
            return;
        }
        if (below) linear.below.add(weight(key));
        for (std::size_t e = 0; above && e < head.d_k * head.d_v; ++e)
            linear.above[e / head.d_k].add(feature_of_q(e % head.d_k) *
                                           feature_of_key(key[e / head.d_v], head.d_k, settings) *
                                           Rounded{value[e % head.d_v]});
    };
    // Tokens of the memory are in S and z already.
    for (std::size_t j = head.kept; j < count; ++j) {
        const bool local_too = in_window(settings, window, now, j);
        const bool counts = settings.linear == LinearTokens::all              ? true
                            : settings.linear == LinearTokens::outside_window ? j <= now && !local_too
                            : settings.linear == LinearTokens::in_window      ? local_too
                            : settings.linear == LinearTokens::without_own    ? j < now
                                                                              : j <= now;
        if (counts) add(head.key(j), head.value(j));
    }
    if (settings.linear == LinearTokens::outside_window && head.kept == window) add(head.key(0), head.value(0));
    if (settings.leaving_key_not_read && head.kept == window) {
        const Rounded leaving = -weight(head.key(0));
        linear.add(leaving, leaving, head.value(0));
    }
    const bool in_turn = settings.heads_in_turn, carried = settings.S_carried || settings.z_carried;
    for (std::size_t j = 0; (carried || in_turn) && j < head.heads * head.n; ++j) {
        const std::size_t other = j / head.n, token = j % head.n;
        const bool seen =
            in_turn ? other != head.number && (token < i || (token == i && other < head.number)) : other < head.number;
        if (seen)
            add(head.all_K + j * head.d_k, head.all_V + j * head.d_v, in_turn || settings.S_carried,
                in_turn || settings.z_carried);
    }
    for (std::size_t c = 0; head.S != nullptr && !settings.past_ignored && c < head.d_k; ++c) {
        const Rounded phi_q = feature_of_query(q[c], head.d_k, settings);
        linear.below.add(phi_q * Rounded{head.z[c]});
        for (std::size_t b = 0; b < head.d_v; ++b) {
            const std::size_t e = c * head.d_v + b;
            const bool reshaped = settings.S_read_reshaped;
            linear.above[reshaped ? e / head.d_k : b].add((reshaped ? feature_of_q(e % head.d_k) : phi_q) *
                                                          Rounded{head.S[e]});
        }
    }
    for (std::size_t b = 0; of_tokens_before != nullptr && b < head.d_v; ++b)
        keep(of_tokens_before->local.above[b], local.above[b], settings.softmax_numerators_kept);
    if (of_tokens_before != nullptr)
        keep(of_tokens_before->local.below, local.below, settings.softmax_denominators_kept);
    if (of_tokens_before != nullptr)
        keep(of_tokens_before->linear.below, linear.below, settings.linear_denominators_kept);
    double g = head.gate[settings.gate == Gate::first_token ? 0 : i];
    if (settings.gate == Gate::squashed) g = 1.0 / (1.0 + std::exp(-g));
    if (settings.gate == Gate::averaged) g = 0.5;
    const Rounded share{g}, rest = Rounded{1.0} - share, whole{1.0};
    Rounded of_local = share, of_linear = rest;
    if (settings.gate == Gate::exchanged) std::swap(of_local, of_linear);
    if (settings.gate == Gate::missing) of_local = of_linear = whole;
    if (settings.gate == Gate::local_only) of_linear = whole;
    if (settings.gate == Gate::both_with_gate) of_linear = share;
    if (settings.gate == Gate::window_alone || settings.gate == Gate::linear_alone) {
        of_local = Rounded{settings.gate == Gate::window_alone ? 1.0 : 0.0};
        of_linear = whole - of_local;
    }
    std::vector<Rounded> output;
    output.reserve(head.d_v);
    const Rounded epsilon{attention_epsilon * settings.epsilon_counts};
    for (std::size_t b = 0; b < head.d_v; ++b) {
        Rounded near = local.above[b].total(), far = linear.above[b].total();
        if (settings.gate == Gate::before_division) {
            output.push_back((of_local * near + of_linear * far) /
                             (of_local * local.below.total() + of_linear * (linear.below.total() + epsilon)));
            continue;
        }
        const auto by_count = [](const Rounded& sum, std::size_t terms) {
            return terms == 0 ? sum : sum / Rounded{static_cast<double>(terms)};
        };
        if (settings.softmax_by_count)
            near = by_count(near, local.below.terms());
        else if (settings.softmax_divided && local.below.terms() > 0)
            near = near / local.below.total();
        if (settings.linear_by_count)
            far = by_count(far, now + 1);
        else if (settings.epsilon_after_division)
            far = far / linear.below.total() + epsilon;
        else if (settings.divided)
            far = far / (linear.below.total() + epsilon);
        output.push_back(of_local * near + (settings.gate == Gate::rest_added ? of_linear : of_linear * far));
    }
    count_work(count * (head.d_k + head.d_v));
    return output;
}

std::size_t entries_before(const Shape& leading) {
    std::size_t result = 1;
    for (const std::size_t length : leading) result *= length;
    return result;
}

// S or z after the tokens of a head: Σ φ(k) vᵀ or, without values, Σ φ(k).
Expected sums_of(const Tensor& K, const Tensor* V, std::size_t heads, std::size_t n, const Shape& shape) {
    Expected sums{zeros(shape), zeros(shape), carried_error, false};
    const std::size_t d_k = length(K, -1), d_v = V == nullptr ? 1 : length(*V, -1);
    for (std::size_t h = 0; h < heads; ++h)
        for (std::size_t c = 0; c < d_k; ++c)
            for (std::size_t b = 0; b < d_v; ++b) {
                SumOfTerms sum;
                for (std::size_t i = 0; i < n; ++i) {
                    const Rounded phi_k = feature({K.data()[(h * n + i) * d_k + c]}, Features::elu_plus_one);
                    sum.add(V == nullptr ? phi_k : phi_k * Rounded{V->data()[(h * n + i) * d_v + b]});
                }
                sums.value.data()[(h * d_k + c) * d_v + b] = sum.total().value;
                sums.tolerance.data()[(h * d_k + c) * d_v + b] = sum.total().error;
            }
    return sums;
}

}  // namespace

Expected expected_hybrid_attention(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& gate,
                                   std::size_t window, const HybridSettings& settings) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_shape(gate, "gate", join(shape.leading, {shape.n}), "(…, n)");
    if (window == 0) reject("hybrid_attention", "window", "at least 1", "0");
    Expected expected{zeros(shape_of(V)), zeros(shape_of(V)), carried_error};
    const auto& [leading, n, d_k, d_v] = shape;
    for (std::size_t h = 0; h < entries_before(leading); ++h) {
        const std::size_t first = h * n;  // of the head's tokens
        Head head{Q.data() + (settings.queries_of_first_head ? 0 : first) * d_k,
                  K.data() + (settings.keys_of_first_head ? 0 : first) * d_k,
                  V.data() + (settings.values_of_first_head ? 0 : first) * d_v,
                  gate.data() + (settings.gate == Gate::first_head ? 0 : first),
                  n,
                  d_k,
                  d_v};
        head.all_K = K.data();
        head.all_V = V.data();
        head.number = h;
        head.heads = entries_before(leading);
        SumsSoFar sums{{std::vector<SumOfTerms>(d_v), {}}, {}};
        for (std::size_t i = 0; i < n; ++i) {
            const std::vector<Rounded> output = mixed(head, i, window, settings, &sums);
            for (std::size_t b = 0; b < d_v; ++b) {
                expected.value.data()[(h * n + i) * d_v + b] = output[b].value;
                expected.tolerance.data()[(h * n + i) * d_v + b] = output[b].error;
            }
        }
    }
    for (std::size_t e = 0, size = n * d_v; settings.outputs_over_first_head && e < expected.value.size(); ++e)
        expected.value.data()[e] = e < size ? expected.value.data()[expected.value.size() - size + e] : 0.0;
    return expected;
}

std::vector<Expected> expected_hybrid_step(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& gate,
                                           std::size_t window) {
    const auto& [leading, n, d_k, d_v] = require_attention_shapes(Q, K, V);
    Expected output = expected_hybrid_attention(Q, K, V, gate, window);
    output.value = token(output.value, n - 1);
    output.tolerance = token(output.tolerance, n - 1);
    output.has_tokens = false;
    const std::size_t heads = entries_before(leading), first = n - std::min(n, window);
    return {output, sums_of(K, &V, heads, n, join(leading, {d_k, d_v})),
            sums_of(K, nullptr, heads, n, join(leading, {d_k})), exactly(tokens(K, first, n)),
            exactly(tokens(V, first, n))};
}

HybridStep hybrid_step_by_settings(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& gate,
                                   std::size_t window, const HybridMemory& memory, const HybridSettings& settings) {
    const auto& [leading, n, d_k, d_v] = require_step_shapes(q, k, v);
    require_shape(gate, "gate", leading, "(…)");
    if (window == 0) reject("hybrid_attention_step", "window", "at least 1", "0");
    require_shape(memory.S, "memory.S", join(leading, {d_k, d_v}), "(…, d_k, d_v)");
    require_shape(memory.z, "memory.z", join(leading, {d_k}), "(…, d_k)");
    require_rank(memory.K, "memory.K", 2, "(…, m, d_k)");
    const std::size_t kept = length(memory.K, -2);
    require_shape(memory.K, "memory.K", join(leading, {kept, d_k}), "(…, m, d_k)");
    require_shape(memory.V, "memory.V", join(leading, {kept, d_v}), "(…, m, d_v)");
    if (kept > window) reject("hybrid_attention_step", "memory.K", "at most window keys", std::to_string(kept));
    HybridStep made{zeros(shape_of(v)), memory};
    for (std::size_t e = d_k * d_v; settings.S_of_first_head && e < memory.S.size(); ++e)
        made.memory.S.data()[e] = memory.S.data()[e % (d_k * d_v)];
    for (std::size_t e = d_k; settings.z_of_first_head && e < memory.z.size(); ++e)
        made.memory.z.data()[e] = memory.z.data()[e % d_k];
    const Tensor S = made.memory.S, z = made.memory.z;
    for (std::size_t h = 0; h < entries_before(leading); ++h) {
        const Head head{q.data() + h * d_k,
                        k.data() + h * d_k,
                        v.data() + h * d_v,
                        gate.data() + h,
                        1,
                        d_k,
                        d_v,
                        S.data() + h * d_k * d_v,
                        z.data() + h * d_k,
                        memory.K.data() + h * kept * d_k,
                        memory.V.data() + h * kept * d_v,
                        kept};
        const std::vector<Rounded> output = mixed(head, 0, window, settings);
        for (std::size_t b = 0; b < d_v; ++b) made.output.data()[h * d_v + b] = output[b].value;
        const bool oldest = settings.leaving_key_into_state,
                   one_leaves = settings.leaving_key_out_of_state && kept >= window;
        if (oldest && kept < window) continue;
        const auto phi_k = [&](std::size_t c) {
            return feature_of_key(oldest ? head.key(0)[c] : head.K[c], head.d_k, settings).value;
        };
        const auto phi_of_leaving = [&](std::size_t c) {
            return feature_of_key(head.key(0)[c], head.d_k, settings).value;
        };
        for (std::size_t e = 0; !settings.z_not_updated && e < made.memory.z.size(); ++e)
            if (e / d_k == h) made.memory.z.data()[e] += phi_k(e % d_k) - (one_leaves ? phi_of_leaving(e % d_k) : 0.0);
        for (std::size_t e = 0; !settings.S_not_updated && e < made.memory.S.size(); ++e)
            if (e / d_v / d_k == h)
                made.memory.S.data()[e] += phi_k(e / d_v % d_k) * (oldest ? head.value(0) : head.V)[e % d_v] -
                                           (one_leaves ? phi_of_leaving(e / d_v % d_k) * head.value(0)[e % d_v] : 0.0);
    }
    Tensor own_key = expand_dims(k, -2);
    if (settings.cache == Cache::features)
        std::transform(own_key.data(), own_key.data() + own_key.size(), own_key.data(),
                       [](double x) { return feature({x}, Features::elu_plus_one).value; });
    const auto joined = [&](const Tensor& old, const Tensor& own, bool all) {
        const bool in_front = settings.cache == Cache::newest_first;
        const Tensor both = in_front ? concatenate(own, old, -2) : concatenate(old, own, -2);
        const std::size_t most = settings.cache == Cache::one_less ? window - 1 : window, size = kept + 1;
        if (settings.cache == Cache::as_it_came) return old;
        if (settings.cache == Cache::replaced) return own;
        if (settings.cache == Cache::unbounded || all || size <= most) return both;
        if (settings.cache == Cache::newest_leaves || in_front) return tokens(both, 0, most);
        if (settings.cache == Cache::newest_replaced) return concatenate(tokens(old, 0, most - 1), own, -2);
        return tokens(both, size - most, size);
    };
    made.memory.K = joined(memory.K, own_key, false);
    made.memory.V = joined(memory.V, expand_dims(v, -2), settings.cache == Cache::values_stay);
    if (settings.writes_argument) const_cast<HybridMemory&>(memory) = made.memory;
    return made;
}

}  // namespace linattn::testing
