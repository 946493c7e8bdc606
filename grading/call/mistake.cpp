#include "mistake.hpp"

#include <map>
#include <utility>

namespace linattn::testing {
namespace {

// A function, since it is filled before main.
template <class Registered>
std::vector<Registered>& all() {
    static std::vector<Registered> registered;
    return registered;
}
// What is made when somebody asks for it, by exercise.
std::map<std::string, std::function<NotOffered()>, std::less<>>& makers_of_not_offered() {
    static std::map<std::string, std::function<NotOffered()>, std::less<>> all;
    return all;
}
const Mistake* active = nullptr;

}  // namespace

const std::vector<Mistake>& mistakes() { return all<Mistake>(); }
const std::vector<NumberMistake>& number_mistakes() { return all<NumberMistake>(); }

const Mistake* find_mistake(std::string_view exercise, std::string_view name) {
    for (const Mistake& mistake : mistakes())
        if (mistake.exercise == exercise && mistake.name == name) return &mistake;
    return nullptr;
}

void register_mistake(Mistake mistake) { all<Mistake>().push_back(std::move(mistake)); }
void register_number(NumberMistake number) { all<NumberMistake>().push_back(std::move(number)); }

void register_not_offered(const char* exercise, std::function<NotOffered()> make) {
    makers_of_not_offered()[exercise] = std::move(make);
}
NotOffered not_offered(std::string_view exercise) {
    const auto found = makers_of_not_offered().find(exercise);
    return found == makers_of_not_offered().end() ? NotOffered() : found->second();
}

const Mistake* active_mistake() { return active; }
void activate_mistake(const Mistake* mistake) { active = mistake; }

}  // namespace linattn::testing
