"""What one head keeps to generate and to train, in MB of float32."""

D, CHUNK, BYTES = 64, 64, 4


def megabytes(numbers):
    return f"{numbers * BYTES / 1e6:.4g}"


LENGTHS, STATE = (1024, 16_384, 262_144), D * D + D
KEPT = {"generating: S and z": lambda n: STATE,
        "training: q, k, v and the output of each token": lambda n: 4 * D * n,
        f"  with a state for every {CHUNK} tokens": lambda n: 4 * D * n + STATE * n // CHUNK,
        "  with the state of every token": lambda n: (4 * D + STATE) * n}
print(f"{'tokens':48}" + "".join(f"{n:>10}" for n in LENGTHS))
for name, numbers in KEPT.items():
    print(f"{name:48}" + "".join(f"{megabytes(numbers(n)):>10}" for n in LENGTHS))
