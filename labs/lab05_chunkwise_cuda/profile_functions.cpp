// lab05_profile_functions function heads n d chunk: how much a call of one of your functions for the CPU multiplies, and
// how long it takes. For people, ./course profile lab05.chunkwise_linear_attention prints it.
#include "kernels/measured_call.hpp"
#include "mixed_precision.hpp"

int main(int argc, char** argv) {
    using namespace linattn;
    const ProfileArguments with = profile_arguments(argc, argv);
    const Sizes sizes{static_cast<int>(with.heads), static_cast<int>(with.n), static_cast<int>(with.d),
                      static_cast<int>(with.d)};
    const int chunk = static_cast<int>(with.chunk);
    const std::size_t tokens = with.heads * with.n;
    const auto d = static_cast<double>(with.d), C = static_cast<double>(with.chunk);
    const std::vector<float> Q = normal_floats(tokens * with.d, 1), K = normal_floats(tokens * with.d, 2),
                             V = normal_floats(tokens * with.d, 3);
    const auto upper_half = [](const std::vector<float>& x) {
        std::vector<std::uint16_t> patterns;
        patterns.reserve(x.size());
        for (const float entry : x)
            patterns.push_back(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(entry) >> 16));
        return patterns;
    };
    const std::vector<std::uint16_t> q = upper_half(Q), k = upper_half(K), v = upper_half(V);
    const double chunkwise = static_cast<double>(tokens) * (2 * d * d + (C + 1) * d);
    return measure(
        with, true,
        {{"chunkwise_linear_attention", chunkwise, [&] { chunkwise_linear_attention(Q, K, V, sizes, chunk, 1e-6f); }},
         {"to_bfloat16", 0.0, [&] { to_bfloat16(Q); }},
         {"chunkwise_mixed_precision", chunkwise, [&] { chunkwise_mixed_precision(q, k, v, sizes, chunk, 1e-6f); }}});
}
