#!/usr/bin/env python3
"""The faults of kernels, put one by one into the reference kernels themselves: the suite must refuse each under its name.

usage: kernel_mutants.py BUILD_FOLDER [KERNEL…]

The mistakes in tests/labNN_*/mistakes/ stand for a fault by its symptom; this checks that real kernels with that
fault have the symptom. Builds in BUILD_FOLDER/kernel_mutants, two kernels at a time, and exits with 1 unless all are refused
and named, as they are if nothing has changed since they were.
"""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from course_tree import REPOSITORY as ROOT  # first: it says where the packages lie

import workers
from answer_build import AnswerBuild, run
from course import manifest
from green import Green, digest_of

CHUNKWISE, DELTA = "lab05_chunkwise_kernel.cu", "lab09_delta_kernel.cu"
UPDATE = ("        for (int e = threadIdx.x; e < d_k * d_v; e += blockDim.x) {\n"
          "            const int a = e / d_v, b = e % d_v;\n"
          "            float sum = tile.S(a, b);\n"
          "            for (int j = 0; j < chunk; ++j) sum += tile.phi_K(j, a) * tile.V(j, b);\n"
          "            tile.S(a, b) = sum;\n"
          "        }\n")
UPDATE_Z = ("        for (int a = threadIdx.x; a < d_k; a += blockDim.x)\n"
            "            for (int j = 0; j < chunk; ++j) tile.z[a] += tile.phi_K(j, a);\n")
ZERO = ("    for (int e = threadIdx.x; e < d_k * d_v; e += blockDim.x) tile.S(e / d_v, e % d_v) = 0.0f;\n"
        "    for (int a = threadIdx.x; a < d_k; a += blockDim.x) tile.z[a] = 0.0f;\n")
LOAD_K = "    load_features(tile.phi_K, K + token * d_k, rows, chunk, d_k);\n"
REPLACE_Z = ("        for (int a = threadIdx.x; a < d_k; a += blockDim.x) {\n"
             "            tile.z[a] = 0.0f;\n"
             "            for (int j = 0; j < chunk; ++j) tile.z[a] += tile.phi_K(j, a);\n"
             "        }\n")


def without(text: str) -> list:
    return [(text, "")]


def inside(text: str, old: str, new: str) -> list:
    """A change of what stands in more than one place, in the place that the text around it names."""
    return [(text, text.replace(old, new))]


