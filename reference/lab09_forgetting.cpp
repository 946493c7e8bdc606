// Lab 09: read labs/lab09_forgetting_and_correcting/README.md, write the functions below, run: ctest -L lab09
#include "forgetting.hpp"

#include "forgetting_arguments.hpp"

// BEGIN SOLUTION
#include <algorithm>
// END SOLUTION

namespace linattn {
// BEGIN SOLUTION
namespace {

Tensor outer(const Tensor& a, const Tensor& b) { return expand_dims(a, -1) * expand_dims(b, -2); }

// aᵀM and M b, for every leading index.
Tensor row_times(const Tensor& a, const Tensor& M) { return sum(expand_dims(a, -1) * M, -2); }
Tensor times_column(const Tensor& M, const Tensor& b) { return sum(M * expand_dims(b, -2), -1); }

// 1 where j ≤ i, and where j < i.
Tensor causal_mask(std::size_t n) { return cumsum(ones({n, 1}), 0) >= cumsum(ones({1, n}), 1); }
Tensor strictly_lower(std::size_t n) { return cumsum(ones({n, 1}), 0) > cumsum(ones({1, n}), 1); }

// One number for each token, x (…, n): that of token i as a factor of a row (…, 1) and of a state (…, 1, 1), and those of
// some tokens as factors of their rows (…, end-begin, 1).
Tensor of_row(const Tensor& x, std::size_t i) { return slice(x, -1, i, i + 1); }
Tensor of_state(const Tensor& x, std::size_t i) { return expand_dims(of_row(x, i), -1); }
Tensor of_rows(const Tensor& x, std::size_t begin, std::size_t end) {
    return expand_dims(slice(x, -1, begin, end), -1);
}

Tensor no_state(const AttentionShape& shape) { return zeros(join(shape.leading, {shape.d_k, shape.d_v})); }

// Running sums of one number for each token, from the last token on.
Tensor from_the_end(const Tensor& x) { return flip(cumsum(flip(x, -1), -1), -1); }

// What the decays of a chunk's tokens do: to pairs of them \shape{(…, C, C)}, to what was there before the chunk
// \shape{(…, C, 1)}, to what token j wrote until the chunk ends \shape{(…, C, 1)}, and to the state \shape{(…, 1, 1)}.
struct ChunkDecays {
    Tensor D, since_begin, until_end, whole;

    explicit ChunkDecays(const Tensor& log_decay) : D(decay_mask(log_decay)) {
        const std::size_t C = length(log_decay, -1);
        since_begin = exp(expand_dims(cumsum(log_decay, -1), -1));
        until_end = expand_dims(token(D, C - 1), -1);
        whole = tokens(since_begin, C - 1, C);
    }
};

}  // namespace
// END SOLUTION

Tensor gated_attention_recurrent(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& log_decay) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_decays(log_decay, shape);
    // The order is: forget, write, read.
    // BEGIN SOLUTION
    Tensor output = zeros(shape_of(V)), S = no_state(shape);
    for (std::size_t i = 0; i < shape.n; ++i) {
        S *= exp(of_state(log_decay, i));
        S += outer(token(K, i), token(V, i));
        set_token(output, i, row_times(token(Q, i), S));
    }
    return output;
    // END SOLUTION
}

Tensor decay_mask(const Tensor& log_decay) {
    require_decays(log_decay);
    // The sum of an entry's own terms. A difference of two running sums would be another number.
    // BEGIN SOLUTION
    const std::size_t n = length(log_decay, -1);
    // Row i holds log_decay_i left of the diagonal, else 0: a running sum down column j then adds the terms from j + 1 on.
    const Tensor terms = where(strictly_lower(n), expand_dims(log_decay, -1), 0.0);
    return exp(cumsum(terms, -2)) * causal_mask(n);
    // END SOLUTION
}

Tensor gated_attention_quadratic(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& log_decay) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_decays(log_decay, shape);
    // BEGIN SOLUTION
    return matmul(matmul(Q, matrix_transpose(K)) * decay_mask(log_decay), V);
    // END SOLUTION
}

