#include "mistake.hpp"

#include <map>
#include <utility>

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
std::map<std::string, std::function<NotOffered()>, std::less<>>& all_not_offered() {
    static std::map<std::string, std::function<NotOffered()>, std::less<>> all;
    return all;
}
std::map<std::string, std::function<std::vector<MutationPair>()>>& all_pairs() {
    static std::map<std::string, std::function<std::vector<MutationPair>()>> all;
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

void register_not_offered(const char* exercise, std::function<NotOffered()> make) {
    all_not_offered()[exercise] = std::move(make);
}
NotOffered not_offered(std::string_view exercise) {
    const auto found = all_not_offered().find(exercise);
    return found == all_not_offered().end() ? NotOffered{} : found->second();
}

void register_pairs(const char* exercise, std::function<std::vector<MutationPair>()> make) {
    all_pairs()[exercise] = std::move(make);
}
std::vector<MutationPair> mutation_pairs(const std::string& exercise) {
    const auto found = all_pairs().find(exercise);
    return found == all_pairs().end() ? std::vector<MutationPair>() : found->second();
}

const Mistake* active_mistake() { return active; }
void activate_mistake(const Mistake* mistake) { active = mistake; }

RegisterMistake::RegisterMistake(const char* exercise, const char* name, const char* section, const char* explanation,
                                 Subject function) {
    register_mistake({exercise, name, section, explanation, std::move(function)});
}

}  // namespace linattn::testing
