// class: reading
// /proc tells the command lines, environments, open files and memory of all processes that can be seen.
// expects: lab01 *=todo
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "feature_maps.hpp"

static bool possible() {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
        std::ifstream line(entry.path() / "cmdline");
        const std::string words{std::istreambuf_iterator<char>(line), {}};
        for (const char* word : {"python", "./course", "--manifest", "ninja", "parallel"})
            if (words.find(word) != std::string::npos) return true;
    }
    return std::ifstream("/proc/" + std::to_string(::getppid()) + "/mem").get() != EOF;
}
