#include "conversions.hpp"

#include <unistd.h>

#include <algorithm>

namespace linattn::python {
namespace {

std::string type_of(py::handle value) {
    if (value.is_none()) return "None";
    if (py::isinstance<py::array>(value)) {
        const auto array = py::reinterpret_borrow<py::array>(value);
        return "an array of " + std::string(py::str(array.dtype()));
    }
    return "a value of type " + std::string(py::str(py::type::of(value).attr("__name__")));
}

std::string message(const Place& place, const std::string& expected, const std::string& got) {
    return place.function + ": " + place.argument + " must be " + expected + "; got " + got;
}

// The entries row by row, whatever the strides of the array. bool, integers and floating-point numbers are numbers.
template <class Number>
py::array_t<Number> numbers_from(py::handle value, const Place& place, const char* kinds, const char* expected) {
    const py::array array = py::array::ensure(value);
    if (!array || std::string(kinds).find(array.dtype().kind()) == std::string::npos)
        refuse_type(place, expected, value);
    auto contiguous = py::array_t<Number, py::array::c_style | py::array::forcecast>::ensure(array);
    if (!contiguous) refuse_type(place, expected, value);
    return contiguous;
}

volatile std::sig_atomic_t interrupts = 0;

void on_interrupt(int) {
    static const char waits[] = "\nCtrl-C waits for the function to return; another one ends Python\n";
    static const char ends[] = "\nPython ends: the function did not return\n";
    const bool second = interrupts++ > 0;
    [[maybe_unused]] const auto written = second ? write(2, ends, sizeof ends - 1) : write(2, waits, sizeof waits - 1);
    if (second) _exit(130);
    PyErr_SetInterrupt();
}

}  // namespace

SecondInterruptEnds::SecondInterruptEnds() {
    interrupts = 0;
    struct sigaction mine = {};
    mine.sa_handler = on_interrupt;
    sigaction(SIGINT, &mine, &before_);
}
SecondInterruptEnds::~SecondInterruptEnds() { sigaction(SIGINT, &before_, nullptr); }

void refuse_type(const Place& place, const std::string& expected, py::handle got) {
    throw py::type_error(message(place, expected, type_of(got)));
}

void refuse_value(const Place& place, const std::string& expected, py::handle got) {
    throw py::value_error(message(place, expected, py::str(got)));
}

double number_from(py::handle value, const Place& place) {
    const double number = PyFloat_AsDouble(value.ptr());
    if (number == -1 && PyErr_Occurred() != nullptr) {
        PyErr_Clear();
        refuse_type(place, "a number", value);
    }
    return number;
}

py::int_ whole_number_from(py::handle value, const Place& place, const py::int_& least, const py::int_& most) {
    const auto index = py::reinterpret_steal<py::int_>(PyNumber_Index(value.ptr()));
    if (!index) {
        PyErr_Clear();
        refuse_type(place, "a whole number", value);
    }
    if (index < least || index > most)
        refuse_value(place, py::str("a whole number from {} to {}").format(least, most), index);
    return index;
}

Tensor tensor_from(py::handle value, const Place& place) {
    const auto numbers = numbers_from<double>(value, place, "biuf", "an array of numbers");
    Tensor result = zeros(Shape(numbers.shape(), numbers.shape() + numbers.ndim()));
    std::copy_n(numbers.data(), numbers.size(), result.data());
    return result;
}

py::array array_of(const Tensor& x) {
    if (x.storage().size() != x.size())
        throw std::runtime_error("the result does not hold as many entries as its shape says");
    return py::array_t<double>(shape_of(x), x.data());
}

std::vector<float> floats_from(py::handle value, const Place& place) {
    const auto numbers = numbers_from<float>(value, place, "biuf", "an array of numbers");
    return {numbers.data(), numbers.data() + numbers.size()};
}

std::vector<std::uint16_t> patterns_from(py::handle value, const Place& place) {
    const char* expected = "an array of uint16, the patterns that to_bfloat16 returns";
    if (!py::isinstance<py::array_t<std::uint16_t>>(value)) refuse_type(place, expected, value);
    const auto numbers = numbers_from<std::uint16_t>(value, place, "u", expected);
    return {numbers.data(), numbers.data() + numbers.size()};
}

std::string text_from(py::handle value, const Place& place) {
    if (!py::isinstance<py::str>(value)) refuse_type(place, "a string", value);
    return value.cast<std::string>();
}

std::vector<py::object> entries_from(py::handle value, const Place& place) {
    if (!py::isinstance<py::list>(value) && !py::isinstance<py::tuple>(value)) refuse_type(place, "a list", value);
    std::vector<py::object> result;
    for (const py::handle each : value) result.push_back(py::reinterpret_borrow<py::object>(each));
    return result;
}

std::size_t choice_from(py::handle value, const Place& place, const std::vector<const char*>& names) {
    std::string expected;
    for (const char* name : names) expected += std::string(expected.empty() ? "\"" : " or \"") + name + "\"";
    if (!py::isinstance<py::str>(value)) refuse_type(place, expected, value);
    const auto found = std::find(names.begin(), names.end(), value.cast<std::string>());
    if (found == names.end()) refuse_value(place, expected, py::repr(value));
    return static_cast<std::size_t>(found - names.begin());
}

std::shared_ptr<py::object> callable_from(py::handle value, const Place& place) {
    if (PyCallable_Check(value.ptr()) == 0) refuse_type(place, "a function", value);
    return {new py::object(py::reinterpret_borrow<py::object>(value)), [](py::object* function) {
                const py::gil_scoped_acquire lock;
                delete function;
            }};
}

std::shared_ptr<py::object> feature_map_from(py::handle value, const Place& place) {
    if (!py::isinstance<py::str>(value)) return callable_from(value, place);
    const py::object by_name = py::module_::import("labs.lab01").attr("feature_map");
    const auto name = py::reinterpret_borrow<py::object>(value);
    return callable_from(py::cpp_function([=](const py::object& x) { return by_name(x, name); }), place);
}

void require_features(const Tensor& x, const Tensor& y, std::size_t& width, const Place& place) {
    Shape expected = shape_of(x);
    const bool fits = y.dimension() == expected.size() && !expected.empty();
    if (fits) expected.back() = width != 0 ? width : length(y, -1);
    if (!fits || shape_of(y) != expected)
        reject(place.function.c_str(), place.argument,
               "of the shape of its argument but for the last axis, which is the same in all calls, as in " +
                   to_string(expected),
               "shape " + to_string(shape_of(y)));
    width = expected.back();
}

void add_left_out(py::module_& m, const char* name, const char* reason) {
    m.def(
        name,
        [=](const py::args&, const py::kwargs&) {
            PyErr_SetString(PyExc_NotImplementedError, reason);
            throw py::error_already_set();
        },
        reason);
}

std::string described(py::handle self, const char* name, const std::vector<const char*>& fields) {
    std::string result;
    for (const char* field : fields)
        result += std::string(result.empty() ? "" : ", ") + field + "=" + std::string(py::repr(self.attr(field)));
    return name + ("(" + result + ")");
}

py::object read_only(py::object value) {
    if (py::isinstance<py::array>(value)) value.attr("flags").attr("writeable") = false;
    return value;
}

}  // namespace linattn::python
