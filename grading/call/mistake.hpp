// The wrong versions of an exercise that people really write. They explain a wrong answer, and each of them, put in the
// function's place, must make the suite fail (the mutation gate). They come from MISTAKE or from a table of mutations
// (mutations.hpp).
#pragma once

#include <any>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace linattn::testing {

/// A function of an exercise's own type, as a std::function.
using Subject = std::any;
template <class Result, class... Parameters>
Subject subject(Result (*function)(Parameters...)) {
    return std::function<Result(Parameters...)>(function);
}

struct Mistake {
    const char* exercise;
    const char* name;
    const char* section;  ///< of the chapter; "": the exercise's own, which the manifest names
    const char* explanation;
    Subject function;
    const char* topic = "";  ///< what it is about, for several that cannot be told apart
    bool only_cost = false;  ///< its results are right
    std::string choice{};    ///< where it was made with one choice alone: "Mask::causal"
};

/// All mistakes linked into this program, in the order of their files.
const std::vector<Mistake>& mistakes();
const Mistake* find_mistake(std::string_view exercise, std::string_view name);
void register_mistake(Mistake mistake);

/// A mutation with a number that the answer itself tells.
struct NumberMistake {
    const char* exercise;
    const char* name;  ///< for printf, with one %s for the number
    const char* explanation;
    double low, high;  ///< where it lies; equal: it is the first token that is wrong, or behind the first right one
    std::function<Subject(double)> with;
};
void register_number(NumberMistake number);
const std::vector<NumberMistake>& number_mistakes();

/// What a table of mutations holds that an exercise does not get, and the exercise's right definition: for a test that looks
/// for names which are missing.
struct NotOffered {
    Subject right;
    std::vector<Mistake> mistakes;
};
void register_not_offered(const char* exercise, std::function<NotOffered()> make);
NotOffered not_offered(std::string_view exercise);

/// Mutations of an exercise's table that are not among its mistakes, but change what its probe calls give, to something that no
/// mistake of it gives.
std::vector<std::string> names_missing(const std::string& exercise);

/// The mistake that stands in its exercise's place, if this run was asked for one (--mistake).
const Mistake* active_mistake();
void activate_mistake(const Mistake* mistake);

/// The type that a function returns.
template <class Function>
struct ResultOf;
template <class Result, class... Arguments>
struct ResultOf<Result(Arguments...)> {
    using type = Result;
};

}  // namespace linattn::testing

#define LINATTN_CONCAT_(a, b) a##b
#define LINATTN_CONCAT(a, b) LINATTN_CONCAT_(a, b)

/// MISTAKE(function, (parameters), "name", "§2.5", "What to do about it.") { body }
#define MISTAKE(function, parameters, name, section, explanation) \
    LINATTN_MISTAKE(function, parameters, name, section, explanation, LINATTN_CONCAT(mistake_, __COUNTER__))
#define LINATTN_MISTAKE(function, parameters, name, section, explanation, identifier)                  \
    static ::linattn::testing::ResultOf<decltype(::linattn::function)>::type identifier parameters;    \
    [[maybe_unused]] static const bool LINATTN_CONCAT(register_, identifier) =                         \
        (::linattn::testing::register_mistake(                                                         \
             {#function, name, section, explanation,                                                   \
              ::linattn::testing::subject(static_cast<decltype(&::linattn::function)>(&identifier))}), \
         true);                                                                                        \
    static ::linattn::testing::ResultOf<decltype(::linattn::function)>::type identifier parameters
