// What each instruction does, under its whole name: a name that is not here is not known. From the PTX ISA, "Instruction set".
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "launch.hpp"

namespace ptx {
namespace {

using Execute = Instruction::Execute;
using Table = std::map<std::string, Execute>;
using std::int16_t, std::int32_t, std::int64_t, std::uint16_t, std::uint32_t, std::uint64_t;

template <class T>
T get(const Thread& thread, const Instruction& i, std::size_t operand) {
    const std::uint64_t value = thread.values[i.operands[operand]];
    if constexpr (std::is_same_v<T, float>)
        return std::bit_cast<float>(static_cast<uint32_t>(value));
    else
        return static_cast<T>(value);
}

template <class T>
void put(Thread& thread, const Instruction& i, std::size_t operand, T result) {
    std::uint64_t& value = thread.values[i.operands[operand]];
    if constexpr (std::is_same_v<T, float>)
        value = std::bit_cast<uint32_t>(result);
    else if constexpr (std::is_same_v<T, bool>)
        value = result;
    else
        value = static_cast<std::make_unsigned_t<T>>(result);
}

// Shapes of instructions: operand 0 is the destination.

template <class T, class Operation, class Result = T>
void unary(Thread* thread, const Instruction& i) {
    put<Result>(*thread, i, 0, static_cast<Result>(Operation{}(get<T>(*thread, i, 1))));
}
template <class T, class Operation, class Result = T>
void binary(Thread* thread, const Instruction& i) {
    put<Result>(*thread, i, 0, static_cast<Result>(Operation{}(get<T>(*thread, i, 1), get<T>(*thread, i, 2))));
}
template <class T, class Operation>
void shift(Thread* thread, const Instruction& i) {  // by 32 or more bits of 32: all of them
    const uint32_t by = get<uint32_t>(*thread, i, 2), most = std::numeric_limits<T>::digits + std::is_signed_v<T>;
    const T x = get<T>(*thread, i, 1);
    const bool all = by >= most;
    put<T>(*thread, i, 0, all ? (x < 0 ? static_cast<T>(-1) : T{0}) : static_cast<T>(Operation{}(x, by)));
}
template <class T, class Wide>
void multiply_wide(Thread* thread, const Instruction& i) {
    put<Wide>(*thread, i, 0, static_cast<Wide>(Wide{get<T>(*thread, i, 1)} * Wide{get<T>(*thread, i, 2)}));
}
template <class T, class Wide>
void multiply_high(Thread* thread, const Instruction& i) {
    put<T>(*thread, i, 0, static_cast<T>((Wide{get<T>(*thread, i, 1)} * Wide{get<T>(*thread, i, 2)}) >> 32));
}
template <class T, class Wide>
void multiply_wide_add(Thread* thread, const Instruction& i) {
    const Wide product = Wide{get<T>(*thread, i, 1)} * Wide{get<T>(*thread, i, 2)};
    put<uint64_t>(*thread, i, 0, static_cast<uint64_t>(product) + get<uint64_t>(*thread, i, 3));
}
template <class T>
void multiply_add(Thread* thread, const Instruction& i) {
    put<T>(*thread, i, 0, get<T>(*thread, i, 1) * get<T>(*thread, i, 2) + get<T>(*thread, i, 3));
}
template <int Rounding>
void fused_multiply_add(Thread* thread, const Instruction& i) {
    if (Rounding != FE_TONEAREST) std::fesetround(Rounding);
    const volatile float sum = std::fma(get<float>(*thread, i, 1), get<float>(*thread, i, 2), get<float>(*thread, i, 3));
    if (Rounding != FE_TONEAREST) std::fesetround(FE_TONEAREST);
    put<float>(*thread, i, 0, sum);
}
template <class T>
void select(Thread* thread, const Instruction& i) {
    put<T>(*thread, i, 0, get<bool>(*thread, i, 3) ? get<T>(*thread, i, 1) : get<T>(*thread, i, 2));
}
template <class T, class Operation>
void divide(Thread* thread, const Instruction& i) {
    if (get<T>(*thread, i, 2) == 0) throw std::runtime_error("division of integers by 0");
    binary<T, Operation>(thread, i);
}

// Operations.

struct Same {
    template <class T>
    T operator()(T x) const {
        return x;
    }
};
struct Not {
    template <class T>
    T operator()(T x) const {
        return static_cast<T>(~x);
    }
    bool operator()(bool x) const { return !x; }
};
struct Left {
    template <class T>
    T operator()(T x, uint32_t by) const {
        return static_cast<T>(x << by);
    }
};
struct Right {
    template <class T>
    T operator()(T x, uint32_t by) const {
        return static_cast<T>(x >> by);
    }
};
struct Least {  // of a number and NaN, the number
    template <class T>
    T operator()(T x, T y) const {
        return y < x || x != x ? y : x;
    }
};
struct Largest {
    template <class T>
    T operator()(T x, T y) const {
        return x < y || x != x ? y : x;
    }
};
template <class Comparison>
struct OrUnordered {
    bool operator()(float x, float y) const { return std::isnan(x) || std::isnan(y) || Comparison{}(x, y); }
};
struct Magnitude {
    float operator()(float x) const { return std::fabs(x); }
};
struct Reciprocal {
    float operator()(float x) const { return 1.0f / x; }
};
struct SquareRoot {
    float operator()(float x) const { return std::sqrt(x); }
};
struct PowerOfTwo {
    float operator()(float x) const { return std::exp2(x); }
};
struct PowerOfTwoFlushed {
    float operator()(float x) const {
        const float power = std::exp2(x);
        return std::fpclassify(power) == FP_SUBNORMAL ? 0.0f : power;
    }
};
struct Saturated {  // NaN becomes 0
    float operator()(float x) const { return x > 0.0f ? std::fmin(x, 1.0f) : 0.0f; }
};
struct ToTf32 {  // 10 bits of fraction, halves away from zero
    uint32_t operator()(uint32_t bits) const {
        return std::isfinite(std::bit_cast<float>(bits)) ? (bits + 0x1000u) & ~0x1fffu : bits;
    }
};
struct IntoShared {
    uint64_t operator()(uint64_t address) const { return address + shared_window; }
};
struct OutOfShared {
    uint64_t operator()(uint64_t address) const { return address - shared_window; }
};

// Memory.

template <class T, std::size_t Count>
void load(Thread* thread, const Instruction& i) {
    const std::uint64_t address = get<uint64_t>(*thread, i, Count) + i.offset;
    Launch& launch = *thread->launch;
    const char* from = i.space == Space::parameter
                           ? &launch.parameters.at(address + Count * sizeof(T) - 1) - (Count * sizeof(T) - 1)
                           : launch.memory.access(thread->accessor, i.space, address, Count * sizeof(T), false);
    for (std::size_t n = 0; n < Count; ++n) {
        T value;
        std::memcpy(&value, from + n * sizeof(T), sizeof(T));
        thread->values[i.operands[n]] = std::is_signed_v<T> ? static_cast<uint64_t>(static_cast<int64_t>(value)) : value;
    }
}

template <class T, std::size_t Count>
void store(Thread* thread, const Instruction& i) {
    char* to = thread->launch->memory.access(thread->accessor, i.space, get<uint64_t>(*thread, i, 0) + i.offset,
                                             Count * sizeof(T), true);
    for (std::size_t n = 0; n < Count; ++n) {
        const T value = get<T>(*thread, i, 1 + n);
        std::memcpy(to + n * sizeof(T), &value, sizeof(T));
    }
}

// What the lanes of a warp do together.

void warp_barrier(Thread* lanes, const Instruction&) {
    for (std::size_t lane = 0; lane < 32; ++lane) ++lanes[lane].accessor.warp_barriers;
}

/// Which entry of a matrix is number n of a lane's part. PTX leaves it open: any bijection must do.
constexpr std::size_t entry(std::size_t n, std::size_t lane) { return 32 * n + (11 * lane + 5 * n) % 32; }

template <char Matrix>
constexpr std::size_t rows = Matrix == 'b' ? 8 : 16;
template <char Matrix>
constexpr std::size_t columns = Matrix == 'a' ? 8 : 16;

/// A matrix between memory and the registers of a warp: 16×8, 8×16, or 16×16 for the accumulator.
template <char Matrix, bool by_rows, bool writes>
void move_matrix(Thread* lanes, const Instruction& i) {
    constexpr std::size_t parts = rows<Matrix> * columns<Matrix> / 32;
    constexpr std::size_t at = writes ? 0 : parts, first = writes ? 1 : 0;
    const uint64_t address = get<uint64_t>(lanes[0], i, at) + i.offset;
    const uint32_t stride = get<uint32_t>(lanes[0], i, parts + 1);
    if (address % 32 != 0) throw std::runtime_error("a matrix does not begin at a multiple of 32 bytes");
    if (stride % 4 != 0) throw std::runtime_error("the stride of a matrix is no multiple of 4 numbers");
    for (std::size_t lane = 0; lane < 32; ++lane) {
        Thread& thread = lanes[lane];
        if (get<uint64_t>(thread, i, at) + i.offset != address || get<uint32_t>(thread, i, parts + 1) != stride)
            throw std::runtime_error("the lanes of a warp differ in a matrix's address or stride");
        for (std::size_t n = 0; n < parts; ++n) {
            const std::size_t row = entry(n, lane) / columns<Matrix>, column = entry(n, lane) % columns<Matrix>;
            const std::size_t place = by_rows ? row * stride + column : column * stride + row;
            char* memory = thread.launch->memory.access(thread.accessor, i.space, address + 4 * place, 4, writes);
            uint32_t bits = get<uint32_t>(thread, i, first + n);
            writes ? std::memcpy(memory, &bits, 4) : std::memcpy(&bits, memory, 4);
            if (!writes) put<uint32_t>(thread, i, first + n, bits);
        }
    }
}

/// The factors count with 10 bits of fraction. The sum is rounded towards zero, as tensor cores do; PTX leaves it open.
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
        double sum = static_cast<double>(c[e]);
        for (std::size_t k = 0; k < 8; ++k)
            sum += static_cast<double>(a[e / 16 * 8 + k]) * static_cast<double>(b[k * 16 + e % 16]);
        c[e] = static_cast<float>(sum);
        if (std::fabs(static_cast<double>(c[e])) > std::fabs(sum)) c[e] = std::nextafter(c[e], 0.0f);
    }
    for (std::size_t lane = 0; lane < 32; ++lane)
        for (std::size_t n = 0; n < 8; ++n) put<float>(lanes[lane], i, n, c[entry(n, lane)]);
}

