#include "delta_definition.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "work_counter.hpp"

namespace linattn::testing {
namespace {

using Index = std::size_t;
using Row = std::vector<double>;

void add(Row& to, double times, const double* row) {
    for (Index b = 0; b < to.size(); ++b) to[b] += times * row[b];
}

class Delta {
public:
    Delta(const DeltaCall& asked, const DeltaSettings& settings)
        : call(asked),
          s(settings),
          H(heads_of(asked.V)),
          n(length(asked.V, -2)),
          d_k(length(asked.Q, -1)),
          d_v(length(asked.V, -1)),
          block(std::max<Index>(1, std::min(s.block != 0 ? s.block : asked.chunk, n))) {}

    DeltaResult result() {
        Shape state = shape_of(call.V);
        state[state.size() - 2] = d_k;
        made = {zeros(shape_of(call.V)), zeros(state), zeros(shape_of(call.V))};
        for (Index head = 0; head < H; ++head) {
            begin_head(head);
            for (Index begin = 0; begin < n; begin += block) {
                const Index end = decays.end_of(begin / block);
                for (Index i = begin; i < end; ++i)
                    if (!skipped(i)) find_write(i);
                for (Index i = begin; i < end; ++i)
                    if (!skipped(i)) find_output(i);
            }
            find_state();
            for (Index i = 0; i < n; ++i) std::copy(u[i].begin(), u[i].end(), made.u.data() + (h * n + i) * d_v);
        }
        if (s.returned == StateReturned::as_it_came && call.S != nullptr) made.S = *call.S;
        if (s.writes_argument && call.S != nullptr) const_cast<Tensor&>(*call.S) = made.S;
        count_work(H * n * n * (d_k + d_v));  // so that an answer in O(n²) is seen as one
        return made;
    }

private:
    void begin_head(Index head) {
        h = head;
        q = rows_of(call.Q, d_k);
        k = rows_of(call.K, d_k);
        v = rows_of(call.V, d_v);
        for (auto& [normalized, all] : {std::pair(s.keys_normalized, &k), {s.queries_normalized, &q}})
            for (Row& row : *all) {
                const double size = std::sqrt(dot_product(row.data(), row.data(), d_k) + s.under_root);
                for (double& x : row)
                    if (normalized && size > 0.0) x /= size;
            }
        Row a(n, 1.0);
        for (Index i = 0; i < n && call.log_decay != nullptr; ++i) a[i] = skipped(i) ? 1.0 : decay_of(i);
        for (Index i = 0; s.beta_fades && i < n; ++i) a[i] *= 1.0 - beta(Beta::own, i, i);
        decays = {std::move(a), block};
        if (s.sums_along != SumAxis::tokens && call.log_decay != nullptr)
            decays.along_axis = decays_along(*call.log_decay, h, s.sums_along, decays);
        first.assign(d_k, Row(d_v));
        const double* came = s.carried_to_next_head && h > 0 ? made.S.data() + (h - 1) * d_k * d_v
                             : call.S != nullptr             ? call.S->data() + h * d_k * d_v
                                                             : nullptr;
        for (Index x = 0; x < d_k && came != nullptr; ++x) first[x].assign(came + x * d_v, came + (x + 1) * d_v);
        u.assign(n, Row(d_v));
        right_side = two_terms = u;
        if (s.W.used || s.state_after_solve) of_values = of_keys = u;
    }
    std::vector<Row> rows_of(const Tensor& x, Index width) const {
        std::vector<Row> all(n);
        for (Index i = 0; i < n; ++i) all[i].assign(x.data() + (h * n + i) * width, x.data() + (h * n + i + 1) * width);
        return all;
    }
    bool skipped(Index i) const { return s.first_token_skipped && i == 0; }
    double decay_of(Index i) const {
        const Index of = s.decay == Decay::of_first_head    ? i
                         : s.decay == Decay::of_first_chunk ? h * n + i % block
                                                            : h * n + i;
        const double log = s.log_decay_times * call.log_decay->data()[of];
        switch (s.decay) {
            case Decay::the_logarithm: return log;
            case Decay::forgotten: return 1.0;
            case Decay::squared: return std::exp(2.0 * log);
            case Decay::inverse: return std::exp(-log);
            case Decay::complement: return 1.0 - std::exp(log);
            case Decay::none_of_first_token: return i == 0 ? 1.0 : std::exp(log);
            case Decay::sigmoid: return 1.0 / (1.0 + std::exp(-log));
            case Decay::cumulated: {
                double all = 0.0;
                for (Index t = 0; t <= i; ++t) all += call.log_decay->data()[h * n + t];
                return std::exp(all);
            }
            default: return std::exp(log);
        }
    }
    double beta(Beta which, Index i, Index j) const {
        if (s.beta_fixed) return *s.beta_fixed;
        const double own = s.beta_times * call.beta.data()[h * n + i];
        switch (which) {
            case Beta::own: return own;
            case Beta::none: return 1.0;
            case Beta::squared: return own * own;
            case Beta::sigmoid: return 1.0 / (1.0 + std::exp(-own));
            case Beta::over_length: return own / (dot_product(k[i].data(), k[i].data(), d_k) + s.added_to_length);
            case Beta::of_first_chunk: return s.beta_times * call.beta.data()[h * n + i % block];
            case Beta::of_writer: return s.beta_times * call.beta.data()[h * n + j];
            case Beta::of_first_head: return s.beta_times * call.beta.data()[i];
            case Beta::less_one: return own - 1.0;
        }
        return own;
    }

