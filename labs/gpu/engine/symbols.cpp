#include "symbols.hpp"

#include <cxxabi.h>
#include <elf.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>

#include "../executable.hpp"

namespace gpu::engine {
namespace {

// Where the program was loaded, and where its thread-local variables lie for this thread.
struct Image {
    std::uintptr_t base = 0, thread_local_begin = 0;
    std::vector<std::pair<std::uintptr_t, std::uintptr_t>> loaded;  // of the program and of all libraries
};

Image read_image() {
    Image result;
    ::dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* data) {
            Image& to = *static_cast<Image*>(data);
            if (to.loaded.empty()) {  // the program itself comes first
                to.base = info->dlpi_addr;
                to.thread_local_begin = reinterpret_cast<std::uintptr_t>(info->dlpi_tls_data);
            }
            for (int i = 0; i < info->dlpi_phnum; ++i) {
                const auto& header = info->dlpi_phdr[i];
                const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
                if (header.p_type == PT_LOAD) to.loaded.emplace_back(begin, begin + header.p_memsz);
            }
            return 0;
        },
        &result);
    return result;
}

const Image& image() {
    static const Image found = read_image();
    return found;
}

std::uintptr_t offset_of(const void* address) { return reinterpret_cast<std::uintptr_t>(address) - image().base; }

bool is_source(const std::string& line) {
    const std::string file = line.substr(0, line.rfind(':'));
    return file.ends_with(".cu") || file.ends_with(".cpp");
}

// Of this program. What was looked up is kept, since that takes a while, and a diagnosis launches a kernel hundreds of times.
const std::vector<std::string>& lines_of(const std::vector<std::uintptr_t>& offsets) {
    static std::map<std::vector<std::uintptr_t>, std::vector<std::string>> known;
    const auto [found, is_new] = known.try_emplace(offsets);
    if (is_new) found->second = source_lines(executable_path(), offsets);
    return found->second;
}

std::string symbol_at(std::uintptr_t offset) {
    static std::map<std::uintptr_t, std::string> known;
    const auto [found, is_new] = known.try_emplace(offset);
    if (is_new) found->second = addr2line(executable_path(), {"-f", "-C"}, {offset});
    return found->second.substr(0, found->second.find('\n'));
}

}  // namespace

std::string source_line(const void* address) {
    if (address == nullptr) return "";
    const std::vector<std::string>& lines = lines_of({offset_of(address) - 1});  // the call, not what follows
    for (const std::string& line : lines)
        if (is_source(line)) return short_path(line);
    return lines.empty() ? "" : short_path(lines.front());
}

std::string calling_line() {
    std::array<void*, 64> frames{};
    const int depth = ::backtrace(frames.data(), static_cast<int>(frames.size()));
    std::vector<std::uintptr_t> offsets;
    offsets.reserve(frames.size());
    for (int i = 0; i < depth; ++i) offsets.push_back(offset_of(frames[static_cast<std::size_t>(i)]) - 1);
    for (const std::string& line : lines_of(offsets))
        if (is_source(line) && line.find("/gpu/engine/") == std::string::npos) return short_path(line);
    return "";
}

std::string function_name(const void* address) {
    std::string name = symbol_at(offset_of(address));
    if (name.empty() || name[0] == '?') return "the kernel";
    const std::string unnamed = "(anonymous namespace)::";
    for (std::size_t at; (at = name.find(unnamed)) != std::string::npos;) name.erase(at, unnamed.size());
    name = name.substr(0, name.find_first_of("(<"));  // parameters, template arguments
    const std::size_t scope = name.rfind("::");
    if (scope != std::string::npos) name.erase(0, scope + 2);
    const std::size_t result_type = name.rfind(' ');  // a template's name comes with its type
    return result_type == std::string::npos ? name : name.substr(result_type + 1);
}

std::string variable_name(const char* symbol) {
    char* readable = abi::__cxa_demangle(symbol, nullptr, nullptr, nullptr);
    std::string name = readable == nullptr ? symbol : readable;  // what stands outside of all namespaces is not mangled
    std::free(readable);
    const std::size_t scope = name.rfind("::");
    return scope == std::string::npos ? name : name.substr(scope + 2);
}

namespace {

// Where each begins in the thread-local part of the program.
std::vector<SharedVariable> read_shared_variables() {
    std::vector<SharedVariable> found;
    const int file = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (file < 0 || ::fstat(file, &status) != 0) return found;
    const auto size = static_cast<std::size_t>(status.st_size);
    void* map = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    ::close(file);
    if (map == MAP_FAILED) return found;
    const auto* bytes = static_cast<const char*>(map);
    const auto& header = *reinterpret_cast<const ElfW(Ehdr)*>(bytes);
    const auto* sections = reinterpret_cast<const ElfW(Shdr)*>(bytes + header.e_shoff);
    for (int s = 0; s < header.e_shnum; ++s) {
        if (sections[s].sh_type != SHT_SYMTAB) continue;
        const auto* symbols = reinterpret_cast<const ElfW(Sym)*>(bytes + sections[s].sh_offset);
        const char* names = bytes + sections[sections[s].sh_link].sh_offset;
        for (std::size_t i = 0; i < sections[s].sh_size / sizeof *symbols; ++i) {
            const char* mangled = names + symbols[i].st_name;
            const bool in_function = std::string_view(mangled).starts_with("_ZZ");
            if (ELF64_ST_TYPE(symbols[i].st_info) == STT_TLS && in_function && symbols[i].st_size > 0)
                found.push_back({variable_name(mangled), symbols[i].st_value, symbols[i].st_size});
        }
    }
    ::munmap(map, size);
    return found;
}

}  // namespace

std::vector<SharedVariable> static_shared_variables() {
    static const std::vector<SharedVariable> in_file = read_shared_variables();
    std::vector<SharedVariable> variables = in_file;
    const std::uintptr_t begin = read_image().thread_local_begin;
    for (SharedVariable& variable : variables) variable.begin += begin;
    return variables;
}

bool in_program(std::uintptr_t address) {
    for (const auto& [begin, end] : image().loaded)
        if (address >= begin && address < end) return true;
    return false;
}

}  // namespace gpu::engine
