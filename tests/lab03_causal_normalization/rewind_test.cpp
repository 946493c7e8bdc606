// Back to an earlier token from saved states.
#include <algorithm>

#include "attention_claims.hpp"
#include "causal_state.hpp"
#include "cost_claims.hpp"
#include "long_sizes.hpp"
#include "normalization_claims.hpp"
#include "worked_example.hpp"

namespace linattn::testing::rewind_test {

const FeatureMap elu_plus_one_map = oracle_feature_map("elu_plus_one");

// The tokens of a call, and in front of them those of which only the first saved state knows.
struct Stream {
    Inputs all;
    std::size_t before, n, every;
    FeatureMap phi;

    CausalState of(std::size_t begin, std::size_t end) const {
        return state_after(tokens(all.K, begin, end), tokens(all.V, begin, end), phi);
    }
    std::vector<Expected> expected(std::size_t kept) const {
        return expected_state_after(tokens(all.K, 0, before + kept), tokens(all.V, 0, before + kept), phi);
    }
};

// States in one array: each is a token of it.
CausalState stacked(const std::vector<CausalState>& states) {
    Shape of_S = shape_of(states[0].S), of_z = shape_of(states[0].z), flat = of_z;
    flat.back() = of_S.back() * of_z.back();
    Shape of_rows = flat;
    of_rows.insert(of_rows.end() - 1, states.size());
    of_S.insert(of_S.end() - 2, states.size());
    of_z.insert(of_z.end() - 1, states.size());
    Tensor S = zeros(of_rows), z = zeros(of_z);
    for (std::size_t j = 0; j < states.size(); ++j) {
        set_token(S, j, reshape(states[j].S, flat));
        set_token(z, j, states[j].z);
    }
    return {reshape(S, of_S), z};
}

CausalState saved_states(const Stream& stream) {
    std::vector<CausalState> states{stream.of(0, stream.before)};
    for (std::size_t seen = stream.before; seen + stream.every <= stream.before + stream.n; seen += stream.every) {
        const CausalState next = stream.of(seen, seen + stream.every);
        states.push_back({states.back().S + next.S, states.back().z + next.z});
    }
    return stacked(states);
}

Call<CausalState> rewind(const Stream& stream, const CausalState& saved, std::size_t kept) {
    const std::size_t end = stream.before + stream.n, every = stream.every;
    const Tensor K = tokens(stream.all.K, stream.before, end), V = tokens(stream.all.V, stream.before, end);
    return CALL(rewind_state, saved, every, K, V, stream.phi, kept);
}

void equals_definition(const Stream& stream, std::size_t kept) {
    rewind(stream, saved_states(stream), kept).equals(stream.expected(kept));
}
void equals_definition_everywhere(const Stream& stream) {
    const CausalState saved = saved_states(stream);
    for (std::size_t kept = 0; kept <= stream.n; ++kept) rewind(stream, saved, kept).equals(stream.expected(kept));
}

TEST_SUITE("rewind_state") {
TEST_CASE("gives the chapter's worked example") {
    using namespace worked_example;
    const CausalState empty{zeros({2, 3}), zeros({2})}, second{S[1], z[1]}, fourth{S[3], z[3]};
    const CausalState saved = stacked({empty, second, fourth});
    const std::size_t every = 2;
    for (std::size_t kept = 1; kept <= 4; ++kept)
        CALL(rewind_state, saved, every, K, V, elu_plus_one_map, kept)
            .equals({exactly(S[kept - 1], false), exactly(z[kept - 1], false)});
}
TEST_CASE("rejects what does not belong together") {
    const auto run = [](const Shape& of_K, const Shape& of_V, const Shape& of_S, const Shape& of_z,
                        std::size_t every = 2, std::size_t kept = 3) {
        const Tensor K = zeros(of_K), V = zeros(of_V);
        const CausalState saved{zeros(of_S), zeros(of_z)};
        return CALL(rewind_state, saved, every, K, V, elu_plus_one_map, kept);
    };
    const Shape K{3, 5, 2}, V{3, 5, 4}, S{3, 3, 2, 4}, z{3, 3, 2};
    run(K, {3, 6, 4}, S, z).rejects({"V", "(3, 5, 4)", "(3, 6, 4)"});
    run({5}, V, S, z).rejects({"K", "(5,)"});
    run(K, V, {3, 2, 2, 4}, z).rejects({"saved.S", "(3, 3, 2, 4)", "(3, 2, 2, 4)"});
    run(K, V, {3, 3, 4, 2}, z).rejects({"saved.S", "(3, 3, 2, 4)", "(3, 3, 4, 2)"});
    run(K, V, S, {3, 2, 2}).rejects({"saved.z", "(3, 3, 2)", "(3, 2, 2)"});
    run(K, V, S, z, 1).rejects({"saved.S", "(3, 6, 2, 4)", "(3, 3, 2, 4)"});
    run(K, V, S, z, 0).rejects({"every", "at least 1"});
    run(K, V, S, z, 2, 6).rejects({"kept", "at most n = 5", "6"});
}
TEST_CASE("equals the definition for every number of kept tokens") {
    std::uint64_t stream = 1;
    for (const char* name : {"elu_plus_one", "relu", "pairs", "identity"})
        for (const Shape& leading : {Shape{}, Shape{2, 3}})
            for (const std::size_t every : {std::size_t{4}, std::size_t{3}, std::size_t{1}, std::size_t{20}})
                equals_definition_everywhere(
                    {Inputs(leading, 12, 4, 5, ++stream), 3, 9, every, oracle_feature_map(name)});
}
TEST_CASE("equals the definition at every size") {
    std::uint64_t numbers = 60;
    for (const Size& size : sizes_around_borders(129)) {
        const Inputs all(size.leading, 3 + size.n, size.d_k, size.d_v, ++numbers);
        for (const std::size_t every : {std::size_t{16}, std::size_t{1}}) {
            if (every == 1 && size.d_k > 16) continue;  // wide states, with no token to replay: all kept ones are saved
            const Stream stream{all, 3, size.n, every, elu_plus_one_map};
            const CausalState saved = saved_states(stream);
            for (const std::size_t kept : {size.n, size.n - size.n / 5})
                rewind(stream, saved, kept).equals(stream.expected(kept));
        }
    }
}
TEST_CASE("handles no token and no head") {
    for (const Shape& leading : {Shape{}, Shape{2, 3}, Shape{0}, Shape{2, 0}})
        for (const std::size_t n : {std::size_t{0}, std::size_t{1}})
            equals_definition_everywhere({Inputs(leading, 2 + n, 4, 5, 30 + n), 2, n, 1, elu_plus_one_map});
}
TEST_CASE("every digit is there again after a guess that was large") {
    for (const char* name : {"elu_plus_one", "identity"})
        for (std::size_t kept = 0; kept < 9; ++kept) {
            Stream stream{Inputs({2}, 12, 4, 5, 40 + kept), 3, 9, 4, oracle_feature_map(name)};
            set_token(stream.all.K, 3 + kept, full({2, 4}, 1e17));
            equals_definition(stream, kept);
        }
}
TEST_CASE("nothing of a token that is not kept is left, not even a NaN") {
    for (std::size_t kept = 0; kept < 9; ++kept) {
        Stream stream{Inputs({2}, 12, 4, 5, 50 + kept), 3, 9, 4, elu_plus_one_map};
        set_token(stream.all.K, 3 + kept, full({2, 4}, not_a_number));
        set_token(stream.all.V, 3 + kept, full({2, 5}, not_a_number));
        equals_definition(stream, kept);
    }
}
TEST_CASE("tokens before the saved state need not be there any more") {
    for (std::size_t kept = 4; kept <= 9; ++kept) {
        Stream stream{Inputs({2}, 12, 4, 5, 60 + kept), 3, 9, 4, elu_plus_one_map};
        const CausalState saved = saved_states(stream);
        const std::vector<Expected> expected = stream.expected(kept);
        for (std::size_t i = 0; i < kept / 4 * 4; ++i) {
            set_token(stream.all.K, 3 + i, full({2, 4}, not_a_number));
            set_token(stream.all.V, 3 + i, full({2, 5}, not_a_number));
        }
        rewind(stream, saved, kept).equals(expected);
    }
}
TEST_CASE("remembers nothing of an earlier call") {
    const Stream stream{Inputs({2}, 12, 4, 5, 91), 3, 9, 4, elu_plus_one_map};
    rewind(stream, saved_states(stream), 6).remembers_nothing();
}
TEST_CASE("costs no more than in proportion to the replayed tokens") {
    costs_no_more_than_in_proportion([](std::size_t n) -> Trial {
        const Stream stream{Inputs({}, n, 4, 5, 70 + n), 0, n, n, elu_plus_one_map};
        return rewind(stream, saved_states(stream), n - 1);
    });
}
TEST_CASE("costs no more when earlier states were saved") {
    const auto stream_of = [](std::size_t n) {
        return Stream{Inputs({}, n, 4, 5, 80 + n), 0, n, 16, elu_plus_one_map};
    };
    const auto run = [](const Stream& stream) { return rewind(stream, saved_states(stream), stream.n - 1); };
    const std::size_t steps_of_few = run(stream_of(16)).cost().steps;
    const Stream stream = stream_of(1024);
    const Call<CausalState> many = run(stream);
    const std::vector<Expected> right = stream.expected(stream.n - 1);
    const bool is_right = !difference(many.result().S, right[0]) && !difference(many.result().z, right[1]);
    many.satisfies(many.cost().steps < 8 * steps_of_few,
                   "to replay 15 tokens of 16 took " + std::to_string(steps_of_few) + " steps, 15 of 1024 took " +
                       std::to_string(many.cost().steps) + ": begin with the last saved state before them",
                   is_right ? "replayed from the first saved state" : nullptr);
}
TEST_CASE("equals the definition beyond every round length") {
    at_long_sizes([](const Size& size, std::uint64_t stream) {
        const Inputs all(size.leading, 3 + size.n, size.d_k, size.d_v, stream);
        for (const std::size_t every : {std::size_t{1}, many_tokens + 1})  // all kept tokens are saved, or replayed
            equals_definition({all, 3, size.n, every, elu_plus_one_map}, size.n);
    });
}
}

}  // namespace linattn::testing::rewind_test
