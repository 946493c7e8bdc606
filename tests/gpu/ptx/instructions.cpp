// What each instruction does, under its whole name: a name that is not here is not known. From the PTX ISA, "Instruction set".
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "interpreter.hpp"

namespace ptx {
namespace {

using std::int32_t, std::int64_t, std::uint32_t, std::uint64_t;
using Table = std::map<std::string, Instruction::Execute>;

template <class T>
T get(const Thread& thread, const Instruction& i, std::size_t operand) {
    const Number value = thread.values[i.operands[operand]];
    if constexpr (std::is_same_v<T, float>)
        return std::bit_cast<float>(static_cast<uint32_t>(value));
    else
        return static_cast<T>(value);
}

template <class T>
void put(Thread& thread, const Instruction& i, std::size_t operand, T result) {
    Number& value = thread.values[i.operands[operand]];
    if constexpr (std::is_same_v<T, float>)
        value = std::bit_cast<uint32_t>(result);
    else if constexpr (std::is_same_v<T, bool>)
        value = result;
    else
        value = static_cast<std::make_unsigned_t<T>>(result);
}

template <class F, class Result, class... Parameters>
void compute(Thread& thread, const Instruction& i, Result (F::*)(Parameters...) const) {
    [&]<std::size_t... number>(std::index_sequence<number...>) {
        put<Result>(thread, i, 0, F{}(get<Parameters>(thread, i, number + 1)...));
    }
    (std::index_sequence_for<Parameters...>());
}

/// An instruction that computes its first operand from the others.
template <class F>
Instruction::Execute computes(F) {
    return [](Thread* thread, const Instruction& i) { compute(*thread, i, &F::operator()); };
}

// What the lanes of a warp do together.

void warp_barrier(Thread* lanes, const Instruction&) {
    for (std::size_t lane = 0; lane < 32; ++lane) ++lanes[lane].accessor.warp_barriers;
}

/// Which entry of a matrix is number n of a lane's part. PTX leaves it open: any bijection must do.
constexpr std::size_t entry(std::size_t n, std::size_t lane) { return 32 * n + (11 * lane + 5 * n) % 32; }

/// A matrix between memory and the registers of a warp: a 16×8, b 8×16, the accumulator (c, d) 16×16.
template <char matrix, bool by_rows, bool writes>
void move_matrix(Thread* lanes, const Instruction& i) {
    constexpr std::size_t columns = matrix == 'a' ? 8 : 16, parts = matrix < 'c' ? 4 : 8;
    constexpr std::size_t first = writes ? 1 : 0, at = writes ? 0 : parts;
    const Number address = get<Number>(lanes[0], i, at) + i.offset;
    const auto stride = get<uint32_t>(lanes[0], i, parts + 1);
    if (address % 32 != 0) throw std::runtime_error("a matrix does not begin at a multiple of 32 bytes");
    if (stride % 4 != 0) throw std::runtime_error("the stride of a matrix is no multiple of 4 numbers");
    for (std::size_t lane = 0; lane < 32; ++lane) {
        Thread& thread = lanes[lane];
        if (get<Number>(thread, i, at) + i.offset != address || get<uint32_t>(thread, i, parts + 1) != stride)
            throw std::runtime_error("the lanes of a warp differ in a matrix's address or stride");
        for (std::size_t n = 0; n < parts; ++n) {
            const std::size_t row = entry(n, lane) / columns, column = entry(n, lane) % columns;
            const std::size_t place = by_rows ? row * stride + column : column * stride + row;
            char* memory = thread.launch->memory.access(thread.accessor, i.space, address + 4 * place, 4, writes);
            auto bits = get<uint32_t>(thread, i, first + n);
            std::memcpy(writes ? memory : static_cast<void*>(&bits), writes ? static_cast<void*>(&bits) : memory, 4);
            put<uint32_t>(thread, i, first + n, bits);
        }
    }
}

/// Factors count with 10 bits of fraction. Sums are rounded towards zero, as on tensor cores; PTX leaves it open.
void multiply_matrices(Thread* lanes, const Instruction& i) {
    float a[16 * 8], b[8 * 16], c[16 * 16];
    const auto factor = [&](std::size_t lane, std::size_t operand) {
        return std::bit_cast<float>(get<uint32_t>(lanes[lane], i, operand) & ~0x1fffu);
    };
    for (std::size_t lane = 0; lane < 32; ++lane) {
        for (std::size_t n = 0; n < 4; ++n) a[entry(n, lane)] = factor(lane, 8 + n);
        for (std::size_t n = 0; n < 4; ++n) b[entry(n, lane)] = factor(lane, 12 + n);
        for (std::size_t n = 0; n < 8; ++n) c[entry(n, lane)] = get<float>(lanes[lane], i, 16 + n);
    }
    for (std::size_t e = 0; e < 16 * 16; ++e) {
        auto sum = static_cast<double>(c[e]);
        for (std::size_t k = 0; k < 8; ++k)
            sum += static_cast<double>(a[e / 16 * 8 + k]) * static_cast<double>(b[k * 16 + e % 16]);
        c[e] = static_cast<float>(sum);
        if (std::fabs(static_cast<double>(c[e])) > std::fabs(sum)) c[e] = std::nextafter(c[e], 0.0f);
    }
    for (std::size_t lane = 0; lane < 32; ++lane)
        for (std::size_t n = 0; n < 8; ++n) put<float>(lanes[lane], i, n, c[entry(n, lane)]);
}

// The table.

template <class T, std::size_t count>
void load(Thread* thread, const Instruction& i) {
    const Number address = get<Number>(*thread, i, count) + i.offset;
    const char* from = i.space == Space::parameter ? thread->launch->parameters.data() + address
                                                   : thread->launch->memory.access(thread->accessor, i.space, address,
                                                                                   count * sizeof(T), false);
    for (std::size_t n = 0; n < count; ++n) {
        T value;
        std::memcpy(&value, from + n * sizeof(T), sizeof(T));
        put<int64_t>(*thread, i, n, static_cast<int64_t>(value));  // a sign fills the register
    }
}

template <class T, std::size_t count>
void store(Thread* thread, const Instruction& i) {
    const Number address = get<Number>(*thread, i, 0) + i.offset;
    char* to = thread->launch->memory.access(thread->accessor, i.space, address, count * sizeof(T), true);
    for (std::size_t n = 0; n < count; ++n) {
        const T value = get<T>(*thread, i, 1 + n);
        std::memcpy(to + n * sizeof(T), &value, sizeof(T));
    }
}

template <class T>
void add_accesses(Table& table, const std::string& type) {
    for (const std::string space : {".global.", ".shared.", ".param.", "."}) {
        table["ld" + space + type] = load<T, 1>;
        table["ld" + space + "v4." + type] = load<T, 4>;
        table["st" + space + type] = store<T, 1>;
        table["st" + space + "v4." + type] = store<T, 4>;
    }
}

template <class T>
T divisor(T x) {
    return x != 0 ? x : throw std::runtime_error("division of integers by 0");
}

/// Comparisons, and what a number of any type can do.
template <class T>
void add_type(Table& table, const std::string& type) {
    table["setp.eq." + type] = computes([](T x, T y) { return x == y; });
    table["setp.ne." + type] = computes([](T x, T y) { return x < y || x > y; });  // false for NaN
    table["setp.lt." + type] = computes([](T x, T y) { return x < y; });
    table["setp.le." + type] = computes([](T x, T y) { return x <= y; });
    table["setp.gt." + type] = computes([](T x, T y) { return x > y; });
    table["setp.ge." + type] = computes([](T x, T y) { return x >= y; });
    table["selp." + type] = computes([](T x, T y, bool first) { return first ? x : y; });
    table["mov." + type] = computes([](T x) { return x; });
    add_accesses<std::conditional_t<std::is_same_v<T, float>, uint32_t, T>>(table, type);
}

template <class T>
void add_integer(Table& table, const std::string& type) {
    using U = std::make_unsigned_t<T>;  // it wraps around
    constexpr uint32_t bits = std::numeric_limits<U>::digits;
    add_type<T>(table, type);
    table["add." + type] = computes([](U x, U y) { return x + y; });
    table["sub." + type] = computes([](U x, U y) { return x - y; });
    table["neg." + type] = computes([](U x) { return U{0} - x; });
    table["mul.lo." + type] = computes([](U x, U y) { return x * y; });
    table["mad.lo." + type] = computes([](U x, U y, U z) { return x * y + z; });
    table["div." + type] = computes([](T x, T y) { return x / divisor(y); });
    table["rem." + type] = computes([](T x, T y) { return x % divisor(y); });
    table["min." + type] = computes([](T x, T y) { return x < y ? x : y; });
    table["max." + type] = computes([](T x, T y) { return x < y ? y : x; });
    table["and." + type] = computes([](U x, U y) { return x & y; });
    table["or." + type] = computes([](U x, U y) { return x | y; });
    table["xor." + type] = computes([](U x, U y) { return x ^ y; });
    table["not." + type] = computes([](U x) { return ~x; });
    table["shl." + type] = computes([](U x, uint32_t by) { return by < bits ? x << by : U{0}; });
    table["shr." + type] = computes([](T x, uint32_t by) { return by < bits ? x >> by : x < 0 ? T(-1) : T{0}; });
    table["cvt.s32." + type] = computes([](T x) { return static_cast<int32_t>(x); });
    table["cvt.u32." + type] = computes([](T x) { return static_cast<uint32_t>(x); });
    table["cvt.s64." + type] = computes([](T x) { return static_cast<int64_t>(x); });
    table["cvt.u64." + type] = computes([](T x) { return static_cast<uint64_t>(x); });
}

void add_floats(Table& table) {
    add_type<float>(table, "f32");
    table["setp.equ.f32"] = computes([](float x, float y) { return !(x < y || x > y); });  // true for NaN, all six
    table["setp.neu.f32"] = computes([](float x, float y) { return x != y; });
    table["setp.ltu.f32"] = computes([](float x, float y) { return !(x >= y); });
    table["setp.leu.f32"] = computes([](float x, float y) { return !(x > y); });
    table["setp.gtu.f32"] = computes([](float x, float y) { return !(x <= y); });
    table["setp.geu.f32"] = computes([](float x, float y) { return !(x < y); });
    table["add.f32"] = computes([](float x, float y) { return x + y; });
    table["sub.f32"] = computes([](float x, float y) { return x - y; });
    table["mul.f32"] = computes([](float x, float y) { return x * y; });
    table["div.rn.f32"] = computes([](float x, float y) { return x / y; });
    table["neg.f32"] = computes([](float x) { return -x; });
    table["fma.rn.f32"] = computes([](float x, float y, float z) { return std::fma(x, y, z); });
    table["fma.rm.f32"] = computes([](float x, float y, float z) {
        std::fesetround(FE_DOWNWARD);
        const volatile float now = x, sum = std::fma(now, y, z);  // neither earlier nor later
        std::fesetround(FE_TONEAREST);
        return static_cast<float>(sum);
    });
    table["ex2.approx.f32"] = computes([](float x) { return std::exp2(x); });
    table["ex2.approx.ftz.f32"] = computes([](float x) {
        const float power = std::exp2(x);
        return std::fpclassify(power) == FP_SUBNORMAL ? 0.0f : power;
    });
    table["cvt.sat.f32.f32"] = computes([](float x) { return x > 0.0f ? std::fmin(x, 1.0f) : 0.0f; });  // NaN becomes 0
    table["cvt.rna.tf32.f32"] = computes([](uint32_t bits) {  // halves away from zero
        return std::isfinite(std::bit_cast<float>(bits)) ? (bits + 0x1000u) & ~0x1fffu : bits;
    });
}

Table table_of_instructions() {
    Table table;
    add_floats(table);
    add_integer<int32_t>(table, "s32");
    add_integer<int64_t>(table, "s64");
    for (const char* type : {"u32", "b32"}) add_integer<uint32_t>(table, type);
    for (const char* type : {"u64", "b64"}) add_integer<uint64_t>(table, type);
    table["mul.wide.s32"] = computes([](int32_t x, int32_t y) { return int64_t{x} * y; });
    table["mul.wide.u32"] = computes([](uint32_t x, uint32_t y) { return uint64_t{x} * y; });
    table["and.pred"] = computes([](bool x, bool y) { return x && y; });
    table["or.pred"] = computes([](bool x, bool y) { return x || y; });
    table["cvta.to.global.u64"] = computes([](Number address) { return address; });
    table["cvta.shared.u64"] = computes([](Number address) { return address + shared_window; });
    table["mov.u16"] = computes([](std::uint16_t x) { return x; });
    add_accesses<std::uint8_t>(table, "u8");
    table["bar.warp.sync"] = warp_barrier;
    const std::string shape = ".m16n16k8.", load = "wmma.load.", aligned = ".sync.aligned.";
    table[load + "a" + aligned + "row" + shape + "tf32"] = move_matrix<'a', true, false>;
    table[load + "a" + aligned + "col" + shape + "tf32"] = move_matrix<'a', false, false>;
    table[load + "b" + aligned + "row" + shape + "tf32"] = move_matrix<'b', true, false>;
    table[load + "b" + aligned + "col" + shape + "tf32"] = move_matrix<'b', false, false>;
    table[load + "c" + aligned + "row" + shape + "f32"] = move_matrix<'c', true, false>;
    table["wmma.store.d" + aligned + "row" + shape + "f32"] = move_matrix<'d', true, true>;
    for (const std::string layouts : {"row.row", "row.col", "col.row", "col.col"})
        table["wmma.mma" + aligned + layouts + shape + "f32.tf32.tf32.f32"] = multiply_matrices;
    return table;
}

}  // namespace

Instruction::Execute find_instruction(const std::string& name) {
    static const Table table = table_of_instructions();
    const auto found = table.find(name);
    return found == table.end() ? nullptr : found->second;
}

}  // namespace ptx
