// gpu.hpp on the CPU: CUDA's vocabulary as plain C++, on top of the engine. Include gpu.hpp, not this.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>

// The C library's functions for memory work in kernels, too. GCC would not announce what they touch; clang calls these
// names by itself.
#if defined(__SANITIZE_THREAD__) && !defined(__clang__)  // in kernel files: cmake/kernels.cmake
extern "C" {
void* memcpy(void*, const void*, std::size_t) __asm__("__tsan_memcpy");
void* memmove(void*, const void*, std::size_t) __asm__("__tsan_memmove");
void* memset(void*, int, std::size_t) __asm__("__tsan_memset");
}
#endif

// Types and built-in variables, at global scope as in CUDA ------------------------------------------------------------

#define GPU_VECTOR_TYPES(name, T, align2, align4)                      \
    struct alignas(align2) name##2 {                                   \
        T x, y;                                                        \
    };                                                                 \
    struct name##3 {                                                   \
        T x, y, z;                                                     \
    };                                                                 \
    struct alignas(align4) name##4 {                                   \
        T x, y, z, w;                                                  \
    };                                                                 \
    inline name##2 make_##name##2(T x, T y) { return {x, y}; }         \
    inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; } \
    inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
GPU_VECTOR_TYPES(char, signed char, 2, 4)
GPU_VECTOR_TYPES(uchar, unsigned char, 2, 4)
GPU_VECTOR_TYPES(short, short, 4, 8)
GPU_VECTOR_TYPES(ushort, unsigned short, 4, 8)
GPU_VECTOR_TYPES(int, int, 8, 16)
GPU_VECTOR_TYPES(uint, unsigned, 8, 16)
GPU_VECTOR_TYPES(float, float, 8, 16)
GPU_VECTOR_TYPES(double, double, 16, 16)
#undef GPU_VECTOR_TYPES
struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
};

extern uint3 threadIdx, blockIdx;  // the scheduler sets them whenever it resumes a thread
extern dim3 blockDim, gridDim;
inline constexpr int warpSize = 32;

// The engine, as this header needs it ---------------------------------------------------------------------------------

namespace gpu {
namespace engine {

/// A line of the kernel. Every intrinsic notes the line it was called from by means of default arguments.
struct Site {
    const char* file;
    int line;
};
#define GPU_CALLED_FROM const char *file_ = __builtin_FILE(), int line_ = __builtin_LINE()
#define GPU_SITE (::gpu::engine::Site{file_, line_})

struct Call {
    void (*invoke)(const void* arguments);
    const void* arguments;
    std::size_t bytes;
    const void* kernel;
};
void run(dim3 grid, dim3 block, std::size_t shared_bytes, const Call& call);

void sync_block(Site site);
void sync_warp(unsigned mask, Site site);
std::uint64_t shuffle(unsigned mask, std::uint64_t value, int source_lane, Site site);
unsigned vote(unsigned mask, bool predicate, Site site);
void require_width(int width, Site site);
int lane();
void note_atomic(void* address, std::size_t bytes, bool adds_floats, void* return_address);
void note_index(const void* entries, int row, int column, int columns, int stride);
[[noreturn]] void stop_not_written(const char* function, const char* file);
void* take_shared(std::size_t& used, std::size_t bytes, const char* name, std::size_t row_bytes, Site site);

template <class T>
T shuffle_value(unsigned mask, T value, int source_lane, Site site) {
    static_assert(
        std::is_arithmetic_v<T> && sizeof(T) >= 4 && sizeof(T) <= 8,
        "a shuffle moves one int, unsigned, long, long long, float or double; move a struct member by member");
    std::uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    bits = shuffle(mask, bits, source_lane, site);
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

template <class T, class Change>
__attribute__((no_sanitize("thread"), noinline)) T change_atomically(T* address, Change change) {
    note_atomic(address, sizeof(T), std::is_floating_point_v<T>, __builtin_return_address(0));
    const T old = *address;
    *address = change(old);  // nothing else runs meanwhile: fibers stop at barriers only
    return old;
}

}  // namespace engine

inline bool available() { return true; }

/// What one block may ask for: as much as on an H100.
constexpr std::size_t most_shared_bytes() { return 227 * 1024; }

void* allocate(std::size_t bytes, const char* name);
void release(void* memory) noexcept;
void copy_in(void* device, const void* host, std::size_t bytes);
void copy_out(void* host, const void* device, std::size_t bytes);

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes, Arguments&&... arguments) {
    struct Packed {
        void (*kernel)(Parameters...);
        std::tuple<std::decay_t<Parameters>...> arguments;
    } const packed{kernel, {static_cast<Parameters>(std::forward<Arguments>(arguments))...}};
    const auto invoke = [](const void* data) {
        const auto& call = *static_cast<const Packed*>(data);
        std::apply(call.kernel, call.arguments);
    };
    engine::run(grid, block, shared_bytes, {invoke, &packed, sizeof packed, reinterpret_cast<const void*>(kernel)});
}

[[noreturn]] inline float not_implemented(const char* function, const char* file = __builtin_FILE()) {
    engine::stop_not_written(function, file);
}

/// Where the entry (row, column) lies in a matrix whose rows are `stride` entries apart and `columns` long. Here messages
/// can tell a column that the row does not have.
inline int row_major(const void* entries, int row, int column, int columns, int stride) {
    if (static_cast<unsigned>(column) >= static_cast<unsigned>(columns)) [[unlikely]]
        engine::note_index(entries, row, column, columns, stride);
    return row * stride + column;
}

/// Every thread takes the same arrays in the same order. Here each array has a name for messages, a poisoned gap behind
/// it, and the total is compared with what launch() was given.
class SharedMemory {
public:
    /// \param row entries from one row to the next, so that messages can say A(3, 5); 0 for a vector
    template <class T>
    T* take(std::size_t count, const char* name, std::size_t row = 0, GPU_CALLED_FROM) {
        return static_cast<T*>(engine::take_shared(used_, count * sizeof(T), name, row * sizeof(T), GPU_SITE));
    }

private:
    std::size_t used_ = 0;
};

}  // namespace gpu

