#include "remote_calls.hpp"

#include <unistd.h>

#include <cerrno>
#include <new>
#include <stdexcept>

#include "contract.hpp"
#include "gpu/error.hpp"

namespace linattn::judge {

Claims claims;

namespace {

enum class Kind : std::uint8_t { call, result, exception, crash, stack };
enum class Thrown : std::uint8_t {
    not_implemented,
    gpu_error,
    invalid_argument,
    bad_array_new_length,
    bad_alloc,
    length_error,
    out_of_range,
    other,
    no_exception
};

int in = -1, out = -1;
std::vector<Service> closures;

void send(Kind kind, const Bytes& head, const Bytes& body) {
    const std::size_t count = sizeof kind + head.size() + body.size();
    Bytes message;
    message.reserve(sizeof count + count);
    put(message, count);
    put(message, kind);
    append(message, head.data(), head.size());
    append(message, body.data(), body.size());
    for (std::size_t sent = 0; sent < message.size();) {
        const ssize_t written = ::write(out, message.data() + sent, message.size() - sent);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) other_end_failed(nullptr);
        sent += static_cast<std::size_t>(written);
    }
}

bool read_all(void* to, std::size_t count) {
    auto* at = static_cast<char*>(to);
    while (count > 0) {
        const ssize_t got = ::read(in, at, count);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        count -= static_cast<std::size_t>(got);
    }
    return true;
}

Bytes receive() {
    std::size_t count = 0;
    if (!read_all(&count, sizeof count)) other_end_failed(nullptr);
    if (count > most_bytes) other_end_failed("a message of more than 64 MB");
    Bytes message(count);
    if (!read_all(message.data(), count)) other_end_failed(nullptr);
    return message;
}

Bytes bytes_of_claims() {
    Bytes bytes;
    put(bytes, claims);
    return bytes;
}

// Each symptom as the letter of its fault and the name of its array.
std::vector<std::string> words_of(const std::vector<gpu::Symptom>& symptoms) {
    std::vector<std::string> words;
    words.reserve(symptoms.size());
    for (const gpu::Symptom& each : symptoms) words.push_back(static_cast<char>(each.fault) + each.array);
    return words;
}
std::vector<gpu::Symptom> symptoms_in(const std::vector<std::string>& words) {
    std::vector<gpu::Symptom> symptoms;
    for (const std::string& word : words)
        if (!word.empty()) symptoms.push_back({static_cast<gpu::Fault>(word[0]), word.substr(1)});
    return symptoms;
}

// The exception in flight.
Bytes bytes_of_exception() {
    Bytes bytes;
    const auto write = [&](Thrown type, const std::string& words, const std::vector<std::string>& more = {}) {
        put(bytes, type);
        put(bytes, words);
        put(bytes, more);
    };
    try {
        throw;
    } catch (const NotImplemented& e) {
        const std::string words = e.what(), mark = "YOUR CODE HERE in ";
        const std::size_t at = words.find(mark);
        write(Thrown::not_implemented, e.function(), {at == std::string::npos ? "" : words.substr(at + mark.size())});
    } catch (const gpu::Error& e) {
        write(Thrown::gpu_error, e.what(), words_of(e.symptoms()));
    } catch (const std::invalid_argument& e) {
        write(Thrown::invalid_argument, e.what());
    } catch (const std::bad_array_new_length& e) {
        write(Thrown::bad_array_new_length, e.what());
    } catch (const std::bad_alloc& e) {
        write(Thrown::bad_alloc, e.what());
    } catch (const std::length_error& e) {
        write(Thrown::length_error, e.what());
    } catch (const std::out_of_range& e) {
        write(Thrown::out_of_range, e.what());
    } catch (const std::exception& e) {
        write(Thrown::other, e.what());
    } catch (...) {
        write(Thrown::no_exception, "");
    }
    return bytes;
}

[[noreturn]] void throw_again(Reader& reader) {
    const auto type = get<Thrown>(reader);
    const auto words = get<std::string>(reader);
    const auto more = get<std::vector<std::string>>(reader);
    reader.end();
    switch (type) {
        case Thrown::not_implemented: throw NotImplemented(words.c_str(), more.empty() ? "" : more[0].c_str());
        case Thrown::gpu_error: throw gpu::Error(words, symptoms_in(more));
        case Thrown::invalid_argument: throw std::invalid_argument(words);
        case Thrown::bad_array_new_length: throw std::bad_array_new_length();
        case Thrown::bad_alloc: throw std::bad_alloc();
        case Thrown::length_error: throw std::length_error(words);
        case Thrown::out_of_range: throw std::out_of_range(words);
        case Thrown::other: throw std::runtime_error(words);
        case Thrown::no_exception: throw 0;  // NOLINT(bugprone-*): what the student threw was no exception, either
    }
    throw Malformed("an unknown exception");
}

void answer(Reader& call) {
    Bytes result;
    Kind kind = Kind::result;
    try {
        const auto name = get<std::string>(call);
        const auto trace = get<std::uint32_t>(call);
        if (name.starts_with('#')) {
            const std::size_t number = std::strtoul(name.c_str() + 1, nullptr, 10);
            if (number >= closures.size()) throw Malformed("no such closure");
            const Service closure = closures[number];  // the call may pass closures of its own
            closure(trace, call, result);
        } else {
            const auto found = services().find(name);
            if (found == services().end()) throw Malformed("no such function");
            found->second(trace, call, result);
        }
    } catch (const Malformed& e) {
        other_end_failed(e.what());
    } catch (...) {
        kind = Kind::exception;
        result = bytes_of_exception();
    }
    send(kind, bytes_of_claims(), result);
}

}  // namespace

void connect(int from, int to) {
    in = from;
    out = to;
}

Answer ask(std::string_view function, const Bytes& arguments) {
    if (out < 0) open_connection();
    Bytes head;
    put(head, std::string(function));
    put(head, on_call == nullptr ? std::uint32_t{0} : on_call());
    send(Kind::call, head, arguments);
    for (;;) {
        const Bytes message = receive();
        Reader reader{std::span<const char>(message)};
        try {
            const auto kind = get<Kind>(reader);
            if (kind == Kind::call) {
                answer(reader);
                continue;
            }
            if (kind == Kind::crash) other_end_crashed(get<std::string>(reader));
            if (kind == Kind::stack) {
                other_end_is_at(get<std::string>(reader));
                continue;
            }
            if (kind != Kind::result && kind != Kind::exception) throw Malformed("a message of no kind");
            const auto claimed = get<Claims>(reader);
            if (on_claims != nullptr) on_claims(claimed);
            if (kind == Kind::exception) throw_again(reader);
            const std::span<const char> rest = reader.take_rest();
            return {{rest.begin(), rest.end()}, claimed};
        } catch (const Malformed& e) {
            other_end_failed(e.what());
        }
    }
}

void serve_until_closed() {
    for (;;) {
        const Bytes message = receive();
        Reader reader{std::span<const char>(message)};
        if (get<Kind>(reader) != Kind::call) other_end_failed("no call");
        answer(reader);
    }
}

std::size_t Closures::count() { return closures.size(); }
void Closures::forget(std::size_t down_to) { closures.resize(down_to); }
std::string Closures::add(Service service) {
    closures.push_back(std::move(service));
    return "#" + std::to_string(closures.size() - 1);
}

}  // namespace linattn::judge
