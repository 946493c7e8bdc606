// Completes digits by lab 07's generate with weights that come with the course, and compares its speed with that of a cache
// and of nothing kept; ./course generate starts this program and draws.
#include <csignal>
#include <fstream>
#include <sstream>

#include "generation.hpp"
#include "program.hpp"

namespace {

using namespace linattn;

constexpr std::size_t pixels = 64, start = 17;
constexpr double bearable = 30.0;  // seconds for an image

Model model_for(const Arguments& in, std::size_t positions) {
    return initial_model(start + 1, positions, in.whole("layers"), in.whole("width"), in.whole("heads"), 1);
}

// The file holds the numbers of all weights, in the order of parameters().
Model trained(const Arguments& in) {
    Model w = model_for(in, pixels);
    std::ifstream file(in.text("weights"), std::ios::binary);
    for (Tensor* weight : parameters(w))
        file.read(reinterpret_cast<char*>(weight->data()),
                  static_cast<std::streamsize>(weight->size() * sizeof(double)));
    if (!file || file.peek() != std::ifstream::traits_type::eof())
        throw std::runtime_error(in.text("weights") + " does not hold the weights of this model");
    return w;
}

// The first pixels of each image, a letter each, after the start symbol.
Tensor prompts(const std::string& images) {
    std::istringstream words(images);
    std::vector<std::string> all;
    for (std::string image; std::getline(words, image, ',');) all.push_back(image);
    Tensor ids = full({all.size(), all.at(0).size() + 1}, static_cast<double>(start));
    for (std::size_t b = 0; b < all.size(); ++b)
        for (std::size_t i = 0; i < all[b].size(); ++i)
            ids(b, i + 1) = all[b][i] <= '9' ? all[b][i] - '0' : all[b][i] - 'a' + 10;
    return ids;
}

void print_completed(const Model& w, const Tensor& given) {
    const Tensor rest = generate(given, pixels + 1 - length(given, 1), w);
    for (std::size_t b = 0; b < length(rest, 0); ++b) {
        std::string letters;  // a start symbol, which no image holds, is drawn white
        for (std::size_t i = 0; i < length(rest, 1); ++i)
            letters += "0123456789abcdefg0"[static_cast<std::size_t>(rest(b, i))];
        print_event({{"event", "completed"}, {"pixels", letters}});
    }
}

// Images for each second of a processor, one at a time.
template <class Way>
double images_a_second(const Way& way) {
    std::size_t images = 0;
    const double began = processor_seconds();
    while (images == 0 || processor_seconds() < began + 0.5) {
        way();
        ++images;
    }
    return static_cast<double>(images) / (processor_seconds() - began);
}

// A lower bound on the seconds for an image of n pixels when nothing is kept: the time to read i of them grows at least as i.
double least_seconds_recomputing(const Model& w, std::size_t n) {
    const std::size_t some = n / 4;
    const double began = processor_seconds();
    logits_of(AttentionKind::softmax, zeros({1, some}), w);
    return (processor_seconds() - began) * static_cast<double>(n) * (2.0 - 0.125);
}

void print_speeds(const Model& w, std::size_t n) {
    const Tensor first = full({1, 1}, static_cast<double>(start));
    const auto print = [n](const char* way, double speed) {
        print_event({{"event", "speed"}, {"pixels", n}, {"way", way}, {"speed", speed}});
    };
    print("state", images_a_second([&] { generate(first, n, w); }));
    print("cache", images_a_second([&] { generate_with_kv_cache(first, n, w, argmax); }));
    const double least = least_seconds_recomputing(w, n);
    if (least > bearable)
        print_event({{"event", "left out"}, {"pixels", n}, {"way", "nothing kept"}, {"least seconds", least}});
    else
        print("nothing kept", images_a_second([&] { generate_recomputing(first, n, w, argmax); }));
}

int run(const Arguments& in) {
    for (const int number : {SIGINT, SIGTERM}) std::signal(number, SIG_DFL);  // nothing here is worth finishing
    const Model w = trained(in);
    print_completed(w, prompts(in.text("images")));
    std::istringstream lengths(in.text("lengths"));
    for (std::string n; std::getline(lengths, n, ',');)
        print_speeds(std::stoul(n) == pixels ? w : model_for(in, std::stoul(n)), std::stoul(n));
    print_event({{"event", "end"}});
    return 0;
}

}  // namespace

int main(int count, char** values) { return run_program(count, values, run); }