# exercise, the name it must be refused under, what is replaced by what
MUTANTS_OF_CHUNKWISE = [
    ("chunkwise_forward", "no barrier after the chunk is loaded", without("        __syncthreads();  // the chunk is loaded\n")),
    ("chunkwise_forward", "no barrier after A", without("        __syncthreads();  // A is complete\n")),
    ("chunkwise_forward", "no barrier after the normalisers", without("        __syncthreads();  // the normalisers are complete\n")),
    ("chunkwise_forward", "no barrier between reading and updating the state",
     without("        __syncthreads();  // everybody has read S\n")),
    ("chunkwise_forward", "no barrier before the next chunk is loaded",
     without("        __syncthreads();  // the next chunk may overwrite this one\n")),
    ("chunkwise_forward", "several threads compute the same entry",
     inside("e += blockDim.x) tile.S(e / d_v, e % d_v) = 0.0f;", "blockDim.x", "1")),
    ("chunkwise_forward", "divergent barrier",
     [("__syncthreads();  // A is complete", "if (threadIdx.x < 64) __syncthreads();  // A is complete")]),
    ("chunkwise_forward", "early return before a barrier",
     [("        __syncthreads();  // A is complete", "        if (threadIdx.x >= 64) return;\n        __syncthreads();")]),
    ("chunkwise_forward", "read past the end", [("tile(i, a) = i < rows ?", "tile(i, a) = i < chunk ?")]),
    ("chunkwise_forward", "write past the end",
     inside("e < rows * d_v; e += blockDim.x) {\n            const int i = e / d_v, b = e % d_v;\n            float sum = 0.0f;\n"
            "            for (int a = 0; a < d_k; ++a) sum += tile.phi_Q(i, a) * tile.S(a, b);", "rows", "chunk")),
    ("chunkwise_forward", "tile overrun", inside("a < d_k; a += blockDim.x) tile.z[a] = 0.0f", "<", "<=")),
    ("chunkwise_forward", "state not zeroed",
     without("    for (int e = threadIdx.x; e < d_k * d_v; e += blockDim.x) tile.S(e / d_v, e % d_v) = 0.0f;\n")),
    ("chunkwise_forward", "shared memory requested too small",
     [("blockDim.x) tile.z[a] = 0.0f;\n",
       "blockDim.x) tile.z[a] = 0.0f;\n"
       "    gpu::SharedMemory again;\n    for (int i = 0; i < 8; ++i) again.take<float>(static_cast<std::size_t>(chunk) * d_k + 64, \"K\");\n")]),
    ("chunkwise_forward", "misaligned float4",
     [("        __syncthreads();  // the chunk is loaded",
       "        if (token * d_k + 4 < static_cast<std::size_t>(n) * d_k) {\n"
       "            const float4 four = *reinterpret_cast<const float4*>(Q + 1);\n"
       "            if (four.x > 1e30f) tile.phi_Q(0, 0) = four.y;\n        }\n        __syncthreads();")]),
    ("chunkwise_forward", "host pointer passed to the kernel",
     [("// A sequence of n tokens", "static float* const host = new float[64]();\n// A sequence of n tokens"),
      ("blockDim.x) tile.z[a] = 0.0f;", "blockDim.x) tile.z[a] = host[a % 64];")]),
    ("chunkwise_forward", "one block writes another's rows", without("    O += first_token * d_v;\n")),
    ("chunkwise_forward", "two shared arrays at one address",
     [("normalize(tile.normalizer, tile.A, tile.phi_Q, tile.z,", "normalize(tile.z, tile.A, tile.phi_Q, tile.z,"),
      ("        O[token * d_v + e] = sum / tile.normalizer[i];\n        }",
       "        O[token * d_v + e] = sum / tile.z[i];\n        }")]),
    ("chunkwise_forward", "indices exchanged",
     [("sum += tile.phi_Q(i, a) * tile.S(a, b);", "sum += tile.phi_Q(i, a) * tile.S(b, a);")]),
    ("chunkwise_forward", "state updated before the outputs read it",
     [("        __syncthreads();  // the normalisers are complete\n",
       "        __syncthreads();\n" + UPDATE + "        __syncthreads();\n"),
      ("        __syncthreads();  // everybody has read S\n\n" + UPDATE, "        __syncthreads();\n")]),
    ("chunkwise_forward", "S and z updated before they are read",
     [("        __syncthreads();  // A is complete\n", "        __syncthreads();\n" + UPDATE + UPDATE_Z + "        __syncthreads();\n"),
      ("        __syncthreads();  // everybody has read S\n\n" + UPDATE + UPDATE_Z, "        __syncthreads();\n")]),
    ("chunkwise_forward", "row stride confused",
     inside("load_values(tile.V, V + token * d_v, rows, chunk, d_v);\n        __sync", "token * d_v", "token * d_k")),
    ("chunkwise_forward", "chunk boundary off by one",
     inside(UPDATE + UPDATE_Z, "j < chunk;", "j < chunk - 1;")),
    ("chunkwise_forward", "normaliser restarted per chunk", without(UPDATE_Z)),
    ("chunkwise_forward", "state not carried from chunk to chunk",
     [(ZERO, ""), ("        const std::size_t token = start;\n", "        const std::size_t token = start;\n" + ZERO)]),
    ("chunkwise_forward", "state replaced instead of added to",
     [("float sum = tile.S(a, b);", "float sum = 0.0f;"), (UPDATE_Z, REPLACE_Z)]),
    ("chunkwise_forward", "future of the chunk not masked",
     [("        if (j > i) continue;\n", ""), ("for (int j = 0; j <= i; ++j) sum += A(i, j);", "for (int j = 0; j < chunk; ++j) sum += A(i, j);"),
      ("            for (int a = 0; a < d_k; ++a) sum += tile.phi_Q(i, a) * tile.S(a, b);\n            for (int j = 0; j <= i; ++j)",
       "            for (int a = 0; a < d_k; ++a) sum += tile.phi_Q(i, a) * tile.S(a, b);\n            for (int j = 0; j < chunk; ++j)")]),
    ("chunk_states", "tail rows of φ(0) = 1 counted",
     [("tile(i, a) = i < rows ? feature_map_fused(x[e]) : 0.0f;", "tile(i, a) = feature_map_fused(i < rows ? x[e] : 0.0f);"),
      ("        for (int j = 0; j < rows; ++j) sum += tile.phi_K(j, a);\n        z[", "        for (int j = 0; j < chunk; ++j) sum += tile.phi_K(j, a);\n        z[")]),
    ("chunk_states", "no barrier after the chunk is loaded",
     inside("rows, chunk, d_v);\n    __syncthreads();\n\n    for (int e = threadIdx.x; e < d_k * d_v", "    __syncthreads();\n", "")),
    ("chunk_states", "one block writes another's state", [("blockIdx.x;  // this chunk's number", "0;")]),
    ("scan_states", "inclusive sums", [("        *state = before;\n        before += added;\n", "        before += added;\n        *state = before;\n")]),
    ("scan_states", "threads to spare not stopped, or an offset too large", without("    if (number >= sizes.heads * width) return;  // to spare; there is no barrier to miss\n")),
    ("chunk_outputs", "state not read, or read at entry 0", [("sum += tile.phi_Q(i, a) * S[a * d_v + b];", "sum += 0.0f * S[a * d_v + b];"),
                                         ("normalize(tile.normalizer, tile.A, tile.phi_Q, z, chunk, d_k,", "normalize(tile.normalizer, tile.A, tile.phi_Q, z, chunk, 0,")]),
    ("chunk_outputs", "shared memory read before it is written",
     inside(LOAD_K + "    load_values(tile.V, V + token * d_v, rows, chunk, d_v);\n    __syncthreads();\n\n    multiply", LOAD_K, "")),
    ("chunk_outputs", "S of the first head for all", [("S += state * d_k * d_v;", "S += blockIdx.x * d_k * d_v;")]),
    ("chunk_outputs", "z of the first head for all", [("z += state * d_k;", "z += blockIdx.x * d_k;")]),
    ("chunk_outputs", "S read transposed",
     inside("sum += tile.phi_Q(i, a) * S[a * d_v + b];", "a * d_v + b", "b * d_k + a")),
    ("chunk_outputs", "diagonal missing from A V",
     inside("sum += tile.phi_Q(i, a) * S[a * d_v + b];\n        for (int j = 0; j <= i;", "<=", "<")),
    ("chunk_outputs", "one block writes another's rows",
     inside("        O[token * d_v + e] = sum / tile.normalizer[i];\n    }\n    // END", "token * d_v + e", "e")),
    ("packed_chunkwise_forward", "no barrier after A", without("        __syncthreads();  // A is complete\n")),
    ("packed_chunkwise_forward", "one block writes another's rows",
     inside("n = borders[blockIdx.x + 1] - first, d_k", " - first", "")),
    ("packed_chunkwise_forward", "borders read past their end",
     [("first = borders[blockIdx.x], n = borders[blockIdx.x + 1] - first, d_k",
       "first = borders[blockIdx.x + 1], n = borders[blockIdx.x + 2] - first, d_k")]),
    ("packed_chunkwise_forward", "border forgotten in the offset of K",
     inside("K + token * d_k, V + token * d_v, O + token", "K + token", "K + (token - first)")),
    ("packed_chunkwise_forward", "last token of each sequence left out", [("- first, d_k = sizes.d_k", "- first - 1, d_k = sizes.d_k")]),
    ("packed_chunkwise_forward", "arrays read as (sequence, head, token)",
     [("blockIdx.y) * sizes.n + first;", "blockIdx.y) * n + first * sizes.heads;")]),
]