// Barriers, shuffles, votes -------------------------------------------------------------------------------------------

inline void __syncthreads(GPU_CALLED_FROM) { gpu::engine::sync_block(GPU_SITE); }
inline void __syncwarp(unsigned mask = 0xffffffffu, GPU_CALLED_FROM) { gpu::engine::sync_warp(mask, GPU_SITE); }

template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32, GPU_CALLED_FROM) {
    gpu::engine::require_width(width, GPU_SITE);
    const int first = gpu::engine::lane() & ~(width - 1);
    return gpu::engine::shuffle_value(mask, value, first + (source & (width - 1)), GPU_SITE);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32, GPU_CALLED_FROM) {
    gpu::engine::require_width(width, GPU_SITE);
    const int lane = gpu::engine::lane(), source = lane ^ bits;
    const bool later = source / width > lane / width || source < 0;  // a later group of lanes cannot be read
    return gpu::engine::shuffle_value(mask, value, later ? lane : source, GPU_SITE);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32, GPU_CALLED_FROM) {
    gpu::engine::require_width(width, GPU_SITE);
    const int lane = gpu::engine::lane();
    const bool outside = by >= static_cast<unsigned>(width - (lane & (width - 1)));
    return gpu::engine::shuffle_value(mask, value, outside ? lane : lane + static_cast<int>(by), GPU_SITE);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32, GPU_CALLED_FROM) {
    gpu::engine::require_width(width, GPU_SITE);
    const int lane = gpu::engine::lane();
    const bool outside = by > static_cast<unsigned>(lane & (width - 1));
    return gpu::engine::shuffle_value(mask, value, outside ? lane : lane - static_cast<int>(by), GPU_SITE);
}
inline unsigned __ballot_sync(unsigned mask, int predicate, GPU_CALLED_FROM) {
    return gpu::engine::vote(mask, predicate != 0, GPU_SITE);
}
inline int __any_sync(unsigned mask, int predicate, GPU_CALLED_FROM) {
    return gpu::engine::vote(mask, predicate != 0, GPU_SITE) != 0;
}
inline int __all_sync(unsigned mask, int predicate, GPU_CALLED_FROM) {
    return gpu::engine::vote(mask, predicate == 0, GPU_SITE) == 0;  // none of those that take part says no
}
inline void __threadfence() {}
inline void __threadfence_block() {}

