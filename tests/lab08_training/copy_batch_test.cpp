// Batches of the copy task: their form, and that they are random.
#include <algorithm>
#include <cmath>

#include "copy_form.hpp"
#include "cost_claims.hpp"

namespace linattn::testing::copy_batch_test {

// The sequences that the first halves of an answer belong to.
std::vector<CopySequence> sequences_of(const Batch& got, std::size_t length, std::size_t symbols) {
    std::vector<CopySequence> all(shape_of(got.ids)[0]);
    for (std::size_t b = 0; b < all.size(); ++b) {
        all[b].separator = static_cast<double>(symbols);
        for (std::size_t i = 0; i < length; ++i) all[b].symbols.push_back(got.ids(b, i));
    }
    return all;
}

bool same(const Batch& a, const Batch& b) {
    return total(a.ids != b.ids) == 0.0 && total(a.targets != b.targets) == 0.0 && total(a.counts != b.counts) == 0.0;
}

// The mutation that makes the same of the answer's own symbols, or none. With L = 1 several would.
const char* named(const Batch& got, const std::vector<CopySequence>& sequences) {
    for (const Mutation<CopySettings>& mutation : copy_mutations().mutations) {
        CopySettings settings;
        mutation.set(settings);
        std::vector<CopySequence> own = sequences;
        for (std::size_t b = 0; settings.drawn_anew && b < own.size(); ++b) {
            const std::size_t L = own[b].length();
            for (std::size_t i = L; i < 2 * L; ++i) own[b].second.push_back(got.targets(b, i));
        }
        if (same(got, copy_by_definition(own, settings))) return mutation.name;
    }
    return nullptr;
}

std::string first_difference(const char* name, const Tensor& got, const Tensor& right) {
    for (std::size_t e = 0; e < got.size(); ++e)
        if (got.data()[e] != right.data()[e]) {
            const std::size_t n = length(got, 1);
            return std::string(name) + "[" + std::to_string(e / n) + ", " + std::to_string(e % n) + "] is " +
                   to_string(Tensor(got.data()[e])) + " where " + to_string(Tensor(right.data()[e])) + " is right";
        }
    return "";
}

Call<Batch> well_formed(std::size_t batch, std::size_t L, std::size_t symbols, std::uint64_t seed) {
    const auto call = CALL(copy_batch, batch, L, symbols, seed);
    const Batch& got = call.result();
    const Shape shape{batch, 2 * L};
    for (const auto& [name, x] :
         {std::pair<const char*, const Tensor&>{"ids", got.ids}, {"targets", got.targets}, {"counts", got.counts}})
        call.satisfies(shape_of(x) == shape, std::string(name) + " has shape " + to_string(shape_of(x)) +
                                                 " where (batch, 2L) is " + to_string(shape));
    const std::vector<CopySequence> sequences = sequences_of(got, L, symbols);
    for (const CopySequence& each : sequences)
        for (const double symbol : each.symbols)
            call.satisfies(symbol >= 0.0 && symbol < each.separator && symbol == std::floor(symbol),
                           "the first half of a sequence holds " + to_string(Tensor(symbol)) +
                               ", which is none of the symbols from 0 to " + std::to_string(symbols - 1));
    const Batch right = copy_by_definition(sequences, {});
    std::string wrong;
    for (const std::string& each :
         {first_difference("ids", got.ids, right.ids), first_difference("targets", got.targets, right.targets),
          first_difference("counts", got.counts, right.counts)})
        wrong += (wrong.empty() || each.empty() ? "" : ", ") + each;
    call.satisfies(wrong.empty(), wrong, wrong.empty() || L < 2 ? nullptr : named(got, sequences));
    return call;
}

TEST_SUITE("copy_batch") {
TEST_CASE("rejects empty batches, sequences and alphabets") {
    for (const auto& [batch, length, symbols, name] :
         {std::tuple<std::size_t, std::size_t, std::size_t, const char*>{0, 4, 10, "batch"},
          {2, 0, 10, "length"},
          {2, 4, 0, "symbols"}}) {
        const std::uint64_t seed = 1;
        CALL(copy_batch, batch, length, symbols, seed).rejects({name, "0"});
    }
}
TEST_CASE("reads a sequence, a separator and the copy; the targets are one ahead; the second half counts") {
    for (const auto& [batch, L, symbols] : {std::tuple<std::size_t, std::size_t, std::size_t>{2, 3, 10},
                                            {3, 8, 4},
                                            {2, 17, 3},
                                            {1, 33, 2},
                                            {2, 2, 1},
                                            {1, 1, 2}})
        well_formed(batch, L, symbols, random_seed(batch));
}
TEST_CASE("the same seed gives the same batch, another seed another one") {
    const auto first = well_formed(4, 8, 10, 7);
    const auto again = well_formed(4, 8, 10, 7);
    again.satisfies(same(first.result(), again.result()), "the second call with seed 7 gives another batch");
    for (const std::uint64_t seed : {std::uint64_t{8}, std::uint64_t{1} << 40}) {
        const auto other = well_formed(4, 8, 10, seed);
        other.satisfies(!same(first.result(), other.result()),
                        "seeds 7 and " + std::to_string(seed) + " give the same batch", "seed ignored");
    }
    again.remembers_nothing();
}
TEST_CASE("the sequences of a batch differ, and so do the symbols of a sequence") {
    const auto call = well_formed(6, 20, 10, random_seed(1));
    const Tensor& ids = call.result().ids;
    for (std::size_t b = 0; b < 6; ++b) {
        bool alike = b > 0, constant = true;
        for (std::size_t i = 0; i < 20; ++i) {
            if (b > 0 && ids(b, i) != ids(b - 1, i)) alike = false;
            if (ids(b, i) != ids(b, 0)) constant = false;
        }
        call.satisfies(!alike, "sequences " + std::to_string(b - 1) + " and " + std::to_string(b) + " are the same",
                       constant ? "one number for all symbols" : "every sequence of a batch is the same");
        call.satisfies(!constant, "all symbols of sequence " + std::to_string(b) + " are the same",
                       "one number for all symbols");
    }
}
TEST_CASE("batches of different seeds share no sequence") {
    const auto first = well_formed(5, 20, 10, 7), next = well_formed(5, 20, 10, 8);
    const char* const mistake =
        same(first.result(), next.result()) ? "seed ignored" : "each sequence from a seed of its own";
    for (std::size_t a = 0; a < 5; ++a)
        for (std::size_t b = 0; b < 5; ++b)
            next.satisfies(total(slice(first.result().ids, 0, a, a + 1) != slice(next.result().ids, 0, b, b + 1)) > 0.0,
                           "sequence " + std::to_string(a) + " of seed 7 and sequence " + std::to_string(b) +
                               " of seed 8 are the same",
                           mistake);
}
TEST_CASE("its cost grows in proportion to the batch") {
    costs_no_more_than_in_proportion(
        [](std::size_t batch) { return CALL(copy_batch, batch, std::size_t{1}, std::size_t{3}, std::uint64_t{5}); },
        "sequences", 512);
}
TEST_CASE("every symbol is drawn by itself") {
    // Hoeffding: of n comparisons of independent symbols the share of equal ones is further than √(ln(2/α)/2n) from 1/symbols
    // with a probability below α.
    const std::size_t batch = 1000, L = 6, symbols = 4;
    const auto call = well_formed(batch, L, symbols, random_seed(3));
    const std::size_t farthest = 2 * L, n = batch * L - farthest;
    const auto at = [&](std::size_t e) {
        return call.result().ids(e / L, e % L);
    };  // of all sequences, one after another
    const double expected = 1.0 / static_cast<double>(symbols),
                 allowed = std::sqrt(std::log(2e11) / (2.0 * static_cast<double>(n)));
    std::size_t distance = 1;
    double share = expected;
    for (std::size_t other = 1; other <= farthest; ++other) {
        double equal = 0.0;
        for (std::size_t e = 0; e < n; ++e) equal += at(e) == at(e + other) ? 1.0 : 0.0;
        if (std::fabs(equal / static_cast<double>(n) - expected) < std::fabs(share - expected)) continue;
        share = equal / static_cast<double>(n);
        distance = other;
    }
    call.satisfies(std::fabs(share - expected) <= allowed,
                   "symbols " + std::to_string(distance) + " places apart, one sequence after another, are equal in " +
                       to_string(Tensor(share)) + " of all cases; independent ones in " + to_string(Tensor(expected)) +
                       " ± " + to_string(Tensor(allowed)));
}
TEST_CASE("every symbol is as frequent as the others, at every place") {
    // χ² of 4000 symbols over 10 has 9 degrees of freedom: above 68 in less than one of 10^10 runs for one place.
    const std::size_t batch = 4000, L = 4, symbols = 10;
    const auto call = well_formed(batch, L, symbols, random_seed(2));
    for (std::size_t i = 0; i < L; ++i) {
        std::vector<double> count(symbols, 0.0);
        for (std::size_t b = 0; b < batch; ++b) ++count[static_cast<std::size_t>(call.result().ids(b, i))];
        const double expected = static_cast<double>(batch) / static_cast<double>(symbols);
        double chi_squared = 0.0;
        for (const double c : count) chi_squared += (c - expected) * (c - expected) / expected;
        std::string counts;
        for (const double c : count) counts += (counts.empty() ? "" : ", ") + std::to_string(static_cast<int>(c));
        const double most_of_ends = std::max(count.front(), count.back()),
                     least_between = *std::min_element(count.begin() + 1, count.end() - 1);
        const bool ends_halved = most_of_ends < 0.75 * expected && least_between > 0.75 * expected;
        call.satisfies(chi_squared < 68.0,
                       "at place " + std::to_string(i) + " the symbols 0 to 9 come " + counts +
                           " times, and each should come about 400 times: χ² is " + to_string(Tensor(chi_squared)) +
                           " where 68 is hardly ever exceeded",
                       ends_halved ? "random numbers rounded in place of cut off" : nullptr);
    }
}
}
}  // namespace linattn::testing::copy_batch_test
