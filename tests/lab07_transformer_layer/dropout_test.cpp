// dropout: nobody can say which entries must go, only how often, and that nothing else decides it but the seed.
#include <algorithm>
#include <cmath>

#include "sizes.hpp"
#include "weights.hpp"

namespace linattn::testing::dropout_test {

constexpr double false_alarm = 1e-11;  // of one comparison; a run makes fewer than a hundred of these

/// How far the mean of n independent variables, each in an interval of this width, may be from what is expected (Hoeffding).
double allowed_distance(std::size_t n, double width) {
    return width * std::sqrt(std::log(2.0 / false_alarm) / (2.0 * static_cast<double>(n)));
}

std::string in_short(double x) { return describe(std::round(x * 1e4) / 1e4); }

/// 1 where an entry was kept, 0 where it was dropped.
Tensor kept_entries(const Tensor& result) { return where(abs(result) > 0.0, 1.0, 0.0); }

double share_of_ones(const Tensor& x) {
    double ones = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) ones += x.data()[i];
    return ones / static_cast<double>(x.size());
}

/// Whether there are kept and dropped entries. Where there are not, a comparison with others says little.
bool has_both(const Tensor& kept) { return share_of_ones(kept) > 0.0 && share_of_ones(kept) < 1.0; }

/// How often entries fare as those `distance` entries further on, from -1 (never) to 1 (always), among `of` in a row.
double agreement(const Tensor& kept, std::size_t distance, std::size_t of) {
    double total = 0.0;
    std::size_t pairs = 0;
    for (std::size_t i = 0; i < kept.size(); ++i)
        if (i % of + distance < of) {
            total += kept.data()[i] == kept.data()[i + distance] ? 1.0 : -1.0;
            ++pairs;
        }
    return total / static_cast<double>(pairs);
}

/// A mistake in p has two names: of an answer that leaves X as it is where p is 0, and of one that does not.
bool right_at_0 = true;
const char* of_p(const char* otherwise, const char* also_at_0) { return right_at_0 ? otherwise : also_at_0; }
const char* p_keeps() {
    return of_p("p taken for the probability of keeping", "p taken for the probability of keeping, also where p is 0");
}

