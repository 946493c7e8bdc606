#include "naming.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "evidence.hpp"
#include "solved_numbers.hpp"

namespace linattn::testing {
namespace {

constexpr std::size_t most_alike = 12;  // more that do the same say nothing
constexpr std::size_t few_values = 3;   // may be alike by chance
constexpr std::size_t most_hints = 3, most_calls_for_hints = 4;

using Names = std::vector<const Mistake*>;

bool is_not_finite(double x) { return !std::isfinite(x); }

// Whether the call tells one mistake from another: an empty part, as for n = 0, is the same for many of them, and so is NaN.
bool tells_apart(const ComparedCall& call) {
    bool any = false;
    for (std::size_t p = 0; p < call.expected->size(); ++p) {
        const Tensor* got = comparable(call.outcome.parts[p], (*call.expected)[p]);
        if (got == nullptr || got->size() == 0) return false;
        for (std::size_t e = 0; e < got->size() && !any; ++e)
            any = std::isfinite(got->data()[e]) && !is_right(*got, (*call.expected)[p], e);
    }
    return any;
}

// How many values of it are wrong, where it is small and their shapes are right.
std::size_t wrong_values(const ComparedCall& call) {
    std::size_t wrong = 0;
    if (!compares_values(call) || !has_right_shapes(call) || size_of(call.outcome.parts) > most_numbers) return 0;
    for (std::size_t p = 0; p < call.expected->size(); ++p)
        wrong += wrong_entries(std::get<Tensor>(call.outcome.parts[p].value), (*call.expected)[p]).size();
    return wrong;
}

// The mistakes of an exercise, and those made up for this answer: with a number that is solved for, or with one choice.
class Namer {
public:
    Namer(const std::string& exercise, const std::vector<const RecordedCall*>& calls) : evidence_(calls) {
        for (const Mistake& mistake : mistakes())
            if (mistake.exercise == exercise) listed_.push_back(&mistake);
    }

    Naming name(const RecordedCall& recorded) {
        Naming found;
        const ComparedCall& call = recorded.call;
        if (call.is_long) return found;
        if (recorded.came == Came::broken_claim) {
            if (recorded.means != nullptr && evidence_.agrees_with_all(*recorded.means)) found.names = {recorded.means};
            return found;
        }
        const bool values = compares_values(call);
        const Names same = alike(call, values, &everywhere, found.distance);
        // What all of them share, a shape that is not refused for instance, is not what any of them is about.
        if (listed_.size() > 2 && same.size() == listed_.size()) return found;
        if (!values) {
            // A faulty kernel may run well elsewhere, with other lengths or in another order; its mistake ends every call.
            found.names = call.outcome.symptoms.empty() ? agreeing(same) : same;
            if (call.outcome.error.empty())
                std::erase_if(found.names, [&](const Mistake* each) { return !evidence_.rejects_as_well(*each); });
            return found;
        }
        found.names = agreeing(same);
        if (found.names.empty() && any_number(call.outcome.parts, is_not_finite)) {
            found.distance = 0.0;
            found.names = agreeing(alike(call, true, &where_finite, found.distance));
        }
        if (found.names.empty() && !solved_ && size_of(call.outcome.parts) <= most_numbers) {
            solved_ = true;
            found.distance = 0.0;
            found.names = with_numbers(call, found.distance);
        }
        if (found.names.empty() && tells_apart(call)) choose(call, same, found);
        if (found.names.size() > most_alike) found.names.clear();
        found.by_values = !found.names.empty() || has_right_shapes(call);
        return found;
    }

