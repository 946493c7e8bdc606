#include "changed_arguments.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "attention.hpp"

namespace linattn::testing {
namespace {
ArgumentChange active_change;
}

ChangeScope::ChangeScope(ArgumentChange change) { active_change = std::move(change); }
ChangeScope::~ChangeScope() { active_change = nullptr; }
const ArgumentChange* ChangeScope::current() { return active_change ? &active_change : nullptr; }

ArgumentChange all_but_the_first_entry() {
    return [](const std::string&, Tensor& values) {
        for (std::size_t i = 1; i < values.size(); ++i) values.data()[i] = 0.75 - values.data()[i] / 2.0;
    };
}

void change(const ArgumentChange& by, const std::string& argument, std::vector<std::string>& words, const Shape&) {
    Tensor numbers = ones({words.size()});
    by(argument, numbers);
    for (std::size_t i = 0; i < words.size(); ++i)
        if (numbers(i) != 1.0) words[i] += "'";
}

void change(const ArgumentChange& by, const std::string& argument, std::vector<float>& values, const Shape& rows) {
    std::size_t count = 1;
    for (const std::size_t length : rows) count *= length;
    const bool has_rows = !rows.empty() && count > 0 && values.size() % count == 0;
    Tensor numbers = zeros(has_rows ? join(rows, {values.size() / count}) : Shape{values.size()});
    std::copy(values.begin(), values.end(), numbers.data());
    by(argument, numbers);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(numbers.data()[i]);
}

void change(const ArgumentChange& by, const std::string& argument, std::vector<std::uint16_t>& patterns,
            const Shape& rows) {
    std::vector<float> values(patterns.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = std::bit_cast<float>(static_cast<std::uint32_t>(patterns[i]) << 16);
    change(by, argument, values, rows);
    for (std::size_t i = 0; i < values.size(); ++i)
        patterns[i] = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(values[i]) >> 16);
}

}  // namespace linattn::testing