UPDATE_OF_DELTA = ("        for (int e = threadIdx.x; e < d_k * d_v; e += blockDim.x) {\n"
                   "            const int a = e / d_v, b = e % d_v;\n"
                   "            float sum = tile.since_begin[rows - 1] * tile.S(a, b);\n"
                   "            for (int j = 0; j < rows; ++j) sum += tile.until_end[j] * tile.k(j, a) * tile.u(j, b);\n"
                   "            tile.S(a, b) = sum;\n"
                   "        }\n")
MUTANTS_OF_DELTA = [("gated_delta_forward", *mutant) for mutant in [
    ("no barrier after the chunk is loaded", without("        __syncthreads();  // the chunk is loaded\n")),
    ("no barrier after A and L", without("        __syncthreads();  // A, L and the right sides are complete\n")),
    ("no barrier after the solve", without("        __syncthreads();  // u is solved\n")),
    ("no barrier between reading and updating the state", without("        __syncthreads();  // everybody has read S\n")),
    ("no barrier before the next chunk is loaded", without("        __syncthreads();  // the next chunk may overwrite this one\n")),
    ("system solved by rows without barriers",
     [("    for (int b = threadIdx.x; b < d_v; b += blockDim.x)\n        for (int i = 1; i < rows; ++i) {",
       "    for (int i = 1 + threadIdx.x; i < rows; i += blockDim.x)\n        for (int b = 0; b < d_v; ++b) {")]),
    ("several threads compute the same entry",
     inside("e += blockDim.x) tile.S(e / d_v, e % d_v) = 0.0f;", "blockDim.x", "1")),
    ("divergent barrier", [("__syncthreads();  // u is solved", "if (threadIdx.x < 64) __syncthreads();")]),
    ("early return before a barrier", [("__syncthreads();  // u is solved", "if (threadIdx.x >= 64) return;\n        __syncthreads();")]),
    ("read past the end", [("load(tile.q, Q + token * d_k, rows, d_k);", "load(tile.q, Q + token * d_k, chunk, d_k);")]),
    ("write past the end",
     inside("e < rows * d_v; e += blockDim.x) {\n            const int i = e / d_v, b = e % d_v;\n            float of_state",
            "rows", "chunk")),
    ("tile overrun", [("        tile.until_end[j] = expf(sum);", "        tile.until_end[j + 1] = expf(sum);")]),
    ("state not zeroed",
     without("    for (int e = threadIdx.x; e < d_k * d_v; e += blockDim.x) tile.S(e / d_v, e % d_v) = 0.0f;\n")),
    ("shared memory read before it is written", without("        tile.until_end[j] = expf(sum);\n")),
    ("one block writes another's rows", without("    O += first_token * d_v;\n")),
    ("indices exchanged", [("of_state += tile.q(i, a) * tile.S(a, b);", "of_state += tile.q(i, a) * tile.S(b, a);")]),
    ("A or L not cleared before it is added to", [("tile.L(i, j) = beta[i]", "tile.L(i, j) += beta[i]")]),
    ("state updated before the outputs read it",
     [("        __syncthreads();  // u is solved\n", "        __syncthreads();\n" + UPDATE_OF_DELTA + "        __syncthreads();\n"),
      ("        __syncthreads();  // everybody has read S\n\n" + UPDATE_OF_DELTA, "        __syncthreads();\n")]),
    ("state not decayed from chunk to chunk", [("tile.since_begin[rows - 1] * tile.S(a, b);", "tile.S(a, b);")]),
    ("keys added to the state undecayed", [("tile.until_end[j] * tile.k(j, a) * tile.u(j, b);", "tile.k(j, a) * tile.u(j, b);")]),
    ("D counts the decay of token j", [("tile.A(i, j) = expf(sum);", "tile.A(i, j) = expf(sum + log_decay[j]);")]),
    ("no D in the system", [("beta[i] * of_key * decay", "beta[i] * of_key")]),
    ("M in place of D in the outputs", [("tile.A(i, j) = of_query * decay;", "tile.A(i, j) = of_query;")]),
    ("system not solved", without("        solve(tile, rows, d_v);\n")),
    ("row stride confused", [("find_right_sides(tile, V + token * d_v,", "find_right_sides(tile, V + token * d_k,")]),
    ("state not carried from chunk to chunk",
     [("float sum = tile.since_begin[rows - 1] * tile.S(a, b);", "float sum = 0.0f;"),
      ("        load(tile.q, Q + token * d_k, rows, d_k);\n",
       "        for (int e = threadIdx.x; e < d_k * d_v; e += blockDim.x) tile.S(e / d_v, e % d_v) = 0.0f;\n"
       "        load(tile.q, Q + token * d_k, rows, d_k);\n")]),
]]