// The table. Where a sign makes no difference, the unsigned type does the work.

template <class Operation>
void add_wrapping(Table& table, const std::string& name) {
    for (const char* type : {"s16", "u16", "b16"}) table[name + type] = binary<uint16_t, Operation>;
    for (const char* type : {"s32", "u32", "b32"}) table[name + type] = binary<uint32_t, Operation>;
    for (const char* type : {"s64", "u64", "b64"}) table[name + type] = binary<uint64_t, Operation>;
}
template <class Operation>
void add_unary(Table& table, const std::string& name) {
    for (const char* type : {"s32", "u32", "b32"}) table[name + type] = unary<uint32_t, Operation>;
    for (const char* type : {"s64", "u64", "b64"}) table[name + type] = unary<uint64_t, Operation>;
}
template <template <class, class> class Shape, class Operation>
void add_by_sign(Table& table, const std::string& name) {
    table[name + "s32"] = Shape<int32_t, Operation>::execute;
    table[name + "u32"] = table[name + "b32"] = Shape<uint32_t, Operation>::execute;
    table[name + "s64"] = Shape<int64_t, Operation>::execute;
    table[name + "u64"] = table[name + "b64"] = Shape<uint64_t, Operation>::execute;
}
template <class T, class Operation>
struct Binary {
    static constexpr Execute execute = binary<T, Operation>;
};
template <class T, class Operation>
struct Comparison {
    static constexpr Execute execute = binary<T, Operation, bool>;
};
template <class T, class Operation>
struct Shift {
    static constexpr Execute execute = shift<T, Operation>;
};
template <class T, class Operation>
struct Division {
    static constexpr Execute execute = divide<T, Operation>;
};