    // Where no mistake agrees with all wrong calls: those few that do the same in a call that shows much.
    void hint(std::vector<const RecordedCall*> failed, std::vector<Naming>& namings) {
        const std::vector<const RecordedCall*> in_order = failed;
        const auto shows = [](const RecordedCall* each) {
            return each->came == Came::wrong ? wrong_values(each->call) : 0;
        };
        std::ranges::stable_sort(failed, std::ranges::greater(), shows);
        failed.resize(std::min(failed.size(), most_calls_for_hints));
        for (const RecordedCall* most : failed) {
            if (shows(most) <= few_values || !tells_apart(most->call)) continue;
            double unused = 0.0;
            const Names hints = alike(most->call, false, &everywhere, unused);
            if (hints.empty() || hints.size() > most_hints) continue;
            for (std::size_t i = 0; i < namings.size(); ++i)
                if (namings[i].by_values)
                    std::ranges::copy_if(hints, std::back_inserter(namings[i].in_part), [&](const Mistake* each) {
                        return distance_of(*each, in_order[i]->call, &everywhere).has_value();
                    });
            return;
        }
    }

private:
    // Those that do the same in this call, and agree with the wrong ones where values are compared.
    Names alike(const ComparedCall& call, bool values, Compare* compare, double& distance) {
        Names found;
        const auto add = [&](const Mistake& mistake) {
            if (values && !evidence_.agrees_with_wrong(mistake)) return;
            const auto apart = distance_of(mistake, call, compare);
            if (!apart) return;
            distance = std::max(distance, *apart);
            found.push_back(&mistake);
        };
        for (const Mistake* each : listed_) add(*each);
        for (const Mistake* each : numbered_) add(*each);
        return found;
    }

    Names agreeing(Names candidates) {
        std::erase_if(candidates, [&](const Mistake* each) { return !evidence_.agrees_with_all(*each); });
        return candidates;
    }

    Names with_numbers(const ComparedCall& call, double& distance) {
        for (const std::vector<Mistake>& one_mistake : with_solved_numbers(call))
            for (const Mistake& candidate : one_mistake) {
                const auto apart = distance_of(candidate, call, &everywhere);
                const Mistake& kept = apart ? made_up_.emplace_back(candidate) : candidate;
                if (!apart || !evidence_.agrees_with_all(kept)) continue;
                distance = std::max(distance, *apart);
                numbered_.push_back(&kept);
                break;
            }
        return numbered_;
    }

    // A mistake that right calls rule out was perhaps made in one branch of two: with the choice of this call alone.
    void choose(const ComparedCall& call, const Names& same, Naming& found) {
        const std::string choice = choice_of(call.words);
        for (const Mistake* each : same) {
            if (choice.empty()) break;
            const Mistake*& one = with_choice_[{each, choice}];
            if (one == nullptr) {
                texts_.push_back(each->name + (", with " + choice));
                Mistake made = *each;
                made.name = texts_.back().c_str();
                made.choice = choice;
                one = &made_up_.emplace_back(std::move(made));
            }
            if (evidence_.agrees_with_all(*one)) found.names.push_back(one);
        }
        if (found.names.empty()) found.in_part = same;
    }

    Evidence evidence_;
    Names listed_, numbered_;
    bool solved_ = false;
    std::map<std::pair<const Mistake*, std::string>, const Mistake*> with_choice_;
    static inline std::deque<Mistake> made_up_;  // pointers stay valid
    static inline std::deque<std::string> texts_;
};

// A mistake that does not explain every call whose values are wrong is one that was not made.
void keep_those_of_all_calls(std::vector<Naming>& namings) {
    const auto nameless = [](const Naming& each) { return each.by_values && each.names.empty(); };
    if (std::ranges::any_of(namings, nameless))
        for (Naming& each : namings) {
            if (!each.by_values) continue;
            each.in_part.insert(each.in_part.end(), each.names.begin(), each.names.end());
            each.names.clear();
        }
    const auto is_everywhere = [&](const Mistake* mistake) {
        return std::ranges::all_of(namings, [&](const Naming& each) {
            return !each.by_values ||
                   std::ranges::count(each.names, mistake) + std::ranges::count(each.in_part, mistake) > 0;
        });
    };
    const auto elsewhere_not = [&](const Mistake* each) { return !is_everywhere(each); };
    for (Naming& each : namings) {
        if (each.by_values && std::ranges::any_of(each.names, is_everywhere)) std::erase_if(each.names, elsewhere_not);
        std::erase_if(each.in_part, elsewhere_not);
    }
}

}  // namespace

std::vector<Naming> name_calls(const std::vector<const RecordedCall*>& failed,
                               const std::vector<const RecordedCall*>& all) {
    std::vector<Naming> namings;
    if (failed.empty()) return namings;
    Namer namer(failed.front()->call.exercise, all);
    for (const RecordedCall* each : failed) namings.push_back(namer.name(*each));
    keep_those_of_all_calls(namings);
    if (std::ranges::all_of(namings, [](const Naming& each) { return each.names.empty() && each.in_part.empty(); }))
        namer.hint(failed, namings);
    return namings;
}

}  // namespace linattn::testing
