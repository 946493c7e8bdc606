#include "data_slips.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace linattn::testing {
namespace {

std::string with(std::string text, const std::string& name) { return text.replace(text.find("%s"), 2, name); }

// What stands at place i of n, or n where nothing does.
struct Arrangement {
    const char* name;
    std::size_t (*from)(std::size_t i, std::size_t n);
};
constexpr std::array of_tokens{
    Arrangement{"%s with its tokens in reverse order", [](std::size_t i, std::size_t n) { return n - 1 - i; }},
    Arrangement{"%s of the token before", [](std::size_t i, std::size_t n) { return i == 0 ? n : i - 1; }},
    Arrangement{"%s of the token before, and of token 0 for itself",
                [](std::size_t i, std::size_t) { return i == 0 ? i : i - 1; }},
    Arrangement{"%s of the token after", [](std::size_t i, std::size_t) { return i + 1; }},
    Arrangement{"%s of the token after, and of the last token for itself",
                [](std::size_t i, std::size_t n) { return std::min(i + 1, n - 1); }},
    Arrangement{"%s of token 0 for all tokens", [](std::size_t, std::size_t) { return std::size_t{0}; }},
    Arrangement{"%s of the last token for all tokens", [](std::size_t, std::size_t n) { return n - 1; }},
};
constexpr std::array of_leading_axes{
    Arrangement{"%s of the first leading index for all", [](std::size_t, std::size_t) { return std::size_t{0}; }},
    Arrangement{"%s of the last leading index for all", [](std::size_t, std::size_t n) { return n - 1; }},
};

std::size_t product(const Shape& shape, std::size_t begin, std::size_t end) {
    std::size_t result = 1;
    for (std::size_t a = begin; a < end; ++a) result *= shape[a];
    return result;
}

// x rearranged along the axes begin, …, end-1, taken for one.
void rearrange(Tensor& x, std::size_t begin, std::size_t end, const Arrangement& by) {
    const Shape shape = shape_of(x);
    const std::size_t n = product(shape, begin, end), after = product(shape, end, shape.size());
    const Tensor old = x;
    for (std::size_t e = 0; e < x.size(); ++e) {
        const std::size_t i = e / after % n, j = by.from(i, n);
        x.data()[e] = j < n ? old.data()[e + j * after - i * after] : 0.0;
    }
}

using Turn = std::function<void(Tensor&)>;
struct NamedTurn {
    std::string name;
    Turn turn;
};

// What may be done to an array by itself, in any call: axes are counted from the end.
// \param tokens the axis of the tokens, 1 for the last, or 0 \param own how many axes belong to one leading index
std::vector<NamedTurn> turns_of(const Shape& shape, std::size_t tokens, std::size_t own) {
    std::vector<NamedTurn> turns;
    const std::size_t axes = shape.size();
    for (const Arrangement& by : of_tokens)
        if (tokens > 0 && shape[axes - tokens] > 1)
            turns.push_back({by.name, [tokens, by](Tensor& x) {
                                 if (x.dimension() >= tokens)
                                     rearrange(x, x.dimension() - tokens, x.dimension() - tokens + 1, by);
                             }});
    for (const Arrangement& by : of_leading_axes)
        if (own < axes && product(shape, 0, axes - own) > 1)
            turns.push_back({by.name, [own, by](Tensor& x) {
                                 if (x.dimension() > own) rearrange(x, 0, x.dimension() - own, by);
                             }});
    if (axes > 1 && shape[axes - 1] == shape[axes - 2] && shape[axes - 1] > 1)
        turns.push_back({"%s transposed", [](Tensor& x) {
                             if (x.dimension() > 1) x = matrix_transpose(x);
                         }});
    turns.push_back({"%s with its sign turned", [](Tensor& x) { x = -x; }});
    return turns;
}

// An argument of the definition: "K(n,d)" is K, whose last two axes are tokens and entries.
struct Argument {
    std::string name, shown;
    Shape shape;
    std::size_t tokens = 0, own = 0;  ///< as for turns_of
};
Argument argument_of(const Definition& definition, const std::string& name, const Shape& shape) {
    const std::size_t number = std::strtoull(name.c_str() + name.find(' '), nullptr, 10), dot = name.find('.');
    const std::string declared = number <= definition.arguments.size() ? definition.arguments[number - 1] : "";
    const std::size_t bracket = declared.find('(');
    Argument argument{name, declared.substr(0, bracket), shape, 0, shape.size()};
    if (dot != std::string::npos) argument.shown += name.substr(dot);
    if (bracket == std::string::npos) return argument;
    const std::string axes = declared.substr(bracket);
    const auto own = static_cast<std::size_t>(std::ranges::count(axes, ',')) + 1, n = axes.find('n');
    if (shape.size() < own) return argument;
    argument.own = own;
    if (n != std::string::npos)
        argument.tokens = own - static_cast<std::size_t>(std::ranges::count(axes.substr(0, n), ','));
    return argument;
}

ArgumentChange only(const std::string& argument, const Turn& turn) {
    return [argument, turn](const std::string& name, Tensor& x) {
        if (name == argument) turn(x);
    };
}

// One argument in the place of another, or the two exchanged. Several where they are the arrays of a projection or norm.
using Pairs = std::vector<std::pair<std::string, std::string>>;
ArgumentChange replaced(const Pairs& pairs, bool exchanged) {
    std::vector<std::pair<Tensor*, Tensor*>> seen(pairs.size());
    return [pairs, exchanged, seen](const std::string& name, Tensor& x) mutable {
        for (std::size_t p = 0; p < pairs.size(); ++p) {
            auto& [first, second] = seen[p];
            if (name == pairs[p].first) first = &x;
            if (name == pairs[p].second) second = &x;
            if (first == nullptr || second == nullptr) continue;
            if (exchanged)
                std::swap(*first, *second);
            else
                *first = *second;
            first = second = nullptr;
        }
    };
}

// The arrays that are replaced together: the weights and the bias of a projection, the gain and the bias of a norm.
struct Together {
    std::string shown;
    std::vector<Argument> arrays;
};
std::vector<Together> together(const std::vector<Argument>& arguments) {
    std::vector<Together> groups;
    for (const Argument& each : arguments) {
        const std::size_t dot = each.shown.rfind('.');
        const std::string last = dot == std::string::npos ? "" : each.shown.substr(dot);
        const bool part = last == ".W" || last == ".b" || last == ".gain" || last == ".bias";
        const std::string shown = part ? each.shown.substr(0, dot) : each.shown;
        if (part && !groups.empty() && groups.back().shown == shown)
            groups.back().arrays.push_back(each);
        else
            groups.push_back({shown, {each}});
    }
    return groups;
}

bool fit(const Together& a, const Together& b) {
    return std::ranges::equal(a.arrays, b.arrays,
                              [](const Argument& x, const Argument& y) { return x.shape == y.shape; });
}

Tensor& tensor_of(Parts& parts, std::size_t part) { return std::get<Tensor>(parts[part].value); }

std::string in_place_of(const std::string& one, const std::string& other) { return one + " in place of " + other; }

}  // namespace