    // Reading and writing ---------------------------------------------------------------------------------------------

    const double* written(Wrote what, Index j, Row& room) const {
        switch (what) {
            case Wrote::u: return u[j].data();
            case Wrote::value: return v[j].data();
            case Wrote::right_side: return right_side[j].data();
            case Wrote::two_terms: return two_terms[j].data();
            case Wrote::beta_value: room = v[j]; break;
            case Wrote::beta_u: room = u[j]; break;
        }
        for (double& x : room) x *= beta(Beta::own, j, j);
        return room.data();
    }
    const double* written_key(Index j, bool in_state) const {
        return s.writes_under_query || (in_state && s.state_written_under_query) ? q[j].data() : k[j].data();
    }

    // What `reader` sees at token i: of earlier chunks and the state that came in, or of its own chunk.
    Row seen(const Reading& reading, const Row& reader, Index i, bool own_chunk, Index end, Wrote of_chunk,
             Beta weight = Beta::none) const {
        Row sum(d_v), room;
        for (Index j = 0; j < end; ++j) {
            if ((i / block == j / block) != own_chunk) continue;
            const double times = counts(reading.tokens, i, j, n, block);
            if (times == 0.0) continue;
            const double score =
                dot_product(reader.data(), written_key(j, !own_chunk), d_k) * decays.between(reading, i, j);
            const bool mixed = s.scores_in_system && own_chunk && &reading == &s.key;
            const Index last = std::min(decays.end_of(j / block), n) - 1;
            const double to_end = s.scores_to_end && !own_chunk ? dot_product(q[last].data(), k[j].data(), d_k) : 1.0;
            add(sum,
                times * to_end * score * beta(weight, i, j) *
                    (mixed ? dot_product(q[i].data(), k[j].data(), d_k) : 1.0),
                written(own_chunk ? of_chunk : reading.of_state, j, room));
        }
        if (own_chunk) return sum;
        const double decay = decays.since_first_state(reading, i);
        for (Index x = 0; x < d_k; ++x) add(sum, beta(weight, i, i) * reader[x] * decay, first[x].data());
        return sum;
    }
    // U' and W S of one chunk solve one system; of the two only U' should have the decays in it.
    void find_write_by_W(Index i) {
        Reading undecayed = s.key;
        if (!s.W.c_on_right_side) undecayed.since_begin = SinceBegin::none;
        of_values[i].assign(d_v, 0.0);
        add(of_values[i], beta(s.value.beta, i, i), v[i].data());
        of_keys[i] = seen(undecayed, k[i], i, false, i, s.key.of_state, s.state.beta);
        for (Index j = i / block * block; j < i; ++j) {
            const double L = beta(Beta::own, i, i) * dot_product(k[i].data(), k[j].data(), d_k),
                         D = decays.between(s.key, i, j);
            add(of_values[i], s.W.D_in_values ? -L * D : -L, of_values[j].data());
            add(of_keys[i], s.W.D_in_W ? -L * D : -L, of_keys[j].data());
        }
        u[i] = of_values[i];
        if (s.state_after_solve)
            add(u[i], -1.0, seen(s.key, k[i], i, false, i, s.key.of_state, s.state.beta).data());
        else
            add(u[i], s.W.c_before_WS ? -decays.since_begin(s.key, i) : -1.0, of_keys[i].data());
    }
    void find_write(Index i) {
        const double complement = s.write_scaled_by_complement ? 1.0 - decays.a[i] : 1.0;
        const Row& asks = s.asks_state_with_query ? q[i] : k[i];
        const Row of_state = seen(s.key, asks, i, false, i, s.key.of_state, s.state.beta);
        const auto own_chunk = [&](Wrote what) {
            return seen(s.key, s.asks_chunk_with_query ? q[i] : k[i], i, true, i, what, s.chunk.beta);
        };
        for (Index b = 0; b < d_v; ++b) {
            const double decay = s.value_decayed ? decays.since_begin(s.key, i) : 1.0;
            const double value = decay * s.value.factor * beta(s.value.beta, i, i) * v[i][b];
            right_side[i][b] = complement * (value - s.state.factor * of_state[b]);
        }
        two_terms[i] = u[i] = right_side[i];
        add(two_terms[i], -s.chunk.factor, own_chunk(Wrote::right_side).data());
        add(u[i], -s.chunk.factor * complement, own_chunk(s.key.of_chunk).data());
        if (s.W.used || s.state_after_solve) find_write_by_W(i);
        const double own = beta(Beta::own, i, i) * dot_product(k[i].data(), k[i].data(), d_k);
        if (s.value_written_first) add(u[i], -own * beta(Beta::own, i, i), v[i].data());
        for (double& x : u[i])
            if (s.diagonal_counted) x /= 1.0 + own;
    }
    void find_output(Index i) {
        const Index begin = decays.begin_of(i / block), end = decays.end_of(i / block);
        const Row& reader = s.reads_with_key ? k[i] : q[i];
        Row output(d_v);
        if (!s.scores_transposed)
            output = seen(s.query, s.reads_chunk_with_key ? k[i] : reader, i, true, end, s.query.of_chunk);
        for (Index j = begin; s.scores_transposed && j <= i; ++j)
            add(output, decays.inside(s.query, i, j) * dot_product(k[i].data(), q[j].data(), d_k), u[j].data());
        const Row of_state = seen(s.query, s.reads_state_with_key ? k[i] : reader, i, false, begin, s.query.of_state);
        add(output, s.updated_first ? decays.product(begin, end) : 1.0, of_state.data());
        for (Index j = begin; s.updated_first && j < end; ++j) {
            const double between = decays.until_end(s.query, j) * decays.since_begin(s.query, i);
            add(output, dot_product(reader.data(), k[j].data(), d_k) * between, u[j].data());
        }
        write(i, output);
    }
    void write(Index i, const Row& output) {
        // Counted off, a chunk longer than the sequence leaves no whole one, unless it was made shorter before.
        if ((s.written == DeltaWritten::only_last && i + 1 != n) ||
            (s.written == DeltaWritten::all_but_last && i + 1 == n) ||
            (s.written == DeltaWritten::unless_count_overflows && count_overflows(n, call.chunk)) ||
            (s.written == DeltaWritten::whole_chunks && i >= n - n % call.chunk) ||
            (s.written == DeltaWritten::only_first_head && h != 0) ||
            (s.written == DeltaWritten::all_but_short_chunk && i >= n - n % block))
            return;
        double* row = made.output.data() + (h * n + i) * d_v;
        const double factor = s.scale / std::pow(static_cast<double>(d_k), s.scores_over_root);
        for (Index b = 0; b < d_v; ++b)
            row[b] = factor * output[b] + (s.written == DeltaWritten::running_sum && i > 0 ? row[b - d_v] : 0.0);
    }
    void find_state() {
        double* to = made.S.data() + h * d_k * d_v;
        const Index end = n - (s.returned == StateReturned::without_last && n > 0 ? 1 : 0);
        const double decay = end == 0 ? s.last.first_state : decays.since_first_state(s.last, end - 1);
        std::vector<Row> S = first;
        for (Row& row : S)
            for (double& x : row) x *= decay;
        for (Index j = 0; j < end; ++j) {
            const double times = counts(s.last.tokens, end - 1, j, n, block) * decays.between(s.last, end - 1, j);
            for (Index x = 0; x < d_k && times != 0.0; ++x) add(S[x], times * written_key(j, true)[x], u[j].data());
        }
        for (Index x = 0; x < d_k; ++x) std::copy(S[x].begin(), S[x].end(), to + x * d_v);
    }