// Atomics -------------------------------------------------------------------------------------------------------------

// CUDA has each of them for some types only.
namespace gpu::engine {
template <class T, class... Types>
inline constexpr bool one_of = (std::is_same_v<T, Types> || ...);
}
#define GPU_REQUIRE_TYPE(name, types, list)       \
    static_assert(types,                          \
                  #name ": CUDA has it for " list \
                        " only. For another type, loop on atomicCAS with its bits, or let one thread do it all")
#define GPU_ATOMIC(name, expression, types, list)                                                 \
    template <class T>                                                                            \
    T name(T* address, std::type_identity_t<T> value) {                                           \
        GPU_REQUIRE_TYPE(name, types, list);                                                      \
        return gpu::engine::change_atomically(address, [value](T old) { return T(expression); }); \
    }
#define GPU_INTEGERS (gpu::engine::one_of<T, int, unsigned, long long, unsigned long long>)
#define GPU_INTEGER_LIST "int, unsigned, long long and unsigned long long"
GPU_ATOMIC(atomicAdd, old + value, (gpu::engine::one_of<T, int, unsigned, unsigned long long, float, double>),
           "int, unsigned, unsigned long long, float and double")
GPU_ATOMIC(atomicSub, old - value, (gpu::engine::one_of<T, int, unsigned>), "int and unsigned")
GPU_ATOMIC(atomicExch, (static_cast<void>(old), value),
           (gpu::engine::one_of<T, int, unsigned, unsigned long long, float>),
           "int, unsigned, unsigned long long and float")
GPU_ATOMIC(atomicInc, old >= value ? 0 : old + 1, (gpu::engine::one_of<T, unsigned>), "unsigned")
GPU_ATOMIC(atomicDec, old == 0 || old > value ? value : old - 1, (gpu::engine::one_of<T, unsigned>), "unsigned")
GPU_ATOMIC(atomicMax, std::max(old, value), GPU_INTEGERS, GPU_INTEGER_LIST)
GPU_ATOMIC(atomicMin, std::min(old, value), GPU_INTEGERS, GPU_INTEGER_LIST)
GPU_ATOMIC(atomicAnd, old& value, GPU_INTEGERS, GPU_INTEGER_LIST)
GPU_ATOMIC(atomicOr, old | value, GPU_INTEGERS, GPU_INTEGER_LIST)
GPU_ATOMIC(atomicXor, old ^ value, GPU_INTEGERS, GPU_INTEGER_LIST)
template <class T>
T atomicCAS(T* address, std::type_identity_t<T> compare, std::type_identity_t<T> value) {
    GPU_REQUIRE_TYPE(atomicCAS, (gpu::engine::one_of<T, int, unsigned, unsigned long long, unsigned short>),
                     "int, unsigned, unsigned long long and unsigned short");
    return gpu::engine::change_atomically(address, [=](T old) { return old == compare ? value : old; });
}
#undef GPU_INTEGER_LIST
#undef GPU_INTEGERS
#undef GPU_ATOMIC
#undef GPU_REQUIRE_TYPE

// What CUDA offers without a header, and its keywords -----------------------------------------------------------------

