#include "source_line.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <sstream>

#include "gpu/executable.hpp"

namespace linattn::testing {

std::string source_line(const std::string& call_stack, const std::string& program,
                        const std::vector<std::string>& sources) {
    std::vector<std::uintptr_t> offsets;
    std::istringstream stack(call_stack);
    for (std::uintptr_t offset = 0; stack >> std::hex >> offset;) offsets.push_back(offset);
    for (const std::string& line : gpu::source_lines(program, offsets)) {
        const std::filesystem::path file(line.substr(0, line.rfind(':')));
        if (std::ranges::count(sources, file.filename().string()) > 0) return gpu::short_path(line);
    }
    return "";
}

}  // namespace linattn::testing
