#include "digits.hpp"

#include <cmath>
#include <fstream>
#include <numeric>

namespace linattn {
namespace {

constexpr const char* letters = "0123456789abcdefg";

std::size_t grey_of(char letter) { return std::string(letters).find(letter); }

Model model_for(const Arguments& in, std::size_t positions) {
    return initial_model(Digits::start + 1, positions, in.whole("layers"), in.whole("width"), in.whole("heads"), 1);
}

// The file holds the numbers of all weights, in the order of parameters().
Model trained(const Arguments& in) {
    Model w = model_for(in, Digits::pixels);
    std::ifstream file(in.text("weights"), std::ios::binary);
    for (Tensor* weight : parameters(w))
        file.read(reinterpret_cast<char*>(weight->data()),
                  static_cast<std::streamsize>(weight->size() * sizeof(double)));
    if (!file || file.peek() != std::ifstream::traits_type::eof())
        throw std::runtime_error(in.text("weights") + " does not hold the weights of this model");
    return w;
}

// A lower bound on the seconds for an image of n pixels when nothing is kept: the time to read i of them grows at least as i.
double least_seconds_recomputing(const Model& w, std::size_t n) {
    const double began = processor_seconds();
    logits_of(AttentionKind::softmax, zeros({1, n / 4}), w);
    return (processor_seconds() - began) * static_cast<double>(n) * (2.0 - 0.125);
}

// \param patience for an image, in seconds
void print_speeds(const Model& w, std::size_t n, double patience) {
    const Tensor first = full({1, 1}, static_cast<double>(Digits::start));
    const auto images_a_second = [](const auto& way) { return format("%.3g", times_a_second(way)); };
    const std::string state = images_a_second([&] { generate(first, n, w); }),
                      cache = images_a_second([&] { generate_with_kv_cache(first, n, w, argmax); });
    const double least = least_seconds_recomputing(w, n);
    const std::string nothing = least > patience ? format("> %.0f min an image", least / 60)
                                                 : images_a_second([&] { generate_recomputing(first, n, w, argmax); });
    const std::string label = format("%5zu pixels, %s", n, n == Digits::pixels ? "these weights" : "untrained");
    std::printf("%-34s%19s%19s%19s\n", label.c_str(), state.c_str(), cache.c_str(), nothing.c_str());
}

Tensor completed_by_student(const Tensor& prompt, const Model& w) {
    try {
        return generate(prompt, Digits::pixels + 1 - length(prompt, 1), w);
    } catch (const NotImplemented&) {
        throw;
    } catch (const std::exception& error) {
        throw std::runtime_error(std::string("generate stopped with an error: ") + error.what() +
                                 "; ./course check lab07 says more");
    }
}

}  // namespace

Digits::Digits(const std::string& file) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);)
        if (line.size() > pixels && line[0] != '#') images_.push_back(line.substr(0, pixels));
    if (images_.size() <= 2 * held_out)
        throw std::runtime_error(file + format(" holds %zu images; restore it from the repository", images_.size()));
}

Batch Digits::batch(const std::vector<std::size_t>& chosen) const {
    const Shape shape{chosen.size(), pixels};
    Batch result{full(shape, static_cast<double>(start)), zeros(shape), ones(shape)};
    for (std::size_t b = 0; b < chosen.size(); ++b)
        for (std::size_t i = 0; i < pixels; ++i) {
            result.targets(b, i) = static_cast<double>(grey_of(images_[chosen[b]][i]));
            if (i + 1 < pixels) result.ids(b, i + 1) = result.targets(b, i);
        }
    return result;
}

Batch Digits::batch_held_out(std::size_t first, std::size_t count) const {
    std::vector<std::size_t> chosen(count);
    std::iota(chosen.begin(), chosen.end(), first_held_out() + first);
    return batch(chosen);
}

Digits::Images Digits::originals(std::size_t count) const {
    const auto first = images_.end() - static_cast<std::ptrdiff_t>(held_out);
    return {first, first + static_cast<std::ptrdiff_t>(count)};
}

Digits::Images Digits::completed(const Tensor& ends) const {
    const Images drawn = images(ends);
    Images all = originals(drawn.size());
    for (std::size_t b = 0; b < all.size(); ++b) all[b].replace(pixels - drawn[b].size(), drawn[b].size(), drawn[b]);
    return all;
}

// A start symbol in the middle of an image, which no training image has, is drawn white.
Digits::Images Digits::images(const Tensor& ids) {
    Images all(length(ids, 0));
    for (std::size_t b = 0; b < all.size(); ++b)
        for (std::size_t i = 0; i < length(ids, 1); ++i) all[b] += letters[static_cast<std::size_t>(ids(b, i)) % start];
    return all;
}

