// A program finds its own source lines wherever it lies: it copies itself into a folder whose name a shell would trip
// over, and looks from there.
#include "gpu/executable.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>

constexpr int line_of_look = __LINE__ + 1;
int look() {
    Dl_info program{};
    ::dladdr(reinterpret_cast<void*>(&look), &program);
    const auto offset = reinterpret_cast<std::uintptr_t>(&look) - reinterpret_cast<std::uintptr_t>(program.dli_fbase);
    const auto lines = gpu::source_lines(gpu::executable_path(), {offset, offset});
    for (const std::string& line : lines) std::printf("%s\n", line.c_str());
    if (lines.size() != 2) return 1;
    const std::size_t colon = lines[0].rfind(':');
    const std::string expected = "gpu/executable_test.cpp:" + std::to_string(line_of_look);
    return gpu::short_path(lines[0].substr(0, colon)) + lines[0].substr(colon) == expected ? 0 : 1;
}

int main(int argc, char**) {
    namespace fs = std::filesystem;
    if (argc == 1) {
        const fs::path folder = fs::path(gpu::executable_path()).parent_path() / "it's \"here\"; $(exit 1) &";
        fs::create_directories(folder);
        const std::string copy = folder / "executable";
        fs::copy_file(gpu::executable_path(), copy, fs::copy_options::overwrite_existing);
        ::execl(copy.c_str(), copy.c_str(), "look", nullptr);
        return 2;
    }
    return look();
}
