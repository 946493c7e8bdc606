#include "manifest_entry.hpp"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

namespace linattn::testing {

ManifestEntry read_manifest_entry(const std::string& manifest, const std::string& function) try {
    std::ifstream file(manifest);
    if (!file) throw std::runtime_error("cannot be read");
    const auto lab = nlohmann::ordered_json::parse(file);
    std::map<std::string, std::string> sections;
    for (const auto& entry : lab.at("exercises")) sections[entry.at("function")] = entry.at("section");
    for (const auto& entry : lab.at("exercises")) {
        if (entry.at("function") != function) continue;
        ManifestEntry exercise;
        exercise.sections = std::move(sections);
        exercise.lab = lab.at("lab");
        exercise.folder = std::filesystem::path(manifest).parent_path().filename().string();
        exercise.function = function;
        exercise.section = entry.at("section");
        exercise.sources = lab.at("sources").get<std::vector<std::string>>();
        exercise.points = entry.at("points");
        exercise.timeout_seconds = lab.value("timeout_seconds", 10);
        return exercise;
    }
    throw std::runtime_error("lists no exercise '" + function + "'");
} catch (const std::exception& e) {
    throw std::runtime_error(manifest + ": " + e.what());
}

}  // namespace linattn::testing
