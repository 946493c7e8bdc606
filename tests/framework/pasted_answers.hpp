// What paste_attack.py gives a cheat besides the pasted text: ways to try one function after the other as an answer without
// building anew. The environment variable LINATTN_PASTED names the one that is tried.
#pragma once

#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "contract.hpp"
#include "mistake.hpp"

namespace linattn::pasting {

/// A function in an exercise's place, with the exercise's own type.
struct Offer {
    std::string exercise, name;
    std::function<Mistake::Function()> ready;
};
std::vector<Offer>& offers();

struct RegisterOffer {
    RegisterOffer(const char* exercise, const char* name, Mistake::Function function) {
        offers().push_back({exercise, name, [function] { return function; }});
    }
};

/// What a pasted function returned, as the exercise returns it: the same, or the part of it that everybody would take.
template <class To, class From>
To as(From&& made) {
    if constexpr (std::is_convertible_v<From, To>)
        return made;
    else if constexpr (requires { To{made.output, {made.S, made.z}}; })
        return {made.output, {made.S, made.z}};
    else if constexpr (requires { To{made.output, made.S}; })
        return {made.output, made.S};
    else if constexpr (requires { as<To>(made.value); })
        return as<To>(made.value);
    else if constexpr (requires { To(made.output); })
        return made.output;
    else if constexpr (requires { To(made.front().value); })
        return made.at(0).value;
    else if constexpr (requires { To{made.shape(), {made.begin(), made.end()}}; })
        return {{made.shape().begin(), made.shape().end()}, {made.begin(), made.end()}};
    else
        throw NotImplemented("what was pasted");
}

/// The offer that is tried, if it is one for `exercise`.
template <class Function>
Function* pasted(const char* exercise, Function*) {
    const char* wanted = std::getenv("LINATTN_PASTED");
    for (const Offer& offer : offers())
        if (wanted != nullptr && offer.exercise == exercise && offer.name == wanted)
            return reinterpret_cast<Function*>(offer.ready());
    throw NotImplemented(exercise);
}

}  // namespace linattn::pasting

#define OFFER(exercise, number, parameters, expression)                                                  \
    static ::linattn::pasting::ResultOf<decltype(::linattn::exercise)>::type offer_##number parameters { \
        return as<::linattn::pasting::ResultOf<decltype(::linattn::exercise)>::type>(expression);        \
    }                                                                                                    \
    static const RegisterOffer register_offer_##number(                                                  \
        #exercise, #number,                                                                              \
        reinterpret_cast<Mistake::Function>(static_cast<decltype(&::linattn::exercise)>(&offer_##number)));
