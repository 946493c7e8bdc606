// gaussian_projection: nobody can say which numbers must come, only how they are distributed.
#include <algorithm>
#include <cmath>

#include "random_features.hpp"
#include "statistics.hpp"

namespace linattn::testing::gaussian_projection_test {

std::vector<double> entries(const Tensor& x) { return {x.data(), x.data() + x.size()}; }

bool some_number_in_both(const Tensor& a, const Tensor& b) {
    std::vector<double> left = entries(a), right = entries(b), both;
    std::sort(left.begin(), left.end());
    std::sort(right.begin(), right.end());
    std::set_intersection(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(both));
    return !both.empty();
}

// What the entries are where they are not N(0, 1): in words, and the mistake that it is.
struct Distribution {
    std::string words;
    const char* mistake = nullptr;
};

Distribution normal_of(double center, double deviation, std::size_t m, std::size_t d) {
    const std::string numbers = std::to_string(m) + "×" + std::to_string(d);
    // The variance of N numbers lies within 2 √(x/N) + 2 x/N of 1, x = ln(2/α) (Laurent and Massart, lemma 1).
    const double share = std::log(2.0 / false_alarm) / static_cast<double>(m * d);
    const auto rows = static_cast<double>(m), width = static_cast<double>(d);
    if (std::fabs(center) > deviation * std::sqrt(2.0 * share))
        return {". The entries are normal, but have the mean " + decimals(center), "normal with another mean"};
    const std::string but = ". The entries are normal, but with the standard deviation " + decimals(deviation);
    for (const auto& [expected, in_words, mistake] : {std::tuple{1.0 / std::sqrt(rows), "1/√m", "scaled by 1/√m"},
                                                      {1.0 / std::sqrt(width), "1/√d", "scaled by 1/√d"},
                                                      {std::pow(width, -0.25), "d^(-1/4)", "scaled by d^(-1/4)"}})
        if (std::fabs(deviation * deviation / (expected * expected) - 1.0) <= 2.0 * std::sqrt(share) + 2.0 * share)
            return {but + ", about " + in_words + " for the " + numbers + " entries", mistake};
    return {but, "normal with another standard deviation"};
}

Distribution distribution_of(const Tensor& W) {
    const Tensor lengths = sqrt(sum(W * W, -1));
    const double longest = amax(lengths, 0)(), shortest = -amax(-lengths, 0)();
    if (longest - shortest <= 1e-9 * longest)
        return {". Every row has the length " + decimals(longest),
                std::fabs(longest - 1.0) <= 1e-9 ? "rows made length 1"
                : std::fabs(longest - std::sqrt(static_cast<double>(length(W, 1)))) <= 1e-9 * longest
                    ? "rows made length √d"
                    : nullptr};
    const auto count = static_cast<double>(W.size());
    const double center = total(W) / count, deviation = std::sqrt(total((W - center) * (W - center)) / count);
    if (!(deviation > 0.0)) return {};
    const std::vector<double> standard = entries((W - center) / deviation);
    const double allowed = largest_distance(W.size());
    if (distance_from(standard, normal_cdf) <= allowed) return normal_of(center, deviation, length(W, 0), length(W, 1));
    const auto uniform_cdf = [](double x) { return std::clamp((x / std::sqrt(3.0) + 1.0) / 2.0, 0.0, 1.0); };
    if (distance_from(standard, uniform_cdf) <= allowed)
        return {". The entries are uniform, from " + decimals(center - std::sqrt(3.0) * deviation, 2) + " to " +
                    decimals(center + std::sqrt(3.0) * deviation, 2),
                "uniform instead of normal"};
    if (std::ranges::all_of(standard, [&](double x) { return x * deviation + center >= 0.0; }))
        return {". No entry is negative"};
    return {};
}

// How often entries have the sign of their neighbour, from -1 (never) to 1 (always).
double agreement_of_signs(const Tensor& x, std::size_t rows_on, std::size_t columns_on) {
    double total = 0.0;
    std::size_t pairs = 0;
    for (std::size_t r = 0; r + rows_on < length(x, 0); ++r)
        for (std::size_t a = 0; a + columns_on < length(x, 1); ++a, ++pairs)
            total += (x(r, a) < 0.0) == (x(r + rows_on, a + columns_on) < 0.0) ? 1.0 : -1.0;
    return total / static_cast<double>(pairs);
}

double share_of_numbers_met_before(const Tensor& W) {
    const Tensor sizes = abs(W);
    std::vector<double> sorted(sizes.data(), sizes.data() + sizes.size());
    std::sort(sorted.begin(), sorted.end());
    const auto different = std::unique(sorted.begin(), sorted.end()) - sorted.begin();
    return 1.0 - static_cast<double>(different) / static_cast<double>(W.size());
}

TEST_SUITE("gaussian_projection") {
TEST_CASE("has one direction a row: shape (m, d)") {
    const std::uint64_t seed = random_seed(1);
    for (const auto& [m, d] : {std::pair<std::size_t, std::size_t>{6, 4}, {4, 6}, {1, 5}, {5, 1}, {0, 3}}) {
        const Call<Tensor> call = CALL(gaussian_projection, m, d, seed);
        const Shape came = shape_of(call.result());
        call.satisfies(came == Shape{m, d},
                       "has shape " + to_string(came) + ", expected shape (m, d) = " + to_string(Shape{m, d}),
                       came == Shape{d, m} ? "d×m instead of m×d" : nullptr);
    }
}
TEST_CASE("the same seed gives the same numbers, another seed others") {
    const std::size_t m = 60, d = 5;
    const std::uint64_t seed = random_seed(2);
    const Tensor first = result_of_shape(CALL(gaussian_projection, m, d, seed), {m, d});
    const Call<Tensor> again = CALL(gaussian_projection, m, d, seed);
    again.satisfies(all_equal(again.result(), first), "called twice with the same seed, it gave different numbers");
    const auto zero =
        static_cast<std::size_t>(std::find(first.data(), first.data() + first.size(), 0.0) - first.data());
    again.satisfies(zero == first.size(), place({m, d}, zero, false) +
                                              " is 0, which a random number hardly ever is: is every entry written?");
    const Call<Tensor> other = CALL(gaussian_projection, m, d, seed + 1);
    other.satisfies(!all_equal(other.result(), first), "another seed gave the same numbers", "seed ignored");
    other.satisfies(!some_number_in_both(other.result(), first),
                    "seed and seed + 1 have some numbers in common: they must be independent",
                    "neighbouring seeds share rows");
    again.remembers_nothing();
}
TEST_CASE("every direction is drawn by itself") {
    const std::size_t m = 100, d = 40;
    const std::uint64_t seed = random_seed(3);
    const Call<Tensor> call = CALL(gaussian_projection, m, d, seed);
    const Tensor W = result_of_shape(call, {m, d});
    std::size_t same = 0;
    for (std::size_t r = 1; r < m; ++r) same += all_equal(tokens(W, r, r + 1), tokens(W, 0, 1));
    call.satisfies(same == 0, std::to_string(same) + " of the other rows equal the first", "the same row m times");
    const double again = share_of_numbers_met_before(W),
                 most_again = 0.01;  // numbers of 32 bits and more stay far below
    bool opposite = false;
    for (std::size_t r = 1; r < m; ++r) opposite |= all_equal(tokens(W, r, r + 1), -tokens(W, 0, 1));
    call.satisfies(again <= most_again,
                   decimals(100.0 * again, 1) +
                       "% of the entries equal another one, but for the sign: each is a number of its own",
                   opposite ? "rows that are minus other rows" : "rows that share numbers");
    const double largest = largest_cosine_of_rows(W);
    // Two random directions have a larger cosine than 0.95 with a probability below (1 - 0.95²)^((d-1)/2) = 2e-20.
    call.satisfies(largest < 0.95, "two of the rows point the same way, or opposite ways: |cosine| " +
                                       decimals(largest) + "; rows must be independent: is one minus the other?");
    for (const auto& [down, right] : {std::pair<std::size_t, std::size_t>{1, 0}, {0, 1}}) {
        const double agreement = agreement_of_signs(W, down, right), allowed = largest_mean((m - down) * (d - right));
        call.satisfies(std::fabs(agreement) <= allowed, std::string("neighbours in a ") + (down ? "column" : "row") +
                                                            " have related signs: correlation " + decimals(agreement) +
                                                            ", independent ones stay within ±" + decimals(allowed));
    }
}
TEST_CASE("every entry is N(0, 1)") {
    const std::size_t m = 500, d = 40;
    const std::uint64_t seed = random_seed(4);
    const Call<Tensor> call = CALL(gaussian_projection, m, d, seed);
    const Tensor W = result_of_shape(call, {m, d});
    const double distance = distance_from(entries(W), normal_cdf), allowed = largest_distance(W.size());
    const Distribution found = distance <= allowed ? Distribution{} : distribution_of(W);
    call.satisfies(distance <= allowed,
                   "the distribution of the entries is at a distance of " + decimals(distance) + " from N(0, 1); " +
                       std::to_string(W.size()) + " independent N(0, 1) stay within " + decimals(allowed) + found.words,
                   found.mistake);
    note("distance from N(0, 1): " + decimals(distance) + " of " + decimals(allowed) + " allowed");
}
TEST_CASE("large entries are as frequent as those of N(0, 1)") {
    const std::size_t m = 2000, d = 600;
    const std::uint64_t seed = random_seed(8);
    const Call<Tensor> call = CALL(gaussian_projection, m, d, seed);
    const Tensor W = result_of_shape(call, {m, d}), squares = W * W;
    // w⁴ has the mean 3 and the variance 96. A sum of twelve uniform numbers, minus 6, has the mean 2.9, and one of two
    // that is scaled to the variance 1 has 2.4.
    const auto count = static_cast<double>(m * d);
    const double second = total(squares) / count, fourth = total(squares * squares) / count;
    const double least = 3.0 * (1.0 - deepest_mean(m * d, 96.0 / 9.0)), scaled = fourth / (second * second);
    const Distribution found = fourth >= least                  ? Distribution{}
                               : scaled > 2.3 && scaled < least ? Distribution{": is it a sum of uniform numbers?"}
                                                                : distribution_of(W);
    call.satisfies(fourth >= least,
                   "the mean of w⁴ is " + decimals(fourth) + ", at least " + decimals(least) +
                       " was expected for N(0, 1), whose large entries are more frequent" + found.words,
                   found.mistake);
}
TEST_CASE("rows and columns add up to what independent entries do") {
    const std::size_t m = 500, d = 400;
    const std::uint64_t seed = random_seed(9);
    const Call<Tensor> call = CALL(gaussian_projection, m, d, seed);
    const Tensor W = result_of_shape(call, {m, d});
    if (distance_from(entries(W), normal_cdf) > largest_distance(W.size())) return;  // said above
    for (const bool down : {true, false}) {
        const Tensor sums = sum(W, down ? 0 : 1) / std::sqrt(static_cast<double>(down ? m : d));
        const double distance = distance_from(entries(sums), normal_cdf), allowed = largest_distance(sums.size());
        const std::string what = down ? "columns" : "rows";
        call.satisfies(distance <= allowed,
                       "the sums of the " + what + " are at a distance of " + decimals(distance) +
                           " from what sums of independent entries are; these stay within " + decimals(allowed),
                       amax(abs(sums), 0)() > 1e-9 || largest_cosine_of_rows(W) > 0.95 ? nullptr
                       : down                                                          ? "columns centred"
                                                                                       : "rows centred");
    }
}
TEST_CASE("a direction has the length of d independent N(0, 1)") {
    const std::size_t m = 4000, d = 8;
    const std::uint64_t seed = random_seed(5);
    const Call<Tensor> call = CALL(gaussian_projection, m, d, seed);
    const Tensor W = result_of_shape(call, {m, d});
    const double distance = distance_from(entries(sum(W * W, -1)), [](double x) { return chi_square_cdf(x, d); });
    const Distribution found = distance <= largest_distance(m) ? Distribution{} : distribution_of(W);
    call.satisfies(distance <= largest_distance(m),
                   "the distribution of the squared lengths of the rows lies " + decimals(distance) +
                       " away from chi² with " + std::to_string(d) + " degrees of freedom; " + std::to_string(m) +
                       " independent rows stay within " + decimals(largest_distance(m)) + found.words,
                   found.mistake);
}
TEST_CASE("features made with it estimate the softmax kernel") {
    const std::size_t m = 10000, d = 8;
    const std::uint64_t seed = random_seed(6);
    const Pair pair(d, 2.0, 7);
    const Call<Tensor> call = CALL(gaussian_projection, m, d, seed);
    const double estimate = mean_of(kernel_estimates(pair, result_of_shape(call, {m, d})));
    const double least = 1.0 - deepest_mean(m, std::exp(pair.square) - 1.0);
    call.satisfies(estimate >= least, "the mean of φ(q)·φ(k) is " + decimals(estimate) + " of exp(q·k/√d), at least " +
                                          decimals(least) + " was expected");
    note("the mean of φ(q)·φ(k) is " + decimals(estimate) + " of exp(q·k/√d), at least " + decimals(least) +
         " was expected");
}
}

}  // namespace linattn::testing::gaussian_projection_test
