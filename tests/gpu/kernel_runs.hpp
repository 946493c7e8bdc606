// What the tests of the CPU run share: the ways in which a kernel runs, and what a kernel that breaks a rule ends with.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "gpu/gpu.hpp"

#if defined(__clang__) && __clang_major__ < 15  // announces no memcpy to the engine, of a large struct neither
#define GPU_MEMCPY_IS_UNSEEN
#endif

/// Kernels note the line of their fault.
inline int line_of_fault = 0;
#define FAULT line_of_fault = __LINE__;

/// Every order of the threads, watched and not.
inline std::vector<gpu::RunOptions> all_runs() {
    using Order = gpu::RunOptions::Order;
    std::vector<gpu::RunOptions> runs;
    for (const auto order : {Order::forward, Order::reverse, Order::shuffled})
        for (const bool checked : {true, false}) runs.push_back({order, 5, checked, false});
    return runs;
}

template <class Entry>
std::vector<Entry> content(const gpu::Buffer<Entry>& buffer) {
    std::vector<Entry> entries(buffer.size());
    buffer.copy_to(entries);
    return entries;
}

/// Fault::not_written where it runs without one.
template <class Entry>
gpu::Error error_of(void (*kernel)(Entry*), Entry* x, const gpu::RunOptions& run = {}, dim3 grid = 1, dim3 block = 64,
                    std::size_t shared_bytes = 128) {
    const gpu::RunScope scope(run);
    try {
        gpu::launch(kernel, grid, block, shared_bytes, x);
    } catch (const gpu::Error& error) {
        return error;
    }
    return gpu::Error("no error", {{gpu::Fault::not_written}});
}