TEST_SUITE("dropout") {
const EntryByEntry by_entry("dropout");

TEST_CASE("p = 0 changes nothing") {
    for (const Shape& shape : {Shape{}, Shape{5}, Shape{3, 4}, Shape{2, 3, 4}, Shape{0, 4}, Shape{131, 128, 2}}) {
        const Tensor X = random_tensor(shape, 1);
        const Call<Tensor> call = CALL(dropout, X, 0.0, random_seed(2));
        if (call.error().empty()) right_at_0 = right_at_0 && same_bits(call.result(), X);
        call.equals(exactly(X));
    }
    for (const Size& size : all_sizes()) {
        const Tensor X = random_tensor(join(size.leading, {size.n, size.d_k}), 3);
        CALL(dropout, X, 0.0, random_seed(4)).equals(exactly(X));
    }
}
TEST_CASE("rejects a p outside [0, 1)") {
    const double inf = infinity, nan = not_a_number;
    for (const double p : {1.0, 1.5, -0.1, inf, -inf, nan})
        CALL(dropout, ones({3}), p, std::uint64_t{1}).rejects({"p", "0", "1"});
}
TEST_CASE("an entry becomes 0, or is divided by 1 - p") {
    for (const double p : {0.1, 0.25, 0.5, 0.9, 0.999}) {
        const Tensor X = random_tensor({60, 50}, 10, 1.0, 3.0);
        const Call<Tensor> call = CALL(dropout, X, p, random_seed(11));
        const Tensor result = result_of_shape(call, {60, 50});
        const double share = share_of_ones(kept_entries(result));
        for (std::size_t i = 0; i < X.size(); ++i) {
            const double x = X.data()[i], got = result.data()[i], factor = got / x;
            const auto is = [&](double expected) { return std::fabs(factor - expected) <= 8 * 0x1p-53 * expected; };
            if (got == 0.0 || is(1.0 / (1.0 - p))) continue;
            const bool keeps_p = std::fabs(share - p) <= allowed_distance(X.size(), 1.0);
            const char* mistake = is(1.0)                  ? "kept entries not scaled"
                                  : is(1.0 / p) && keeps_p ? p_keeps()
                                  : is(1.0 / p)            ? of_p("scaled by 1/p", "scaled by 1/p, also where p is 0")
                                  : is(1.0 - p)            ? "multiplied by 1 - p"
                                  : is(p) ? of_p("multiplied by p", "multiplied by p, also where p is 0")
                                  : share > 0.0 && is(1.0 / share) ? "divided by the share of entries that was kept"
                                                                   : nullptr;
            call.satisfies(false,
                           "with p = " + describe(p) + " an entry " + describe(x) + " became " + describe(got) +
                               "; it must become 0 or " + describe(x / (1.0 - p)),
                           mistake);
        }
    }
}
TEST_CASE("entries are dropped with probability p") {
    for (const double p : {0.1, 0.5, 0.8, 0.999}) {
        const std::size_t n = 40000;
        const Call<Tensor> call = CALL(dropout, ones({200, 200}), p, random_seed(20));
        const Tensor& result = result_of_shape(call, {200, 200});
        const Tensor kept = kept_entries(result);
        const bool all_alike =
            std::all_of(result.begin(), result.end(), [&](double y) { return y == *result.begin(); });
        const double dropped = 1.0 - share_of_ones(kept);
        const double allowed = allowed_distance(n, 1.0);
        call.satisfies(std::fabs(dropped - p) <= allowed,
                       "with p = " + describe(p) + ", a share of " + in_short(dropped) +
                           " of the entries was dropped; that of " + std::to_string(n) +
                           " independent ones stays within " + in_short(allowed) + " of p",
                       all_alike                                            ? "one number for all entries"
                       : std::fabs(1.0 - dropped - p) > allowed || p == 0.5 ? nullptr
                       : std::fabs(*std::max_element(result.begin(), result.end()) * p - 1.0) < 1e-9
                           ? p_keeps()
                           : of_p("kept with probability p", "kept with probability p, also where p is 0"));
        // Of 40 000 entries none is kept with a probability of 0.999^40000 = 4e-18.
        call.satisfies(dropped < 1.0, "with p = " + describe(p) + " every entry was dropped");
    }
}
TEST_CASE("the expectation stays what it was") {
    const double p = 0.3;
    const Tensor X = random_tensor({6}, 30, 1.0, 2.0);
    const std::size_t draws = 4000;
    Tensor total = zeros({6});
    for (std::size_t draw = 0; draw + 1 < draws; ++draw)
        total += result_of_shape(CALL(dropout, X, p, random_seed(31 + draw)), {6});
    const Call<Tensor> call = CALL(dropout, X, p, random_seed(31 + draws));
    total += result_of_shape(call, {6});
    for (std::size_t a = 0; a < 6; ++a) {
        const double share = total(a) / static_cast<double>(draws) / X(a);
        const double allowed = allowed_distance(draws, 1.0 / (1.0 - p));
        call.satisfies(std::fabs(share - 1.0) <= allowed,
                       "over " + std::to_string(draws) + " seeds the mean of entry " + std::to_string(a) + " is " +
                           in_short(share) + " of what it was; within " + in_short(allowed) + " of 1 was expected");
    }
}
TEST_CASE("the same seed drops the same entries, whatever they are; another seed drops others") {
    const std::uint64_t seed = random_seed(40);
    const double p = 0.5;
    const Tensor X = random_tensor({50, 40}, 41, 1.0, 2.0), other = random_tensor({50, 40}, 42, 1.0, 2.0);
    const Tensor first = result_of_shape(CALL(dropout, X, p, seed), {50, 40});
    const Call<Tensor> again = CALL(dropout, X, p, seed);
    again.satisfies(same_bits(again.result(), first), "called twice with the same seed, it dropped different entries");
    const Call<Tensor> with_others = CALL(dropout, other, p, seed);
    with_others.satisfies(same_bits(kept_entries(result_of_shape(with_others, {50, 40})), kept_entries(first)),
                          "the same seed dropped different entries of another X of the same shape");
    Tensor with_zeros = X;
    for (std::size_t i = 0; i < X.size(); i += 3) with_zeros.data()[i] = 0.0;
    const Call<Tensor> of_zeros = CALL(dropout, with_zeros, p, seed);
    of_zeros.satisfies(same_bits(result_of_shape(of_zeros, {50, 40}), first * (with_zeros != 0.0)),
                       "the same seed dropped different entries where some entries of X are 0",
                       "no number drawn for an entry that is 0");
    const double allowed = allowed_distance(2000, 2.0);
    for (const auto& [what, neighbour, mistake] :
         {std::tuple{"seed + 1", seed + 1, "seed ignored"},
          {"seed + 2^32", seed + (std::uint64_t{1} << 32), "seed cut to 32 bits"}}) {
        const Call<Tensor> call = CALL(dropout, X, p, neighbour);
        const Tensor kept = kept_entries(result_of_shape(call, {50, 40})), before = kept_entries(first);
        const auto alike = [&](std::size_t shift) {
            double total = 0.0;
            for (std::size_t i = 0; i + shift < kept.size(); ++i)
                total += kept.data()[i] == before.data()[i + shift] ? 1.0 : -1.0;
            return total / static_cast<double>(kept.size());
        };
        const auto same = [&](std::size_t shift) { return has_both(kept) && alike(shift) > 0.99; };
        call.satisfies(std::fabs(alike(0)) <= allowed,
                       std::string(what) + " does not drop entries independently of seed: correlation " +
                           in_short(alike(0)) + ", independent ones stay within " + in_short(allowed),
                       same(0) ? mistake : nullptr);
        call.satisfies(std::fabs(alike(1)) <= allowed,
                       std::string(what) +
                           " drops the same entries as seed, shifted by one: draw all numbers from one "
                           "generator",
                       same(1) ? "neighbouring seeds share their masks" : nullptr);
    }
    again.remembers_nothing();
}
TEST_CASE("every entry is dropped by itself") {
    const std::size_t batch = 6, n = 40, d = 30;
    const Call<Tensor> call = CALL(dropout, ones({batch, n, d}), 0.5, random_seed(50));
    const Tensor kept = kept_entries(result_of_shape(call, {batch, n, d}));
    for (const auto& [what, distance, of, mistake] :
         {std::tuple{"entries side by side", std::size_t{1}, d, "whole tokens dropped"},
          {"the same entry of neighbouring tokens", d, n * d, "one mask for all tokens"},
          {"the same entry of neighbouring batch entries", n * d, batch * n * d, "one mask for the whole batch"}}) {
        // Whether neighbours agree is independent from pair to pair: products of fair signs along a line.
        const double related = agreement(kept, distance, of),
                     allowed = allowed_distance((batch - 1) * (n - 1) * (d - 1), 2.0);
        call.satisfies(std::fabs(related) <= allowed,
                       std::string(what) + " are not dropped independently: correlation " + in_short(related) +
                           ", independent ones stay within " + in_short(allowed),
                       related > 0.5 && has_both(kept) ? mistake : nullptr);
    }
    // A mask that is read on from another place for the next token.
    const std::size_t farthest = 2 * d, all = batch * n * d;
    std::size_t distance = 1;
    double related = 0.0;
    for (std::size_t other = 1; other <= farthest; ++other)
        if (const double found = agreement(kept, other, all); std::fabs(found) > std::fabs(related)) {
            related = found;
            distance = other;
        }
    const double allowed = allowed_distance(all - farthest, 2.0);
    call.satisfies(std::fabs(related) <= allowed,
                   "entries " + std::to_string(distance) + " apart are not dropped independently: correlation " +
                       in_short(related) + ", independent ones stay within " + in_short(allowed));
}
TEST_CASE("how many are dropped is left to chance, too") {
    std::size_t alike = 0;
    const auto dropped = [](const Tensor& result) { return 1.0 - share_of_ones(kept_entries(result)); };
    const double first = dropped(result_of_shape(CALL(dropout, ones({64}), 0.5, random_seed(60)), {64}));
    const Call<Tensor> last = CALL(dropout, ones({64}), 0.5, random_seed(61));
    for (std::size_t draw = 0; draw < 40; ++draw)
        alike += dropped(result_of_shape(CALL(dropout, ones({64}), 0.5, random_seed(62 + draw)), {64})) == first;
    // The likeliest number, 32 of 64, has the probability 0.1: 40 times in a row it is 1e-40.
    last.satisfies(alike<40,
                           "with 41 seeds, the same number of 64 entries was dropped every time: each entry is "
                           "dropped or kept by itself",
                           first> 0.0 &&
                           first < 1.0
                       ? "the same number dropped every time"
                       : nullptr);
}
TEST_CASE("every entry is dropped by some seeds and kept by others") {
    Tensor kept = zeros({130});
    for (std::size_t draw = 0; draw < 99; ++draw)
        kept += kept_entries(result_of_shape(CALL(dropout, ones({130}), 0.5, random_seed(120 + draw)), {130}));
    const Call<Tensor> last = CALL(dropout, ones({130}), 0.5, random_seed(219));
    kept += kept_entries(result_of_shape(last, {130}));
    for (std::size_t i = 0; i < 130; ++i)  // 130 entries: 130 · 2⁻⁹⁹
        last.satisfies(kept(i) > 0.0 && kept(i) < 100.0, "entry " + std::to_string(i) + " was " +
                                                             (kept(i) > 0.0 ? "never dropped" : "always dropped") +
                                                             " by 100 seeds, with p = 0.5");
}
}

}  // namespace linattn::testing::dropout_test
