"""Long Range Arena's table 1, percent right: what its averages are made of. Nothing in it solves Path-X."""

TASKS = {"ListOps": 10, "Text": 50, "Retrieval": 50, "Image": 10, "Pathfinder": 50}  # chance
PUBLISHED = {"softmax": (36.37, 64.27, 57.46, 42.44, 71.40),
             "linear": (16.13, 65.90, 53.09, 42.34, 75.30),
             "Performer": (18.01, 65.40, 53.82, 42.77, 77.05)}

print(f"{'':10}" + "".join(f"{task:>11}" for task in (*TASKS, "average", "Path-X")))
for name, shares in {"chance": tuple(TASKS.values()), **PUBLISHED}.items():
    average = sum(shares) / len(shares)
    print(f"{name:10}" + "".join(f"{share:11.2f}" for share in (*shares, average)) + f"{'50' if name == 'chance' else 'fails':>11}")
