// A slip is one setting of a definition turned from right to wrong: a name, a sentence, and what an exercise must have
// for it. Exercises that share a definition share its table of slips. Each slip that an exercise can suffer becomes one
// of its mistakes; when no single slip explains a wrong answer, two together may, or a number that the answer tells.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "mistake.hpp"

namespace linattn::testing {

template <class Settings>
struct Slip {
    const char* topic;  ///< what slips have in common that do the same to an input: "ε", "the heads"
    const char* name;
    const char* explanation;
    unsigned needs;                       ///< bits that the exercise must have
    std::function<void(Settings&)> turn;  ///< nothing: right numbers at the wrong cost
};

/// A slip with a number in it, which is solved for.
template <class Settings>
struct NumberSlip {
    const char* name;  ///< for printf, with one %s for the number
    const char* explanation;
    unsigned needs;
    std::function<void(Settings&, double)> turn;
    double low = 0.0, high = 0.0;  ///< where to look for it; equal: it is the index of the first token that is wrong
};

template <class Settings>
struct SlipTable {
    std::vector<Slip<Settings>> slips;
    std::vector<NumberSlip<Settings>> numbers;
};

/// Adds the slips of a part of the settings: those of attention to an exercise that has attention in it.
template <class Settings, class Part>
void add_slips_of(SlipTable<Settings>& table, const SlipTable<Part>& of_part, Part Settings::*part) {
    for (const Slip<Part>& slip : of_part.slips) {
        table.slips.push_back({slip.topic, slip.name, slip.explanation, slip.needs, nullptr});
        if (slip.turn) table.slips.back().turn = [turn = slip.turn, part](Settings& settings) { turn(settings.*part); };
    }
    for (const NumberSlip<Part>& number : of_part.numbers)
        table.numbers.push_back({number.name, number.explanation, number.needs,
                                 [turn = number.turn, part](Settings& settings, double x) { turn(settings.*part, x); },
                                 number.low, number.high});
}

/// The settings that the definition has to follow now: those of the slip that was made ready last.
template <class Settings>
std::shared_ptr<const Settings>& settings_in_use() {
    static std::shared_ptr<const Settings> current;
    return current;
}

/// What differs from the table for one exercise.
struct SlipChoice {
    std::set<std::string> without = {};                   ///< slips that its inputs cannot show
    std::map<std::string, const char*> explanation = {};  ///< in other words
    std::vector<std::string> arguments = {};              ///< as in Definition
};

/// Registers the slips of an exercise. `definition` has the exercise's own signature, and follows settings_in_use().
template <class Settings, class Function>
class SlipsOf {
public:
    SlipsOf(const char* exercise, const SlipTable<Settings>& table, unsigned has, const Settings& right,
            Function* definition, const SlipChoice& choice = {}) {
        const auto function = reinterpret_cast<Mistake::Function>(definition);
        const auto ready = [function](const Settings& settings) {
            return [function, kept = std::make_shared<const Settings>(settings)] {
                settings_in_use<Settings>() = kept;
                return function;
            };
        };
        const auto turned = std::make_shared<std::vector<Turned>>();
        for (const Slip<Settings>& slip : table.slips) {
            if ((slip.needs & has) != slip.needs || choice.without.contains(slip.name)) continue;
            Settings settings = right;
            if (slip.turn != nullptr) slip.turn(settings);
            if (slip.turn != nullptr && settings == right) continue;
            const auto other = choice.explanation.find(slip.name);
            const char* explanation = other == choice.explanation.end() ? slip.explanation : other->second;
            register_mistake({exercise, slip.name, "", explanation, ready(settings), slip.topic});
            if (slip.turn != nullptr) turned->push_back({&slip, settings});
        }
        register_pairs(exercise, [exercise, right, turned, ready] { return pairs(exercise, right, *turned, ready); });
        register_definition(exercise, {ready(right), choice.arguments});
        for (const NumberSlip<Settings>& number : table.numbers) {
            if ((number.needs & has) != number.needs) continue;
            register_number({exercise, number.name, number.explanation, number.low, number.high,
                             [right, ready, turn = number.turn](double value) {
                                 Settings settings = right;
                                 turn(settings, value);
                                 return ready(settings);
                             }});
        }
    }

private:
    struct Turned {
        const Slip<Settings>* slip;
        Settings settings;
    };

    // Two slips at once, in both orders where that matters, unless the two together are a single slip.
    template <class Ready>
    static std::vector<Mistake> pairs(const char* exercise, const Settings& right, const std::vector<Turned>& turned,
                                      const Ready& ready) {
        static std::deque<std::string> texts;
        const auto kept = [](const std::string& text) { return texts.emplace_back(text).c_str(); };
        std::vector<Settings> known{right};
        for (const Turned& each : turned) known.push_back(each.settings);
        std::vector<Mistake> found;
        const auto add = [&](const Slip<Settings>& first, const Slip<Settings>& second, const Settings& settings) {
            if (std::ranges::find(known, settings) != known.end()) return;
            found.push_back({exercise, kept(std::string(first.name) + " and " + second.name), "",
                             kept(std::string(first.explanation) + " And: " + second.explanation), ready(settings),
                             ""});
        };
        for (std::size_t a = 0; a < turned.size(); ++a)
            for (std::size_t b = a + 1; b < turned.size(); ++b) {
                const Slip<Settings>&first = *turned[a].slip, &second = *turned[b].slip;
                Settings settings = turned[a].settings, other_order = turned[b].settings;
                second.turn(settings);
                first.turn(other_order);
                add(first, second, settings);
                if (!(settings == other_order)) add(second, first, other_order);
            }
        return found;
    }
};

}  // namespace linattn::testing
