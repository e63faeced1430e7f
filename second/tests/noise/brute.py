"""Answers about a law on the integers by adding up its points in floats."""

import math
from collections.abc import Callable

from leastnoise.noise.distribution import Distribution


class Brute:
    """The weights of a law at -reach .. reach, as floats that add up to 1."""

    def __init__(self, weight: Callable[[int], float], reach: int) -> None:
        self.reach = reach
        raw = {k: weight(k) for k in range(-reach, reach + 1)}
        total = math.fsum(raw.values())
        self.pmf = {k: w / total for k, w in raw.items()}

    def at(self, k: int) -> float:
        return self.pmf.get(k, 0.0)

    def tail(self, k: int) -> float:
        return math.fsum(p for x, p in self.pmf.items() if x >= k)

    def moment(self, order: int) -> float:
        return math.fsum(abs(k) ** order * p for k, p in self.pmf.items())

    def hockey_stick(self, epsilon: float, shift: int) -> float:
        factor = math.exp(epsilon)
        return math.fsum(max(0.0, p - factor * self.at(k - shift)) for k, p in self.pmf.items())

    def renyi(self, order: float, shift: int) -> float:
        pairs = [(p, self.at(k - shift)) for k, p in self.pmf.items() if self.at(k - shift)]
        if order == 1:
            return math.fsum(p * math.log(p / q) for p, q in pairs)
        return math.log(math.fsum(p * (p / q) ** (order - 1) for p, q in pairs)) / (order - 1)

    def quantile(self, level: float) -> int:
        m = 0
        while math.fsum(self.at(k) for k in range(-m, m + 1)) < level:
            m += 1
        return m


def agrees(law: Distribution, brute: Brute, rel: float = 1e-9) -> None:
    """All answers of a law against sums; its divergences at some shifts of both signs."""

    def close(found: object, expected: float) -> None:
        value = float(found)  # type: ignore[arg-type]
        assert math.isclose(value, expected, rel_tol=rel, abs_tol=1e-13), (law, value, expected)

    for k in (0, 1, -2, 5, brute.reach // 3):
        close(law.pmf(k), brute.at(k))
        close(law.tail(k), brute.tail(k))
    for order in (1, 2, 3):
        close(law.moment(order), brute.moment(order))
    close(law.expected("squared"), brute.moment(2))
    for level in ("0.5", "0.9", "0.99"):
        assert law.quantile(level) == brute.quantile(float(level))
    for shift in (1, -1, 2, 3, -5, 8):
        for epsilon in ("0", "0.1", "0.7", "2"):
            close(law.hockey_stick(epsilon, shift), brute.hockey_stick(float(epsilon), shift))
