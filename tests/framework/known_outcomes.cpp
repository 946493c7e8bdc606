// What each mistake gives in each call of a suite, kept in the file LINATTN_OUTCOMES from one process to the next: with
// hundreds of mistakes in the place of one function, one after the other, the diagnosis tries all of them on the same calls
// again and again. Linked with the suites that kill_matrix.py runs; see there.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>

#include "exercise.hpp"
#include "findings.hpp"

namespace linattn::testing {
namespace {

constexpr std::size_t most_bytes = std::size_t{8} << 30;  // of the file, which is sparse: see kill_matrix.py
constexpr std::size_t slots = std::size_t{1} << 21;

// Slots that hold where in the file an outcome begins, then the outcomes: each the key, and what Writer writes.
struct Store {
    std::atomic<std::size_t> used, slot[slots];
};

Store* open_store(const char* path) {
    const int file = path == nullptr || *path == '\0' ? -1 : ::open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return nullptr;
    void* const memory = ::mmap(nullptr, most_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
    return memory == MAP_FAILED ? nullptr : static_cast<Store*>(memory);
}
Store* const store = open_store(std::getenv("LINATTN_OUTCOMES"));

class Writer {
public:
    void add(std::size_t number) { add(&number, sizeof number); }
    void add(const std::string& text) {
        add(text.size());
        add(text.data(), text.size());
    }
    void add(const Tensor& x) {
        const Shape shape = shape_of(x);
        add(shape.size());
        for (const std::size_t length : shape) add(length);
        add(x.data(), x.size() * sizeof(double));
    }
    const std::string& bytes() const { return bytes_; }

private:
    void add(const void* data, std::size_t size) { bytes_.append(static_cast<const char*>(data), size); }
    std::string bytes_;
};

class Reader {
public:
    explicit Reader(const char* bytes) : at_(bytes) {}
    std::size_t number() {
        std::size_t number = 0;
        take(&number, sizeof number);
        return number;
    }
    std::string text() {
        std::string text(number(), '\0');
        take(text.data(), text.size());
        return text;
    }
    Tensor tensor() {
        Shape shape(number());
        for (std::size_t& length : shape) length = number();
        Tensor x = zeros(shape);
        take(x.data(), x.size() * sizeof(double));
        return x;
    }

private:
    void take(void* to, std::size_t size) {
        std::memcpy(to, at_, size);
        at_ += size;
    }
    const char* at_;
};

bool can_be_kept(const Outcome& outcome) {
    return outcome.symptoms.empty() && std::ranges::all_of(outcome.parts, [](const Part& part) {
               const auto* tensor = std::get_if<Tensor>(&part.value);
               return tensor != nullptr && !inconsistent_storage(*tensor);
           });
}

std::string written(std::size_t key, const Outcome& outcome) {
    Writer writer;
    writer.add(key);
    for (const std::string& text : {outcome.error, outcome.missing}) writer.add(text);
    for (const bool flag : {outcome.invalid_argument, outcome.changed_argument}) writer.add(flag);
    writer.add(outcome.parts.size());
    for (const Part& part : outcome.parts) {
        writer.add(part.name);
        writer.add(part.float32);
        writer.add(std::get<Tensor>(part.value));
    }
    return writer.bytes();
}

Outcome read(Reader reader) {
    Outcome outcome;
    reader.number();  // the key
    outcome.error = reader.text();
    outcome.missing = reader.text();
    outcome.invalid_argument = reader.number() != 0;
    outcome.changed_argument = reader.number() != 0;
    outcome.parts.resize(reader.number());
    for (Part& part : outcome.parts) {
        part.name = reader.text();
        part.float32 = reader.number() != 0;
        part.value = reader.tensor();
    }
    return outcome;
}

// The outcome with this key, made if it is not known. Two processes may make it at once: then it lies there twice.
Outcome known(std::size_t key, const std::function<Outcome()>& make) {
    char* const bytes = reinterpret_cast<char*>(store);
    std::size_t at = key % slots;
    for (std::size_t begin; (begin = store->slot[at].load()) != 0; at = (at + 1) % slots)
        if (Reader reader(bytes + begin); reader.number() == key) return read(Reader(bytes + begin));
    Outcome outcome = make();
    if (!can_be_kept(outcome)) return outcome;
    const std::string text = written(key, outcome);
    const std::size_t begin = sizeof(Store) + store->used.fetch_add((text.size() + 7) / 8 * 8);
    if (begin + text.size() > most_bytes) return outcome;
    std::memcpy(bytes + begin, text.data(), text.size());
    for (std::size_t empty = 0; !store->slot[at].compare_exchange_strong(empty, begin); empty = 0)
        at = (at + 1) % slots;
    return outcome;
}

// A call is known by its arguments, and by its place in its case, since not all of them can be told in words.
Run remembering(Run run, const std::string& arguments) {
    static std::map<std::string, std::size_t> calls;
    const std::string& name = current_case().name;
    const std::size_t call = std::hash<std::string>{}(name + "\t" + std::to_string(calls[name]++) + "\t" + arguments);
    return [run = std::move(run), call](const Subject& subject) {
        const auto mistake =
            std::ranges::find(mistakes(), &subject, [](const Mistake& each) { return &each.function; });
        if (mistake == mistakes().end() || ChangeScope::current() != nullptr) return run(subject);
        const auto number = static_cast<std::size_t>(mistake - mistakes().begin());
        return known((call + number) * 0xff51afd7ed558ccdu, [&] { return run(subject); });
    };
}

const bool asked_for = [] {
    if (store != nullptr) on_run = remembering;
    return store != nullptr;
}();

}  // namespace
}  // namespace linattn::testing