std::vector<DataSlip> data_slips(const Definition& definition, const ArgumentShapes& arguments, const Parts& result,
                                 const std::vector<Expected>& expected) {
    std::vector<DataSlip> slips;
    const auto of_arguments = [&](const std::string& name, ArgumentChange change) {
        slips.push_back(
            {name, "The formula is right, but it is computed with " + name + ".", std::move(change), nullptr});
    };
    const auto of_result = [&](const std::string& name, std::function<void(Parts&)> change) {
        slips.push_back({name, "Apart from this the values are right.", nullptr, std::move(change)});
    };
    std::vector<Argument> named;
    if (!definition.arguments.empty())
        for (const auto& [name, shape] : arguments) named.push_back(argument_of(definition, name, shape));
    const std::vector<Together> groups = together(named);
    for (std::size_t a = 0; a < groups.size(); ++a)
        for (std::size_t b = 0; b < groups.size(); ++b) {
            if (a == b || !fit(groups[a], groups[b])) continue;
            Pairs pairs;
            for (std::size_t i = 0; i < groups[a].arrays.size(); ++i)
                pairs.emplace_back(groups[a].arrays[i].name, groups[b].arrays[i].name);
            of_arguments(in_place_of(groups[b].shown, groups[a].shown), replaced(pairs, false));
            if (a < b) of_arguments(groups[a].shown + " and " + groups[b].shown + " exchanged", replaced(pairs, true));
        }
    for (const Argument& each : named) {
        for (const NamedTurn& turn : turns_of(each.shape, each.tokens, each.own))
            of_arguments(with(turn.name, each.shown), only(each.name, turn.turn));
        of_arguments(in_place_of("zeros", each.shown), only(each.name, [](Tensor& x) { x = zeros(shape_of(x)); }));
        of_arguments(in_place_of("ones", each.shown), only(each.name, [](Tensor& x) { x = ones(shape_of(x)); }));
    }
    for (std::size_t p = 0; p < result.size() && p < expected.size(); ++p) {
        const Shape shape = shape_of(expected[p].value);
        const std::string shown = result[p].name.empty() ? "the result" : result[p].name;
        const bool tokens = expected[p].has_tokens && shape.size() > 1;
        for (const NamedTurn& turn : turns_of(shape, tokens ? 2 : 0, tokens ? 2 : shape.size()))
            of_result(with(turn.name, shown), [p, turn](Parts& parts) { turn.turn(tensor_of(parts, p)); });
        for (std::size_t q = 0; q < result.size() && q < expected.size(); ++q) {
            if (q == p || shape_of(expected[q].value) != shape) continue;
            of_result(in_place_of(result[q].name, result[p].name),
                      [p, q](Parts& parts) { parts[p].value = parts[q].value; });
            if (p < q)
                of_result(result[p].name + " and " + result[q].name + " exchanged",
                          [p, q](Parts& parts) { std::swap(parts[p].value, parts[q].value); });
        }
    }
    return slips;
}

}  // namespace linattn::testing
