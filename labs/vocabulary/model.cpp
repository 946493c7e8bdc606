#include "model.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace linattn {
namespace {

// What a part of an argument is called. Written out only where it is refused: checks come at every token.
struct Name {
    const char* part;
    const Name* whole = nullptr;

    std::string written() const { return whole ? whole->written() + part : part; }
};

void require(const Tensor& x, const Name& name, std::initializer_list<std::size_t> shape, const char* meaning,
             const char* caller) {
    if (on_check != nullptr || !std::equal(x.shape().begin(), x.shape().end(), shape.begin(), shape.end()))
        require_shape(x, name.written().c_str(), shape, meaning, caller);
}

void require_affine(const Affine& w, const Name& name, std::size_t in, std::size_t out, const char* meaning,
                    const char* caller) {
    require(w.W, {".W", &name}, {in, out}, meaning, caller);
    require(w.b, {".b", &name}, {out}, "one entry for each column of W,", caller);
}

void require_norm(const Norm& w, const Name& name, std::size_t d, const char* caller) {
    require(w.gain, {".gain", &name}, {d}, "(d)", caller);
    require(w.bias, {".bias", &name}, {d}, "(d)", caller);
}

void require_attention(const Attention& w, const Name& name, std::size_t d, const char* caller) {
    require_affine(w.Q, {".Q", &name}, d, d, "(d, d)", caller);
    require_affine(w.K, {".K", &name}, d, d, "(d, d)", caller);
    require_affine(w.V, {".V", &name}, d, d, "(d, d)", caller);
    require_affine(w.O, {".O", &name}, d, d, "(d, d)", caller);
}

}  // namespace

std::size_t require_heads(std::size_t d, std::size_t heads, const char* caller) {
    if (heads == 0 || d % heads != 0)
        reject(caller, "heads", "at least 1 and a divisor of the width d = " + std::to_string(d),
               std::to_string(heads));
    return d / heads;
}

void require_norm(const Norm& w, const char* argument, std::size_t d, const char* caller) {
    require_norm(w, Name{argument}, d, caller);
}

void require_attention(const Attention& w, const char* argument, std::size_t d, const char* caller) {
    require_attention(w, Name{argument}, d, caller);
}

void require_block(const Block& w, const char* argument, std::size_t d, const char* caller) {
    const Name name{argument}, layer{".feed_forward", &name}, up{".up", &layer};
    require_norm(w.before_attention, {".before_attention", &name}, d, caller);
    require_attention(w.attention, {".attention", &name}, d, caller);
    require_norm(w.before_feed_forward, {".before_feed_forward", &name}, d, caller);
    const Tensor& W = w.feed_forward.up.W;
    require_rank(W, W.dimension() < 2 ? Name{".W", &up}.written().c_str() : "", 2, "(d, f)", caller);
    const std::size_t f = length(W, -1);
    require_affine(w.feed_forward.up, up, d, f, "(d, f)", caller);
    require_affine(w.feed_forward.down, {".down", &layer}, f, d, "(f, d)", caller);
}

void require_model(const Model& w, const char* argument, const char* caller) {
    const Name name{argument};
    require_rank(w.embedding, Name{".embedding", &name}.written().c_str(), 2, "(vocab_size, d)", caller);
    const std::size_t vocab_size = length(w.embedding, -2), d = length(w.embedding, -1);
    require(w.embedding, {".embedding", &name}, {vocab_size, d}, "(vocab_size, d)", caller);
    require_rank(w.positions, Name{".positions", &name}.written().c_str(), 2, "(longest, d)", caller);
    require(w.positions, {".positions", &name}, {length(w.positions, -2), d}, "(longest, d)", caller);
    for (std::size_t l = 0; l < w.blocks.size(); ++l)
        require_block(w.blocks[l], (name.written() + ".blocks[" + std::to_string(l) + "]").c_str(), d, caller);
    require_norm(w.last, {".last", &name}, d, caller);
    require_affine(w.head, {".head", &name}, d, vocab_size, "(d, vocab_size)", caller);
    if (w.heads == 0 || d % w.heads != 0)
        reject(caller, name.written() + ".heads", "at least 1 and a divisor of the width d = " + std::to_string(d),
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
