#include "float_arrays.hpp"

#include "contract.hpp"

namespace linattn {

Array make_array(std::initializer_list<int> lengths) {
    Array array;
    std::size_t entries = 1;
    for (const int length : lengths) {
        array.shape.push_back(static_cast<std::size_t>(length));
        entries *= array.shape.back();
    }
    array.values.resize(entries);
    return array;
}

void throw_not_implemented(const std::string& function, const std::string& file) {
    throw NotImplemented(function.c_str(), file.c_str());
}

void require_entries(std::size_t entries, const char* argument, const char* meaning, std::initializer_list<int> shape,
                     const char* caller) {
    Shape lengths;
    std::size_t expected = 1;
    for (const int length : shape) {
        if (length < 0) reject(caller, "sizes", "lengths that are not negative", std::to_string(length));
        lengths.push_back(static_cast<std::size_t>(length));
        expected *= lengths.back();
    }
    if (entries != expected)
        reject(caller, argument,
               std::string(meaning) + " = " + to_string(lengths) + ", " + std::to_string(expected) + " entries",
               std::to_string(entries) + " entries");
}

void require_tokens_in_chunk(int chunk, const char* caller) {
    if (chunk < 1) reject(caller, "chunk", "at least 1", std::to_string(chunk));
}

}  // namespace linattn
