#include "checkpoint.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <xtensor/xnpy.hpp>

#include "program.hpp"

namespace linattn {
namespace {

namespace fs = std::filesystem;

// Where a checkpoint lies: under its name, or, when writing was interrupted between two renames, under that of the last.
fs::path complete(const fs::path& folder) {
    const fs::path now = folder / "checkpoint", before = folder / "checkpoint.before";
    return fs::exists(now / "model.json") || !fs::exists(before / "model.json") ? now : before;
}

// Every array of a checkpoint but the losses, by its name.
std::vector<std::pair<std::string, Tensor*>> arrays(Training& training) {
    const std::vector<std::string> names = parameter_names(training.w);
    const std::vector<Tensor*> weights = parameters(training.w);
    std::vector<std::pair<std::string, Tensor*>> all;
    for (std::size_t i = 0; i < names.size(); ++i) {
        all.emplace_back(names[i], weights[i]);
        all.emplace_back("adam.m." + names[i], &training.moments[i].m);
        all.emplace_back("adam.v." + names[i], &training.moments[i].v);
    }
    return all;
}

void write(const fs::path& file, const Tensor& x) {
    try {
        xt::dump_npy(file.string(), x);
    } catch (const std::exception&) {
    }
    std::error_code none;
    if (fs::file_size(file, none) < x.size() * sizeof(double) || none)
        throw std::runtime_error(file.string() +
                                 " could not be written; is there room on the disk, and may you write there?");
}

// The bytes of numbers in an .npy file, after its header, whose length is in its ninth and tenth byte.
std::uintmax_t bytes_of_numbers(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    unsigned char start[10] = {};
    in.read(reinterpret_cast<char*>(start), sizeof start);
    const std::uintmax_t header = 10 + start[8] + 256U * start[9], all = fs::file_size(file);
    return all < header ? 0 : all - header;
}

Tensor read(const fs::path& file, const Shape& shape) {
    Tensor x;
    try {
        x = xt::load_npy<double>(file.string());
        if (bytes_of_numbers(file) != x.size() * sizeof(double))
            throw std::runtime_error("its length is not what it says");
    } catch (const std::exception& error) {
        throw std::runtime_error(file.string() + " cannot be read as an .npy file of float64 (" + error.what() +
                                 "); was it cut short? Train again, or bring it back from a copy");
    }
    if (shape_of(x) != shape)
        throw std::runtime_error(file.string() + " has shape " + to_string(shape_of(x)) + " where this model has " +
                                 to_string(shape) + "; resume with the options that it was trained with");
    if (!std::ranges::all_of(x, [](double value) { return std::isfinite(value); }))
        throw std::runtime_error(file.string() + " holds a NaN or an infinity; nothing can be trained from that");
    return x;
}

}  // namespace

void save(const std::string& folder, const Training& training, const Description& description) {
    const fs::path to = folder, next = to / "checkpoint.next", now = to / "checkpoint",
                   before = to / "checkpoint.before";
    try {
        fs::remove_all(next);
        fs::create_directories(next);
        Training copy = training;
        for (const auto& [name, array] : arrays(copy)) write(next / (name + ".npy"), *array);
        Tensor losses = zeros({training.losses.size()});
        std::ranges::copy(training.losses, losses.begin());
        write(next / "losses.npy", losses);
        nlohmann::ordered_json json;
        for (const auto& [key, value] : description) json[key] = value;
        json["step"] = training.losses.size();
        json["weights"] = parameter_names(copy.w);
        write_file((next / "model.json").string(), json.dump(2) + "\n");
        fs::remove_all(before);
        if (fs::exists(now)) fs::rename(now, before);
        fs::rename(next, now);
        fs::remove_all(before);
    } catch (const std::runtime_error& error) {
        std::error_code none;
        fs::remove_all(next, none);  // half of a checkpoint is of no use, and takes room
        const auto* cause = dynamic_cast<const fs::filesystem_error*>(&error);
        if (cause == nullptr) throw;
        throw std::runtime_error(folder + " cannot hold a checkpoint: " + cause->code().message() +
                                 "; choose another folder with --out");
    }
}

void load(const std::string& folder, Training& training, const Description& description) {
    const fs::path from = complete(folder);
    std::size_t step = 0;
    try {
        std::ifstream in(from / "model.json");
        const nlohmann::json json = nlohmann::json::parse(in);
        step = json.at("step").get<std::size_t>();
        for (const auto& [key, value] : description)
            if (json.at(key).get<std::string>() != value)
                throw std::runtime_error(folder + " was trained with " + key + " " + json.at(key).get<std::string>() +
                                         ", not with " + value + "; resume with the options that it was trained with");
    } catch (const nlohmann::json::exception&) {
        throw std::runtime_error(
            (from / "model.json").string() +
            " is not what training writes; was it cut short? Train again, or bring it back from a copy");
    }
    Training found = training;
    for (const auto& [name, array] : arrays(found)) *array = read(from / (name + ".npy"), shape_of(*array));
    const Tensor losses = read(from / "losses.npy", {step});
    found.losses.assign(losses.begin(), losses.end());
    for (Moments& each : found.moments) each.step = step;
    training = found;
}

}  // namespace linattn
