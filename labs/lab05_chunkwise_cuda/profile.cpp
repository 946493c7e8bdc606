// lab05_profile [heads n d_k d_v chunk]: what the memory accesses of your chunkwise_forward would cost a GPU, line by
// line.
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "chunkwise.hpp"

int main(int argc, char** argv) try {
    int numbers[] = {1, 128, 64, 64, 64};
    if (argc != 1 && argc != 6) {
        std::fprintf(stderr, "usage: %s [heads n d_k d_v chunk]\n", argv[0]);
        return 2;
    }
    for (int i = 1; i < argc; ++i) numbers[i - 1] = std::atoi(argv[i]);
    const linattn::Sizes sizes{numbers[0], numbers[1], numbers[2], numbers[3]};
    const auto entries = [&](int width) { return static_cast<std::size_t>(sizes.heads * sizes.n * width); };
    const std::vector<float> Q(entries(sizes.d_k), 0.5f), K(entries(sizes.d_k), 0.25f), V(entries(sizes.d_v), 1.0f);
    linattn::chunkwise_forward(Q, K, V, sizes, numbers[4], 1e-6f, {.profile = true});
    return 0;
} catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
