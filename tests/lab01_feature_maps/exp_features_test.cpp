// exp(x - shift): the shift of each token, and the shift of each head.
#include "arrangement.hpp"
#include "worked_example.hpp"

namespace linattn::testing::exp_features_test {

// e^(-k/4) for k = 0, 1, …, 31, from Python's decimal module at 60 digits: (-D(k) / 4).exp().
const double exp_of_quarters[] = {1,
                                  0.77880078307140488,
                                  0.60653065971263342,
                                  0.47236655274101469,
                                  0.36787944117144233,
                                  0.28650479686019009,
                                  0.22313016014842982,
                                  0.17377394345044514,
                                  0.1353352832366127,
                                  0.10539922456186433,
                                  0.0820849986238988,
                                  0.06392786120670757,
                                  0.049787068367863944,
                                  0.038774207831722009,
                                  0.030197383422318501,
                                  0.023517745856009107,
                                  0.018315638888734179,
                                  0.014264233908999256,
                                  0.011108996538242306,
                                  0.0086516952031206341,
                                  0.006737946999085467,
                                  0.0052475183991813846,
                                  0.0040867714384640666,
                                  0.0031827807965096669,
                                  0.0024787521766663585,
                                  0.0019304541362277093,
                                  0.0015034391929775724,
                                  0.0011708796207911744,
                                  0.00091188196555451624,
                                  0.00071017438884254903,
                                  0.00055308437014783363,
                                  0.00043074254057568753};

// Heads whose maxima are known because they were put there: every entry lies a whole number of quarters below its
// token's maximum, and that below the head's. All differences are exact.
struct Heads {
    Tensor x, per_token, per_sequence;
};
Heads planted(const Shape& leading, std::size_t n, std::size_t d, const std::vector<double>& maxima,
              std::uint64_t stream) {
    const auto whole = [&](const Shape& shape, std::size_t below) {
        Tensor t = random_tensor(shape, 4 * stream++, 0.0, static_cast<double>(below));
        for (std::size_t i = 0; i < t.size(); ++i) t.data()[i] = std::floor(t.data()[i]);
        return t;
    };
    const Tensor highest_token = whole(leading, n), highest_entry = whole(join(leading, {n}), d);
    const Tensor token_below = whole(join(leading, {n}), 16), entry_below = whole(join(leading, {n, d}), 16);
    Heads heads{zeros(shape_of(entry_below)), zeros(shape_of(entry_below)), zeros(shape_of(entry_below))};
    for (std::size_t at = 0; at < entry_below.size(); ++at) {
        const std::size_t token = at / d, head = token / n;
        const bool is_highest_token = static_cast<double>(token % n) == highest_token.data()[head];
        const bool is_highest_entry = static_cast<double>(at % d) == highest_entry.data()[token];
        const auto down = static_cast<std::size_t>(is_highest_token ? 0.0 : token_below.data()[token]);
        const auto further = static_cast<std::size_t>(is_highest_entry ? 0.0 : entry_below.data()[at]);
        heads.x.data()[at] = maxima[head % maxima.size()] - static_cast<double>(down + further) / 4.0;
        heads.per_token.data()[at] = exp_of_quarters[further];
        heads.per_sequence.data()[at] = exp_of_quarters[down + further];
    }
    return heads;
}

Expected rounded(const Tensor& y) { return to_rounding(y, 8.0, "x - shift is exact, exp good to 2, and some room"); }

const Shape leading_shapes[] = {{}, {3}, {2, 3}};

TEST_SUITE("exp_features") {
TEST_CASE("per token: gives the chapter's worked example") {
    const Tensor x = worked_example::x;
    CALL(exp_features, x, Stabilizer::per_token).equals(rounded(worked_example::exp_per_token));
}
TEST_CASE("per sequence: gives the chapter's worked example") {
    const Tensor x = worked_example::x;
    CALL(exp_features, x, Stabilizer::per_sequence).equals(rounded(worked_example::exp_per_sequence));
}
TEST_CASE("rejects an array without a token axis") {
    CALL(exp_features, zeros({3}), Stabilizer::per_token).rejects({"x", "(…, n, d)", "(3,)"});
    CALL(exp_features, zeros({3}), Stabilizer::per_sequence).rejects({"x", "(…, n, d)", "(3,)"});
    CALL(exp_features, zeros({}), Stabilizer::per_token).rejects({"x", "(…, n, d)", "()"});
}
TEST_CASE("per token: each token is shifted by its own maximum, for every leading shape") {
    std::uint64_t stream = 10;
    for (const Shape& leading : leading_shapes) {
        const Heads heads = planted(leading, 5, 4, {4.0, 2.0, -3.0}, stream += 10);
        const Tensor x = heads.x;
        CALL(exp_features, x, Stabilizer::per_token).equals(rounded(heads.per_token));
    }
}
TEST_CASE("per sequence: one shift for all tokens of a head, and each head its own, for every leading shape") {
    std::uint64_t stream = 50;
    for (const Shape& leading : leading_shapes) {
        const Heads heads = planted(leading, 5, 4, {4.0, 2.0, -3.0}, stream += 10);
        const Tensor x = heads.x;
        CALL(exp_features, x, Stabilizer::per_sequence).equals(rounded(heads.per_sequence));
    }
}
TEST_CASE("takes every size") {
    std::uint64_t stream = 400;
    for (const Shape& shape : shapes_around_borders()) {
        const Heads heads = planted(Shape(shape.begin(), shape.end() - 2), shape[shape.size() - 2], shape.back(),
                                    {4.0, 2.0, -3.0}, stream += 10);
        const Tensor x = heads.x;
        CALL(exp_features, x, Stabilizer::per_token).equals(rounded(heads.per_token));
        CALL(exp_features, x, Stabilizer::per_sequence).equals(rounded(heads.per_sequence));
    }
}
TEST_CASE("is the exponential between the tabulated points too") {
    const Tensor x = random_tensor({5, 40}, 150, -30.0, 0.0);
    for (const Stabilizer stabilizer : {Stabilizer::per_token, Stabilizer::per_sequence}) {
        const std::size_t block = stabilizer == Stabilizer::per_token ? 40 : 200;
        Tensor y = x;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double* first = x.data() + i / block * block;
            y.data()[i] = exponential_by_series(static_cast<long double>(x.data()[i]) -
                                                static_cast<long double>(*std::max_element(first, first + block)));
        }
        CALL(exp_features, x, stabilizer)
            .equals(to_rounding(y, 8.0 + 30.0, "exp multiplies the rounding of x - shift"));
    }
}
TEST_CASE("remembers nothing of an earlier call") {
    const Tensor x = random_tensor({2, 3}, 151);
    CALL(exp_features, x, Stabilizer::per_token).remembers_nothing();
    CALL(exp_features, x, Stabilizer::per_sequence).remembers_nothing();
}
TEST_CASE("its cost grows in proportion to the tokens") {
    for (const Stabilizer stabilizer : {Stabilizer::per_token, Stabilizer::per_sequence})
        costs_no_more_than_in_proportion([&](std::size_t n) {
            return CALL(exp_features, random_tensor({n, 3}, n), stabilizer);
        });
}
TEST_CASE("the largest feature of each token, or of each head, is exactly 1") {
    const Tensor x = random_tensor({2, 3, 4, 5}, 100, -50.0, 50.0);
    const auto largest_is_1 = [](const Call<Tensor>& call, std::size_t block, const char* of) {
        const Tensor y = result_of_shape(call, {2, 3, 4, 5});
        for (std::size_t begin = 0; begin < y.size(); begin += block) {
            const double largest = *std::max_element(y.data() + begin, y.data() + begin + block);
            call.satisfies(largest == 1.0, std::string("the largest feature of a ") + of + " is " +
                                               std::to_string(largest) + ", not 1");
        }
    };
    largest_is_1(CALL(exp_features, x, Stabilizer::per_token), 5, "token");
    largest_is_1(CALL(exp_features, x, Stabilizer::per_sequence), 20, "head");
}
TEST_CASE("neither overflows nor vanishes, with heads around 1e4, -1e4, 710 and -746") {
    const Heads heads = planted({2, 2}, 5, 4, {1e4, -1e4, 710.0, -746.0}, 110);
    const Tensor x = heads.x;
    CALL(exp_features, x, Stabilizer::per_token).equals(rounded(heads.per_token));
    CALL(exp_features, x, Stabilizer::per_sequence).equals(rounded(heads.per_sequence));
}
TEST_CASE("a token far below its head survives per token and vanishes per sequence") {
    const Tensor x{{2, 1, 1.75}, {-1e4, -10000.25, -10001}};
    const double e_1 = exp_of_quarters[4], e_quarter = exp_of_quarters[1];
    CALL(exp_features, x, Stabilizer::per_token).equals(rounded({{1, e_1, e_quarter}, {1, e_quarter, e_1}}));
    CALL(exp_features, x, Stabilizer::per_sequence).equals(rounded({{1, e_1, e_quarter}, {0, 0, 0}}));
}
TEST_CASE("one token, one entry, none at all") {
    const Heads one_token = planted({2}, 1, 4, {5.0, -5.0}, 120), one_entry = planted({2}, 4, 1, {5.0, -5.0}, 130);
    for (const Heads& heads : {one_token, one_entry}) {
        const Tensor x = heads.x;
        CALL(exp_features, x, Stabilizer::per_token).equals(rounded(heads.per_token));
        CALL(exp_features, x, Stabilizer::per_sequence).equals(rounded(heads.per_sequence));
    }
    for (const Shape& shape : {Shape{0, 4}, Shape{3, 0}, Shape{2, 0, 4}, Shape{0, 3, 4}, Shape{2, 3, 0}, Shape{0, 0}}) {
        const Tensor x = zeros(shape);
        result_of_shape(CALL(exp_features, x, Stabilizer::per_token), shape);
        result_of_shape(CALL(exp_features, x, Stabilizer::per_sequence), shape);
    }
}
TEST_CASE("an entry of -inf gets the feature 0") {
    const Tensor x{{3, -infinity, 3}, {-infinity, 3, 3}};
    CALL(exp_features, x, Stabilizer::per_token).equals(exactly({{1, 0, 1}, {0, 1, 1}}));
    CALL(exp_features, x, Stabilizer::per_sequence).equals(exactly({{1, 0, 1}, {0, 1, 1}}));
}
TEST_CASE("a NaN or an infinity stays in its own token, or in its own head") {
    const Tensor x = random_tensor({2, 3, 4}, 140);
    const auto stays = [&](const Call<Tensor>& clean, const Call<Tensor>& spoilt, std::size_t begin, std::size_t end,
                           const std::string& other) {
        const Tensor before = result_of_shape(clean, {2, 3, 4});
        const Tensor after = result_of_shape(spoilt, {2, 3, 4});
        spoilt.satisfies(same_outside(before, after, begin, end),
                         "entry [0, token 1, 2] was replaced by NaN or inf, and another " + other + " changed");
        spoilt.satisfies(std::isnan(after(0, 1, 2)), "entry [0, token 1, 2] is NaN or inf, so its feature must be NaN");
    };
    const Call<Tensor> by_token = CALL(exp_features, x, Stabilizer::per_token);
    const Call<Tensor> by_head = CALL(exp_features, x, Stabilizer::per_sequence);
    for (const double bad : {not_a_number, infinity}) {
        Tensor spoilt_x = x;
        spoilt_x(0, 1, 2) = bad;
        stays(by_token, CALL(exp_features, spoilt_x, Stabilizer::per_token), 4, 8, "token");
        stays(by_head, CALL(exp_features, spoilt_x, Stabilizer::per_sequence), 0, 12, "head");
    }
}
}

}  // namespace linattn::testing::exp_features_test
