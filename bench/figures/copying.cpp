// The copy task with three kinds of attention: the loss while a model learns one length, and what is right after as many
// steps at every length. Trained as by ./course train copy.
#include <cstdio>
#include <map>
#include <string>

#include "generation.hpp"

namespace {

using namespace linattn;

constexpr std::size_t layers = 2, width = 64, heads = 4, batch = 32, symbols = 10, steps = 120, shown_length = 16;
constexpr std::size_t each = 5;  // steps between two points of the loss, which is their mean
constexpr std::uint64_t seed = 1, unseen = 77777777;

void step(AttentionKind kind, std::size_t length, Model& w, std::vector<Moments>& moments, std::size_t number,
          double& loss) {
    const Batch in = copy_batch(batch, length, symbols, seed * 1000000 + number);
    ModelGradients gradients = gradients_of(kind, in.ids, in.targets, in.counts, w);
    clip(gradients.dw, 1.0);
    const std::vector<Tensor*> weights = parameters(w), slopes = parameters(gradients.dw);
    for (std::size_t i = 0; i < weights.size(); ++i) {
        Update update = adam_step(*weights[i], *slopes[i], moments[i], 0.003);
        *weights[i] = std::move(update.w);
        moments[i] = std::move(update.state);
    }
    loss += gradients.loss;
}

double right_of_unseen(AttentionKind kind, std::size_t length, const Model& w) {
    const Batch test = copy_batch(64, length, symbols, unseen);
    const Tensor answers = generate_with_attention(kind, slice(test.ids, 1, 0, length + 1), length, w, argmax);
    return total(answers == slice(test.ids, 1, 0, length)) / static_cast<double>(answers.size());
}

}  // namespace

int main() {
    std::printf("# %zu blocks, width %zu, %zu heads; Adam 0.003, %zu sequences a step, %zu steps, seed %d\n", layers,
                width, heads, batch, steps, static_cast<int>(seed));
    std::puts("what,attention,at,value");
    const std::map<std::string, AttentionKind> kinds{
        {"linear", AttentionKind::linear}, {"softmax", AttentionKind::softmax}, {"hybrid", AttentionKind::hybrid}};
    for (const auto& [name, kind] : kinds)
        for (const std::size_t length : {4UL, 8UL, 16UL, 32UL}) {
            Model w = initial_model(symbols + 1, 2 * length, layers, width, heads, seed);
            std::vector<Moments> moments;
            for (const Tensor* weight : parameters(w))
                moments.push_back({zeros(shape_of(*weight)), zeros(shape_of(*weight)), 0});
            double loss = 0.0;
            for (std::size_t number = 1; number <= steps; ++number) {
                step(kind, length, w, moments, number, loss);
                if (number % each != 0) continue;
                if (length == shown_length)
                    std::printf("loss,%s,%zu,%.4f\n", name.c_str(), number, loss / static_cast<double>(each));
                loss = 0.0;
            }
            std::printf("accuracy,%s,%zu,%.4f\n", name.c_str(), length, right_of_unseen(kind, length, w));
            std::fflush(stdout);
        }
}
