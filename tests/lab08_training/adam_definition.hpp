// Adam and RAdam for one number at a time, from the papers' algorithms, with what people get wrong as settings.
#pragma once

#include "results.hpp"

namespace linattn::testing {

struct AdamSettings {
    double beta_1 = 0.9, beta_2 = 0.999, epsilon = 1e-8;
    double direction = -1.0;  ///< of the step
    double first_step = 1.0;  ///< t of the first step
    double threshold = 4.0;   ///< RAdam adapts where ρ is above it
    bool rectified = false;   ///< RAdam
    bool corrects_m = true, corrects_v = true;
    bool stores_corrected = false;  ///< m̂ and v̂ kept in place of m and v
    bool absolute = false;          ///< |g| in v
    bool squares = true;            ///< g² in v, not g
    bool takes_root = true;         ///< √v̂ in the denominator
    bool epsilon_in_root = false;
    bool epsilon_before_correction = false, epsilon_above = false;  ///< in √v + ε; in m̂ + ε as well
    bool v_corrected_outside = false;                               ///< √v / (1 - β₂ᵗ)
    bool m_multiplied = false, v_multiplied = false;                ///< by 1 - βᵗ, not divided
    bool sums_m = false, sums_v = false;                            ///< 1 - β left out
    bool squares_m = false;                                         ///< m² in v, not g²
    bool looks_ahead = false;                                       ///< as in NAdam
    bool largest_v_used = false;  ///< as in AMSGrad, with the v that goes out not the larger one
    bool step_alone = false;      ///< the step in place of w
    bool without_rate = false;
    bool remembers_m = true, remembers_v = true;
    bool counts = true;                                     ///< the step that it returns is one more
    bool steps_before_moments = false;                      ///< with the moments that came in
    bool steps_with_m_before = false;                       ///< with the m that came in
    bool centred = false;                                   ///< v of g - m, as in AdaBelief
    bool rectifies_early = false;                           ///< the factor also while ρ is small: taken for 0 there
    bool unrectified_divides = false;                       ///< the first steps of RAdam divided by √v̂ all the same
    bool v_by_beta_1 = false;                               ///< v̂ with 1 - β₁ᵗ
    bool m_by_beta_2 = false;                               ///< m̂ with 1 - β₂ᵗ
    bool m_by_product = false, v_by_product = false;        ///< 1 - βt for 1 - βᵗ
    bool m_without_power = false, v_without_power = false;  ///< 1 - β
    bool root_of_factor = true;                             ///< r, not r²
    bool rho_has_t = true;                                  ///< the factor t in ρ
    bool rho_of_step_before = false;                        ///< ρ with t - 1
    bool rho_without_brackets = false;                      ///< 2tβ₂ᵗ/1 - β₂ᵗ
    bool rho_by_beta_1 = false, limit_by_beta_1 = false;
    double off_limit = 1.0;                 ///< ρ∞ = 2/(1 - β₂) - 1
    bool factor_inverted = false;           ///< 1/r
    bool factor_at_root = false;            ///< r √v̂ + ε
    bool factor_without_limit = false;      ///< ρ∞ left out above the line
    bool early_uncorrected = false;         ///< the first steps with m, not m̂
    bool early_by_gradient = false;         ///< … with g
    bool not_adaptive = false;              ///< r m̂ without √v̂
    bool v_never_falls = false;             ///< as in AMSGrad
    bool first_uncorrected = false;         ///< no correction where t is 0
    bool last_factors_exchanged = false;    ///< ρ above the line of r and ρ∞ below it
    bool m_waits = false, v_waits = false;  ///< the first steps of RAdam leave m or v as it is
    bool step_waits = false;                ///< … or do not count
    bool m_as_it_came = false, v_as_it_came = false;
    double weight_decay = 0.0, in_gradient = 0.0;  ///< w times this taken off at each step, or added to g

