// How a value crosses a pipe: one codec for each kind of type, and aggregates field by field, so that a struct of a lab's
// header needs none. The reader trusts nothing: every length is compared with the bytes that are there.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tensor.hpp"

namespace linattn::judge {

/// Memory that MemoryWatch does not see: what the wire takes is no cost of the function under test.
template <class T>
struct Unwatched {
    using value_type = T;
    Unwatched() = default;
    template <class U>
    Unwatched(const Unwatched<U>&) {}  // NOLINT(google-explicit-constructor)
    T* allocate(std::size_t count) {
        void* memory = std::malloc(count * sizeof(T));
        if (memory == nullptr) throw std::bad_alloc();
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t) { std::free(memory); }
    bool operator==(const Unwatched&) const { return true; }
};
using Bytes = std::vector<char, Unwatched<char>>;

constexpr std::size_t most_bytes = std::size_t{1} << 26;  ///< of one message

/// The bytes are not what the other side can have meant.
struct Malformed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Reader {
public:
    explicit Reader(std::span<const char> bytes) : rest_(bytes) {}
    void need(std::size_t count) const {
        if (count > rest_.size()) throw Malformed("too short");
    }
    void take(void* to, std::size_t count) {
        need(count);
        if (count > 0) std::memcpy(to, rest_.data(), count);
        rest_ = rest_.subspan(count);
    }
    std::span<const char> take_rest() { return std::exchange(rest_, {}); }
    void end() const {
        if (!rest_.empty()) throw Malformed("too long");
    }

private:
    std::span<const char> rest_;
};

inline void append(Bytes& out, const void* from, std::size_t count) {
    const auto* first = static_cast<const char*>(from);
    if (count > 0) out.insert(out.end(), first, first + count);
}

template <class T>
struct Codec;  // for what is neither a number nor an aggregate

// Aggregates: how many fields, and references to them ------------------------------------------------------------------

struct AnyField {
    template <class T>
    operator T() const;  // NOLINT(google-explicit-constructor): never defined
};
template <class T, class... Fields>
constexpr std::size_t count_fields() {
    if constexpr (requires { T{Fields{}..., AnyField{}}; })
        return count_fields<T, Fields..., AnyField>();
    else
        return sizeof...(Fields);
}

template <class T>
auto fields_of(T& value) {
    constexpr std::size_t count = count_fields<std::remove_const_t<T>>();
    static_assert(1 <= count && count <= 8, "a struct of more than 8 fields: add a line to fields_of");
    // clang-format off
    if constexpr (count == 1) { auto& [a] = value; return std::tie(a); }
    else if constexpr (count == 2) { auto& [a, b] = value; return std::tie(a, b); }
    else if constexpr (count == 3) { auto& [a, b, c] = value; return std::tie(a, b, c); }
    else if constexpr (count == 4) { auto& [a, b, c, d] = value; return std::tie(a, b, c, d); }
    else if constexpr (count == 5) { auto& [a, b, c, d, e] = value; return std::tie(a, b, c, d, e); }
    else if constexpr (count == 6) { auto& [a, b, c, d, e, f] = value; return std::tie(a, b, c, d, e, f); }
    else if constexpr (count == 7) { auto& [a, b, c, d, e, f, g] = value; return std::tie(a, b, c, d, e, f, g); }
    else { auto& [a, b, c, d, e, f, g, h] = value; return std::tie(a, b, c, d, e, f, g, h); }
    // clang-format on
}

template <class T>
concept Plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

template <class T>
void put(Bytes& out, const T& value) {
    if constexpr (Plain<T>)
        append(out, &value, sizeof value);
    else if constexpr (std::is_aggregate_v<T>)
        std::apply([&](const auto&... fields) { (put(out, fields), ...); }, fields_of(value));
    else
        Codec<T>::put(out, value);
}

template <class T>
T get(Reader& in) {
    if constexpr (std::same_as<T, bool>) {
        const auto byte = get<std::uint8_t>(in);
        if (byte > 1) throw Malformed("no bool");
        return byte == 1;
    } else if constexpr (Plain<T>) {
        T value;
        in.take(&value, sizeof value);
        return value;
    } else if constexpr (std::is_aggregate_v<T>) {
        T value{};
        std::apply([&](auto&... fields) { ((fields = get<std::remove_reference_t<decltype(fields)>>(in)), ...); },
                   fields_of(value));
        return value;
    } else {
        return Codec<T>::get(in);
    }
}

template <>
struct Codec<std::string> {
    static void put(Bytes& out, const std::string& text) {
        judge::put(out, text.size());
        append(out, text.data(), text.size());
    }
    static std::string get(Reader& in) {
        const auto count = judge::get<std::size_t>(in);
        in.need(count);
        std::string text(count, '\0');
        in.take(text.data(), count);
        return text;
    }
};

template <class T>
struct Codec<std::vector<T>> {
    static void put(Bytes& out, const std::vector<T>& elements) {
        judge::put(out, elements.size());
        if constexpr (Plain<T>)
            append(out, elements.data(), elements.size() * sizeof(T));
        else
            for (const T& element : elements) judge::put(out, element);
    }
    static std::vector<T> get(Reader& in) {
        const auto count = judge::get<std::size_t>(in);
        in.need(count);
        std::vector<T> elements;
        if constexpr (Plain<T>) {
            if (count > most_bytes / sizeof(T)) throw Malformed("a list of an impossible length");
            in.need(count * sizeof(T));
            elements.resize(count);
            in.take(elements.data(), count * sizeof(T));
        } else {
            for (std::size_t i = 0; i < count; ++i)
                elements.push_back(judge::get<T>(in));  // each takes bytes, or throws
        }
        return elements;
    }
};

template <>
struct Codec<Tensor> {
    static void put(Bytes& out, const Tensor& x) {
        judge::put(out, shape_of(x));
        judge::put(out, x.size());  // of what is stored, which a shape need not agree with
        append(out, x.data(), x.size() * sizeof(double));
    }
    static Tensor get(Reader& in) {
        const auto shape = judge::get<Shape>(in);
        const auto stored = judge::get<std::size_t>(in);
        std::size_t entries = 1;
        if (shape.size() > 32) throw Malformed("too many axes");
        for (const std::size_t length : shape) {
            if (length > most_bytes) throw Malformed("an axis of an impossible length");
            if (length > 0 && entries > most_bytes / length) throw Malformed("an impossible shape");
            entries *= length;
        }
        if (stored != entries)
            throw std::runtime_error(
                "the result has shape " + to_string(shape) + " but holds " + std::to_string(stored) + " of its " +
                std::to_string(entries) +
                " numbers: its storage was moved or resized; return a Tensor made by zeros(shape)");
        in.need(entries * sizeof(double));
        Tensor x(Tensor::shape_type(shape.begin(), shape.end()));
        in.take(x.data(), entries * sizeof(double));
        return x;
    }
};

}  // namespace linattn::judge