Tensor gated_attention_chunkwise(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& log_decay,
                                 std::size_t chunk) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_decays(log_decay, shape);
    require_chunk(chunk);
    // Three decays: between two tokens of a chunk, from its beginning to a token, from a token to its end.
    // BEGIN SOLUTION
    Tensor output = zeros(shape_of(V)), S = no_state(shape);
    const std::size_t longest = std::min(chunk, shape.n);
    for (std::size_t begin = 0; begin < shape.n; begin += longest) {
        const std::size_t end = std::min(begin + longest, shape.n);
        const Tensor q = tokens(Q, begin, end), k = tokens(K, begin, end), v = tokens(V, begin, end);
        const ChunkDecays decay(slice(log_decay, -1, begin, end));
        const Tensor inside = matmul(matmul(q, matrix_transpose(k)) * decay.D, v);
        set_tokens(output, begin, inside + decay.since_begin * matmul(q, S));
        S *= decay.whole;
        S += matmul(matrix_transpose(decay.until_end * k), v);
    }
    return output;
    // END SOLUTION
}

GatedGradients gated_attention_backward(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& log_decay,
                                        const Tensor& dO) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_decays(log_decay, shape);
    require_upstream(dO, V);
    // The first loop runs from the first token to the last, the second from the last to the first. The gradient of
    // log_decay needs neither S nor R.
    // BEGIN SOLUTION
    GatedGradients d{zeros(shape_of(Q)), zeros(shape_of(K)), zeros(shape_of(V)), {}};
    Tensor S = no_state(shape);
    for (std::size_t i = 0; i < shape.n; ++i) {
        S *= exp(of_state(log_decay, i));
        S += outer(token(K, i), token(V, i));
        set_token(d.Q, i, times_column(S, token(dO, i)));
    }
    Tensor R = no_state(shape);
    for (std::size_t i = shape.n; i-- > 0;) {
        R += outer(token(Q, i), token(dO, i));
        set_token(d.K, i, times_column(R, token(V, i)));
        set_token(d.V, i, row_times(token(K, i), R));
        R *= exp(of_state(log_decay, i));
    }
    // A decay of token i scales all queries from i on, and the keys from i on the other way.
    d.log_decay = from_the_end(sum(Q * d.Q - K * d.K, -1));
    return d;
    // END SOLUTION
}

Tensor channel_gated_attention(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& log_decay) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_channel_decays(log_decay, shape);
    // BEGIN SOLUTION
    Tensor output = zeros(shape_of(V)), S = no_state(shape);
    for (std::size_t i = 0; i < shape.n; ++i) {
        S *= expand_dims(exp(token(log_decay, i)), -1);
        S += outer(token(K, i), token(V, i));
        set_token(output, i, row_times(token(Q, i), S));
    }
    return output;
    // END SOLUTION
}

Tensor delta_rule_recurrent(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& beta) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_strengths(beta, shape);
    // The order is: compare, write, read.
    // BEGIN SOLUTION
    Tensor output = zeros(shape_of(V)), S = no_state(shape);
    for (std::size_t i = 0; i < shape.n; ++i) {
        const Tensor k = token(K, i), error = token(V, i) - row_times(k, S);
        S += outer(of_row(beta, i) * k, error);
        set_token(output, i, row_times(token(Q, i), S));
    }
    return output;
    // END SOLUTION
}

Tensor solve_unit_lower(const Tensor& A, const Tensor& B) {
    require_system(A, B);
    // Row by row, from the first: each needs the rows of X before it.
    // BEGIN SOLUTION
    Tensor X = B;
    for (std::size_t i = 1; i < length(A, -1); ++i) {
        const Tensor row = slice(tokens(A, i, i + 1), -1, 0, i);
        set_tokens(X, i, tokens(B, i, i + 1) - matmul(row, tokens(X, 0, i)));
    }
    return X;
    // END SOLUTION
}

