// Between Python and the functions of the labs: their arguments and results, copied, and what goes wrong as an exception
// that says which argument of which function it was.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <array>
#include <concepts>
#include <csignal>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "attention.hpp"
#include "kernels/float_arrays.hpp"

namespace linattn::python {
namespace py = pybind11;

/// Whose value is converted, for messages: "softmax_attention: Q".
struct Place {
    std::string function, argument;
};

/// Throws TypeError or ValueError: "softmax_attention: Q must be an array of numbers; got None".
[[noreturn]] void refuse_type(const Place& place, const std::string& expected, py::handle got);
[[noreturn]] void refuse_value(const Place& place, const std::string& expected, py::handle got);

double number_from(py::handle value, const Place& place);
py::int_ whole_number_from(py::handle value, const Place& place, const py::int_& least, const py::int_& most);
Tensor tensor_from(py::handle value, const Place& place);
py::array array_of(const Tensor& x);
std::vector<float> floats_from(py::handle value, const Place& place);
std::vector<std::uint16_t> patterns_from(py::handle value, const Place& place);
std::string text_from(py::handle value, const Place& place);
/// The entries of a list or a tuple.
std::vector<py::object> entries_from(py::handle value, const Place& place);
/// Which of the names it is.
std::size_t choice_from(py::handle value, const Place& place, const std::vector<const char*>& names);
/// A callable. It may be copied and destroyed by a thread that does not hold Python's lock.
std::shared_ptr<py::object> callable_from(py::handle value, const Place& place);
/// The same, or the name of one, which the student's feature_map of lab 01 knows.
std::shared_ptr<py::object> feature_map_from(py::handle value, const Place& place);
/// y can be φ(x): only the last axis differs, and it is as long as in the calls before (0: none).
void require_features(const Tensor& x, const Tensor& y, std::size_t& width, const Place& place);

/// from(value, place) and to(value), for each type of the contracts. This one is for their structs.
template <class T>
struct Convert {
    static T from(py::handle value, const Place& place) {
        if (!py::isinstance<T>(value)) refuse_type(place, py::str(py::type::of<T>().attr("__name__")), value);
        return value.cast<T>();
    }
    static py::object to(T value) { return py::cast(std::move(value)); }
};

template <std::floating_point T>
struct Convert<T> {
    static T from(py::handle value, const Place& place) { return static_cast<T>(number_from(value, place)); }
    static py::object to(T value) { return py::float_(value); }
};

template <std::integral T>
struct Convert<T> {
    // An unsigned number that is no seed is a length, and no product of two lengths may exceed the type.
    static T from(py::handle value, const Place& place) {
        using Limits = std::numeric_limits<T>;
        const bool is_length = std::unsigned_integral<T> && place.argument != "seed";
        return whole_number_from(value, place, Limits::min(),
                                 is_length ? py::int_(std::numeric_limits<int>::max()) : py::int_(Limits::max()))
            .template cast<T>();
    }
    static py::object to(T value) { return py::int_(value); }
};

template <class T>
requires std::is_enum_v<T>
struct Convert<T> {
    static T from(py::handle value, const Place& place) {
        return static_cast<T>(choice_from(value, place, enumerators(T{})));
    }
};

template <>
struct Convert<std::string> {
    static std::string from(py::handle value, const Place& place) { return text_from(value, place); }
    static py::object to(const std::string& value) { return py::str(value); }
};

template <>
struct Convert<Tensor> {
    static Tensor from(py::handle value, const Place& place) { return tensor_from(value, place); }
    static py::object to(const Tensor& value) { return array_of(value); }
};

template <>
struct Convert<Array> {
    static py::object to(const Array& value) { return py::array_t<float>(value.shape, value.values.data()); }
};

template <>
struct Convert<std::span<const float>> {
    static std::vector<float> from(py::handle value, const Place& place) { return floats_from(value, place); }
};

template <>
struct Convert<std::span<const std::uint16_t>> {
    static std::vector<std::uint16_t> from(py::handle value, const Place& place) { return patterns_from(value, place); }
};

template <class T>
struct Convert<std::vector<T>> {
    static std::vector<T> from(py::handle value, const Place& place) {
        const std::vector<py::object> entries = entries_from(value, place);
        std::vector<T> result;
        result.reserve(entries.size());
        for (std::size_t i = 0; i < entries.size(); ++i)
            result.push_back(
                Convert<T>::from(entries[i], {place.function, place.argument + "[" + std::to_string(i) + "]"}));
        return result;
    }
    static py::object to(const std::vector<T>& value) {
        if constexpr (std::is_arithmetic_v<T>) {
            return py::array_t<T>(static_cast<py::ssize_t>(value.size()), value.data());
        } else {
            py::list result;
            for (const T& each : value) result.append(Convert<T>::to(each));
            return result;
        }
    }
};

template <class R, class... A>
struct Convert<Named<R(A...)>> {
    static Named<R(A...)> from(py::handle value, const Place& place) {
        constexpr bool is_feature_map = std::is_same_v<R, Tensor>;
        const auto function = is_feature_map ? feature_map_from(value, place) : callable_from(value, place);
        const Place result{place.function, "what " + place.argument + " returns"};
        const auto width = std::make_shared<std::size_t>(0);
        return {place.argument, [=](A... arguments) -> R {
                    const py::gil_scoped_acquire lock;
                    R y = Convert<R>::from((*function)(Convert<std::decay_t<A>>::to(arguments)...), result);
                    if constexpr (is_feature_map) require_features(arguments..., y, *width, result);
                    return y;
                }};
    }
};

template <class>
using Object = py::object;

/// While it lives, the first Ctrl-C waits for the function to return, and the second ends Python: nothing else ends an
/// endless loop.
class SecondInterruptEnds {
public:
    SecondInterruptEnds();
    ~SecondInterruptEnds();
    SecondInterruptEnds(const SecondInterruptEnds&) = delete;
    SecondInterruptEnds& operator=(const SecondInterruptEnds&) = delete;

private:
    struct sigaction before_;
};

/// Calls f with the arguments converted. Python's lock is not held meanwhile: a thread of the student's may call back.
template <class R, class... A, std::size_t... I>
py::object call(R (*f)(A...), const char* name, const std::array<const char*, sizeof...(A)>& names,
                const std::array<py::object, sizeof...(A)>& values, std::index_sequence<I...>) {
    using Values = std::tuple<decltype(Convert<std::decay_t<A>>::from(py::handle(), Place()))...>;
    Values converted{Convert<std::decay_t<A>>::from(values[I], {name, names[I]})...};
    try {
        R result = [&] {
            const SecondInterruptEnds interrupt;
            const py::gil_scoped_release unlocked;
            return std::apply(f, converted);
        }();
        return Convert<R>::to(std::move(result));
    } catch (const NotImplemented& missing) {
        PyErr_SetString(PyExc_NotImplementedError, missing.what());
        throw py::error_already_set();
    } catch (const std::exception&) {
        throw;
    } catch (...) {
        throw std::runtime_error(std::string(name) + " threw something that is no std::exception");
    }
}

template <class R, class... A, class... Names>
void add_function(py::module_& m, const char* name, R (*f)(A...), const char* about, const Names&... names) {
    m.def(
        name,
        [=, names = std::array{names.name...}](const Object<A>&... values) {
            return call(f, name, names, {values...}, std::index_sequence_for<A...>());
        },
        about, names...);
}

/// A function that only says why it cannot be called.
void add_left_out(py::module_& m, const char* name, const char* reason);

/// "Norm(gain=array([1., 1.]), bias=array([0., 0.]))"
std::string described(py::handle self, const char* name, const std::vector<const char*>& fields);
/// So that writing into a copy does not look like writing into the struct.
py::object read_only(py::object value);

template <class S, class F>
void add_field(py::class_<S>& made, const char* name, F S::*field) {
    made.def_property_readonly(name, [=](const S& self) { return read_only(Convert<F>::to(self.*field)); });
}

template <class S, class... F, std::size_t... I, class... Names>
void add_fields(py::class_<S>& made, const char* name, const char* signature, const std::tuple<F S::*...>& fields,
                std::index_sequence<I...>, const Names&... names) {
    const std::array all{names.name...};
    made.def(py::init([=](const Object<F>&... values) -> S {
                 return {Convert<F>::from(values, {name, all[I]})...};
             }),
             signature, names...);
    (add_field(made, all[I], std::get<I>(fields)), ...);
    made.def("__repr__", [=](py::handle self) { return described(self, name, {all.begin(), all.end()}); });
}

/// A struct of a contract: built from its fields, which are read and never changed.
template <class S, class... F, class... Names>
void add_struct(py::module_& m, const char* name, const char* about, const char* signature,
                const std::tuple<F S::*...>& fields, const Names&... names) {
    py::class_<S> made(m, name, about);
    add_fields(made, name, signature, fields, std::index_sequence_for<F...>(), names...);
}

}  // namespace linattn::python
