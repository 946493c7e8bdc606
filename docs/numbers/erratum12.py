"""How many positive features a given accuracy takes, for entries from N(0, 1)."""

from math import ceil, exp

D = 64
squared_norm = 2 * D / D**0.5  # of q̂ + k̂: each of its d entries has variance 2/√d
print(f"d = {D}: the mean of ‖q̂ + k̂‖² is {squared_norm:g}, and m·Var at q̂·k̂ = 0 is {exp(squared_norm) - 1:.2g}")
for part in (1.0, 0.1):
    print(f"standard error {part:.0%} of the kernel: {ceil((exp(squared_norm) - 1) / part**2):.2g} features")
