"""How many times as fast linear attention generates images, by the baseline: from tables 1, 2, 4 and 5 of the paper of 2020."""

IMAGES_PER_SECOND = {  # recomputed, with a key-value cache, linear
    "MNIST": (0.45, 7.56, 142.8),
    "CIFAR-10": (0.004, 0.32, 17.85),
}
SECONDS_FOR_ONE = {"CIFAR-10, one image at a time": (300.1, 70.4, 61.3)}

print(f"{'linear attention against':32}{'recomputed':>12}{'a cache':>9}")
for name, (recomputed, cached, linear) in IMAGES_PER_SECOND.items():
    print(f"{name:32}{linear / recomputed:12.0f}{linear / cached:9.1f}")
for name, (recomputed, cached, linear) in SECONDS_FOR_ONE.items():
    print(f"{name:32}{recomputed / linear:12.1f}{cached / linear:9.2f}")
