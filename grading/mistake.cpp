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
// What is made when somebody asks for it, by exercise.
template <class Made>
std::map<std::string, std::function<Made()>, std::less<>>& makers() {
    static std::map<std::string, std::function<Made()>, std::less<>> all;
    return all;
}
template <class Made>
Made made_for(std::string_view exercise) {
    const auto found = makers<Made>().find(exercise);
    return found == makers<Made>().end() ? Made() : found->second();
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
    makers<NotOffered>()[exercise] = std::move(make);
}
NotOffered not_offered(std::string_view exercise) { return made_for<NotOffered>(exercise); }

void register_pairs(const char* exercise, std::function<std::vector<MutationPair>()> make) {
    makers<std::vector<MutationPair>>()[exercise] = std::move(make);
}
std::vector<MutationPair> mutation_pairs(std::string_view exercise) {
    return made_for<std::vector<MutationPair>>(exercise);
}

const Mistake* active_mistake() { return active; }
void activate_mistake(const Mistake* mistake) { active = mistake; }

RegisterMistake::RegisterMistake(const char* exercise, const char* name, const char* section, const char* explanation,
                                 Subject function) {
    register_mistake({exercise, name, section, explanation, std::move(function)});
}

}  // namespace linattn::testing
