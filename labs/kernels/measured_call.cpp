#include "measured_call.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <nlohmann/json.hpp>
#include <utility>

#include "random.hpp"
#include "work_counter.hpp"

namespace {

using Clock = std::chrono::steady_clock;

constexpr int row_by_row = 101, plain = 111;  // as in <cblas.h>

std::atomic<std::size_t> products = 0;
std::atomic<double> product_multiply_adds = 0.0, product_seconds = 0.0;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

template <class Product>
void count_product(int m, int n, int k, const Product& product) {
    ++products;
    product_multiply_adds += static_cast<double>(m) * n * k;
    const Clock::time_point begin = Clock::now();
    product();
    product_seconds += seconds_since(begin);
}

}  // namespace

// They replace those of BLAS, and call its routines for Fortran: these store a matrix column by column, so that one which is
// stored row by row is its own transpose to them.
#define COUNTED_PRODUCT(name, fortran, T)                                                                         \
    extern "C" {                                                                                                  \
    void fortran(const char*, const char*, const int*, const int*, const int*, const T*, const T*, const int*,    \
                 const T*, const int*, const T*, T*, const int*);                                                 \
    void name(int order, int trans_a, int trans_b, int m, int n, int k, T alpha, const T* a, int lda, const T* b, \
              int ldb, T beta, T* c, int ldc) {                                                                   \
        const char *as_a = trans_a == plain ? "N" : "T", *as_b = trans_b == plain ? "N" : "T";                    \
        count_product(m, n, k, [&] {                                                                              \
            if (order == row_by_row)                                                                              \
                fortran(as_b, as_a, &n, &m, &k, &alpha, b, &ldb, a, &lda, &beta, c, &ldc);                        \
            else                                                                                                  \
                fortran(as_a, as_b, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);                        \
        });                                                                                                       \
    }                                                                                                             \
    }
COUNTED_PRODUCT(cblas_sgemm, sgemm_, float)
COUNTED_PRODUCT(cblas_dgemm, dgemm_, double)
#undef COUNTED_PRODUCT

namespace linattn {
namespace {

using Json = nlohmann::json;

// Multiply-adds per second of a large product, the best of some.
template <class T, class Product>
double product_speed(Product* product) {
    constexpr int size = 512;
    const std::vector<T> A(size * size, T(0.5)), B(size * size, T(0.25));
    std::vector<T> C(size * size);
    double best = 0.0;
    const Clock::time_point start = Clock::now();
    while (seconds_since(start) < 0.3) {
        const Clock::time_point begin = Clock::now();
        product(row_by_row, plain, plain, size, size, size, T(1), A.data(), size, B.data(), size, T(0), C.data(), size);
        best = std::max(best, static_cast<double>(size) * size * size / seconds_since(begin));
    }
    return best;
}

// What one call does. No time is taken here: it is the first, which also warms the caches.
Json counted(const MeasuredCall& call) {
    products = 0;
    product_multiply_adds = 0.0;
    const std::size_t work = work_done;
    call.run();
    return {{"products", products.load()},
            {"product_multiply_adds", product_multiply_adds.load()},
            {"work", work_done - work}};
}

// (of a call, of its products) in seconds, of the call with the median time.
void take_time(const MeasuredCall& call, Json& line) {
    std::vector<std::pair<double, double>> times;
    const Clock::time_point start = Clock::now();
    do {
        product_seconds = 0.0;
        const Clock::time_point begin = Clock::now();
        call.run();
        times.emplace_back(seconds_since(begin), product_seconds.load());
    } while (seconds_since(start) < (times.size() < 3 ? 5.0 : 0.5));
    const auto median = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), median, times.end());
    line["calls"] = times.size();
    line["seconds"] = median->first;
    line["product_seconds"] = median->second;
}

}  // namespace

ProfileArguments profile_arguments(int argc, char** argv) {
    if (argc != 6) {
        std::fprintf(stderr, "usage: %s function heads n d chunk\n", argv[0]);
        std::exit(2);
    }
    const auto number = [&](int at) { return static_cast<std::size_t>(std::strtoul(argv[at], nullptr, 10)); };
    return {argv[1], number(2), number(3), number(4), number(5)};
}

std::vector<float> normal_floats(std::size_t count, std::uint64_t seed) {
    const Tensor x = normal({count}, seed);
    std::vector<float> result(count);
    std::transform(x.begin(), x.end(), result.begin(), [](double entry) { return static_cast<float>(entry); });
    return result;
}

int measure(const std::string& function, bool in_float, const std::vector<MeasuredCall>& calls) {
    const auto call =
        std::find_if(calls.begin(), calls.end(), [&](const MeasuredCall& each) { return each.function == function; });
    if (call == calls.end()) {
        std::fprintf(stderr, "%s is not measured here\n", function.c_str());
        return 2;
    }
    Json line;
    try {
        line = counted(*call);
        take_time(*call, line);
        line["multiply_adds"] = call->multiply_adds;
        line["product_speed"] = in_float ? product_speed<float>(cblas_sgemm) : product_speed<double>(cblas_dgemm);
    } catch (const std::exception& e) {
        line = {{"error", e.what()}};
    }
    std::puts(line.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
    return 0;
}

}  // namespace linattn
