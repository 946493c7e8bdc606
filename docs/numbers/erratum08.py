"""What a key-value cache and a state take, in the same unit."""

TOKENS, LAYERS, D, BYTES = 4096, 32, 64, 2  # one head; float16 and bfloat16 take 2 bytes

cache, state = TOKENS * LAYERS * (D + D), LAYERS * (D * D + D)
print(f"keys and values: {cache / 1e6:.1f} million numbers, {cache * BYTES / 1e6:.1f} MB")
print(f"S and z:         {state / 1e6:.2f} million numbers,  {state * BYTES / 1e6:.2f} MB: {cache / state:.0f} times less")
print(f"S alone, with 4 bytes a number: {LAYERS * D * D * 4 / 1e6:.2f} MB")
