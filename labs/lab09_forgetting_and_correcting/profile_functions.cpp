// lab09_profile_functions function heads n d chunk: how much a call of one of your functions for the CPU multiplies, and
// how long it takes. For people, ./course profile lab09.gated_attention_chunkwise prints it.
#include "forgetting.hpp"
#include "kernels/measured_call.hpp"
#include "random.hpp"

int main(int argc, char** argv) {
    using namespace linattn;
    const ProfileArguments with = profile_arguments(argc, argv);
    const std::size_t heads = with.heads, n = with.n, chunk = with.chunk, systems = (n + chunk - 1) / chunk;
    const auto d = static_cast<double>(with.d), C = static_cast<double>(chunk), length = static_cast<double>(n),
               tokens = static_cast<double>(heads * n);
    const auto rows = [&](std::uint64_t seed) { return normal({heads, n, with.d}, seed); };
    const Tensor Q = rows(1), V = rows(3), dO = rows(4), S = zeros({heads, with.d, with.d});
    Tensor K = rows(2);
    K /= sqrt(sum(K * K, -1, keep_dims));  // of length 1, so that the delta rule stays bounded
    const Tensor beta = 1.0 / (1.0 + exp(-normal({heads, n}, 5))), log_decay = -0.1 * abs(normal({heads, n}, 6)),
                 of_channels = -0.1 * abs(rows(7)), A = 0.1 * normal({heads, systems, chunk, chunk}, 8),
                 B = normal({heads, systems, chunk, with.d}, 9);

    const double state = tokens * d * d;              // written or read once for each token
    const double pairs = tokens * (C + 1) / 2.0 * d;  // a product of matrices inside a chunk, below the diagonal
    return measure(
        with, false,
        {{"gated_attention_recurrent", 2 * state, [&] { gated_attention_recurrent(Q, K, V, log_decay); }},
         {"decay_mask", 0.0, [&] { decay_mask(log_decay); }},
         {"gated_attention_quadratic", tokens * (length + 1) * d,
          [&] { gated_attention_quadratic(Q, K, V, log_decay); }},
         {"gated_attention_chunkwise", 2 * state + 2 * pairs,
          [&] { gated_attention_chunkwise(Q, K, V, log_decay, chunk); }},
         {"gated_attention_backward", 5 * state, [&] { gated_attention_backward(Q, K, V, log_decay, dO); }},
         {"channel_gated_attention", 2 * state, [&] { channel_gated_attention(Q, K, V, of_channels); }},
         {"delta_rule_recurrent", 3 * state, [&] { delta_rule_recurrent(Q, K, V, beta); }},
         {"solve_unit_lower", static_cast<double>(heads * systems) * C * (C - 1) / 2.0 * d,
          [&] { solve_unit_lower(A, B); }},
         {"delta_rule_chunkwise", 3 * state + 4 * pairs, [&] { delta_rule_chunkwise(Q, K, V, beta, chunk); }},
         {"gated_delta_rule_resume", 3 * state, [&] { gated_delta_rule_resume(Q, K, V, beta, log_decay, S); }},
         {"gated_delta_rule_chunkwise", 3 * state + 4 * pairs,
          [&] { gated_delta_rule_chunkwise(Q, K, V, beta, log_decay, chunk); }},
         {"gated_delta_rule_backward", 0.0, [&] { gated_delta_rule_backward(Q, K, V, beta, log_decay, dO, chunk); }},
         {"least_squares_recurrent", 5 * state, [&] { least_squares_recurrent(Q, K, V, 0.1); }}});
}
