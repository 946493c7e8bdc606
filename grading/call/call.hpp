// How a suite calls the function under test:
//
//     CALL(linear_attention_recurrent, Q, K, V, phi).equals(expected);
//
// CALL runs whatever is linked in the function's place, or the mistake this run was asked for, and announces the call so
// that a crash can be told from it. What it gave is recorded, and explained when the suite has ended (explain.hpp).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "changed_arguments.hpp"
#include "describe.hpp"
#include "probes.hpp"
#include "trial.hpp"

namespace linattn::testing {

template <class Result>
class Call : public Trial {
public:
    Call(Trial trial, std::optional<Result> result) : Trial(std::move(trial)), result_(std::move(result)) {}

    /// The result itself; the case fails if there is none.
    const Result& result() const {
        require_result();
        return *result_;
    }

private:
    std::optional<Result> result_;
};

/// The result, once it is known to have this shape, so that a property may index it.
const Tensor& result_of_shape(const Call<Tensor>& call, const Shape& shape);

/// What a call keeps of an argument, so that it can be made again: the values where the function takes a view of them.
template <class Parameter>
struct Kept {
    using type = std::decay_t<Parameter>;
};
template <class T>
struct Kept<std::span<const T>> {
    using type = std::vector<T>;
};

template <class... Parameters>
using Given = std::shared_ptr<const std::tuple<typename Kept<Parameters>::type...>>;

/// What makes each call, where set, in the place of the function given; with the arguments in words, as far as they have any.
inline Run (*on_run)(Run run, const std::string& arguments) = nullptr;

/// A call with these arguments, to be made with any function of this type. \param result of the latest run
template <class Result, class... Parameters>
Run run_of(Result (*)(Parameters...), const std::shared_ptr<std::optional<Result>>& result,
           const Given<Parameters...>& given) {
    const auto digest = [](const auto& all) {
        return std::apply([](const auto&... each) { return (std::size_t{0} + ... + fingerprint(each)); }, all);
    };
    const auto run = [given, result, digest](const Subject& any) {
        const auto& typed = std::any_cast<const std::function<Result(Parameters...)>&>(any);
        auto passed = *given;
        change_arguments(passed);
        const std::size_t digest_before = digest(passed);
        Outcome outcome = outcome_of([&] {
            {
                const Meter meter;
                result->emplace(std::apply(typed, std::as_const(passed)));
            }
            return parts_of(**result);
        });
        outcome.changed_argument = digest(passed) != digest_before;
        return outcome;
    };
    if (on_run == nullptr) return run;
    const auto words = [](const auto&... each) { return (std::string() + ... + (describe(each) + "\t")); };
    return on_run(run, std::apply(words, *given) + std::to_string(digest(*given)));
}

/// A probe: a call that nobody announces and whose result only the diagnosis sees.
template <class Result, class... Parameters, class... Arguments>
Run probe(Result (*function)(Parameters...), const Arguments&... arguments) {
    return run_of(function, std::make_shared<std::optional<Result>>(),
                  Given<Parameters...>(std::make_shared<typename Given<Parameters...>::element_type>(arguments...)));
}

inline const Tensor* tensor_in(const Tensor& x) { return &x; }
template <class T>
const Tensor* tensor_in(const T&) {
    return nullptr;
}
template <class Result, class... Parameters, class... Arguments>
Call<Result> call(const char* name, const char* argument_names, Result (*function)(Parameters...),
                  const Arguments&... arguments) {
    const auto result = std::make_shared<std::optional<Result>>();
    const Given<Parameters...> given = std::make_shared<typename Given<Parameters...>::element_type>(arguments...);
    const auto tensors = [](const auto&... each) { return std::vector<const Tensor*>{tensor_in(each)...}; };
    const std::vector<std::string>& parameters = parameters_of(name);
    Trial trial(name, describe_call(argument_names, {describe(arguments)...}, parameters), subject(function),
                run_of(function, result, given), inputs_of(argument_names, std::apply(tensors, *given), parameters));
    return Call<Result>(std::move(trial), *result);
}

}  // namespace linattn::testing

#define CALL(function, ...) \
    ::linattn::testing::call(#function, #__VA_ARGS__, &::linattn::function __VA_OPT__(, ) __VA_ARGS__)
