#include "mistake.hpp"

namespace linattn::testing {
namespace {

std::vector<Mistake>& registry() {
    static std::vector<Mistake> all;
    return all;
}

const Mistake* active = nullptr;

}  // namespace

const std::vector<Mistake>& mistakes() { return registry(); }

const Mistake* find_mistake(std::string_view exercise, std::string_view name) {
    for (const Mistake& mistake : registry())
        if (mistake.exercise == exercise && mistake.name == name) return &mistake;
    return nullptr;
}

const Mistake* active_mistake() { return active; }
void activate_mistake(const Mistake* mistake) { active = mistake; }

RegisterMistake::RegisterMistake(const char* exercise, const char* name, const char* section, const char* explanation,
                                 Mistake::Function function) {
    registry().push_back({exercise, name, section, explanation, function});
}

}  // namespace linattn::testing
