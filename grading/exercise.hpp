// How a suite calls the function under test:
//
//     CALL(linear_attention_recurrent, Q, K, V, phi).equals(expected);
//
// CALL runs whatever is linked in the function's place, or the mistake this run was asked for, and announces the call so
// that a crash can be told from it. A wrong answer is compared with what the exercise's mistakes make of the same
// arguments. A failed expectation ends the test case: one message a case is what a reader can use.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "attention.hpp"
#include "changed_arguments.hpp"
#include "comparison.hpp"
#include "cost.hpp"
#include "diagnosis.hpp"
#include "findings.hpp"
#include "mistake.hpp"

namespace linattn::testing {

/// An array that a call was made with. It lives as long as the Run.
struct Input {
    std::string name;
    const Tensor* value = nullptr;  ///< null for arguments of another type
};

/// Says of an exercise that it works entry by entry: a message then tells the inputs at the first wrong entry.
struct EntryByEntry {
    explicit EntryByEntry(const char* exercise);
};

/// A call of an exercise, without the types: what was called, what came, and a way to call it again.
class Trial {
public:
    /// Calls the exercise; the case ends as TODO if it is not written yet.
    Trial(std::string exercise, std::string call, Subject subject, Run run, std::vector<Input> inputs);

    /// Says in messages which of several alike calls this is.
    Trial& at(const std::string& place) {
        call_ += "; " + place;
        return *this;
    }

    /// Names the place of an entry in a message: "row 2 of chunk 1 of head 0".
    Trial& placed_by(std::function<std::string(std::size_t entry)> place) {
        place_ = std::move(place);
        return *this;
    }

    /// The result is this, or the case fails. A result in parts takes one expectation for each.
    void equals(const Expected& expected) const { equals(std::vector<Expected>{expected}); }
    void equals(std::vector<Expected> expected) const;
    void equals(const std::vector<std::string>& expected) const;

    /// The call throws std::invalid_argument with a message that mentions each of these words.
    void rejects(const std::vector<std::string>& mentions) const;

    /// A property of the result or of its cost holds, or the case fails with `otherwise`.
    /// \param mistake name of the mistake that a violation means, if it can only mean one
    void satisfies(bool holds, const std::string& otherwise, const char* mistake = nullptr) const;

    /// The call made again gives the same bits, also after one with other numbers in arrays of the same shapes and with
    /// the same first entries; and that one gives others, where there are arrays. All else stays.
    void remembers_nothing() const;

    /// Fails: the exercise does its part, and what is wrong comes from another one that it calls. The message says this
    /// and nothing else, and leads there.
    [[noreturn]] void fail_due_to(const std::string& other, const std::string& what) const;

    /// Whether the result is this, each part of it. The case ends where the call threw or is not written.
    bool gives(const std::vector<Expected>& expected) const;

    /// Fails due to `other`, an exercise that this one builds on, where that is written and not right.
    void blames(const std::string& other, const std::function<bool()>& is_right) const;

    const Cost& cost() const { return cost_; }

    /// The function that this call found missing: another exercise of the lab. Empty if none.
    const std::string& missing() const { return outcome_.missing; }

    /// What the call threw, in words. Empty if it returned.
    const std::string& error() const { return outcome_.error; }

protected:
    void require_result() const;

private:
    ComparedCall compared(const Check& check, const Expectations& expected = no_values) const;
    void fail_if(const Check& check, const Expectations& expected = no_values) const;
    bool differs_when_repeated() const;
    void count_right(const ComparedCall& right) const;
    std::string unwritten_values() const;
    bool has_shapes_of(const std::vector<Expected>& expected) const;
    bool nothing_stored(const std::vector<Expected>& expected) const;
    std::string where_it_comes_from(const std::vector<Expected>& expected, bool with_remarks) const;
    std::string inputs_at(const Shape& shape, std::size_t entry) const;
    bool inputs_finite() const;
    std::string relation_to_others(const std::vector<Expected>& expected) const;
    bool nan_of_an_infinite_number(const std::vector<Expected>& expected) const;
    std::string why_not_a_number(const std::vector<Expected>& expected) const;
    [[noreturn]] void fail(Failure failure) const;

    std::string exercise_, call_, seed_;
    Subject subject_;  // the function under test
    Run run_;
    std::vector<Input> inputs_;
    Outcome outcome_;
    Cost cost_;
    std::function<std::string(std::size_t)> place_;
};

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

/// Counts what the program does from construction to destruction: around the call itself and nothing else.
class Meter {
public:
    Meter();
    ~Meter();
    Meter(const Meter&) = delete;
    Meter& operator=(const Meter&) = delete;
};

/// Told of every call whose result was found right, or wrong, where set: a test of the suites themselves tries how much may be
/// wrong with it unnoticed, and of two small changes of a function, the better one is known by what it gets right.
inline void (*on_right_call)(const ComparedCall&) = nullptr;
inline void (*on_wrong_call)(const ComparedCall&) = nullptr;

/// Runs `function` and turns an exception into an Outcome.
Outcome outcome_of(const std::function<Parts()>& function);

/// A digest of an argument that the function must not change.
std::size_t fingerprint(const Tensor& x);
template <class T>
std::size_t fingerprint(const T&) {
    return 0;
}

// How an argument reads in a message.
std::string describe(const Tensor& x);
std::string describe(double x);
std::string describe(Mask mask);
std::string describe(Stabilizer stabilizer);
std::string describe(const std::vector<std::string>& words);
std::string describe(const std::vector<float>& numbers);
std::string describe(const std::vector<int>& borders);
template <class T>
std::string describe(const T& value) {
    if constexpr (requires { value.name(); })
        return value.name();  // a feature map, a combine
    else if constexpr (std::integral<T>)
        return std::to_string(value);
    else if constexpr (std::floating_point<T>)
        return describe(static_cast<double>(value));
    else if constexpr (std::convertible_to<T, std::string>)
        return "\"" + std::string(value) + "\"";
    else
        return "";  // the argument's own text in the call says it
}

/// "Q (2, 3), phi relu" from the texts of the arguments and the arguments. Of its parameters, where they are known, the
/// names stand in place of the suite's own, and before a shape or a number.
std::string describe_call(const char* names, const std::vector<std::string>& values,
                          const std::vector<std::string>& parameters = {});
/// What the contract of an exercise calls its arguments.
const std::vector<std::string>& parameters_of(const char* exercise);

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
/// The arguments with their names, from the texts of them or from the contract.
std::vector<Input> inputs_of(const char* names, const std::vector<const Tensor*>& values,
                             const std::vector<std::string>& parameters);

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
