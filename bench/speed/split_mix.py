"""The random numbers of labs/vocabulary/random.cpp."""


class Random:
    """SplitMix64."""
    MASK = (1 << 64) - 1

    def __init__(self, seed: int):
        self.state = seed
        self.state = self.bits()

    def bits(self) -> int:
        self.state = z = (self.state + 0x9E3779B97F4A7C15) & self.MASK
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & self.MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & self.MASK
        return z ^ (z >> 31)

    def uniform(self) -> float:
        return (self.bits() >> 11) * 2.0 ** -53

    def below(self, count: int) -> int:
        return int(self.uniform() * count)
