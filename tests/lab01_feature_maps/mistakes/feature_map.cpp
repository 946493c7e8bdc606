// Common mistakes in choosing a map by its name.
#include <algorithm>
#include <deque>

#include "feature_definition.hpp"
#include "mutations.hpp"

namespace linattn::testing::feature_map_mistakes {

struct Choosing {
    std::string one, other;        ///< two names that are exchanged
    std::string taken, taken_for;  ///< a name that gives another's map
    std::string for_unknown;       ///< the map that an unknown name gives
    Stabilizer of_exp = Stabilizer::per_sequence;
    bool softmax_undivided = false, exp_unshifted = false;
    enum class Compared { whole, beginning_of_name, beginning_of_method } compared = Compared::whole;
    std::string differs_from;  ///< a name that is asked for with !=
    bool operator==(const Choosing&) const = default;
};

const std::map<std::string, FeatureSettings (*)()>& maps() {
    static const std::map<std::string, FeatureSettings (*)()> all{
        {"elu_plus_one", elu_plus_one_settings}, {"relu", relu_settings}, {"identity", identity_settings},
        {"softmax", softmax_settings},           {"exp", exp_settings},   {"polynomial", polynomial_settings}};
    return all;
}

// The names in the order in which people ask for them.
const std::vector<std::string>& names() {
    static const std::vector<std::string> all{"elu_plus_one", "relu", "identity", "softmax", "exp", "polynomial"};
    return all;
}

// Each name taken for each other, asked for with !=, and its map given to all that is unknown.
MutationTable<Choosing> with_names_taken(MutationTable<Choosing> table) {
    static std::deque<std::string> sentences;
    for (const auto& [name, map] : maps())
        for (const auto& [other, its_map] : maps()) {
            if (name == other || (name == "relu" && other == "elu_plus_one")) continue;
            const char* taken = sentences.emplace_back("\"" + name + "\" gives the map of \"" + other + "\"").c_str();
            table.mutations.push_back(
                {"the names", taken, "Each name has a map of its own: compare the whole name, then call that map.", 0,
                 [one = name, another = other](Choosing& s) { s.taken = one, s.taken_for = another; }});
        }
    const auto add = [&](const char* topic, const std::string& name, const char* explanation, auto set) {
        table.mutations.push_back({topic, sentences.emplace_back(name).c_str(), explanation, 0, set});
    };
    for (const std::string& name : names()) {
        const std::string quoted = "\"" + name + "\"";
        add("the names", "!= in place of == for " + quoted, "A map is chosen where the name is equal: write ==.",
            [name](Choosing& s) { s.differs_from = name; });
        if (name != "elu_plus_one" && name != "identity")
            add("unknown names", "unknown name falls back to " + name,
                "An unknown name is an error: a last branch without a comparison takes every name; end with reject.",
                [name](Choosing& s) { s.for_unknown = name; });
    }
    return table;
}

const MutationTable<Choosing>& choosing_mutations() {
    static const MutationTable<Choosing> table = with_names_taken(
        {{
             {"unknown names", "unknown name falls back to identity",
              "An unknown name is an error: end with reject, which throws, not with return x.", 0,
              SET(s.for_unknown = "identity")},
             {"unknown names", "unknown name falls back to elu_plus_one",
              "elu_plus_one is for a call without a name; an unknown name is an error: end with reject.", 0,
              SET(s.for_unknown = "elu_plus_one")},
             {"unknown names", "a name's beginning taken for the name",
              "\"elu\" and \"\" are no names: compare the whole string with ==.", 0,
              SET(s.compared = Choosing::Compared::beginning_of_name)},
             {"unknown names", "whatever begins with a name taken for it",
              "\"exp_features\" is not \"exp\": compare the whole string with ==.", 0,
              SET(s.compared = Choosing::Compared::beginning_of_method)},
             {"exp", "exp uses the per-token shift",
              "The caller uses one map for queries and keys: pass Stabilizer::per_sequence; the other shift does not "
              "cancel for keys.",
              0, SET(s.of_exp = Stabilizer::per_token)},
             {"exp", "exp without a shift",
              "\"exp\" must call exp_features: the maximum is subtracted first, or large entries give ∞.", 0,
              SET(s.exp_unshifted = true)},
             {"the names", "relu and identity exchanged",
              "\"relu\" must call relu and \"identity\" must call identity.", 0,
              SET(s.one = "relu", s.other = "identity")},
             {"the names", "relu taken for elu_plus_one",
              "Compare the whole name: \"relu\" contains \"elu\", and so do other names.", 0,
              SET(s.taken = "relu", s.taken_for = "elu_plus_one")},
             {"the names", "softmax and exp exchanged",
              "\"softmax\" must call softmax_features and \"exp\" must call exp_features.", 0,
              SET(s.one = "softmax", s.other = "exp")},
             {"the names", "softmax not divided by its sum",
              "\"softmax\" must call softmax_features: exponentials that are divided by the sum over their token.", 0,
              SET(s.softmax_undivided = true)},
         },
         {}});
    return table;
}

Tensor chosen(const Choosing& s, const Tensor& x, const std::string& method) {
    auto map = maps().find(method == s.one     ? s.other
                           : method == s.other ? s.one
                           : method == s.taken ? s.taken_for
                                               : method);
    for (const std::string& name : names())
        if (map == maps().end() &&
            ((s.compared == Choosing::Compared::beginning_of_name && name.starts_with(method)) ||
             (s.compared == Choosing::Compared::beginning_of_method && method.starts_with(name))))
            map = maps().find(name);
    if (map == maps().end()) map = maps().find(s.for_unknown);
    const auto differs = std::ranges::find(names(), s.differs_from);
    if (differs != names().end() && std::find(names().begin(), differs, method) == differs)
        map = method == s.differs_from ? maps().end() : maps().find(s.differs_from);
    if (s.softmax_undivided && method == "softmax")
        return features_by_settings(x, Stabilizer::per_token, exp_settings());
    if (map == maps().end())
        reject("feature_map", "method", "elu_plus_one, relu, identity, softmax, exp or polynomial", method);
    FeatureSettings settings = map->second();
    if (s.exp_unshifted && map->first == "exp") settings.shift = 0.0;
    return features_by_settings(x, s.of_exp, settings);
}

const MutationsOf feature_map_mutations("feature_map", choosing_mutations(), 0, Choosing{}, &chosen);

}  // namespace linattn::testing::feature_map_mistakes