template <class T>
T __ldg(const T* address) {
    return *address;
}
inline int __float_as_int(float x) { return std::bit_cast<int>(x); }
inline unsigned __float_as_uint(float x) { return std::bit_cast<unsigned>(x); }
inline float __int_as_float(int x) { return std::bit_cast<float>(x); }
inline float __uint_as_float(unsigned x) { return std::bit_cast<float>(x); }
inline long long __double_as_longlong(double x) { return std::bit_cast<long long>(x); }
inline double __longlong_as_double(long long x) { return std::bit_cast<double>(x); }
inline int __popc(unsigned x) { return std::popcount(x); }
inline int __clz(int x) { return std::countl_zero(static_cast<unsigned>(x)); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline float rsqrtf(float x) { return 1.0f / std::sqrt(x); }
inline float __fdividef(float a, float b) { return a / b; }

// min and max of two types that differ, as CUDA has them: unsigned wins over signed, double over float.
#define GPU_MIN_MAX(A, B, Result)                                                                       \
    constexpr Result min(A a, B b) { return std::min(static_cast<Result>(a), static_cast<Result>(b)); } \
    constexpr Result max(A a, B b) { return std::max(static_cast<Result>(a), static_cast<Result>(b)); }
#define GPU_MIN_MAX_OF_INTEGERS(T)         \
    GPU_MIN_MAX(T, T, T)                   \
    GPU_MIN_MAX(unsigned T, T, unsigned T) \
    GPU_MIN_MAX(T, unsigned T, unsigned T) \
    GPU_MIN_MAX(unsigned T, unsigned T, unsigned T)
GPU_MIN_MAX_OF_INTEGERS(int)
GPU_MIN_MAX_OF_INTEGERS(long)
GPU_MIN_MAX_OF_INTEGERS(long long)
GPU_MIN_MAX(float, float, float)
GPU_MIN_MAX(float, double, double)
GPU_MIN_MAX(double, float, double)
GPU_MIN_MAX(double, double, double)
#undef GPU_MIN_MAX_OF_INTEGERS
#undef GPU_MIN_MAX

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __constant__ static
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __expf(x) ::expf(x)  // the C library has taken the name itself
#define __logf(x) ::logf(x)
// Legal C++ for both forms as they stand: `__shared__ float tile[32][33];` in a kernel (thread_local implies static
// there), and `extern __shared__ float smem[];`, under any name, in a kernel or outside. The engine finds, names,
// poisons and watches them; the build gives the second form its memory (engine/dynamic_memory.cpp).
#define __shared__ thread_local

// What is not modelled, rejected with a sentence ----------------------------------------------------------------------

namespace gpu::engine {
template <class...>
inline constexpr bool never = false;
}
#define GPU_REFUSE(name, why)                                 \
    template <class... Any>                                   \
    int name(Any&&...) {                                      \
        static_assert(gpu::engine::never<Any...>, #name why); \
        return 0;                                             \
    }
GPU_REFUSE(clock64, ": the CPU run has no GPU clock; measure on a GPU")
GPU_REFUSE(__nanosleep, ": the CPU run models no time; wait at a barrier instead")
GPU_REFUSE(__activemask, ": which lanes run together is not modelled; pass the mask that you mean")
GPU_REFUSE(__match_any_sync, " is not modelled by the CPU run; use shuffles or votes")
GPU_REFUSE(__match_all_sync, " is not modelled by the CPU run; use shuffles or votes")
GPU_REFUSE(__syncthreads_count, " is not modelled by the CPU run; count in shared memory between two __syncthreads()")
GPU_REFUSE(__syncthreads_and, " is not modelled by the CPU run; use shared memory between two __syncthreads()")
GPU_REFUSE(__syncthreads_or, " is not modelled by the CPU run; use shared memory between two __syncthreads()")
GPU_REFUSE(__threadfence_system, ": memory order is not modelled; a kernel here ends before anybody reads its results")
GPU_REFUSE(cudaMalloc, ": use gpu::Buffer, which both machines have")
GPU_REFUSE(cudaMemcpy, ": use gpu::Buffer, which both machines have")
#undef GPU_REFUSE

namespace gpu::engine {
template <class Type>
struct NotModelled {
    static_assert(never<Type>,
                  "16-bit floats: the CPU run models float and double only, and nvcc asks for a header; use float");
};
}  // namespace gpu::engine
using __half = gpu::engine::NotModelled<struct Half>;
using __half2 = gpu::engine::NotModelled<struct Half>;
using half = gpu::engine::NotModelled<struct Half>;
using half2 = gpu::engine::NotModelled<struct Half>;
using __nv_bfloat16 = gpu::engine::NotModelled<struct Half>;

// Inline PTX. The static_assert is the sentence; what follows it would have been the statement.
#ifdef __clang__
#pragma clang diagnostic ignored "-Wkeyword-macro"
#endif
#define asm                                                                                                          \
    static_assert(gpu::engine::never<>, "inline PTX: the CPU run compiles C++ only; use an intrinsic or plain C++"); \
    __asm__
