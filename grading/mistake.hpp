// The wrong versions of an exercise that people really write. They explain a wrong answer, and each of them, put in the
// function's place, must make the suite fail (the mutation gate). They come from MISTAKE or from a table of slips
// (slips.hpp).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace linattn::testing {

struct DataSlip;

struct Mistake {
    using Function = void (*)();  ///< cast back to the exercise's own type before it is called

    const char* exercise;
    const char* name;
    const char* section;  ///< of the chapter; "": the exercise's own, which the manifest names
    const char* explanation;
    std::function<Function()> ready;         ///< the function, with everything set that it needs
    const char* topic = "";                  ///< what it is about, for several that cannot be told apart
    std::shared_ptr<const DataSlip> data{};  ///< what is done to the function's arguments and result
};

/// All mistakes linked into this program, in the order of their files.
const std::vector<Mistake>& mistakes();
const Mistake* find_mistake(std::string_view exercise, std::string_view name);
void register_mistake(Mistake mistake);

/// Two slips at once, for answers that no single one explains. They are made when they are first asked for, and belong to
/// no kill matrix.
void register_pairs(const char* exercise, std::function<std::vector<Mistake>()> make);
const std::vector<Mistake>& pairs_of(std::string_view exercise);

/// A slip with a number that the answer itself tells.
struct NumberMistake {
    const char* exercise;
    const char* name;  ///< for printf, with one %s for the number
    const char* explanation;
    double low,
        high;  ///< where the number lies; equal: the index of the first token that is wrong, or behind the first that is right
    std::function<std::function<Mistake::Function()>(double)> with;
};
void register_number(NumberMistake number);
const std::vector<NumberMistake>& number_mistakes();

/// The right definition behind the slips of an exercise.
struct Definition {
    std::function<Mistake::Function()> ready;
    std::vector<std::string> arguments;  ///< their names, with what the last axes count: "K(n,d)"; none: not told
};
void register_definition(const char* exercise, Definition definition);
const Definition* definition_of(std::string_view exercise);

/// The mistake that stands in its exercise's place, if this run was asked for one (--mistake).
const Mistake* active_mistake();
void activate_mistake(const Mistake* mistake);

struct RegisterMistake {
    RegisterMistake(const char* exercise, const char* name, const char* section, const char* explanation,
                    Mistake::Function function);
};

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
#define LINATTN_MISTAKE(function, parameters, name, section, explanation, identifier)               \
    static ::linattn::testing::ResultOf<decltype(::linattn::function)>::type identifier parameters; \
    static const ::linattn::testing::RegisterMistake LINATTN_CONCAT(register_, identifier)(         \
        #function, name, section, explanation,                                                      \
        reinterpret_cast<::linattn::testing::Mistake::Function>(                                    \
            static_cast<decltype(&::linattn::function)>(&identifier)));                             \
    static ::linattn::testing::ResultOf<decltype(::linattn::function)>::type identifier parameters
