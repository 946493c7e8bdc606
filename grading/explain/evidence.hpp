// What the calls of an exercise say of a mistake: it has made the answer when it agrees with all of them, right where the answer was
// right, the same wrong result where it was wrong.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "recorded_calls.hpp"

namespace linattn::testing {

/// Whether values were compared, not a property.
bool compares_values(const ComparedCall& call);
bool has_right_shapes(const ComparedCall& call);

/// Whether the first call of the exercise, made again with this function, fares as it did then. One that remembers nothing of
/// the calls in between does.
bool agrees_with(const Subject& function, const RecordedCall& call);

/// Whether two outcomes are the same: the same exception, or results equal up to rounding.
bool alike(const Outcome& a, const Outcome& b);

/// How results are compared: with each NaN in its place, or only where both are finite.
using Compare = std::optional<double>(const Parts& a, const Parts& b, const std::vector<Expected>& expected);
std::optional<double> everywhere(const Parts& a, const Parts& b, const std::vector<Expected>& expected);
std::optional<double> where_finite(const Parts& a, const Parts& b, const std::vector<Expected>& expected);
/// How far a mistake's outcome is from the call's, when it is wrong there, too, and the same.
std::optional<double> distance_of(const Mistake& mistake, const ComparedCall& call, Compare* compare);

/// Which branch a call takes: "Mask::causal" in its words.
std::string choice_of(const std::string& words);

class Evidence {
public:
    /// Makes the probe calls, where values of an answer are wrong.
    explicit Evidence(std::vector<const RecordedCall*> calls);

    bool agrees_with_wrong(const Mistake& mistake);
    bool agrees_with_all(const Mistake& mistake);
    /// Whether it rejects what the answer rejects. Many mistakes reject nothing.
    bool rejects_as_well(const Mistake& mistake) const;

private:
    struct Probed {
        Run run;
        Outcome outcome;
    };
    static bool agrees(const Mistake& mistake, const RecordedCall& call);
    static bool agrees(const Mistake& mistake, const Probed& probed);

    std::vector<const RecordedCall*> calls_;
    std::vector<const RecordedCall*> wrong_;  // the smallest first: most mistakes are ruled out by it
    std::vector<Probed> probed_;
    std::map<const Mistake*, bool> agree_with_wrong_, agree_with_all_;
};

}  // namespace linattn::testing
