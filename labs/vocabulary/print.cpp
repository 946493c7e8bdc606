// std::cout << x, as NumPy writes an array: rows on lines of their own, points below each other, and of a long axis only
// both ends.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>

#include "tensor.hpp"

namespace linattn {
namespace {

constexpr std::size_t longest_axis = 12, ends_shown = 4;
constexpr int most_decimals = 6;

// One notation for all numbers, so that their points align.
struct Notation {
    bool scientific = false;
    int decimals = 0;
    int width = 0;

    std::string text(double value) const {
        if (std::isnan(value)) return "nan";
        char number[400];  // in full, the largest double has 309 digits
        std::snprintf(number, sizeof number, scientific ? "%#.*e" : "%#.*f", decimals, value);
        return number;
    }

    // The decimals that this value needs.
    int decimals_of(double value) const {
        const std::string digits = Notation{scientific, most_decimals}.text(value);
        const std::size_t point = digits.find('.'), end = std::min(digits.find('e'), digits.size());
        return static_cast<int>(digits.find_last_not_of('0', end - 1) - point);
    }
};

class Printer {
public:
    explicit Printer(const Tensor& x) : shape_(shape_of(x)) {
        double smallest = 1.0, largest = 0.0;
        each_shown(x.data(), 0, [&](double value) {
            if (!std::isfinite(value) || value == 0.0) return;
            smallest = std::min(smallest, std::fabs(value));
            largest = std::max(largest, std::fabs(value));
        });
        notation_.scientific = smallest < 1e-4 || largest >= 1e8;
        each_shown(x.data(), 0, [&](double value) {
            if (std::isfinite(value)) notation_.decimals = std::max(notation_.decimals, notation_.decimals_of(value));
        });
        each_shown(x.data(), 0, [&](double value) {
            notation_.width = std::max(notation_.width, static_cast<int>(notation_.text(value).size()));
        });
        write(x.data(), 0);
    }

    std::string text;

private:
    std::size_t block(std::size_t axis) const {  // entries from one index of this axis to the next
        std::size_t entries = 1;
        for (std::size_t inner = axis + 1; inner < shape_.size(); ++inner) entries *= shape_[inner];
        return entries;
    }
    bool is_shown(std::size_t axis, std::size_t i) const {
        return shape_[axis] <= longest_axis || i < ends_shown || i + ends_shown >= shape_[axis];
    }

    template <class Visit>
    void each_shown(const double* entries, std::size_t axis, const Visit& visit) const {
        if (axis == shape_.size()) return visit(*entries);
        for (std::size_t i = 0; i < shape_[axis]; ++i)
            if (is_shown(axis, i)) each_shown(entries + i * block(axis), axis + 1, visit);
    }

    void write(const double* entries, std::size_t axis) {
        if (axis == shape_.size()) return write_number(*entries);
        const bool is_row = axis + 1 == shape_.size();
        const std::string separator =
            is_row ? " " : std::string(shape_.size() - axis - 1, '\n') + std::string(axis + 1, ' ');
        text += "[";
        for (std::size_t i = 0; i < shape_[axis]; ++i) {
            if (i > 0 && (is_shown(axis, i) || is_shown(axis, i - 1))) text += separator;
            if (is_shown(axis, i))
                write(entries + i * block(axis), axis + 1);
            else if (is_shown(axis, i - 1))
                text += "…";
        }
        text += "]";
    }

    void write_number(double value) {
        std::string number = notation_.text(value);
        if (!notation_.scientific && std::isfinite(value))  // 0.500 is written 0.5, with room where the zeros were
            for (std::size_t end = number.size(); number[--end] == '0';) number[end] = ' ';
        const auto width = static_cast<std::size_t>(notation_.width);
        text += std::string(width - number.size(), ' ') + number;
    }

    Shape shape_;
    Notation notation_;
};

}  // namespace

std::ostream& operator<<(std::ostream& out, const Tensor& x) {
    const Shape shape = shape_of(x);
    if (x.size() == 0) return out << "[] of shape " << to_string(shape);
    if (shape.empty()) return out << to_string(x);
    const bool is_short = std::all_of(shape.begin(), shape.end(), [](std::size_t n) { return n <= longest_axis; });
    return out << Printer(x).text << (is_short ? "" : " of shape " + to_string(shape));
}

}  // namespace linattn
