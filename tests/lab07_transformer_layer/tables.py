#!/usr/bin/env python3
"""Prints tables.hpp: gelu and layer norm with 60 digits, rounded to double at the end.

    python3 tests/lab07_transformer_layer/tables.py > tests/lab07_transformer_layer/tables.hpp
"""

from decimal import Decimal, getcontext

getcontext().prec = 60
NORM_EPSILON = Decimal("1e-5")

GELU = ["0", "0.5", "-0.5", "1", "-1", "1.5", "-1.5", "2", "-2", "3", "-3", "4.25", "-4.25", "6", "-6", "10", "-10",
        "0.001", "-0.001", "1e-20", "-1e-300", "40", "-40", "1000", "-1000", "1e300"]

TOKENS = [  # entries, gain, bias
    ("1 3 3 1", "1 1 1 1", "0 0 0 0"),
    ("1 2 3 4", "1 1 1 1", "0 0 0 0"),
    ("1 2 3 4", "2 -1 0.5 1", "0 1 -2 0.25"),
    ("7 7 7 7", "1 2 3 4", "5 6 7 8"),  # variance 0
    ("0.001 -0.002 0.003 0", "1 1 1 1", "0 0 0 0"),  # a variance below norm_epsilon
    ("1e-8 -1e-8 2e-8 0", "1 1 1 1", "0 0 0 0"),
    ("10000001 10000002 10000003 10000006", "1 1 1 1", "0 0 0 0"),  # large and nearly equal
    ("100000001 100000002 100000001 100000002", "1 2 3 4", "1 1 1 1"),
    ("-300 500 1000 -1200", "1 1 1 1", "0 0 0 0"),
]


def erf(x: Decimal) -> Decimal:
    """Its power series; beyond 12 the result is 1 to 60 digits."""
    if abs(x) > 12:
        return Decimal(1).copy_sign(x)
    getcontext().prec = 140  # the terms cancel
    pi = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798")
    term = total = x
    n = 0
    while abs(term) > Decimal("1e-120"):
        n += 1
        term *= -x * x / n
        total += term / (2 * n + 1)
    getcontext().prec = 60
    return +(2 / pi.sqrt() * total)


def gelu(text: str) -> Decimal:
    x = Decimal(text)
    return x * (1 + erf(x / Decimal(2).sqrt())) / 2


def layer_norm(entries: list, gain: list, bias: list) -> list:
    mean = sum(entries) / len(entries)
    variance = sum((x - mean) ** 2 for x in entries) / len(entries)
    return [(x - mean) / (variance + NORM_EPSILON).sqrt() * g + b for x, g, b in zip(entries, gain, bias)]


def numbers(text: str) -> list:
    return [Decimal(word) for word in text.split()]


def row(values: list) -> str:
    return "{" + ", ".join(repr(float(value)) for value in values) + "}"


print("// Made by tables.py: gelu and layer norm with 60 digits, rounded to double at the end.")
print("#pragma once\n\n#include \"tensor.hpp\"\n\nnamespace linattn::testing::tables {\n")
print("struct Value {\n    double x, gelu;\n};\ninline const Value gelu_values[] = {")
for text in GELU:
    print(f"    {{{float(text)!r}, {float(gelu(text))!r}}},")
print("};\n\nstruct NormedToken {\n    Tensor x, gain, bias, normed;\n};\ninline const NormedToken normed_tokens[] = {")
for x, gain, bias in TOKENS:
    normed = layer_norm(numbers(x), numbers(gain), numbers(bias))
    print("    {" + ",\n     ".join(row(each) for each in (numbers(x), numbers(gain), numbers(bias), normed)) + "},")
print("};\n\n}  // namespace linattn::testing::tables")
