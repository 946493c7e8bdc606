"""Prints GELU'(x) = Φ(x) + x·Φ'(x) to 17 digits, for gelu_test.cpp: python3 tests/lab08_training/gelu_table.py (mpmath)"""
import mpmath

mpmath.mp.dps = 40
for x in (-40, -38, -9, -6, -4, -2, -1.5, -1, -0.7517915, -0.5, -0.125, -1e-9, 0, 1e-9, 0.125, 0.5, 1, 2, 4, 6, 9, 40):
    slope = mpmath.ncdf(mpmath.mpf(x)) + mpmath.mpf(x) * mpmath.npdf(mpmath.mpf(x))
    print("{%s, %s}," % (x, mpmath.nstr(slope, 17)))
