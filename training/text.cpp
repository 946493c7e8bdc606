#include "text.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "random.hpp"

namespace linattn {
namespace {

std::string bytes_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::string all_bytes(const std::string& path) {
    if (!std::filesystem::is_directory(path)) return bytes_of(path);
    std::set<std::filesystem::path> chapters;  // in the order of their names
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path))
        if (entry.path().extension() == ".md") chapters.insert(entry.path());
    std::string all;
    for (const auto& chapter : chapters) all += bytes_of(chapter);
    return all;
}

}  // namespace

ByteText::ByteText(const std::string& path, std::size_t window) : window_(window) {
    const std::string bytes = all_bytes(path);
    const std::set<char> different(bytes.begin(), bytes.end());
    alphabet_.assign(different.begin(), different.end());
    std::map<char, double> id;
    for (std::size_t i = 0; i < alphabet_.size(); ++i) id[alphabet_[i]] = static_cast<double>(i);
    for (const char byte : bytes) text_.push_back(id[byte]);
    if (text_.size() < 20 * (window + 1))
        throw std::runtime_error(path + " has " + std::to_string(text_.size()) + " bytes; at least " +
                                 std::to_string(20 * (window + 1)) + " are needed for windows of " +
                                 std::to_string(window));
}

Batch ByteText::at_random(std::size_t count, std::uint64_t seed) const {
    SplitMix64 random(seed);
    const std::size_t for_training = text_.size() * 9 / 10;
    const double places = static_cast<double>(for_training - window_ - 1);
    std::vector<std::size_t> starts(count);
    for (std::size_t& start : starts) start = static_cast<std::size_t>(random.uniform() * places);
    return windows(starts);
}

Batch ByteText::held_out() const {
    const std::size_t first = text_.size() * 9 / 10;
    std::vector<std::size_t> starts;
    const std::size_t apart = std::max<std::size_t>(window_, (text_.size() - first - window_ - 1) / 16);
    for (std::size_t at = first; at + window_ + 1 <= text_.size() && starts.size() < 16; at += apart)
        starts.push_back(at);
    return windows(starts);
}

Tensor ByteText::beginning(std::size_t count) const {
    Tensor ids = zeros({1, count});
    for (std::size_t i = 0; i < count; ++i) ids(0, i) = text_[text_.size() * 9 / 10 + i];
    return ids;
}

std::string ByteText::words(const Tensor& ids) const {
    std::string text;
    for (const double id : ids) text += alphabet_[static_cast<std::size_t>(id)];
    return text;
}

Batch ByteText::windows(const std::vector<std::size_t>& starts) const {
    const Shape shape{starts.size(), window_};
    Batch result{zeros(shape), zeros(shape), ones(shape)};
    for (std::size_t b = 0; b < starts.size(); ++b)
        for (std::size_t i = 0; i < window_; ++i) {
            result.ids(b, i) = text_[starts[b] + i];
            result.targets(b, i) = text_[starts[b] + i + 1];
        }
    return result;
}

}  // namespace linattn
