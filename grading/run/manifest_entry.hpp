// An exercise as its lab's manifest describes it: what the judge knows of it beside its suite.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace linattn::testing {

struct ManifestEntry {
    std::string lab, folder, function, section;
    std::vector<std::string> sources;
    double points = 0.0;
    int timeout_seconds = 10;
    std::map<std::string, std::string> sections = {};  ///< of all functions of the lab
    bool on_gpu = false;                               ///< its kernels run there, and its ctest test is another
};

/// Reads labs/labNN_*/lab.json.
/// \throws std::runtime_error naming the file and what is wrong with it
ManifestEntry read_manifest_entry(const std::string& manifest, const std::string& function);

}  // namespace linattn::testing
