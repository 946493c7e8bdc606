// A mutation is one setting of a definition set to a wrong value: a name, a sentence, and what an exercise must have
// for it. Exercises that share a definition share its table of mutations. Each mutation that an exercise can suffer becomes one
// of its mistakes; when no mutation explains a wrong answer, a number that the answer tells may.
#pragma once

#include <deque>
#include <functional>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "mistake.hpp"
#include "tensor.hpp"

namespace linattn::testing {

template <class Settings, class Change = std::function<void(Settings&)>>
struct Mutation {
    const char* topic;  ///< what mutations have in common that do the same to an input: "ε", "the heads"
    const char* name;
    const char* explanation;
    unsigned needs;  ///< bits that the exercise must have
    Change set;      ///< nothing: right numbers at the wrong cost
};

template <class Settings>
struct Mutations : std::vector<Mutation<Settings>> {
    Mutations() = default;
    /// Rows as they are written change the settings by pointers to functions: hundreds of them compile in little time.
    Mutations(std::initializer_list<Mutation<Settings, void (*)(Settings&)>> rows) {
        for (const auto& [topic, name, explanation, needs, set] : rows)
            this->push_back({topic, name, explanation, needs, set});
    }
};

/// A mutation with a number in it, which is solved for.
template <class Settings>
struct NumberMutation {
    const char* name;  ///< for printf, with one %s for the number
    const char* explanation;
    unsigned needs;
    std::function<void(Settings&, double)> set;
    double low = 0.0, high = 0.0;  ///< where to look for it; equal: it is the index of the first token that is wrong
};

template <class Settings>
struct MutationTable {
    Mutations<Settings> mutations;
    std::vector<NumberMutation<Settings>> numbers;
    unsigned form = 0;  ///< bits that say how an exercise is computed, not what: a test looks for forgotten ones
};

/// Adds the mutations of a part of the settings: those of attention to an exercise that has attention in it.
template <class Settings, class Part>
void add_mutations_of(MutationTable<Settings>& table, const MutationTable<Part>& of_part, Part Settings::*part) {
    for (const Mutation<Part>& mutation : of_part.mutations) {
        table.mutations.push_back({mutation.topic, mutation.name, mutation.explanation, mutation.needs, nullptr});
        if (mutation.set)
            table.mutations.back().set = [set = mutation.set, part](Settings& settings) { set(settings.*part); };
    }
    for (const NumberMutation<Part>& number : of_part.numbers)
        table.numbers.push_back({number.name, number.explanation, number.needs,
                                 [set = number.set, part](Settings& settings, double x) { set(settings.*part, x); },
                                 number.low, number.high});
    table.form |= of_part.form;
}

/// An argument of which a loop over the tokens takes a row each time.
struct TokenRows {
    std::size_t place;  ///< among the arguments
    std::string name;
    std::ptrdiff_t axis = -2;  ///< of the tokens
};

/// What differs from the table for one exercise.
struct MutationChoice {
    std::set<std::string> without = {};                   ///< mutations that its inputs cannot show
    std::map<std::string, const char*> explanation = {};  ///< in other words
    std::vector<TokenRows> rows = {};                     ///< arguments of which a loop may take a neighbour's row
};

/// Query, key and value: the first three arguments.
inline std::vector<TokenRows> rows_of_attention(const std::vector<TokenRows>& more = {}) {
    std::vector<TokenRows> all{{0, "query"}, {1, "key"}, {2, "value"}};
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

/// Where a token's row comes from, and what stands where there is no such token: the token's own row, or 0.
struct Neighbour {
    bool before, own_at_the_end;
};

inline Tensor rows_of_neighbours(const Tensor& x, std::ptrdiff_t axis, const Neighbour& neighbour) {
    if (x.dimension() < static_cast<std::size_t>(-axis)) return x;  // which is refused
    const std::size_t n = length(x, axis), width = axis == -1 ? 1 : length(x, -1);
    Tensor moved = x;
    for (std::size_t e = 0; e < x.size(); ++e) {
        const std::size_t i = e / width % n;
        if (neighbour.before ? i > 0 : i + 1 < n)
            moved.data()[e] = x.data()[neighbour.before ? e - width : e + width];
        else if (!neighbour.own_at_the_end)
            moved.data()[e] = 0.0;
    }
    return moved;
}

/// Makes a function to try of the settings.
template <class Settings>
using Definition = std::function<Subject(const Settings&)>;

template <class Settings>
void register_mutations(const char* exercise, const MutationTable<Settings>& table, unsigned has, const Settings& right,
                        const Definition<Settings>& with, const MutationChoice& choice) {
    for (const Mutation<Settings>& mutation : table.mutations) {
        if ((mutation.needs & has) != mutation.needs || choice.without.contains(mutation.name)) continue;
        Settings settings = right;
        if (mutation.set) mutation.set(settings);
        if (mutation.set && settings == right) continue;
        const auto other = choice.explanation.find(mutation.name);
        const char* explanation = other == choice.explanation.end() ? mutation.explanation : other->second;
        register_mistake({exercise, mutation.name, "", explanation, with(settings), mutation.topic, !mutation.set});
    }
    register_not_offered(exercise, [exercise, &table, has, right, with, without = choice.without] {
        NotOffered left{with(right), {}};
        for (const Mutation<Settings>& mutation : table.mutations) {
            const unsigned lacking = mutation.needs & ~has;
            if (lacking == 0 || (lacking & ~table.form) != 0 || !mutation.set || without.contains(mutation.name))
                continue;
            Settings settings = right;
            mutation.set(settings);
            if (!(settings == right)) left.mistakes.push_back({exercise, mutation.name, "", "", with(settings)});
        }
        return left;
    });
    for (const NumberMutation<Settings>& number : table.numbers) {
        if ((number.needs & has) != number.needs) continue;
        register_number({exercise, number.name, number.explanation, number.low, number.high,
                         [right, with, set = number.set](double value) {
                             Settings settings = right;
                             set(settings, value);
                             return with(settings);
                         }});
    }
}

/// Registers the mutations of an exercise. `definition` takes the settings, then what the exercise takes.
template <class Settings, class Result, class... Parameters>
class MutationsOf {
public:
    MutationsOf(const char* exercise, const MutationTable<Settings>& table, unsigned has, const Settings& right,
                Result (*definition)(const Settings&, Parameters...), const MutationChoice& choice = {}) {
        const auto with = [definition](const Settings& settings) -> Subject {
            return std::function<Result(Parameters...)>([definition, settings](Parameters... parameters) -> Result {
                return definition(settings, parameters...);
            });
        };
        register_mutations<Settings>(exercise, table, has, right, with, choice);
        for (const TokenRows& rows : choice.rows)
            for (const Neighbour& neighbour : {Neighbour{true, true}, {true, false}, {false, true}, {false, false}})
                register_neighbour(exercise, rows, neighbour, [definition, right](Parameters... parameters) {
                    return definition(right, parameters...);
                });
    }

private:
    template <class Right>
    static void register_neighbour(const char* exercise, const TokenRows& rows, const Neighbour& neighbour,
                                   Right right) {
        static std::deque<std::string> texts;  // a Mistake holds pointers
        texts.push_back(rows.name + " of the token " + (neighbour.before ? "before" : "after") +
                        (neighbour.own_at_the_end ? ""
                         : neighbour.before       ? ", 0 at the first"
                                                  : ", 0 at the last"));
        const char* name = texts.back().c_str();
        texts.push_back("Token i takes its own row of each argument: the " + rows.name + " of token i, not of i " +
                        (neighbour.before ? "- 1." : "+ 1."));
        const Subject function = std::function<Result(Parameters...)>([=](Parameters... parameters) -> Result {
            std::tuple<std::decay_t<Parameters>...> all(parameters...);
            std::size_t place = 0;
            const auto move = [&](auto& argument) {
                if constexpr (std::is_same_v<std::decay_t<decltype(argument)>, Tensor>)
                    if (place == rows.place) argument = rows_of_neighbours(argument, rows.axis, neighbour);
                ++place;
            };
            std::apply([&](auto&... each) { (move(each), ...); }, all);
            return std::apply(right, all);
        });
        register_mistake({exercise, name, "", texts.back().c_str(), function, "the rows"});
    }
};

}  // namespace linattn::testing

/// A change of the settings `s`, to x where a number is solved for.
#define SET(...) [](auto& s) { __VA_ARGS__; }
#define SET_TO(...) [](auto& s, double x) { __VA_ARGS__; }
