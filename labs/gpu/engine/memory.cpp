#include "memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <new>

#include "faults.hpp"
#include "host_thread.hpp"
#include "scheduler.hpp"
#include "symbols.hpp"

namespace gpu::engine {
namespace {

alignas(128) constinit thread_local unsigned char taken_memory[dynamic_capacity] = {};  // by SharedMemory

constexpr std::size_t most_static_bytes = 48 * 1024;  // of __shared__ arrays with a length

std::vector<std::unique_ptr<Array>> all, released;
unsigned version = 0;

// A buffer ends where a page without access begins; another lies before it.
struct Mapping {
    void* map;
    std::size_t bytes;
};
std::map<void*, Mapping> buffers;

struct Shared {
    std::size_t dynamic_bytes = 0;
    std::vector<std::size_t> offsets;                // of the taken arrays, as the kernel counts
    std::vector<SharedVariable> variables;           // arrays with a length
    std::vector<std::vector<unsigned char>> before;  // contents of the static variables
} shared;

Array& add(std::uintptr_t begin, std::size_t bytes, const std::string& name, bool is_shared) {
    auto array = std::make_unique<Array>();
    array->begin = begin;
    array->end = begin + bytes;
    array->name = name;
    array->shared = is_shared;
    all.push_back(std::move(array));
    ++version;
    return *all.back();
}

template <class Condition>
void remove(Condition condition) {
    std::erase_if(all, condition);
    ++version;
}

bool is_dynamic(const Array& array) { return array.declared || array.taken; }

// What the kernels call the `extern __shared__` array, if all of them use one name.
std::string name_of_declared_array() {
    std::string name;
    for (const char* const* symbol = gpu_dynamic_arrays; *symbol != nullptr; ++symbol) {
        const std::string each = variable_name(*symbol);
        if (!name.empty() && each != name) return "dynamic shared memory";
        name = each;
    }
    return name.empty() ? "dynamic shared memory" : name;
}

}  // namespace

std::string Array::entry(std::uintptr_t address, std::size_t entry_bytes) const {
    const std::size_t at = address - begin;
    if (row_bytes == 0) return name + "[" + std::to_string(at / entry_bytes) + "]";
    return name + "(" + std::to_string(at / row_bytes) + ", " + std::to_string(at % row_bytes / entry_bytes) + ")";
}

const std::vector<std::unique_ptr<Array>>& arrays() { return all; }
unsigned arrays_version() { return version; }
const std::vector<std::unique_ptr<Array>>& released_arrays() { return released; }
void forget_released() { released.clear(); }

Array* find_array(std::uintptr_t address) {
    for (const auto& array : all)
        if (array->contains(address)) return array.get();
    return nullptr;
}

std::string describe_outside(std::uintptr_t address, const Array*& near, const Array* likely) {
    constexpr std::uintptr_t nearby = 1 << 20;
    near = nullptr;
    std::uintptr_t distance = nearby;
    for (const auto& each : all) {
        const std::uintptr_t away = address < each->begin ? each->begin - address : address - each->end;
        if (away < distance) {
            distance = away;
            near = each.get();
        }
    }
    if (likely != nullptr && address >= likely->end && address - likely->end < nearby) {
        near = likely;
        distance = address - likely->end;
    }
    if (address < 4096) return "a null pointer";
    if (near == nullptr)
        return "memory of the host: only buffers and shared memory exist on a GPU, not what std::vector or new "
               "makes";
    return std::to_string(distance) + (address < near->begin ? " bytes before " : " bytes past the end of ") +
           (near->shared ? "shared '" : "'") + near->name + "' (" + std::to_string(near->end - near->begin) + " bytes)";
}

void begin_shared(std::size_t bytes) {
    const std::vector<SharedVariable> variables = static_shared_variables();
    for (const SharedVariable& variable : variables)
        if (variable.bytes > most_static_bytes)
            throw Error("__shared__ " + variable.name + " has " + std::to_string(variable.bytes) +
                        " bytes; nvcc allows " + std::to_string(most_static_bytes) +
                        ", so ask for dynamic shared memory instead");
    shared = {};
    shared.dynamic_bytes = bytes;
    shared.variables = variables;
    for (const SharedVariable& variable : variables) {
        add(variable.begin, variable.bytes, variable.name, true).has_length = true;
        const auto* contents = reinterpret_cast<const unsigned char*>(variable.begin);
        shared.before.emplace_back(contents, contents + variable.bytes);
    }
    if (bytes > 0 && gpu_dynamic_arrays[0] != nullptr)
        add(reinterpret_cast<std::uintptr_t>(gpu_dynamic_memory), bytes, name_of_declared_array(), true).declared =
            true;
}

void poison_shared() {
    std::memset(gpu_dynamic_memory, 0xFF, shared.dynamic_bytes + gap);
    std::memset(taken_memory, 0xFF, shared.dynamic_bytes + (shared.offsets.size() + 1) * gap);
    for (const SharedVariable& variable : shared.variables)
        std::memset(reinterpret_cast<void*>(variable.begin), 0xFF, variable.bytes);
}

std::string overrun_shared(std::string& array) {
    for (const auto& each : all) {
        if (!is_dynamic(*each)) continue;
        const auto* behind = reinterpret_cast<const unsigned char*>(each->end);
        for (std::size_t i = 0; i < gap; ++i)
            if (behind[i] != 0xFF) {
                array = each->name;
                return "wrote " + std::to_string(i) + " bytes past the end of shared '" + each->name + "' (" +
                       std::to_string(each->end - each->begin) + " bytes)";
            }
    }
    return "";
}

void end_shared() {
    for (std::size_t i = 0; i < shared.before.size(); ++i)
        std::memcpy(reinterpret_cast<void*>(shared.variables[i].begin), shared.before[i].data(),
                    shared.before[i].size());
    remove([](const auto& array) { return array->shared; });
}

void* take_shared(std::size_t& used, std::size_t bytes, const char* name, std::size_t row_bytes, Site site) {
    const InEngine engine;
    const std::size_t end = used + (bytes + 15) / 16 * 16;
    // Every thread takes the same arrays; the first to come makes them known.
    std::size_t number = 0;
    while (number < shared.offsets.size() && (shared.offsets[number] != used || bytes == 0)) ++number;
    if (end > shared.dynamic_bytes || number >= most_dynamic_arrays)
        stop({Fault::shared_memory_too_small}, "shared '" + std::string(name) + "' would end at byte " +
                                                   std::to_string(end) + ", but the launch asked for " +
                                                   std::to_string(shared.dynamic_bytes) + " bytes of shared memory" +
                                                   by_whom(text_of(site)));
    void* place = taken_memory + used + number * gap;
    if (number == shared.offsets.size() && bytes > 0) {
        shared.offsets.push_back(used);
        Array& array = add(reinterpret_cast<std::uintptr_t>(place), bytes, name, true);
        array.row_bytes = row_bytes;
        array.taken = true;
        array.offset = used;
        std::memset(place, 0xFF, bytes + gap);
    }
    used = end;
    return place;
}

}  // namespace gpu::engine

