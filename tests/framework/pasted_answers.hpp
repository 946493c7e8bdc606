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
    Subject function;
};
std::vector<Offer>& offers();

struct RegisterOffer {
    RegisterOffer(const char* exercise, const char* name, Subject function) {
        offers().push_back({exercise, name, std::move(function)});
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
template <class Result, class... Parameters>
std::function<Result(Parameters...)> pasted(const char* exercise, Result (*)(Parameters...)) {
    const char* wanted = std::getenv("LINATTN_PASTED");
    for (const Offer& offer : offers())
        if (wanted != nullptr && offer.exercise == exercise && offer.name == wanted)
            return std::any_cast<std::function<Result(Parameters...)>>(offer.function);
    throw NotImplemented(exercise);
}

}  // namespace linattn::pasting

#define OFFER(exercise, number, parameters, expression)                                                  \
    static ::linattn::pasting::ResultOf<decltype(::linattn::exercise)>::type offer_##number parameters { \
        return as<::linattn::pasting::ResultOf<decltype(::linattn::exercise)>::type>(expression);        \
    }                                                                                                    \
    static const RegisterOffer register_offer_##number(                                                  \
        #exercise, #number, subject(static_cast<decltype(&::linattn::exercise)>(&offer_##number)));