// Every pixel is two characters wide, dark ink on whatever ground the terminal has.
void print_pictures(const char* heading, const Digits::Images& images) {
    static const char* const shades[]{" ", "·", "░", "▒", "▓", "█"};
    std::printf("%s:\n", heading);
    for (std::size_t row = 0; row < Digits::side; ++row) {
        std::string line;
        for (std::size_t image = 0; image < 5; ++image) {
            line += image > 0 ? "   " : "";
            for (const char letter : images.at(image).substr(row * Digits::side, Digits::side)) {
                const char* const shade = shades[std::lrint(static_cast<double>(grey_of(letter)) / 16 * 5)];
                line.append(shade).append(shade);
            }
        }
        std::printf("%s\n", line.substr(0, line.find_last_not_of(' ') + 1).c_str());
    }
}

void write_pictures(const std::string& file, const std::string& title,
                    const std::vector<std::pair<std::string, Digits::Images>>& rows) {
    constexpr std::size_t pixel = 4, size = Digits::side * pixel, gap = 6, left = 100;
    const std::size_t width = left + rows.front().second.size() * (size + gap),
                      height = rows.size() * (size + gap) + gap;
    std::string svg = format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %zu %zu\" width=\"%zu\" height=\"%zu\" role=\"img\" "
        "font-family=\"sans-serif\" font-size=\"13\"><title>%s</title>\n",
        width, height, width, height, title.c_str());
    svg += R"svg(<style>svg { color-scheme: light dark; --card: #ffffff; --ink: #000000; --edge: #bbbbbb }
@media (prefers-color-scheme: dark) { svg { --card: #0d1117; --ink: #ffffff; --edge: #484f58 } }
text, .ink { fill: var(--ink) }
rect { shape-rendering: crispEdges }</style>
<rect width="100%" height="100%" fill="var(--card)"/>)svg";
    for (std::size_t row = 0; row < rows.size(); ++row) {
        const auto& [caption, images] = rows[row];
        const std::size_t top = gap + row * (size + gap);
        svg += format("\n<text x=\"8\" y=\"%zu\">%s</text>", top + 20, caption.c_str());
        for (std::size_t place = 0; place < images.size(); ++place) {
            const std::size_t x = left + place * (size + gap);
            svg += format(
                "\n<rect x=\"%zu\" y=\"%zu\" width=\"%zu\" height=\"%zu\" fill=\"none\" stroke=\"var(--edge)\"/>",
                x - 1, top - 1, size + 2, size + 2);
            for (std::size_t at = 0; at < Digits::pixels; ++at)
                if (const std::size_t grey = grey_of(images[place][at]); grey > 0)
                    svg += format(
                        "\n<rect x=\"%zu\" y=\"%zu\" width=\"%zu\" height=\"%zu\" class=\"ink\" opacity=\"%g\"/>",
                        x + at % Digits::side * pixel, top + at / Digits::side * pixel, pixel, pixel,
                        static_cast<double>(grey) / 16);
        }
    }
    write_file(file, svg + "\n</svg>\n");
}

int complete_digits(const Arguments& in) {
    constexpr std::size_t count = 10;
    end_when_asked();
    const Digits digits(in.text("file"));
    const Model w = trained(in);
    const std::size_t given = in.whole("rows") * Digits::side;
    const Digits::Images originals = digits.originals(count);
    const Digits::Images completed =
        digits.completed(completed_by_student(slice(digits.batch_held_out(0, count).ids, 1, 0, given + 1), w));
    Digits::Images blank = originals;
    for (std::string& image : blank) image.replace(given, std::string::npos, Digits::pixels - given, '0');
    for (const auto& [heading, images] : {std::pair("given", blank), std::pair("completed by your generate", completed),
                                          std::pair("were", originals)}) {
        print_pictures(heading, images);
        std::printf("\n");
    }
    write_pictures(in.text("out") + "/digits.svg", "digits completed by generate, from the state of linear attention",
                   {{"given", blank}, {"completed", completed}, {"were", originals}});
    std::printf("all %zu: %s/digits.svg\n\n", count, in.text("shown").c_str());
    std::printf("%-34s%19s%19s%19s\n", "images a second, one at a time", "from the state", "from a cache",
                "from scratch");
    for (const std::string& n : in.list("lengths"))
        print_speeds(std::stoul(n) == Digits::pixels ? w : model_for(in, std::stoul(n)), std::stoul(n),
                     in.number("patience"));
    return done;
}

}  // namespace linattn
