// What each instruction does, under its whole name: a name that is not here is not known. From the PTX ISA, "Instruction set".
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "interpreter.hpp"

namespace ptx {
namespace {

using std::int32_t, std::int64_t, std::uint32_t, std::uint64_t;
using Table = std::map<std::string, Operation>;

template <class T>
T get(const Thread& thread, const Instruction& i, std::size_t operand) {
    T number;
    std::memcpy(&number, &thread.values[i.operands[operand]], sizeof(T));
    return number;
}

template <class T>
void put(Thread& thread, const Instruction& i, std::size_t operand, T result) {
    thread.values[i.operands[operand]] = 0;
    std::memcpy(&thread.values[i.operands[operand]], &result, sizeof(T));
}

/// Computes the first operand from the others.
template <class F>
Operation computes(F) {
    return {[](std::span<Thread> threads, const Instruction& i) {
        const auto compute = [&]<class Result, class... Operands>(Result (F::*)(Operands...) const) {
            [&]<std::size_t... n>(std::index_sequence<n...>) {
                put<Result>(threads[0], i, 0, F{}(get<Operands>(threads[0], i, n + 1)...));
            }
            (std::index_sequence_for<Operands...>());
        };
        compute(&F::operator());
    }};
}

Number address_in(const Thread& thread, const Instruction& i, std::size_t operand, std::size_t alignment) {
    const Number address = get<Number>(thread, i, operand) + i.offset;
    if (address % alignment == 0) return address;
    throw std::runtime_error("misaligned access: no multiple of " + std::to_string(alignment) + " bytes");
}

/// Moves a number between a register and memory.
void move_number(Thread& thread, Number& number, Number address, std::size_t bytes, bool writes) {
    char* memory = thread.memory->access(address, bytes);
    if (!writes) number = 0;
    char* in_register = reinterpret_cast<char*>(&number);
    std::copy_n(writes ? in_register : memory, bytes, writes ? memory : in_register);
}

template <std::size_t bytes, std::size_t count, bool writes>
void move(std::span<Thread> threads, const Instruction& i) {
    Thread& thread = threads[0];
    const Number address = address_in(thread, i, writes ? 0 : count, count * bytes);
    for (std::size_t n = 0; n < count; ++n)
        move_number(thread, thread.values[i.operands[writes ? n + 1 : n]], address + n * bytes, bytes, writes);
}

void jump(std::span<Thread> threads, const Instruction& i) { threads[0].next = get<Number>(threads[0], i, 0); }

void pass_barrier(std::span<Thread>, const Instruction&) {}

/// A matrix between memory and the registers of a warp: a 16×8, b 8×16, the accumulator (c, d) 16×16. Entry e is with lane
/// e % 32: PTX leaves it open.
template <char matrix, bool by_rows>
void move_matrix(std::span<Thread> lanes, const Instruction& i) {
    constexpr bool writes = matrix == 'd';
    constexpr std::size_t columns = matrix == 'a' ? 8 : 16, parts = matrix < 'c' ? 4 : 8;
    for (std::size_t e = 0; e < parts * 32; ++e) {
        Thread& lane = lanes[e % 32];
        const std::size_t row = e / columns, column = e % columns, stride = get<uint32_t>(lane, i, parts + 1);
        const Number address =
            address_in(lane, i, writes ? 0 : parts, 32) + 4 * (by_rows ? row * stride + column : column * stride + row);
        move_number(lane, lane.values[i.operands[(writes ? 1 : 0) + e / 32]], address, 4, writes);
    }
}

/// Factors count with 10 bits of fraction. Sums are rounded towards zero, as on tensor cores; PTX leaves it open.
void multiply_matrices(std::span<Thread> lanes, const Instruction& i) {
    const auto factor = [&](std::size_t operand, std::size_t e) -> double {
        return std::bit_cast<float>(get<uint32_t>(lanes[e % 32], i, operand + e / 32) & ~0x1fffu);
    };
    for (std::size_t e = 0; e < 16 * 16; ++e) {
        double sum = get<float>(lanes[e % 32], i, 16 + e / 32);
        for (std::size_t k = 0; k < 8; ++k) sum += factor(8, e / 16 * 8 + k) * factor(12, k * 16 + e % 16);
        const auto result = static_cast<float>(sum);
        put(lanes[e % 32], i, e / 32,
            std::fabs(double{result}) > std::fabs(sum) ? std::nextafter(result, 0.0f) : result);
    }
}

template <std::size_t bytes>
void add_accesses(Table& table, const std::string& type) {
    for (const std::string space : {".global.", ".global.nc.", ".shared.", ".param.", "."}) {
        table["ld" + space + type] = {move<bytes, 1, false>};
        table["ld" + space + "v4." + type] = {move<bytes, 4, false>};
        table["st" + space + type] = {move<bytes, 1, true>};
        table["st" + space + "v4." + type] = {move<bytes, 4, true>};
    }
}

/// What a number of any type can do.
template <class T, class Wrapping>
void add_type(Table& table, const std::string& type) {
    table["setp.eq." + type] = computes([](T x, T y) { return x == y; });
    table["setp.ne." + type] = computes([](T x, T y) { return x < y || x > y; });  // false for NaN
    table["setp.lt." + type] = computes([](T x, T y) { return x < y; });
    table["setp.le." + type] = computes([](T x, T y) { return x <= y; });
    table["setp.gt." + type] = computes([](T x, T y) { return x > y; });
    table["setp.ge." + type] = computes([](T x, T y) { return x >= y; });
    table["selp." + type] = computes([](T x, T y, bool first) { return first ? x : y; });
    table["mov." + type] = computes([](T x) { return x; });
    table["add." + type] = computes([](Wrapping x, Wrapping y) { return x + y; });
    table["sub." + type] = computes([](Wrapping x, Wrapping y) { return x - y; });
    table["neg." + type] = computes([](Wrapping x) { return -x; });
    add_accesses<sizeof(T)>(table, type);
}

template <class T>
void add_integer(Table& table, const std::string& type) {
    using U = std::make_unsigned_t<T>;
    constexpr uint32_t bits = std::numeric_limits<U>::digits;
    add_type<T, U>(table, type);
    table["mul.lo." + type] = computes([](U x, U y) { return x * y; });
    table["mad.lo." + type] = computes([](U x, U y, U z) { return x * y + z; });
    table["div." + type] = computes([](T x, T y) { return y == 0 ? T(-1) : x / y; });  // by 0: unspecified
    table["rem." + type] = computes([](T x, T y) { return y == 0 ? x : x % y; });
    table["min." + type] = computes([](T x, T y) { return x < y ? x : y; });
    table["max." + type] = computes([](T x, T y) { return x < y ? y : x; });
    table["and." + type] = computes([](U x, U y) { return x & y; });
    table["or." + type] = computes([](U x, U y) { return x | y; });
    table["xor." + type] = computes([](U x, U y) { return x ^ y; });
    table["not." + type] = computes([](U x) { return ~x; });
    table["shl." + type] = computes([](U x, uint32_t by) { return by < bits ? x << by : U{0}; });
    table["shr." + type] = computes([](T x, uint32_t by) { return by < bits ? x >> by : x < 0 ? T(-1) : T{0}; });
    table["cvt.u32." + type] = computes([](T x) { return static_cast<uint32_t>(x); });
    table["cvt.s64." + type] = computes([](T x) { return static_cast<int64_t>(x); });
    table["cvt.u64." + type] = computes([](T x) { return static_cast<uint64_t>(x); });
}

Table table_of_operations() {
    Table table;
    add_type<float, float>(table, "f32");
    table["setp.ltu.f32"] = computes([](float x, float y) { return !(x >= y); });  // true for NaN, all four
    table["setp.leu.f32"] = computes([](float x, float y) { return !(x > y); });
    table["setp.gtu.f32"] = computes([](float x, float y) { return !(x <= y); });
    table["setp.geu.f32"] = computes([](float x, float y) { return !(x < y); });
    table["mul.f32"] = computes([](float x, float y) { return x * y; });
    table["div.rn.f32"] = computes([](float x, float y) { return x / y; });
    table["fma.rn.f32"] = computes([](float x, float y, float z) { return std::fma(x, y, z); });
    table["fma.rm.f32"] = computes([](float x, float y, float z) {
        std::fesetround(FE_DOWNWARD);
        const volatile float now = x, sum = std::fma(now, y, z);  // neither earlier nor later
        std::fesetround(FE_TONEAREST);
        return static_cast<float>(sum);
    });
    table["ex2.approx.f32"] = computes([](float x) { return std::exp2(x); });
    table["ex2.approx.ftz.f32"] = computes([](float x) { return x < -126.0f ? 0.0f : std::exp2(x); });
    table["cvt.sat.f32.f32"] = computes([](float x) { return x > 0.0f ? std::fmin(x, 1.0f) : 0.0f; });  // NaN becomes 0
    table["cvt.rna.tf32.f32"] = computes([](uint32_t bits) {  // halves away from zero
        return std::isfinite(std::bit_cast<float>(bits)) ? (bits + 0x1000u) & ~0x1fffu : bits;
    });
    add_integer<int32_t>(table, "s32");
    add_integer<int64_t>(table, "s64");
    for (const char* type : {"u32", "b32"}) add_integer<uint32_t>(table, type);
    for (const char* type : {"u64", "b64"}) add_integer<uint64_t>(table, type);
    table["mul.wide.s32"] = computes([](int32_t x, int32_t y) { return int64_t{x} * y; });
    table["mul.wide.u32"] = computes([](uint32_t x, uint32_t y) { return uint64_t{x} * y; });
    table["and.pred"] = computes([](bool x, bool y) { return x && y; });
    table["or.pred"] = computes([](bool x, bool y) { return x || y; });
    table["cvta.to.global.u64"] = table["cvta.shared.u64"] = table["mov.u64"];
    table["mov.u16"] = computes([](std::uint16_t x) { return x; });
    add_accesses<1>(table, "u8");
    table["ret"] = {[](std::span<Thread> threads, const Instruction&) { threads[0].state = Thread::done; }};
    table["bra"] = table["bra.uni"] = {jump};
    table["bar.sync"] = {pass_barrier, Operation::block};
    table["bar.warp.sync"] = {pass_barrier, Operation::warp};
    table["wmma.load.a.sync.aligned.row.m16n16k8.tf32"] = {move_matrix<'a', true>, Operation::warp};
    table["wmma.load.a.sync.aligned.col.m16n16k8.tf32"] = {move_matrix<'a', false>, Operation::warp};
    table["wmma.load.b.sync.aligned.row.m16n16k8.tf32"] = {move_matrix<'b', true>, Operation::warp};
    table["wmma.load.b.sync.aligned.col.m16n16k8.tf32"] = {move_matrix<'b', false>, Operation::warp};
    table["wmma.load.c.sync.aligned.row.m16n16k8.f32"] = {move_matrix<'c', true>, Operation::warp};
    table["wmma.store.d.sync.aligned.row.m16n16k8.f32"] = {move_matrix<'d', true>, Operation::warp};
    for (const std::string layouts : {"row.row", "row.col", "col.row", "col.col"})
        table["wmma.mma.sync.aligned." + layouts + ".m16n16k8.f32.tf32.tf32.f32"] = {multiply_matrices,
                                                                                     Operation::warp};
    return table;
}

}  // namespace

const Operation& find_operation(const std::string& name) {
    static const Table table = table_of_operations();
    if (const auto found = table.find(name); found != table.end()) return found->second;
    throw std::runtime_error("the PTX interpreter does not know this instruction: " + name);
}

}  // namespace ptx
