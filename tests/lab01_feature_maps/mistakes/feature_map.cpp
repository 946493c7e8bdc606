// Common mistakes in choosing a map by its name.
#include "feature_definition.hpp"
#include "mutations.hpp"

namespace linattn::testing {
namespace {

struct Choosing {
    std::string one, other;        ///< two names that are exchanged
    std::string taken, taken_for;  ///< a name that gives another's map
    std::string for_unknown;       ///< the map that an unknown name gives
    Stabilizer of_exp = Stabilizer::per_sequence;
    bool operator==(const Choosing&) const = default;
};

const MutationTable<Choosing>& choosing_mutations() {
    static const MutationTable<Choosing> table{
        {
            {"unknown names", "unknown name falls back to identity",
             "An unknown name is an error: end with reject, which throws, not with return x.", 0,
             SET(s.for_unknown = "identity")},
            {"unknown names", "unknown name falls back to elu_plus_one",
             "elu_plus_one is for a call without a name; an unknown name is an error: end with reject.", 0,
             SET(s.for_unknown = "elu_plus_one")},
            {"exp", "exp uses the per-token shift",
             "The caller uses one map for queries and keys: pass Stabilizer::per_sequence; the other shift does not "
             "cancel for keys.",
             0, SET(s.of_exp = Stabilizer::per_token)},
            {"the names", "relu and identity exchanged", "\"relu\" must call relu and \"identity\" must call identity.",
             0, SET(s.one = "relu", s.other = "identity")},
            {"the names", "relu taken for elu_plus_one",
             "Compare the whole name: \"relu\" contains \"elu\", and so do other names.", 0,
             SET(s.taken = "relu", s.taken_for = "elu_plus_one")},
            {"the names", "softmax and exp exchanged",
             "\"softmax\" must call softmax_features and \"exp\" must call exp_features.", 0,
             SET(s.one = "softmax", s.other = "exp")},
        },
        {}};
    return table;
}

Tensor chosen(const Choosing& s, const Tensor& x, const std::string& method) {
    static const std::map<std::string, FeatureSettings (*)()> maps{
        {"elu_plus_one", elu_plus_one_settings}, {"relu", relu_settings}, {"identity", identity_settings},
        {"softmax", softmax_settings},           {"exp", exp_settings},   {"polynomial", polynomial_settings}};
    auto map = maps.find(method == s.one     ? s.other
                         : method == s.other ? s.one
                         : method == s.taken ? s.taken_for
                                             : method);
    if (map == maps.end()) map = maps.find(s.for_unknown);
    if (map == maps.end())
        reject("feature_map", "method", "elu_plus_one, relu, identity, softmax, exp or polynomial", method);
    return features_by_settings(x, s.of_exp, map->second());
}

const MutationsOf feature_map_mutations("feature_map", choosing_mutations(), 0, Choosing{}, &chosen);

}  // namespace
}  // namespace linattn::testing