template <template <class> class Compare>
void add_comparison(Table& table, const std::string& name) {
    add_by_sign<Comparison, Compare<void>>(table, "setp." + name + ".");
    table["setp." + name + ".f32"] = binary<float, Compare<float>, bool>;
    table["setp." + name + "u.f32"] = binary<float, OrUnordered<Compare<float>>, bool>;
}

template <class To>
void add_conversions(Table& table, const std::string& to) {
    const std::string name = "cvt." + to + ".";
    table[name + "s16"] = unary<int16_t, Same, To>;
    table[name + "u16"] = unary<uint16_t, Same, To>;
    table[name + "s32"] = unary<int32_t, Same, To>;
    table[name + "u32"] = unary<uint32_t, Same, To>;
    table[name + "s64"] = unary<int64_t, Same, To>;
    table[name + "u64"] = unary<uint64_t, Same, To>;
}

template <class T>
void add_accesses(Table& table, const std::string& type) {
    for (const std::string space : {".global.", ".global.nc.", ".shared.", ".param.", "."}) {
        table["ld" + space + type] = load<T, 1>;
        table["ld" + space + "v2." + type] = load<T, 2>;
        table["ld" + space + "v4." + type] = load<T, 4>;
        table["st" + space + type] = store<T, 1>;
        table["st" + space + "v2." + type] = store<T, 2>;
        table["st" + space + "v4." + type] = store<T, 4>;
    }
}

