#include "mistake.hpp"

#include <map>

namespace linattn::testing {
namespace {

// Functions, since they are filled before main.
std::vector<Mistake>& all_mistakes() {
    static std::vector<Mistake> all;
    return all;
}
std::vector<NumberMistake>& all_numbers() {
    static std::vector<NumberMistake> all;
    return all;
}
struct PairsOfExercise {
    std::function<std::vector<Mistake>()> make;
    std::vector<Mistake> made;
};
std::map<std::string, PairsOfExercise, std::less<>>& all_pairs() {
    static std::map<std::string, PairsOfExercise, std::less<>> all;
    return all;
}

std::map<std::string, Definition, std::less<>>& all_definitions() {
    static std::map<std::string, Definition, std::less<>> all;
    return all;
}

const Mistake* active = nullptr;

}  // namespace

const std::vector<Mistake>& mistakes() { return all_mistakes(); }
const std::vector<NumberMistake>& number_mistakes() { return all_numbers(); }

const Mistake* find_mistake(std::string_view exercise, std::string_view name) {
    for (const Mistake& mistake : all_mistakes())
        if (mistake.exercise == exercise && mistake.name == name) return &mistake;
    return nullptr;
}

void register_mistake(Mistake mistake) { all_mistakes().push_back(std::move(mistake)); }
void register_number(NumberMistake number) { all_numbers().push_back(std::move(number)); }
void register_pairs(const char* exercise, std::function<std::vector<Mistake>()> make) {
    all_pairs()[exercise] = {std::move(make), {}};
}

const std::vector<Mistake>& pairs_of(std::string_view exercise) {
    static const std::vector<Mistake> none;
    const auto found = all_pairs().find(exercise);
    if (found == all_pairs().end()) return none;
    PairsOfExercise& pairs = found->second;
    if (pairs.make) {
        pairs.made = pairs.make();
        pairs.make = nullptr;
    }
    return pairs.made;
}

void register_definition(const char* exercise, Definition definition) {
    all_definitions()[exercise] = std::move(definition);
}
const Definition* definition_of(std::string_view exercise) {
    const auto found = all_definitions().find(exercise);
    return found == all_definitions().end() ? nullptr : &found->second;
}

const Mistake* active_mistake() { return active; }
void activate_mistake(const Mistake* mistake) { active = mistake; }

RegisterMistake::RegisterMistake(const char* exercise, const char* name, const char* section, const char* explanation,
                                 Mistake::Function function) {
    register_mistake({exercise, name, section, explanation, [function] { return function; }});
}

}  // namespace linattn::testing
