// A map chosen by its name.
#include "arrangement.hpp"
#include "worked_example.hpp"

namespace linattn::testing::feature_map_test {

// A name, the exercise that does its work, and the chapter's two tokens after it.
struct Choice {
    std::string method, function;
    Tensor (*own)(const Tensor&);  ///< that exercise as it stands, right or wrong
    Tensor value;
};
const Choice choices[] = {
    {"elu_plus_one", "elu_plus_one", linattn::elu_plus_one, worked_example::elu_plus_one},
    {"relu", "relu", linattn::relu, worked_example::relu},
    {"identity", "identity", linattn::identity, worked_example::x},
    {"softmax", "softmax_features", linattn::softmax_features, worked_example::softmax},
    {"exp", "exp_features", [](const Tensor& x) { return exp_features(x, Stabilizer::per_sequence); },
     worked_example::exp_per_sequence},
    {"polynomial", "polynomial_features", linattn::polynomial_features, worked_example::polynomial},
};

Expected close_to(const Tensor& value) {
    return to_rounding(value, 1e-12 * 0x1p53, "a relative error of 1e-12, the widest that any map here may have");
}

// The call reached the exercise that should do the work, and that is not written yet: not only by the call's own account.
bool waits_for(const Choice& choice, const Call<Tensor>& call) {
    if (call.missing() != choice.function) return false;
    return outcome_of([&] { return parts_of(choice.own(worked_example::x)); }).missing == choice.function;
}

void chooses_well(const Call<Tensor>& call, const Choice& choice, const Expected& expected, const Tensor& x) {
    if (waits_for(choice, call)) return;
    if (difference(call.result(), expected)) {
        const Outcome own = outcome_of([&] { return parts_of(choice.own(x)); });
        call.blames(choice.function, [&] {
            return !own.error.empty() || difference(call.result(), exactly(std::get<Tensor>(own.parts.front().value)));
        });
    }
    call.equals(expected);
}

TEST_SUITE("feature_map") {
TEST_CASE("each name gives the map of that name") {
    const Tensor x = worked_example::x;
    for (const Choice& choice : choices)
        chooses_well(CALL(feature_map, x, choice.method), choice, close_to(choice.value), x);
}
TEST_CASE("takes every size") {
    std::uint64_t stream = 50;
    for (const Shape& shape : shapes_around_borders()) {
        const Tensor x = random_tensor(shape, ++stream);
        const Choice& identity = choices[2];
        chooses_well(CALL(feature_map, x, identity.method), identity, close_to(x), x);
    }
}
TEST_CASE("remembers nothing of an earlier call") {
    const Tensor x = random_tensor({2, 3}, 49);
    for (const Choice& choice : choices) {
        const Call<Tensor> call = CALL(feature_map, x, choice.method);
        if (!waits_for(choice, call)) call.remembers_nothing();
    }
}
TEST_CASE("without a name it is elu_plus_one") {
    const Tensor x = worked_example::x;
    const Call<Tensor> call = CALL(feature_map, x, "elu_plus_one");
    if (waits_for(choices[0], call)) return;
    const Outcome unnamed = outcome_of([&] { return parts_of(feature_map(x)); });
    call.satisfies(unnamed.error.empty() && distance_if_alike(unnamed.parts, parts_of(call.result())),
                   "feature_map(x) differs from feature_map(x, \"elu_plus_one\")");
}
TEST_CASE("rejects an unknown name and lists the names there are") {
    const Tensor x = worked_example::x;
    const std::vector<std::string> names{"elu_plus_one", "relu", "identity", "softmax", "exp", "polynomial"};
    for (const char* method : {"tanh", "Relu", "elu", "softmax_features", "exp_features", "none", "", "polynomial "})
        CALL(feature_map, x, method).rejects(names);
}
TEST_CASE("takes every leading shape, and exp shifts every head by itself") {
    for (const Choice& choice : choices) {
        const Table one_head{expand_dims(worked_example::x, 0), expand_dims(choice.value, 0)};
        const auto [x, y] = scattered(one_head, {2, 4}, 0);
        chooses_well(CALL(feature_map, x, choice.method), choice, close_to(y), x);
    }
    const auto two_heads = [](const Tensor& a, const Tensor& b) { return reshape(concatenate(a, b, 0), {2, 2, 3}); };
    const Tensor x = two_heads(worked_example::x, worked_example::x - 700.0);
    const Tensor y = two_heads(worked_example::exp_per_sequence, worked_example::exp_per_sequence);
    chooses_well(CALL(feature_map, x, "exp"), choices[4], close_to(y), x);
}
TEST_CASE("exp is right for keys: one shift for all tokens of a head") {
    const Tensor x = worked_example::x;
    // Nobody can tell which shift was asked for until exp_features is written: TODO until then.
    CALL(feature_map, x, "exp").equals(close_to(worked_example::exp_per_sequence));
}
TEST_CASE("no token, no head") {
    for (const Shape& shape : {Shape{0, 3}, Shape{2, 0, 3}, Shape{0, 2, 3}})
        for (const Choice& choice : choices) {
            const Tensor x = zeros(shape);
            Shape after = shape;
            if (choice.method == "polynomial") after.back() = 9;
            const Call<Tensor> call = CALL(feature_map, x, choice.method);
            if (!waits_for(choice, call)) result_of_shape(call, after);
        }
}
}

}  // namespace linattn::testing::feature_map_test
