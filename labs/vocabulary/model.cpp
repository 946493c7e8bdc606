#include "model.hpp"

#include <cmath>

namespace linattn {
namespace {

void require_affine(const Affine& w, const std::string& argument, std::size_t in, std::size_t out, const char* meaning,
                    const char* caller) {
    require_shape(w.W, (argument + ".W").c_str(), {in, out}, meaning, caller);
    require_shape(w.b, (argument + ".b").c_str(), {out}, "one entry for each column of W,", caller);
}

}  // namespace

std::size_t require_heads(std::size_t d, std::size_t heads, const char* caller) {
    if (heads == 0 || d % heads != 0)
        reject(caller, "heads", "at least 1 and a divisor of the width d = " + std::to_string(d),
               std::to_string(heads));
    return d / heads;
}

void require_norm(const Norm& w, const char* argument, std::size_t d, const char* caller) {
    require_shape(w.gain, (std::string(argument) + ".gain").c_str(), {d}, "(d)", caller);
    require_shape(w.bias, (std::string(argument) + ".bias").c_str(), {d}, "(d)", caller);
}

void require_attention(const Attention& w, const char* argument, std::size_t d, const char* caller) {
    const std::string name = argument;
    require_affine(w.Q, name + ".Q", d, d, "(d, d)", caller);
    require_affine(w.K, name + ".K", d, d, "(d, d)", caller);
    require_affine(w.V, name + ".V", d, d, "(d, d)", caller);
    require_affine(w.O, name + ".O", d, d, "(d, d)", caller);
}

void require_block(const Block& w, const char* argument, std::size_t d, const char* caller) {
    const std::string name = argument;
    require_norm(w.before_attention, (name + ".before_attention").c_str(), d, caller);
    require_attention(w.attention, (name + ".attention").c_str(), d, caller);
    require_norm(w.before_feed_forward, (name + ".before_feed_forward").c_str(), d, caller);
    const Affine& up = w.feed_forward.up;
    require_rank(up.W, (name + ".feed_forward.up.W").c_str(), 2, "(d, f)", caller);
    const std::size_t f = length(up.W, -1);
    require_affine(up, name + ".feed_forward.up", d, f, "(d, f)", caller);
    require_affine(w.feed_forward.down, name + ".feed_forward.down", f, d, "(f, d)", caller);
}

void require_model(const Model& w, const char* argument, const char* caller) {
    const std::string name = argument;
    require_rank(w.embedding, (name + ".embedding").c_str(), 2, "(vocab_size, d)", caller);
    const std::size_t vocab_size = length(w.embedding, -2), d = length(w.embedding, -1);
    require_shape(w.embedding, (name + ".embedding").c_str(), {vocab_size, d}, "(vocab_size, d)", caller);
    require_rank(w.positions, (name + ".positions").c_str(), 2, "(longest, d)", caller);
    require_shape(w.positions, (name + ".positions").c_str(), {length(w.positions, -2), d}, "(longest, d)", caller);
    for (std::size_t l = 0; l < w.blocks.size(); ++l)
        require_block(w.blocks[l], (name + ".blocks[" + std::to_string(l) + "]").c_str(), d, caller);
    require_norm(w.last, (name + ".last").c_str(), d, caller);
    require_affine(w.head, name + ".head", d, vocab_size, "(d, vocab_size)", caller);
    if (w.heads == 0 || d % w.heads != 0)
        reject(caller, name + ".heads", "at least 1 and a divisor of the width d = " + std::to_string(d),
               std::to_string(w.heads));
}

void require_ids(const Tensor& ids, const char* argument, std::size_t vocab_size, const char* caller) {
    require_rank(ids, argument, 1, "(…, n)", caller);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const double id = ids.data()[i];
        if (!(id >= 0.0 && id < static_cast<double>(vocab_size) && id == std::floor(id)))
            reject(caller, argument, "whole numbers from 0 to " + std::to_string(vocab_size) + " - 1, the symbols,",
                   to_string(full({}, id)));
    }
}

void require_positions(const Model& w, const char* argument, std::size_t n, const char* caller) {
    const std::size_t longest = length(w.positions, -2);
    if (n > longest)
        reject(caller, argument, "at most as long as the model has positions, " + std::to_string(longest),
               std::to_string(n));
}

}  // namespace linattn
