"""The two estimates of the softmax kernel, as a part of the kernel, with more and more directions: the mean over many draws,
and the range of the middle 80% of the draws. q̂ = (1, 0), and k̂ has length 1 too."""

import numpy as np
from labs import lab04

most, draws = 1024, 4000
print(f"# |q|^2 = |k|^2 = 1 after scaling by d^(-1/4), d = 2; {draws} draws, seeds 0 to {draws - 1}")
print("angle,m", *(f"{kind} {what}" for kind in ("positive", "trigonometric") for what in ("lower", "mean", "upper")), sep=",")
W = np.stack([lab04.gaussian_projection(most, 2, seed) for seed in range(draws)])
for degrees in (60, 120):
    angle = np.radians(degrees)
    w_q, w_k = W[..., 0], np.cos(angle) * W[..., 0] + np.sin(angle) * W[..., 1]
    # What each direction contributes, by the formulas of 4.3 and 4.4.
    estimates = np.array([np.exp(w_q + w_k - 1), np.exp(1) * np.cos(w_q - w_k)])
    sums = np.cumsum(estimates / np.exp(np.cos(angle)), axis=2)
    for m in 2 ** np.arange(2, 11):
        means = np.sort(sums[:, :, m - 1] / m)
        ranges = [(each[draws // 10], np.mean(each), each[-1 - draws // 10]) for each in means]
        print(degrees, m, *("%.4g,%.4g,%.4g" % each for each in ranges), sep=",")
