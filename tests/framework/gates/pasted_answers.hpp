// What paste_attack.py gives a cheat besides the pasted text, whose namespace is `pasting`: the right definitions behind
// mutations, by the exercise's name. The environment variable LINATTN_PASTED names the one that is tried.
#pragma once

#include <cstdlib>
#include <functional>
#include <map>
#include <string>

#include "contract.hpp"
#define testing pasting
#include "mistake.hpp"
#undef testing

namespace linattn::pasting {

inline std::map<std::string, Subject> definitions;

void register_not_offered(const char* exercise, std::function<NotOffered()> make) {
    definitions.emplace(exercise, make().right);
}
void register_mistake(Mistake) {}
void register_number(NumberMistake) {}

/// The one of `exercise`, if that is tried.
template <class Result, class... Parameters>
std::function<Result(Parameters...)> pasted(const char* exercise, Result (*)(Parameters...)) {
    const char* wanted = std::getenv("LINATTN_PASTED");
    if (wanted == nullptr || wanted != std::string(exercise) || !definitions.contains(wanted))
        throw NotImplemented(exercise);
    return std::any_cast<std::function<Result(Parameters...)>>(definitions.at(wanted));
}

}  // namespace linattn::pasting
