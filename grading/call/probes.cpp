#include "probes.hpp"

#include <map>
#include <utility>

namespace linattn::testing {
namespace {

std::map<std::string, std::function<std::vector<Run>()>>& makers_of_probes() {
    static std::map<std::string, std::function<std::vector<Run>()>> all;
    return all;
}

}  // namespace

Probes::Probes(const char* exercise, std::function<std::vector<Run>()> make) {
    makers_of_probes()[exercise] = std::move(make);
}

std::vector<Run> probes_of(const std::string& exercise) {
    const auto maker = makers_of_probes().find(exercise);
    return maker == makers_of_probes().end() ? std::vector<Run>() : maker->second();
}

}  // namespace linattn::testing
