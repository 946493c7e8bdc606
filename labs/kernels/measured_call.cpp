#include "measured_call.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
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

constexpr char results_begin[] = "\f";  // a student's function may print, too

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

struct Times {
    double call, products;  // in seconds
    std::size_t calls;
};

// Of the call with the median time.
Times times_of(const MeasuredCall& call) {
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
    return {median->first, median->second, times.size()};
}

struct Unit {
    const char* name;
    double size;
};

// "1.2 ms", in the first unit that is not too large.
std::string in_units(double number, std::initializer_list<Unit> units) {
    const auto fits = [&](const Unit& each) { return number >= each.size; };
    const Unit* unit = std::find_if(units.begin(), units.end() - 1, fits);
    char text[40];
    std::snprintf(text, sizeof text, unit + 1 == units.end() ? "%.0f%s" : "%.3g%s", number / unit->size, unit->name);
    return text;
}
std::string time(double seconds) {
    return in_units(seconds, {{" s", 1.0}, {" ms", 1e-3}, {" µs", 1e-6}, {" ns", 1e-9}});
}
std::string count(double number) {
    return in_units(number, {{" billion", 1e9}, {" million", 1e6}, {" thousand", 1e3}, {"", 1.0}});
}

// The first call is counted, without its time: it also warms the caches.
void print(const MeasuredCall& call, double tokens, double (*speed_of_products)()) {
    products = 0;
    product_multiply_adds = 0.0;
    const std::size_t before = work_done;
    call.run();
    const std::size_t multiplied = products;
    const double done = product_multiply_adds, entries = std::max(0.0, static_cast<double>(work_done - before) - done);
    const Times times = times_of(call);
    std::printf("%s  time        %s a call, %s for each token of a head: the median of %zu\n", results_begin,
                time(times.call).c_str(), time(times.call / tokens).c_str(), times.calls);
    if (call.multiply_adds > 0.0) {
        const double speed = call.multiply_adds / times.call, floor = speed_of_products();
        std::printf(
            "  needed      %s multiply-adds by this method, with what lies above a mask left out: %.1f GFLOP/s,\n"
            "              %.0f%% of the %.1f GFLOP/s of a large product of matrices in the same run\n",
            count(call.multiply_adds).c_str(), 2e-9 * speed, 100 * speed / floor, 2e-9 * floor);
    } else {
        std::puts("  needed      how many multiply-adds this method needs is not known here, so there is no GFLOP/s");
    }
    const double share = 100 * times.products / times.call;
    if (multiplied > 0)
        std::printf("  products    %zu of matrices did %s multiply-adds in %s, %.0f%% of the time: %.1f GFLOP/s\n",
                    multiplied, count(done).c_str(), time(times.products).c_str(), share,
                    times.products > 0.0 ? 2e-9 * done / times.products : 0.0);
    else
        std::puts("  products    none of matrices: all of the time goes into the next line");
    std::printf("  the rest    %s, %.0f%% of the time: your loops, and %s entries by the vocabulary\n",
                time(std::max(0.0, times.call - times.products)).c_str(), std::max(0.0, 100 - share),
                count(entries).c_str());
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

int measure(const ProfileArguments& with, bool in_float, const std::vector<MeasuredCall>& calls) {
    const auto call = std::ranges::find(calls, with.function, &MeasuredCall::function);
    if (call == calls.end()) {
        std::fprintf(stderr, "%s is not measured here\n", with.function.c_str());
        return 2;
    }
    try {
        print(
            *call, static_cast<double>(with.heads * with.n),
            in_float ? +[] { return product_speed<float>(cblas_sgemm); }
                     : +[] { return product_speed<double>(cblas_dgemm); });
        return 0;
    } catch (const std::exception& error) {
        std::printf("%s%s", results_begin, error.what());
        return 3;
    }
}

}  // namespace linattn