template <char Matrix>
void add_matrix(Table& table, const std::string& type) {
    const std::string begin = std::string("wmma.load.") + Matrix + ".sync.aligned.", end = ".m16n16k8." + type;
    table[begin + "row" + end] = move_matrix<Matrix, true, false>;
    table[begin + "col" + end] = move_matrix<Matrix, false, false>;
}

void add_integers(Table& table) {
    add_wrapping<std::plus<>>(table, "add.");
    add_wrapping<std::minus<>>(table, "sub.");
    add_wrapping<std::multiplies<>>(table, "mul.lo.");
    add_wrapping<std::bit_and<>>(table, "and.");
    add_wrapping<std::bit_or<>>(table, "or.");
    add_wrapping<std::bit_xor<>>(table, "xor.");
    add_unary<std::negate<>>(table, "neg.");
    add_unary<Not>(table, "not.");
    add_unary<Same>(table, "mov.");
    add_by_sign<Binary, Least>(table, "min.");
    add_by_sign<Binary, Largest>(table, "max.");
    add_by_sign<Division, std::divides<>>(table, "div.");
    add_by_sign<Division, std::modulus<>>(table, "rem.");
    add_by_sign<Shift, Left>(table, "shl.");
    add_by_sign<Shift, Right>(table, "shr.");
    table["mul.wide.s32"] = multiply_wide<int32_t, int64_t>;
    table["mul.wide.u32"] = multiply_wide<uint32_t, uint64_t>;
    table["mul.hi.s32"] = multiply_high<int32_t, int64_t>;
    table["mul.hi.u32"] = multiply_high<uint32_t, uint64_t>;
    table["mad.wide.s32"] = multiply_wide_add<int32_t, int64_t>;
    table["mad.wide.u32"] = multiply_wide_add<uint32_t, uint64_t>;
    table["mad.lo.s32"] = table["mad.lo.u32"] = multiply_add<uint32_t>;
    table["mad.lo.s64"] = table["mad.lo.u64"] = multiply_add<uint64_t>;
    add_conversions<int16_t>(table, "s16");
    add_conversions<uint16_t>(table, "u16");
    add_conversions<int32_t>(table, "s32");
    add_conversions<uint32_t>(table, "u32");
    add_conversions<int64_t>(table, "s64");
    add_conversions<uint64_t>(table, "u64");
}

