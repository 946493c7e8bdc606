// The two ends of the pipe between the judge and the box. Each end calls functions of the other and, until the answer
// comes, serves what the other asks meanwhile: the judge calls the student's functions, and answers the calls of the feature
// maps that it passed to them.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "named.hpp"
#include "wire.hpp"

namespace linattn::judge {

/// Of the last watched call (memory_watch.hpp, call_stack.hpp).
struct Watched {
    std::size_t peak_bytes = 0;
    std::string traced_allocation, throw_site;
};

/// What the runner says about a call beside its result. Nothing of it can be checked, so nothing is earned by it alone.
struct Claims {
    std::size_t blocks = 0, work = 0, largest_work = 0;
    bool changed_argument = false;
    std::vector<std::string> checking;
    std::size_t barriers = 0;  ///< of the latest launch of a kernel
    std::vector<std::size_t> accesses;
    Watched watched;
};

/// Reads the arguments of a call, makes it and writes the result.
using Service = std::function<void(std::uint32_t allocation_to_trace, Reader& arguments, Bytes& result)>;

/// What this end offers, by name: generated from the signatures that the lab's header declares.
std::map<std::string, Service, std::less<>>& services();

/// Told before and after a function is served, where set: the runner meters its calls.
inline void (*before_service)(std::uint32_t allocation_to_trace) = nullptr;
inline void (*after_service)(bool changed_argument) = nullptr;

/// What this end's next answer claims.
extern Claims claims;

/// Told of each call that this end makes, and of the claims of its answer, where set. Says which allocation to trace.
inline std::uint32_t (*on_call)() = nullptr;
inline void (*on_claims)(const Claims&) = nullptr;

void connect(int in, int out);

/// Serves calls until the other end is gone.
void serve_until_closed();

struct Answer {
    Bytes result;
    Claims claims;
};
/// Sends a call, serves what the other end asks until the answer comes, and throws what it threw.
Answer ask(std::string_view function, const Bytes& arguments);

// Each end has its own (box.cpp, runner.cpp): the judge ends as the box did, the runner ends with the pipe.
void open_connection();
[[noreturn]] void other_end_failed(const char* malformed);
[[noreturn]] void other_end_crashed(const std::string& report);
void other_end_is_at(const std::string& stack);

/// A closure of this end that the other may call for as long as this lives.
class Closures {
public:
    Closures() : before_(count()) {}
    ~Closures() { forget(before_); }
    Closures(const Closures&) = delete;
    Closures& operator=(const Closures&) = delete;

    static std::string add(Service service);

private:
    static std::size_t count();
    static void forget(std::size_t down_to);
    std::size_t before_;
};

/// Changes the first array of the arguments, as the function did where it ran: the suite notices.
template <class First, class... Rest>
void change_a_bit(First& first, Rest&... rest) {
    if constexpr (std::same_as<std::remove_const_t<First>, Tensor>) {
        if (first.size() > 0) {
            auto& entry = const_cast<double&>(*first.data());
            entry = entry == 0.5 ? 0.25 : 0.5;
            return;
        }
    }
    if constexpr (sizeof...(Rest) > 0) change_a_bit(rest...);
}

template <class Result, class... Arguments>
Result remote(std::string_view function, const Arguments&... arguments) {
    const Closures passed;
    Bytes bytes;
    (put(bytes, arguments), ...);
    const Answer answer = ask(function, bytes);
    if constexpr (sizeof...(arguments) > 0)
        if (answer.claims.changed_argument) change_a_bit(arguments...);
    Reader in{std::span<const char>(answer.result)};
    try {
        Result value = get<Result>(in);
        in.end();
        return value;
    } catch (const Malformed& e) {
        other_end_failed(e.what());
    }
}

template <class T>
struct HeldArgument {
    using type = std::decay_t<T>;
};
template <class T>
struct HeldArgument<std::span<const T>> {
    using type = std::vector<T>;
};

template <class T>
Bytes bits_of(const T& argument) {
    Bytes bits;
    if constexpr (std::same_as<T, Tensor>) put(bits, argument);
    return bits;
}

/// \param metered a function under test, and not a closure
template <class Function, class Result, class... Parameters>
Service service(Function function, Result (*)(Parameters...), bool metered) {
    return [function, metered]([[maybe_unused]] std::uint32_t trace, Reader& in, Bytes& out) {
        std::tuple<typename HeldArgument<Parameters>::type...> arguments{
            get<typename HeldArgument<Parameters>::type>(in)...};
        in.end();
        std::optional<Result> result;
        if (metered && before_service != nullptr) {
            const auto bits = [&] {
                return std::apply([](auto&... each) { return std::tuple(bits_of(each)...); }, arguments);
            };
            const auto before = bits();
            const auto after = [&] { after_service(bits() != before); };
            before_service(trace);
            try {
                result.emplace(std::apply(function, std::as_const(arguments)));
            } catch (...) {
                after();
                throw;
            }
            after();
        } else {
            result.emplace(std::apply(function, std::as_const(arguments)));
        }
        put(out, *result);
    };
}
template <class Result, class... Parameters>
Service service(Result (*function)(Parameters...)) {
    return service(function, function, true);
}

template <class Result, class... Arguments>
struct Codec<Named<Result(Arguments...)>> {
    using Closure = Named<Result(Arguments...)>;
    static void put(Bytes& out, const Closure& closure) {
        judge::put(out, closure.name());
        judge::put(out, Closures::add(service(closure, static_cast<Result (*)(Arguments...)>(nullptr), false)));
    }
    static Closure get(Reader& in) {
        auto name = judge::get<std::string>(in);
        return Closure(std::move(name), [address = judge::get<std::string>(in)](Arguments... arguments) {
            return remote<Result>(address, arguments...);
        });
    }
};

// A view of numbers is sent as they are, and read as a vector.
template <class T>
struct Codec<std::span<const T>> {
    static void put(Bytes& out, const std::span<const T>& numbers) {
        judge::put(out, numbers.size());
        append(out, numbers.data(), numbers.size() * sizeof(T));
    }
};

}  // namespace linattn::judge
