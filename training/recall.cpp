#include "recall.hpp"

#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "kinds.hpp"
#include "random.hpp"

namespace linattn {
namespace {

Affine random_affine(std::size_t in, std::size_t out, std::uint64_t seed) {
    return {normal({in, out}, seed) / std::sqrt(static_cast<double>(in)), zeros({out})};
}

// From (batch, writes, 1) what the gate says to how much of each write is left at the end, (batch, 1, writes).
Tensor left_at_the_end(const Tensor& gate) {
    const Tensor log_a = -log(1.0 + exp(-gate));
    return matrix_transpose(exp(sum(log_a, -2, keep_dims) - cumsum(log_a, -2)));
}

// The queries q read a sum of what the keys k and values v have written.
Tape::Value read(Tape& tape, const Written& in, bool decay) {
    const double scale = 1.0 / static_cast<double>(length(tape[in.k], -1));
    const Tensor left =
        decay ? left_at_the_end(tape[in.gate]) : ones({length(tape[in.k], 0), 1, length(tape[in.k], 1)});
    const Tensor weights = scale * matmul(tape[in.q], matrix_transpose(tape[in.k])) * left;  // (batch, queries, writes)
    return tape.append(matmul(weights, tape[in.v]), [&tape, in, decay, scale, left, weights](const Tensor& gradient) {
        const Tensor d = matmul(gradient, matrix_transpose(tape[in.v])), products = scale * d * left;
        tape.accumulate_gradient(in.v, matmul(matrix_transpose(weights), gradient));
        tape.accumulate_gradient(in.q, matmul(products, tape[in.k]));
        tape.accumulate_gradient(in.k, matmul(matrix_transpose(products), tape[in.q]));
        if (!decay) return;
        // a of a write shortens all writes before it.
        const Tensor of_write = matrix_transpose(sum(d * weights, -2, keep_dims));  // (batch, writes, 1)
        tape.accumulate_gradient(in.gate, (cumsum(of_write, -2) - of_write) / (1.0 + exp(tape[in.gate])));
    });
}

// What a question is about: a value of the last 4 writes, of the 8 before, an older one, or one that a clear made void.
constexpr std::size_t kinds = 4;
std::size_t question_kind(const RecallTask& task, std::size_t i) {
    const double since = task.writes_since.data()[i];
    if (task.wanted.data()[i] == static_cast<double>(RecallRules::values)) return 3;
    return since < 4 ? 0 : since < 12 ? 1 : 2;
}

struct Measured {
    double recall;  ///< the share of the last values that a memory knows
    std::string columns;
};

// All of them and by what was asked, and what its gates let pass: the mean decay and the mean strength of a write, and the mean
// decay of a clear.
Measured measured(const RecallModel& model, const RecallRules& rules) {
    std::array<double, kinds> right{}, asked{};
    double decay = 0.0, strength = 0.0, decay_of_clear = 0.0, clears = 0.0, writes = 0.0;
    for (std::uint64_t each = 0; each < 16; ++each) {
        const RecallTask task(rules, 77777777 + each);  // no step's seed
        const Tensor answers = model.answers(task);
        for (std::size_t i = 0; i < answers.size(); ++i) {
            asked[question_kind(task, i)] += 1.0;
            right[question_kind(task, i)] += answers.data()[i] == task.wanted.data()[i] ? 1.0 : 0.0;
        }
        const auto [a, beta] = model.decays_and_strengths(task);
        const Tensor clear = task.key == static_cast<double>(rules.keys);
        clears += total(clear);
        writes += total(1.0 - clear);
        decay_of_clear += total(clear * a);
        decay += total((1.0 - clear) * a);
        strength += total((1.0 - clear) * beta);
    }
    const auto share = [](double part, double all) { return all > 0.0 ? exact(part / all) : ""; };
    const double recall =
        std::accumulate(right.begin(), right.end(), 0.0) / std::accumulate(asked.begin(), asked.end(), 0.0);
    std::string columns = exact(recall);
    for (std::size_t kind = 0; kind < kinds; ++kind) columns += "," + share(right[kind], asked[kind]);
    return {recall,
            columns + "," + share(decay, writes) + "," + share(strength, writes) + "," + share(decay_of_clear, clears)};
}

}  // namespace

Tensor sigmoid(const Tensor& x) { return 1.0 / (1.0 + exp(-x)); }

RecallMemory sum_in_closed_form(bool decay) {
    return {[decay](Tape& tape, const Written& in) { return read(tape, in, decay); }, 1.0};  // a = 0.73 at first
}

RecallTask::RecallTask(const RecallRules& rules, std::uint64_t seed)
    : key(zeros({RecallRules::batch, rules.writes})),
      value(key),
      query(zeros({RecallRules::batch, RecallRules::queries})),
      wanted(query),
      writes_since(query) {
    SplitMix64 random(seed);
    const auto one_of = [&random](std::size_t count) {
        return static_cast<std::size_t>(random.uniform() * static_cast<double>(count));
    };
    const std::size_t writes = rules.writes;
    for (std::size_t b = 0; b < RecallRules::batch; ++b) {
        const std::size_t cleared = rules.clears ? writes / 4 + one_of(writes / 2) : writes;
        std::vector<std::size_t> unused(rules.once ? rules.keys : 0);
        std::iota(unused.begin(), unused.end(), std::size_t{0});
        const auto any_key = [&] {
            if (!rules.once) return one_of(rules.keys);
            std::swap(unused[one_of(unused.size())], unused.back());
            const std::size_t chosen = unused.back();
            unused.pop_back();
            return chosen;
        };
        for (std::size_t i = 0; i < writes; ++i) {
            key(b, i) = static_cast<double>(i == cleared ? rules.keys : any_key());
            value(b, i) = static_cast<double>(i == cleared ? RecallRules::values : one_of(RecallRules::values));
        }
        for (std::size_t i = 0; i < RecallRules::queries; ++i) {
            std::size_t asked = one_of(writes);
            while (asked == cleared) asked = one_of(writes);
            query(b, i) = key(b, asked);
            std::size_t last = writes - 1;
            while (key(b, last) != query(b, i)) --last;
            wanted(b, i) = rules.clears && last < cleared ? static_cast<double>(RecallRules::values) : value(b, last);
            writes_since(b, i) = static_cast<double>(writes - 1 - last);
        }
    }
}

std::vector<Tensor*> RecallModel::Weights::all() {
    std::vector<Tensor*> list{&keys, &values};
    for (Affine* map : {&q, &k, &v, &gate, &step, &head}) list.insert(list.end(), {&map->W, &map->b});
    for (Norm* norm : {&query, &key, &output}) list.insert(list.end(), {&norm->gain, &norm->bias});
    return list;
}

RecallModel::RecallModel(RecallMemory memory, const RecallRules& rules, std::uint64_t seed, std::size_t processes)
    : memory_(std::move(memory)), task_(rules, 0) {
    const auto seed_of = [&seed] { return ++seed; };
    seed *= 1000;
    const std::size_t width = rules.width;
    const Norm norm{ones({width}), zeros({width})};
    w_ = {normal({rules.key_symbols(), width}, seed_of()),
          normal({rules.value_symbols(), width}, seed_of()),
          random_affine(width, width, seed_of()),
          random_affine(width, width, seed_of()),
          random_affine(width, width, seed_of()),
          {zeros({width, 1}), full({1}, memory_.gate)},
          {zeros({width, 1}), zeros({1})},
          random_affine(width, rules.value_symbols(), seed_of()),
          norm,
          norm,
          norm};
    moments_ = first_moments(w_.all());
    std::vector<Tensor*> read = w_.all();
    read.insert(read.end(), {&task_.key, &task_.value, &task_.query, &task_.wanted});
    constexpr std::size_t of_a_part = 16;  // sequences, whose states fit into a processor's cache
    pool_.emplace(
        read, RecallRules::batch, of_a_part, weights(),
        [this](std::size_t begin, std::size_t end, double* result) { find_part(begin, end, result); }, processes);
}

std::size_t RecallModel::weights() const {
    std::size_t count = 0;
    for (const Moments& each : moments_) count += each.m.size();
    return count;
}

Tape::Value RecallModel::forward(Tape& tape, const RecallTask& task, Weights& dw) const {
    const auto written =
        tape.add(tape.lookup(task.key, w_.keys, dw.keys), tape.lookup(task.value, w_.values, dw.values));
    const auto asked = tape.lookup(task.query, w_.keys, dw.keys);
    const auto q = tape.norm(tape.affine(asked, w_.q, dw.q), w_.query, dw.query);
    const auto k = tape.norm(tape.affine(written, w_.k, dw.k), w_.key, dw.key);
    const auto v = tape.affine(written, w_.v, dw.v);
    const auto seen =
        memory_.read(tape, {q, k, v, tape.affine(written, w_.gate, dw.gate), tape.affine(written, w_.step, dw.step)});
    return tape.affine(tape.norm(seen, w_.output, dw.output), w_.head, dw.head);
}

void RecallModel::find_part(std::size_t begin, std::size_t end, double* result) const {
    const double share = static_cast<double>(end - begin) / RecallRules::batch;
    RecallTask some = task_;
    for (Tensor* each : {&some.key, &some.value, &some.query, &some.wanted}) *each = slice(*each, 0, begin, end);
    Weights dw = w_;
    set_to_zero(dw.all());
    Tape tape;
    const Tape::Value logits = forward(tape, some, dw);
    const CrossEntropy loss = cross_entropy(tape[logits], some.wanted, ones(shape_of(some.wanted)));
    tape.backward(logits, share * loss.dlogits);
    *result++ = share * loss.loss;
    write_numbers(dw.all(), result);
}

double RecallModel::train(const RecallTask& task, double rate) {
    task_ = task;
    Weights dw = w_;
    const double loss = pool_->find(dw.all());
    adam_steps(w_.all(), dw.all(), moments_, rate);
    return loss;
}

Tensor RecallModel::answers(const RecallTask& task) const {
    Weights unused = w_;
    Tape tape;
    const Tensor logits = tape[forward(tape, task, unused)];
    const Tensor by_rows = reshape(logits, {task.query.size(), length(logits, -1)});
    return reshape(argmax(by_rows), shape_of(task.query));
}

std::pair<Tensor, Tensor> RecallModel::decays_and_strengths(const RecallTask& task) const {
    const Tensor written = rows(w_.keys, task.key) + rows(w_.values, task.value);
    const auto of_writes = [&](const Affine& map) { return sum(sigmoid(matmul(written, map.W) + map.b), -1); };
    return {of_writes(w_.gate), of_writes(w_.step)};
}

std::string label_of(const std::string& memory) {
    return memory == "sum" ? "plain sum" : memory == "delta" ? "delta rule" : memory;
}

int stopped_without_weights() {
    std::printf("stopped; this training saves no weights, so begin again\n");
    return stopped;
}

int run_recall(const Arguments& in, const std::map<std::string, RecallMemory>& known) {
    const std::size_t steps = in.whole("steps"), every = in.whole("every"), seeds = in.whole("seeds");
    const RecallRules rules{in.whole("keys"), in.whole("writes"), in.is_set("clears"), in.is_set("once"),
                            in.whole("width")};
    std::string csv = "memory,seed,step,recall,last 4,last 12,before,void,decay,strength,decay of clear\n";
    for (std::uint64_t seed = in.whole("seed"); seed < in.whole("seed") + seeds; ++seed)
        for (const std::string& name : in.list("memories")) {
            RecallModel model(known.at(name), rules, seed, in.whole("threads"));
            const Stopwatch watch;
            for (std::size_t step = 1; step <= steps; ++step) {
                if (asked_to_stop()) return stopped_without_weights();
                const double loss = model.train(RecallTask(rules, seed * 1000000 + step), in.number("rate"));
                if (step % every != 0 && step != steps) continue;
                const auto [recall, columns] = measured(model, rules);
                std::printf("%s%-10s  step %4zu/%zu  loss %.4f  %.1f%% of last values recalled  %6.1f s\n",
                            seeds > 1 ? format("seed %zu, ", seed).c_str() : "", label_of(name).c_str(), step, steps,
                            loss, 100 * recall, watch.seconds());
                csv += label_of(name) + format(",%zu,%zu,", seed, step) + columns + "\n";
            }
        }
    write_file(in.text("out") + "/recall.csv", csv);
    return done;
}

}  // namespace linattn