Tensor delta_rule_chunkwise(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& beta, std::size_t chunk) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_strengths(beta, shape);
    require_chunk(chunk);
    // U first: what each token of the chunk writes. Then it is plain linear attention with U instead of V.
    // BEGIN SOLUTION
    Tensor output = zeros(shape_of(V)), S = no_state(shape);
    const std::size_t longest = std::min(chunk, shape.n);
    for (std::size_t begin = 0; begin < shape.n; begin += longest) {
        const std::size_t end = std::min(begin + longest, shape.n);
        const Tensor q = tokens(Q, begin, end), k = tokens(K, begin, end), kt = matrix_transpose(k);
        const Tensor b = of_rows(beta, begin, end);
        const Tensor u = solve_unit_lower(b * matmul(k, kt), b * (tokens(V, begin, end) - matmul(k, S)));
        set_tokens(output, begin, matmul(q, S) + matmul(matmul(q, kt) * causal_mask(end - begin), u));
        S += matmul(kt, u);
    }
    return output;
    // END SOLUTION
}

GatedDeltaResult gated_delta_rule_resume(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& beta,
                                         const Tensor& log_decay, const Tensor& S) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_strengths(beta, shape);
    require_decays(log_decay, shape);
    require_state(S, shape);
    // The order is: forget, compare, write, read.
    // BEGIN SOLUTION
    GatedDeltaResult result{zeros(shape_of(V)), S};
    for (std::size_t i = 0; i < shape.n; ++i) {
        result.S *= exp(of_state(log_decay, i));
        const Tensor k = token(K, i), error = token(V, i) - row_times(k, result.S);
        result.S += outer(of_row(beta, i) * k, error);
        set_token(result.output, i, row_times(token(Q, i), result.S));
    }
    return result;
    // END SOLUTION
}

Tensor gated_delta_rule_chunkwise(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& beta,
                                  const Tensor& log_decay, std::size_t chunk) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_strengths(beta, shape);
    require_decays(log_decay, shape);
    require_chunk(chunk);
    // As 9.9, with a decay on everything that lies some tokens back: pairs of tokens, the state, the keys.
    // BEGIN SOLUTION
    Tensor output = zeros(shape_of(V)), S = no_state(shape);
    const std::size_t longest = std::min(chunk, shape.n);
    for (std::size_t begin = 0; begin < shape.n; begin += longest) {
        const std::size_t end = std::min(begin + longest, shape.n);
        const Tensor q = tokens(Q, begin, end), k = tokens(K, begin, end), kt = matrix_transpose(k);
        const Tensor b = of_rows(beta, begin, end);
        const ChunkDecays decay(slice(log_decay, -1, begin, end));
        const Tensor error = tokens(V, begin, end) - decay.since_begin * matmul(k, S);
        const Tensor u = solve_unit_lower(b * matmul(k, kt) * decay.D, b * error);
        set_tokens(output, begin, decay.since_begin * matmul(q, S) + matmul(matmul(q, kt) * decay.D, u));
        S *= decay.whole;
        S += matmul(matrix_transpose(decay.until_end * k), u);
    }
    return output;
    // END SOLUTION
}
// BEGIN SOLUTION
namespace {

// X with (I + the part of A below its diagonal)ᵀ X = B. With its rows and columns in reverse order that is lower again.
Tensor solve_unit_lower_transposed(const Tensor& A, const Tensor& B) {
    const Tensor reversed = flip(flip(matrix_transpose(A), -1), -2);
    return flip(solve_unit_lower(reversed, flip(B, -2)), -2);
}

// A chunk of the forward pass, from the state S before it.
struct Chunk {
    Tensor q, k, kt, b;
    ChunkDecays decay;
    Tensor pairs, error, u;  // k·k with its decays, v less what S returns, what each token writes

    Chunk(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& beta, const Tensor& log_decay,
          const Tensor& S, std::size_t begin, std::size_t end)
        : q(tokens(Q, begin, end)),
          k(tokens(K, begin, end)),
          kt(matrix_transpose(k)),
          b(of_rows(beta, begin, end)),
          decay(slice(log_decay, -1, begin, end)),
          pairs(matmul(k, kt) * decay.D * strictly_lower(end - begin)),
          error(tokens(V, begin, end) - decay.since_begin * matmul(k, S)),
          u(solve_unit_lower(b * pairs, b * error)) {}

    Tensor state_after(const Tensor& S) const {
        return decay.whole * S + matmul(matrix_transpose(decay.until_end * k), u);
    }
};

// Backwards through S' = whole S + (until_end k)ᵀu, O = since_begin qS + scores u, (I + b pairs)u = b error, and
// error = v - since_begin kS. R, the gradient with respect to S', becomes that with respect to S.
struct ChunkGradients {
    Tensor q, k, v, b;

