"""What GPT-2 small keeps for 10 000 tokens, with 2 bytes a number."""

TOKENS, LAYERS, HEADS, D, BYTES = 10_000, 12, 12, 64, 2

token = 2 * LAYERS * HEADS * D * BYTES
print(f"keys and values: {token:,} bytes a token, {token * TOKENS / 1e9:.2f} GB in all")
print(f"S and z: {LAYERS * HEADS * (D * D + D) * BYTES / 1e6:.1f} MB at any length")
print(f"all weights of one layer, n × n for each head: {HEADS * TOKENS**2 * BYTES / 1e9:.1f} GB")