namespace gpu {

void* allocate(std::size_t bytes, const char* name) {
    const engine::HostThread host_thread;
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t rounded = std::max<std::size_t>(16, (bytes + 15) / 16 * 16);  // float4 needs 16
    const std::size_t body = (rounded + page - 1) / page * page;
    void* map = ::mmap(nullptr, body + 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) throw std::bad_alloc();
    char* first = static_cast<char*>(map) + page;
    std::memset(first, 0xFF, body);
    ::mprotect(map, page, PROT_NONE);
    ::mprotect(first + body, page, PROT_NONE);
    void* memory = first + body - rounded;
    engine::buffers[memory] = {map, body + 2 * page};
    engine::add(reinterpret_cast<std::uintptr_t>(memory), bytes, name, false);
    return memory;
}

void release(void* memory) noexcept {
    const engine::HostThread host_thread(engine::HostThread::Busy::waits);
    const auto found = engine::buffers.find(memory);
    if (found == engine::buffers.end()) return;
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    for (auto& array : engine::all)
        if (array->begin == address) engine::released.push_back(std::move(array));
    engine::remove([](const auto& array) { return array == nullptr; });
    ::munmap(found->second.map, found->second.bytes);
    engine::buffers.erase(found);
}

void copy_in(void* device, const void* host, std::size_t bytes) {
    const engine::HostThread host_thread;
    if (bytes > 0) std::memcpy(device, host, bytes);
    const auto address = reinterpret_cast<std::uintptr_t>(device);
    for (const auto& array : engine::arrays())
        if (array->begin == address) array->filled_by_host = true;
}

void copy_out(void* host, const void* device, std::size_t bytes) {
    const engine::HostThread host_thread;
    if (bytes > 0) std::memcpy(host, device, bytes);
}

}  // namespace gpu