void add_floats(Table& table) {
    table["add.f32"] = binary<float, std::plus<>>;
    table["sub.f32"] = binary<float, std::minus<>>;
    table["mul.f32"] = binary<float, std::multiplies<>>;
    table["div.rn.f32"] = binary<float, std::divides<>>;
    table["min.f32"] = binary<float, Least>;
    table["max.f32"] = binary<float, Largest>;
    table["neg.f32"] = unary<float, std::negate<>>;
    table["abs.f32"] = unary<float, Magnitude>;
    table["mov.f32"] = unary<float, Same>;
    table["fma.rn.f32"] = fused_multiply_add<FE_TONEAREST>;
    table["fma.rm.f32"] = fused_multiply_add<FE_DOWNWARD>;
    table["rcp.rn.f32"] = unary<float, Reciprocal>;
    table["sqrt.rn.f32"] = unary<float, SquareRoot>;
    table["ex2.approx.f32"] = unary<float, PowerOfTwo>;
    table["ex2.approx.ftz.f32"] = unary<float, PowerOfTwoFlushed>;
    table["cvt.sat.f32.f32"] = unary<float, Saturated>;
    table["cvt.rna.tf32.f32"] = unary<uint32_t, ToTf32>;
    table["cvt.rn.f32.s32"] = unary<int32_t, Same, float>;
    table["cvt.rn.f32.u32"] = unary<uint32_t, Same, float>;
}

Table table_of_instructions() {
    Table table;
    add_integers(table);
    add_floats(table);
    add_comparison<std::equal_to>(table, "eq");
    add_comparison<std::not_equal_to>(table, "ne");
    add_comparison<std::less>(table, "lt");
    add_comparison<std::less_equal>(table, "le");
    add_comparison<std::greater>(table, "gt");
    add_comparison<std::greater_equal>(table, "ge");
    table["selp.b32"] = table["selp.f32"] = table["selp.u32"] = table["selp.s32"] = select<uint32_t>;
    table["selp.b64"] = table["selp.u64"] = table["selp.s64"] = select<uint64_t>;
    table["and.pred"] = binary<bool, std::logical_and<>>;
    table["or.pred"] = binary<bool, std::logical_or<>>;
    table["xor.pred"] = binary<bool, std::not_equal_to<>>;
    table["not.pred"] = unary<bool, Not>;
    table["mov.pred"] = unary<bool, Same>;
    table["cvta.to.global.u64"] = table["cvta.global.u64"] = unary<uint64_t, Same>;
    table["cvta.shared.u64"] = unary<uint64_t, IntoShared>;
    table["cvta.to.shared.u64"] = unary<uint64_t, OutOfShared>;
    add_accesses<std::uint8_t>(table, "u8");
    add_accesses<std::int8_t>(table, "s8");
    add_accesses<uint16_t>(table, "u16");
    for (const char* type : {"u32", "s32", "b32", "f32"}) add_accesses<uint32_t>(table, type);
    for (const char* type : {"u64", "s64", "b64"}) add_accesses<uint64_t>(table, type);
    table["bar.warp.sync"] = warp_barrier;
    add_matrix<'a'>(table, "tf32");
    add_matrix<'b'>(table, "tf32");
    add_matrix<'c'>(table, "f32");
    table["wmma.store.d.sync.aligned.row.m16n16k8.f32"] = move_matrix<'d', true, true>;
    table["wmma.store.d.sync.aligned.col.m16n16k8.f32"] = move_matrix<'d', false, true>;
    for (const std::string layouts : {"row.row", "row.col", "col.row", "col.col"})
        table["wmma.mma.sync.aligned." + layouts + ".m16n16k8.f32.tf32.tf32.f32"] = multiply_matrices;
    return table;
}

}  // namespace

Instruction::Execute find_instruction(const std::string& name) {
    static const Table table = table_of_instructions();
    const auto found = table.find(name);
    return found == table.end() ? nullptr : found->second;
}

}  // namespace ptx
