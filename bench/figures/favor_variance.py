"""The variance of the two estimates of the softmax kernel, divided by the kernel's square: lab 04's function for positive
features, and the chapter's formula for sines and cosines."""

import numpy as np
from labs import lab04

square = 2.0  # ‖q̂‖² = ‖k̂‖²
length = np.sqrt(square * np.sqrt(2))
print(f"# |q|^2 = |k|^2 = {square:g} after scaling by d^(-1/4), d = 2, m = 1\nproduct,positive,trigonometric")
for product in square * np.arange(-80, 81) / 80:
    angle = np.arccos(product / square)
    positive = abs(lab04.kernel_variance(np.array([length, 0.0]), length * np.array([np.cos(angle), np.sin(angle)]), 1))
    trigonometric = np.exp(2 * square) * (1 - np.exp(-2 * (square - product))) ** 2 / 2
    print("%.3f,%.6g,%.6g" % (product, positive / np.exp(2 * product), trigonometric / np.exp(2 * product)))
