"""Two scans of n states: how many combines, in how many rounds, and what the states of a scan over tokens take."""


def hillis_steele(n):
    combines = rounds = 0
    distance = 1
    while distance < n:
        combines += n - distance
        rounds += 1
        distance *= 2
    return combines, rounds


def two_sweeps(n):
    """Pairs, then the scan of the pairs, then one combine for each entry between them."""
    if n < 2:
        return 0, 0
    combines, rounds = two_sweeps(n // 2)
    between = (n - 1) // 2  # entries 2, 4, 6, …
    return n // 2 + combines + between, 1 + rounds + (between > 0)


for n in (8, 1024):
    print(f"n = {n}")
    for scan in (hillis_steele, two_sweeps):
        combines, rounds = scan(n)
        print(f"  {scan.__name__:<14} {combines:5} combines in {rounds:2} rounds")
N, D = 65536, 64
print(f"n = {N}, d = {D}: n states of d² floats take {N * D * D * 4 / 1e9:.2f} GB for each head, one state {D * D * 4 / 1e3:.0f} KB")
