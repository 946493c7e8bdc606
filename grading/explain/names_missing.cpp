#include <algorithm>

#include "evidence.hpp"
#include "mistake.hpp"
#include "probes.hpp"

namespace linattn::testing {

std::vector<std::string> names_missing(const std::string& exercise) {
    std::vector<std::string> names;
    const std::vector<Run> runs = probes_of(exercise);
    const NotOffered left = not_offered(exercise);
    if (runs.empty() || !left.right.has_value()) return names;
    const auto outcomes = [&](const Subject& subject) {
        std::vector<Outcome> all;
        all.reserve(runs.size());
        for (const Run& run : runs) all.push_back(run(subject));
        return all;
    };
    std::vector<std::vector<Outcome>> known{outcomes(left.right)};
    for (const Mistake& mistake : mistakes())
        if (mistake.exercise == exercise) known.push_back(outcomes(mistake.function));
    for (const Mistake& each : left.mistakes) {
        const std::vector<Outcome> made = outcomes(each.function);
        if (std::ranges::all_of(made, [](const Outcome& outcome) { return outcome.error.empty(); }) &&
            std::ranges::none_of(
                known, [&](const std::vector<Outcome>& other) { return std::ranges::equal(made, other, alike); }))
            names.emplace_back(each.name);
    }
    return names;
}

}  // namespace linattn::testing