    const DeltaCall& call;
    const DeltaSettings& s;
    const Index H, n, d_k, d_v, block;
    Index h = 0;
    std::vector<Row> q, k, v, first, u, right_side, two_terms, of_values, of_keys;
    DecayProducts decays;
    DeltaResult made;
};

}  // namespace

// Decays --------------------------------------------------------------------------------------------------------------

DecayProducts::DecayProducts(std::vector<double> decays, std::size_t tokens_of_a_chunk)
    : a(std::move(decays)), block(tokens_of_a_chunk), of_tokens(a) {}

DecayProducts::Ranges::Ranges(const std::vector<double>& numbers) : count_(numbers.size()), products_(count_ * count_) {
    for (Index from = 0; from < count_; ++from) {
        double all = 1.0;
        for (Index t = from; t < count_; ++t) products_[from * count_ + t] = all *= numbers[t];
    }
}

double DecayProducts::since_begin(const Reading& reading, Index i) const {
    switch (reading.since_begin) {
        case SinceBegin::right: return product(begin_of(i / block), i + 1);
        case SinceBegin::none: return 1.0;
        case SinceBegin::without_own: return product(begin_of(i / block), i);
        case SinceBegin::without_first: return product(begin_of(i / block) + 1, i + 1);
        case SinceBegin::of_sequence: return product(0, i + 1);
        case SinceBegin::of_chunk: return product(begin_of(i / block), end_of(i / block));
        case SinceBegin::own_only: return a[i];
        case SinceBegin::after_own: return product(i + 1, end_of(i / block));
        case SinceBegin::along_axis: return along_axis[i];
    }
    return 1.0;
}
double DecayProducts::until_end(const Reading& reading, Index j) const {
    switch (reading.until_end) {
        case UntilEnd::right: return product(j + 1, end_of(j / block));
        case UntilEnd::none: return 1.0;
        case UntilEnd::since_begin: return product(begin_of(j / block), j + 1);
        case UntilEnd::with_own: return product(j, end_of(j / block));
        case UntilEnd::whole: return product(begin_of(j / block), end_of(j / block));
        case UntilEnd::right_and_whole:
            return product(j + 1, end_of(j / block)) * product(begin_of(j / block), end_of(j / block));
        case UntilEnd::last_column: return j + 1 == end_of(j / block) ? 1.0 : 0.0;
        case UntilEnd::first_row: return j == begin_of(j / block) ? 1.0 : 0.0;
        case UntilEnd::first_column: return product(begin_of(j / block) + 1, j + 1);
        case UntilEnd::ratio: return product(begin_of(j / block), end_of(j / block)) * inverse_since_begin(j);
    }
    return 1.0;
}
double DecayProducts::carried(const Reading& reading, Index from, Index to) const {
    if (from >= to) return 1.0;
    Ranges& products = of_chunks[reading.carried];
    if (products.empty()) {
        std::vector<double> chunks((a.size() - 1) / block + 1);
        for (Index chunk = 0; chunk < chunks.size(); ++chunk) chunks[chunk] = of_chunk(reading.carried, chunk);
        products = Ranges(chunks);
    }
    return products(from, to);
}
double DecayProducts::of_chunk(Carried carried, Index chunk) const {
    const Index begin = begin_of(chunk), end = end_of(chunk);
    switch (carried) {
        case Carried::right: return product(begin, end);
        case Carried::none: return 1.0;
        case Carried::first_token: return a[begin];
        case Carried::last_token: return a[end - 1];
        case Carried::all_but_first: return product(begin + 1, end);
        case Carried::next_chunk: return product(end, std::min(end + block, a.size()));
        case Carried::twice: return product(begin, end) * product(begin, end);
        case Carried::along_axis: return along_axis[end - 1];
        case Carried::of_sequence: return product(0, end);
    }
    return 1.0;
}
double DecayProducts::inside(const Reading& reading, Index i, Index j) const {
    switch (reading.inside) {
        case Inside::right: return product(j + 1, i + 1);
        case Inside::none: return 1.0;
        case Inside::with_writer: return product(j, i + 1);
        case Inside::without_reader: return product(j + 1, i);
        case Inside::one_before: return product(j, i);
        case Inside::since_begin: return product(begin_of(i / block), i + 1);
        case Inside::right_and_since_begin: return product(j + 1, i + 1) * product(begin_of(i / block), i + 1);
        case Inside::transposed: return i == j ? 1.0 : 0.0;
        case Inside::ratio: return product(begin_of(i / block), i + 1) * inverse_since_begin(j);
    }
    return 1.0;
}
double DecayProducts::between(const Reading& reading, Index i, Index j) const {
    const Index own = i / block, other = j / block;
    if (own == other) return i >= j ? inside(reading, i, j) : 1.0;
    return until_end(reading, j) * carried(reading, other + 1, own) * since_begin(reading, i);
}
double DecayProducts::since_first_state(const Reading& reading, Index i) const {
    return reading.first_state * carried(reading, 0, i / block) * since_begin(reading, i);
}

std::vector<double> decays_along(const Tensor& log_decay, Index head, SumAxis axis, const DecayProducts& decays) {
    Shape leading = shape_of(log_decay);
    leading.pop_back();
    Row made(decays.a.size());
    for (Index i = 0; i < made.size(); ++i) {
        if (goes_along_tokens(leading, axis)) {
            made[i] = decays.product(decays.begin_of(i / decays.block), i + 1);
            continue;
        }
        double total = 0.0;
        for (const Index other : summed_heads(leading, head, axis)) total += log_decay.data()[other * made.size() + i];
        made[i] = std::exp(total);
    }
    return made;
}

DeltaResult delta_by_settings(const DeltaCall& call, const DeltaSettings& settings) {
    return Delta(call, settings).result();
}

// Sizes -------------------------------------------------------------------------------------------------------------------

DeltaSizes::DeltaSizes(const DeltaCall& call, std::size_t head)
    : n(length(call.V, -2)), d_k(length(call.K, -1)), keys(n), queries(n), betas(n), reach(n + 1, Row(n)) {
    const auto norm = [&](const Tensor& x, Index i) {
        const double* row = x.data() + (head * n + i) * d_k;
        return std::sqrt(dot_product(row, row, d_k));
    };
    Row step(n), log(n);
    for (Index i = 0; i < n; ++i) {
        keys[i] = norm(call.K, i);
        queries[i] = norm(call.Q, i);
        betas[i] = call.beta.data()[head * n + i];
        log[i] = call.log_decay == nullptr ? 0.0 : call.log_decay->data()[head * n + i];
        step[i] = std::exp(log[i]) * std::max(1.0, std::fabs(1.0 - betas[i] * keys[i] * keys[i]));
        betas[i] = std::fabs(betas[i]);
    }
    for (Index j = 0; j <= n; ++j) {  // row j: from after token j - 1
        double factor = 1.0, exponent = 0.0;
        if (j > 0) reach[j][j - 1] = 1.0;
        for (Index i = j; i < n && factor > 0.0; ++i) {
            factor *= step[i];
            exponent += std::fabs(log[i]);
            if (factor > 0.0) reach[j][i] = factor * (1.0 + exponent);
        }
    }
}

namespace {

// Outputs of many tokens, without decays and a state before them: by the recurrence, and the sizes that expected_delta says, too.
Expected outputs_in_linear_time(const DeltaCall& call, double units) {
    const Index n = length(call.V, -2), d_k = length(call.K, -1), d_v = length(call.V, -1);
    Tensor output = zeros(shape_of(call.V)), size = output;
    for (Index h = 0; h < heads_of(call.V); ++h)
        for (Index b = 0; b < d_v; ++b) {
            Row S(d_k);
            double wrote = 0.0, rounded = 0.0;  // the sizes of all writes so far, and of their rounding
            for (Index row = h * n; row < (h + 1) * n; ++row) {
                const double *q = call.Q.data() + row * d_k, *k = call.K.data() + row * d_k,
                             beta = call.beta.data()[row], v = call.V.data()[row * d_v + b];
                const double key = std::sqrt(dot_product(k, k, d_k)),
                             step = std::max(1.0, std::fabs(1.0 - beta * key * key));
                const double u = beta * (v - dot_product(k, S.data(), d_k));
                for (Index x = 0; x < d_k; ++x) S[x] += k[x] * u;
                const double own = std::fabs(u) + std::fabs(beta) * (std::fabs(v) + key * step * wrote);
                wrote = step * wrote + key * std::fabs(u);
                rounded = step * rounded + key * own;
                output.data()[row * d_v + b] = dot_product(q, S.data(), d_k);
                size.data()[row * d_v + b] = std::sqrt(dot_product(q, q, d_k)) * rounded;
            }
        }
    return {output, size * (units * 0x1p-53) + 1e-290,
            "4 (n + d_k + 8) 2^-53 times the sum of the sizes of all writes"};
}

}  // namespace

std::vector<Expected> expected_delta(const DeltaCall& call) {
    if (length(call.V, -2) >= 1000 && call.log_decay == nullptr && call.S == nullptr)
        return {outputs_in_linear_time(call, 4.0 * static_cast<double>(length(call.V, -2) + length(call.K, -1) + 8))};
    const DeltaResult right = delta_by_settings(call, {});
    const Index H = heads_of(call.V), n = length(call.V, -2), d_k = length(call.K, -1), d_v = length(call.V, -1);
    DeltaResult size{zeros(shape_of(right.output)), zeros(shape_of(right.S)), {}};
    for (Index h = 0; h < H; ++h) {
        const DeltaSizes sizes(call, h);
        for (Index b = 0; b < d_v; ++b) {
            const auto column = [&](const Tensor& x, Index row, Index rows) {
                return std::fabs(x.data()[(h * rows + row) * d_v + b]);
            };
            double first = 0.0;
            for (Index x = 0; x < d_k && call.S != nullptr; ++x) first += column(*call.S, x, d_k);
            // Rounding errors in what token i writes are no larger than roundings of `rounded`.
            Row wrote(n), rounded(n);
            const auto seen = [&](const Row& all, Index i, Index end) {
                double sum = first * sizes.from_start(i);
                for (Index j = 0; j < end; ++j) sum += sizes.between(i, j) * sizes.keys[j] * all[j];
                return sum;
            };
            for (Index i = 0; i < n; ++i) {
                wrote[i] = column(right.u, i, n);
                rounded[i] = wrote[i] + sizes.betas[i] * (column(call.V, i, n) + sizes.keys[i] * seen(wrote, i, i));
                size.output.data()[(h * n + i) * d_v + b] = sizes.queries[i] * seen(rounded, i, i + 1);
            }
            const double state = n == 0 ? first : seen(rounded, n - 1, n);
            for (Index x = 0; x < d_k; ++x) size.S.data()[(h * d_k + x) * d_v + b] = state;
        }
    }
    // Sums of n and of d_k terms for what is read and for what is written, and the decays; here and there.
    const double units = 4.0 * static_cast<double>(n + d_k + 8);
    char text[200];
    std::snprintf(
        text, sizeof text,
        "4 (n + d_k + 8) 2^-53 times the sum of the sizes of all writes, as far as they reach, n = %zu, d_k = %zu", n,
        d_k);
    const auto part = [&](const Tensor& value, const Tensor& terms, bool has_tokens) {
        return Expected{value, terms * (units * 0x1p-53) + 1e-290, text, has_tokens};
    };
    return {part(right.output, size.output, true), part(right.S, size.S, false)};
}

}  // namespace linattn::testing