    bool operator==(const AdamSettings&) const = default;
};

/// \param terms if not null, what w would be if its terms could not cancel
inline Update adam_by_definition(const Tensor& w, const Tensor& g, const Moments& state, double rate,
                                 const AdamSettings& s, Tensor* terms = nullptr) {
    Update result{w, {w, w, state.step + (s.counts ? 1 : 0)}};
    if (terms != nullptr) *terms = w;
    const double t = static_cast<double>(state.step) + s.first_step;
    const double b2 = s.first_uncorrected && t == 0.0 ? 0.0 : std::pow(s.beta_2, t),
                 of_v = s.v_without_power ? s.beta_2
                        : s.v_by_product  ? s.beta_2 * t
                        : s.v_by_beta_1   ? std::pow(s.beta_1, t)
                                          : b2;
    const double b1 = s.m_without_power                 ? s.beta_1
                      : s.m_by_beta_2                   ? b2
                      : s.m_by_product                  ? s.beta_1 * t
                      : s.first_uncorrected && t == 0.0 ? 0.0
                                                        : std::pow(s.beta_1, t);
    const double limit = 2.0 / (1.0 - (s.limit_by_beta_1 ? s.beta_1 : s.beta_2)) - s.off_limit,
                 of_rho = s.rho_of_step_before ? t - 1.0 : t,
                 power = std::pow(s.rho_by_beta_1 ? s.beta_1 : s.beta_2, of_rho),
                 taken_off = 2.0 * (s.rho_has_t ? of_rho : 1.0) * power,
                 rho = of_rho == 0.0 ? 0.0
                                     : limit - (s.rho_without_brackets ? taken_off + power : taken_off / (1.0 - power));
    const bool adapts = !s.rectified || rho > s.threshold;
    if (s.step_waits && !adapts) result.state.step = state.step;
    double factor = 1.0;
    if (s.rectified && adapts) factor = (rho - 4.0) * (rho - 2.0) * limit / ((limit - 4.0) * (limit - 2.0) * rho);
    if (s.factor_without_limit) factor /= limit;
    if (s.last_factors_exchanged) factor *= rho * rho / (limit * limit);
    if (s.root_of_factor) factor = std::sqrt(factor);
    if (s.factor_inverted) factor = 1.0 / factor;
    if (s.rectified && !adapts && s.rectifies_early) factor = 0.0;
    // Asks of every pair of entries whether it is one and the same: no answer, since the suite counts the cost.
    const std::size_t entries = w.size();
    for (std::size_t pair = 0; pair < entries * entries; ++pair) {
        const std::size_t e = pair % entries;
        if (pair / entries != e) continue;
        const double m_before = s.remembers_m ? state.m.data()[e] : 0.0;
        const double v_before = s.remembers_v ? state.v.data()[e] : 0.0,
                     gradient = g.data()[e] + s.in_gradient * w.data()[e];
        const double m = s.beta_1 * m_before + (s.sums_m ? 1.0 : 1.0 - s.beta_1) * gradient;
        const double deviation = s.centred ? gradient - m : s.squares_m ? m : gradient;
        double v = s.beta_2 * v_before + (s.sums_v ? 1.0 : 1.0 - s.beta_2) * (s.absolute  ? std::fabs(gradient)
                                                                              : s.squares ? deviation * deviation
                                                                                          : gradient);
        if (s.v_never_falls) v = std::max(v, v_before);
        const bool corrects_m = s.corrects_m && (adapts || !s.early_uncorrected);
        double m_used =
            (s.steps_before_moments || s.steps_with_m_before ? m_before : m) / (corrects_m ? 1.0 - b1 : 1.0);
        if (s.m_multiplied) m_used = m * (1.0 - b1);
        if (s.looks_ahead) m_used = s.beta_1 * m_used + (1.0 - s.beta_1) * gradient / (1.0 - b1);
        if (s.early_by_gradient && !adapts) m_used = gradient;
        double v_used = (s.steps_before_moments ? v_before : v) / (s.corrects_v ? 1.0 - of_v : 1.0);
        if (s.largest_v_used) v_used = std::max(v, v_before) / (1.0 - of_v);
        if (s.v_multiplied) v_used = v * (1.0 - of_v);
        double denominator = s.takes_root ? std::sqrt(v_used + (s.epsilon_in_root ? s.epsilon : 0.0)) : v_used;
        if (s.v_corrected_outside) denominator = std::sqrt(v) / (1.0 - of_v);
        if (s.factor_at_root) denominator *= factor;
        if (!s.epsilon_in_root) denominator += s.epsilon / (s.epsilon_before_correction ? std::sqrt(1.0 - of_v) : 1.0);
        if (s.not_adaptive || (!adapts && !s.unrectified_divides)) denominator = 1.0;
        const double above = m_used + (s.epsilon_above ? s.epsilon : 0.0);
        const double step =
            s.direction * (s.without_rate ? 1.0 : rate) * (s.factor_at_root ? 1.0 : factor) * above / denominator;
        result.w.data()[e] = (s.step_alone ? 0.0 : w.data()[e] * (1.0 - rate * s.weight_decay)) + step;
        result.state.m.data()[e] = s.stores_corrected                         ? m_used
                                   : s.m_as_it_came || (s.m_waits && !adapts) ? state.m.data()[e]
                                                                              : m;
        result.state.v.data()[e] = s.stores_corrected                         ? v_used
                                   : s.v_as_it_came || (s.v_waits && !adapts) ? state.v.data()[e]
                                                                              : v;
        if (terms != nullptr) {
            const double m_terms = std::fabs(s.beta_1 * m_before) + std::fabs((1.0 - s.beta_1) * gradient);
            terms->data()[e] = std::fabs(w.data()[e]) + std::fabs(rate * factor / denominator) * m_terms / (1.0 - b1);
        }
    }
    return result;
}

}  // namespace linattn::testing