MUTANTS = {CHUNKWISE: MUTANTS_OF_CHUNKWISE, DELTA: MUTANTS_OF_DELTA}


def mutate(kernel: str, source: str, changes: list) -> str:
    for old, new in changes:
        if source.count(old) != 1:
            raise SystemExit(f"kernel_mutants.py: this stands {source.count(old)} times in reference/{kernel}, not once; "
                             f"bring the mutants in line with it:\n{old}")
        source = source.replace(old, new)
    return source


def try_all(tree: Path, kernel: str) -> int:
    """How many mutants of one kernel are not refused and named."""
    build = AnswerBuild(ROOT, tree, tree / "kernel_mutants")
    lab = next(each for each in manifest.load(ROOT) if kernel in each.sources)
    original = (ROOT / "reference" / kernel).read_text(encoding="utf-8")
    green, digest = Green(tree, "kernel_mutants"), digest_of([__file__], build.digest(lab))
    if words := green.result(kernel, digest):
        print(words)
        return 0

    def verdict_on(number: int):
        exercise, _, changes = MUTANTS[kernel][number]
        return build.verdicts(lab, {kernel: mutate(kernel, original, changes)}, [exercise], str(number))[exercise]

    wrong = 0
    with ThreadPoolExecutor(workers.COUNT) as pool:
        for (exercise, mistake, _), verdict in zip(MUTANTS[kernel], pool.map(verdict_on, range(len(MUTANTS[kernel])))):
            killed, named = verdict.status == "fail", mistake in verdict.mistakes
            others = len(verdict.mistakes) - named
            print(f"{exercise}: '{mistake}' is {'killed' if killed else 'NOT KILLED'}, {'named' if named else 'NOT NAMED'}"
                  f"{f', with {others} others' if others else ''}")
            if not (killed and named):
                print(verdict.status, verdict.message, sep="\n")
                wrong += 1
    words = f"{kernel}: {len(MUTANTS[kernel]) - wrong} of {len(MUTANTS[kernel])} kernels refused and named"
    print(words)
    if not wrong:
        green.keep(kernel, digest, words)
    return wrong


def main(tree: Path, chosen: list) -> int:
    return 1 if sum(try_all(tree, kernel) for kernel in chosen or MUTANTS) else 0


if __name__ == "__main__":
    sys.exit(run(main, sys.argv))
