// Adam and RAdam with their settings turned (adam_definition.hpp).
#include "adam_definition.hpp"
#include "mutations.hpp"

namespace linattn::testing::adam_mutations {

using Settings = AdamSettings;

namespace has {
constexpr unsigned adam = 1, rectification = 2;
}

const MutationTable<Settings> table = {
    {
        {"the correction", "m not corrected", "m begins at 0 and is too small at first: divide it by 1 − β₁ᵗ.", 0,
         [](Settings& s) { s.corrects_m = false; }},
        {"the correction", "v not corrected", "v begins at 0 and is too small at first: divide it by 1 − β₂ᵗ.", 0,
         [](Settings& s) { s.corrects_v = false; }},
        {"the correction", "no correction",
         "m and v begin at 0 and are too small at first: m̂ = m/(1−β₁ᵗ), v̂ = v/(1−β₂ᵗ).", has::adam,
         [](Settings& s) { s.corrects_m = s.corrects_v = false; }},
        {"the correction", "m corrected with β₂", "m̂ = m/(1 − β₁ᵗ): each moment has its own β.", 0,
         [](Settings& s) { s.m_by_beta_2 = true; }},
        {"the correction", "v corrected with β₁", "v̂ = v/(1 − β₂ᵗ): each moment has its own β.", 0,
         [](Settings& s) { s.v_by_beta_1 = true; }},
        {"the correction", "1 − β₁·t in place of 1 − β₁ᵗ", "βᵗ is a power: std::pow(beta, t).", 0,
         [](Settings& s) { s.m_by_product = true; }},
        {"the correction", "1 − β·t in place of 1 − βᵗ", "βᵗ is a power: std::pow(beta, t).", 0,
         [](Settings& s) { s.m_by_product = s.v_by_product = true; }},
        {"the correction", "m divided by 1 − β₁ at every step", "The correction is 1 − β₁ᵗ, which grows to 1.", 0,
         [](Settings& s) { s.m_without_power = true; }},
        {"the correction", "v divided by 1 − β₂ at every step", "The correction is 1 − β₂ᵗ, which grows to 1.", 0,
         [](Settings& s) { s.v_without_power = true; }},
        {"the correction", "m and v divided by 1 − β at every step", "The corrections are 1 − βᵗ, which grow to 1.", 0,
         [](Settings& s) { s.m_without_power = s.v_without_power = true; }},
        {"the correction", "v's correction outside the root",
         "v̂ = v/(1 − β₂ᵗ), and then the root of it: √v/(1 − β₂ᵗ) is divided by too much.", 0,
         [](Settings& s) { s.v_corrected_outside = true; }},
        {"the correction", "m times 1 − β₁ᵗ", "m begins at 0 and is too small at first: divide it by 1 − β₁ᵗ.", 0,
         [](Settings& s) { s.m_multiplied = true; }},
        {"the correction", "v times 1 − β₂ᵗ", "v begins at 0 and is too small at first: divide it by 1 − β₂ᵗ.", 0,
         [](Settings& s) { s.v_multiplied = true; }},
        {"the correction", "m and v times 1 − βᵗ", "Both are too small at first: divide by 1 − β₁ᵗ and by 1 − β₂ᵗ.", 0,
         [](Settings& s) { s.m_multiplied = s.v_multiplied = true; }},
        {"t", "t of the step before", "The first step has t = 1: state.step counts the steps before it.", 0,
         [](Settings& s) { s.first_step = 0.0; }},
        {"t", "t of the step before, no correction where it is 0",
         "The first step has t = 1, so that 1 − βᵗ is never 0: state.step counts the steps before it.", 0,
         [](Settings& s) {
             s.first_step = 0.0;
             s.first_uncorrected = true;
         }},
        {"t", "t one too large", "The first step has t = 1.", 0, [](Settings& s) { s.first_step = 2.0; }},
        {"t", "step not counted", "The returned state has taken one step more: add 1 to step.", 0,
         [](Settings& s) { s.counts = false; }},
        {"the correction", "corrected moments kept", "m̂ and v̂ are for this step alone: the state keeps m and v.", 0,
         [](Settings& s) { s.stores_corrected = true; }},
        {"v", "v of g in place of g²", "v is the running mean of the squares.", 0,
         [](Settings& s) { s.squares = false; }},
        {"v", "v of |g| in place of g²", "v is the running mean of the squares.", 0,
         [](Settings& s) { s.absolute = true; }},
        {"v", "v of |g|, without a root", "v is the running mean of the squares, and the step is divided by its root.",
         0, [](Settings& s) { s.absolute = true, s.takes_root = false; }},
        {"v", "root of v̂ forgotten", "Divide by √v̂ + ε, which has the unit of the gradient.", 0,
         [](Settings& s) { s.takes_root = false; }},
        {"v", "v of g − m", "v is the running mean of g², not of (g − m)².", 0, [](Settings& s) { s.centred = true; }},
        {"v", "v never falls", "That is AMSGrad: here v is the running mean itself, which falls where gradients do.", 0,
         [](Settings& s) { s.v_never_falls = true; }},
        {"v", "v's largest so far in the step", "That is AMSGrad: the step takes v̂ of the new v, also where v falls.",
         0, [](Settings& s) { s.largest_v_used = true; }},
        {"v", "v of m² in place of g²", "v is the running mean of g², not of m².", 0,
         [](Settings& s) { s.squares_m = true; }},
        {"v", "v of |g|, and its largest so far",
         "That is AdaMax: here v is the running mean of g², and the step is divided by its root.", 0,
         [](Settings& s) { s.absolute = s.v_never_falls = true; }},
        {"ε", "ε inside the root", "ε is added after the root: √v̂ + ε.", 0,
         [](Settings& s) { s.epsilon_in_root = true; }},
        {"ε", "ε added before the correction",
         "ε is added to √v̂, which is corrected already. √v + ε, corrected then, has another weight for ε.", 0,
         [](Settings& s) { s.epsilon_before_correction = true; }},
        {"ε", "ε added above the line too", "Add ε to √v̂ only.", 0, [](Settings& s) { s.epsilon_above = true; }},
        {"ε", "ε forgotten", "Divide by √v̂ + ε: where the gradient has always been 0, the step is 0 and not NaN.", 0,
         [](Settings& s) { s.epsilon = 0.0; }},
        {"the sign", "up the gradient", "w ← w − rate · …, with a minus.", 0, [](Settings& s) { s.direction = 1.0; }},
        {"the moments", "m forgets the steps before", "m ← β₁ m + (1 − β₁) g, from the m that is passed in.", 0,
         [](Settings& s) { s.remembers_m = false; }},
        {"the moments", "v forgets the steps before", "v ← β₂ v + (1 − β₂) g², from the v that is passed in.", 0,
         [](Settings& s) { s.remembers_v = false; }},
        {"the moments", "1 − β₁ left out of m", "m ← β₁ m + (1 − β₁) g: a running mean, not a sum.", 0,
         [](Settings& s) { s.sums_m = true; }},
        {"the moments", "1 − β₂ left out of v", "v ← β₂ v + (1 − β₂) g²: a running mean, not a sum.", 0,
         [](Settings& s) { s.sums_v = true; }},
        {"the moments", "1 − β left out of both moments",
         "m ← β₁ m + (1 − β₁) g, and v ← β₂ v + (1 − β₂) g²: running means, not sums.", 0,
         [](Settings& s) { s.sums_m = s.sums_v = true; }},
        {"the moments", "m of the step after", "That is NAdam: here the step takes m̂ itself.", 0,
         [](Settings& s) { s.looks_ahead = true; }},
        {"the moments", "m and v returned as they came", "The state that goes out has the new m and the new v.", 0,
         [](Settings& s) { s.m_as_it_came = s.v_as_it_came = true; }},
        {"the moments", "m returned as it came", "The state that goes out has the new m.", 0,
         [](Settings& s) { s.m_as_it_came = true; }},
        {"the moments", "v returned as it came", "The state that goes out has the new v.", 0,
         [](Settings& s) { s.v_as_it_came = true; }},
        {"the moments", "state returned as it came", "Every step changes m, v and step: return the new ones.", 0,
         [](Settings& s) {
             s.m_as_it_came = s.v_as_it_came = true;
             s.counts = false;
         }},
        {"the step", "the step in place of the new weights", "w ← w − rate · …: the result is w and the step.", 0,
         [](Settings& s) { s.step_alone = true; }},
        {"the step", "rate left out", "The step is as long as the rate says: w ← w − rate · m̂/(√v̂ + ε).", 0,
         [](Settings& s) { s.without_rate = true; }},
        {"the moments", "step taken before the moments are updated", "Update m and v first, then step with them.", 0,
         [](Settings& s) { s.steps_before_moments = true; }},
        {"the moments", "step with the m before this gradient", "The step takes m̂ of the new m.", 0,
         [](Settings& s) { s.steps_with_m_before = true; }},
        {"β", "β₁ and β₂ exchanged", "β₁ = 0.9 belongs to m, β₂ = 0.999 to v.", 0,
         [](Settings& s) { std::swap(s.beta_1, s.beta_2); }},
        {"β", "β and 1 − β exchanged", "m ← β₁ m + (1 − β₁) g: what was there keeps the larger part; likewise v.", 0,
         [](Settings& s) { s.beta_1 = 1.0 - s.beta_1, s.beta_2 = 1.0 - s.beta_2; }},
        {"β", "β₂ = 0.99", "β₂ is 0.999.", 0, [](Settings& s) { s.beta_2 = 0.99; }},
        {"the rectification", "rectified", "That is RAdam: Adam's step is rate · m̂/(√v̂ + ε) from the first one on.",
         has::adam, [](Settings& s) { s.rectified = true; }},
        {"the rectification", "1 − β₂ᵗ without brackets in ρ",
         "ρ = ρ∞ − 2tβ₂ᵗ/(1 − β₂ᵗ): without the brackets, 1 alone divides.", has::rectification,
         [](Settings& s) { s.rho_without_brackets = true; }},
        {"the rectification", "β₁ in ρ", "ρ tells on how many gradients v̂ rests: ρ∞ − 2tβ₂ᵗ/(1 − β₂ᵗ).",
         has::rectification, [](Settings& s) { s.rho_by_beta_1 = true; }},
        {"the rectification", "β₁ in ρ∞", "The limit of ρ is ρ∞ = 2/(1 − β₂) − 1.", has::rectification,
         [](Settings& s) { s.limit_by_beta_1 = true; }},
        {"the rectification", "ρ∞ without − 1", "The limit of ρ is ρ∞ = 2/(1 − β₂) − 1.", has::rectification,
         [](Settings& s) { s.off_limit = 0.0; }},
        {"the rectification", "r multiplied with √v̂", "r makes the step shorter: it belongs above the line, beside m̂.",
         has::rectification, [](Settings& s) { s.factor_at_root = true; }},
        {"the rectification", "r upside down",
         "r² = (ρ − 4)(ρ − 2)ρ∞ / ((ρ∞ − 4)(ρ∞ − 2)ρ): below 1, and 1 in the end.", has::rectification,
         [](Settings& s) { s.factor_inverted = true; }},
        {"the rectification", "ρ∞ left out above the line of r",
         "r² = (ρ − 4)(ρ − 2)ρ∞ / ((ρ∞ − 4)(ρ∞ − 2)ρ): three factors above, three below.", has::rectification,
         [](Settings& s) { s.factor_without_limit = true; }},
        {"the rectification", "ρ and ρ∞ exchanged at the end of r",
         "r² = (ρ − 4)(ρ − 2)ρ∞ / ((ρ∞ − 4)(ρ∞ − 2)ρ): ρ∞ above the line, ρ below it.", has::rectification,
         [](Settings& s) { s.last_factors_exchanged = true; }},
        {"the rectification", "m not corrected in the first steps",
         "While ρ ≤ 4 the step is rate · m̂, with m̂ = m/(1 − β₁ᵗ).", has::rectification,
         [](Settings& s) { s.early_uncorrected = true; }},
        {"the rectification", "g in place of m̂ in the first steps",
         "While ρ ≤ 4 the step is rate · m̂: momentum without a division by √v̂, and not plain gradient descent.",
         has::rectification, [](Settings& s) { s.early_by_gradient = true; }},
        {"the rectification", "rectified steps not divided by √v̂", "Where ρ > 4 the step is rate · r m̂/(√v̂ + ε).",
         has::rectification, [](Settings& s) { s.not_adaptive = true; }},
        {"the rectification", "not rectified",
         "RAdam multiplies the step by r, and its first steps are plain momentum.", has::rectification,
         [](Settings& s) { s.rectified = false; }},
        {"the rectification", "adaptive from ρ > 5 on",
         "Algorithm 2 adapts where ρ > 4: from step 5 on for β₂ = 0.999.", has::rectification,
         [](Settings& s) { s.threshold = 5.0; }},
        {"the rectification", "no step while ρ is small", "While ρ ≤ 4 the step is rate · m̂: plain momentum.",
         has::rectification, [](Settings& s) { s.rectifies_early = true; }},
        {"the rectification", "root of r forgotten", "r is the root of that fraction.", has::rectification,
         [](Settings& s) { s.root_of_factor = false; }},
        {"the rectification", "ρ without the factor t", "ρ = ρ∞ − 2tβ₂ᵗ/(1 − β₂ᵗ): there is a t before the power.",
         has::rectification, [](Settings& s) { s.rho_has_t = false; }},
        {"the rectification", "ρ of the step before",
         "ρ = ρ∞ − 2tβ₂ᵗ/(1 − β₂ᵗ) has the t of this step, as the corrections have: state.step + 1.",
         has::rectification, [](Settings& s) { s.rho_of_step_before = true; }},
        {"the rectification", "v not updated while ρ is small",
         "v counts every gradient from the first step on: update it before the step is chosen.", has::rectification,
         [](Settings& s) { s.v_waits = true; }},
        {"the rectification", "m not updated while ρ is small",
         "m counts every gradient from the first step on: put the new m into the state before the step is chosen.",
         has::rectification, [](Settings& s) { s.m_waits = true; }},
        {"the rectification", "m and v not updated while ρ is small",
         "Both count every gradient from the first step on: put them into the state before the step is chosen.",
         has::rectification, [](Settings& s) { s.m_waits = s.v_waits = true; }},
        {"the rectification", "step not counted while ρ is small",
         "Every step counts, also one without √v̂: with t as it is, ρ stays small.", has::rectification,
         [](Settings& s) { s.step_waits = true; }},
        {"the rectification", "state returned as it came while ρ is small",
         "Every step changes m, v and step, also one without √v̂.", has::rectification,
         [](Settings& s) { s.m_waits = s.v_waits = s.step_waits = true; }},
        {"the rectification", "first steps divided by √v̂", "While ρ ≤ 4 the step is rate · m̂, not divided by anything.",
         has::rectification, [](Settings& s) { s.unrectified_divides = true; }},
    },
    {{"β₁ = %s", "β₁ is 0.9.", 0, [](Settings& s, double value) { s.beta_1 = value; }, 0.0, 0.9999},
     {"β₂ = %s", "β₂ is 0.999.", 0, [](Settings& s, double value) { s.beta_2 = value; }, 0.0, 0.99999},
     {"weight decay of %s", "That is AdamW: here the weights do not shrink.", 0,
      [](Settings& s, double value) { s.weight_decay = value; }, 1e-6, 1.0},
     {"%s w added to the gradient", "That is Adam with a penalty on the weights: here the gradient is used as it is.",
      0, [](Settings& s, double value) { s.in_gradient = value; }, 1e-6, 1.0},
     {"ε = %s", "ε is 1e-8.", 0, [](Settings& s, double value) { s.epsilon = value; }, 0.0, 1.0}},
};

Update wrong(const Settings& settings, const Tensor& w, const Tensor& g, const Moments& state, double rate) {
    require_step(w, g, state, rate);
    return adam_by_definition(w, g, state, rate, settings);
}

const Settings adam;
Settings radam_settings() {
    Settings s;
    s.rectified = true;
    return s;
}
const MutationsOf adam_mutations("adam_step", table, has::adam, adam, &wrong);
const MutationsOf radam_mutations("radam_step", table, has::rectification, radam_settings(), &wrong);

std::vector<Run> probes_of(Update (*step)(const Tensor&, const Tensor&, const Moments&, double)) {
    const Tensor w{0.5, -1}, g{1e-7, -0.3};
    const Moments early{{2e-7, 0.1}, {3e-14, 0.2}, 1}, late{{2e-7, 0.1}, {3e-14, 0.2}, 40};
    return {probe(step, w, g, early, 0.1), probe(step, w, g, late, 0.1)};
}
const Probes adam_probes("adam_step", [] { return probes_of(&linattn::adam_step); });
const Probes radam_probes("radam_step", [] { return probes_of(&linattn::radam_step); });

}  // namespace linattn::testing::adam_mutations