    ChunkGradients(const Chunk& x, const Tensor& S, const Tensor& dO, Tensor& R) {
        const Tensor St = matrix_transpose(S), ut = matrix_transpose(x.u);
        const Tensor scores = matmul(x.q, x.kt) * x.decay.D, dscores = matmul(dO, ut) * x.decay.D;
        const Tensor du = matmul(matrix_transpose(scores), dO) + x.decay.until_end * matmul(x.k, R);
        const Tensor y = solve_unit_lower_transposed(x.b * x.pairs, du);
        v = x.b * y;
        b = sum(y * (x.error - matmul(x.pairs, x.u)), -1, keep_dims);
        const Tensor dpairs = -matmul(v, ut) * x.decay.D * strictly_lower(length(y, -2));
        q = x.decay.since_begin * matmul(dO, St) + matmul(dscores, x.k);
        k = x.decay.until_end * matmul(x.u, matrix_transpose(R)) - x.decay.since_begin * matmul(v, St);
        k += matmul(matrix_transpose(dscores), x.q) + matmul(dpairs + matrix_transpose(dpairs), x.k);
        R = x.decay.whole * R + matmul(matrix_transpose(x.decay.since_begin * x.q), dO) -
            matmul(matrix_transpose(x.decay.since_begin * x.k), v);
    }
};

}  // namespace
// END SOLUTION

GatedDeltaGradients gated_delta_rule_backward(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& beta,
                                              const Tensor& log_decay, const Tensor& dO, std::size_t chunk) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_strengths(beta, shape);
    require_decays(log_decay, shape);
    require_upstream(dO, V);
    require_chunk(chunk);
    // Forwards, keep the state before each chunk. Backwards, compute a chunk again from it, then its gradients.
    // BEGIN SOLUTION
    GatedDeltaGradients d{zeros(shape_of(Q)), zeros(shape_of(K)), zeros(shape_of(V)), expand_dims(beta, -1), {}};
    const std::size_t n = shape.n, longest = std::min(chunk, n), chunks = n == 0 ? 0 : (n - 1) / longest + 1;
    const auto forwards = [&](std::size_t c, const Tensor& S) {
        return Chunk(Q, K, V, beta, log_decay, S, c * longest, std::min((c + 1) * longest, n));
    };
    std::vector<Tensor> before{no_state(shape)};
    for (std::size_t c = 0; c + 1 < chunks; ++c) before.push_back(forwards(c, before[c]).state_after(before[c]));
    Tensor R = no_state(shape);
    for (std::size_t c = chunks; c-- > 0;) {
        const std::size_t begin = c * longest;
        const ChunkGradients of(forwards(c, before[c]), before[c], tokens(dO, begin, std::min(begin + longest, n)), R);
        set_tokens(d.Q, begin, of.q);
        set_tokens(d.K, begin, of.k);
        set_tokens(d.V, begin, of.v);
        set_tokens(d.beta, begin, of.b);
    }
    d.beta = sum(d.beta, -1);
    // A decay of token i scales all queries from i on, and the values from i on the other way: the state is linear in V.
    d.log_decay = from_the_end(sum(Q * d.Q, -1) - sum(V * d.V, -1));
    return d;
    // END SOLUTION
}

Tensor least_squares_recurrent(const Tensor& Q, const Tensor& K, const Tensor& V, double ridge) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_ridge(ridge);
    // Next to S, keep the inverse of ridge I + Σ_{j≤i} k_j k_jᵀ.
    // BEGIN SOLUTION
    Tensor output = zeros(shape_of(V)), S = no_state(shape);
    Tensor P = zeros(join(shape.leading, {shape.d_k, shape.d_k})) + one_hot(arange(shape.d_k), shape.d_k) / ridge;
    for (std::size_t i = 0; i < shape.n; ++i) {
        const Tensor k = token(K, i), Pk = times_column(P, k);
        const Tensor gain = Pk / (1.0 + sum(k * Pk, -1, keep_dims));
        S += outer(gain, token(V, i) - row_times(k, S));
        P -= outer(gain, Pk);
        set_token(output, i, row_times(token(Q, i), S));
    }
    return output;
    // END SOLUTION
}

}  // namespace linattn
