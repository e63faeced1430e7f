"""Laws of the two ways to choose, by other means than the library's."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations, product

from mpmath import exp, mpf


def exponential_law(utilities: Sequence[int], rate: Fraction) -> list[mpf]:
    weights = [_coin(utilities, i, rate) for i in range(len(utilities))]
    return [weight / sum(weights) for weight in weights]


def flipping_law(utilities: Sequence[int], rate: Fraction) -> list[mpf]:
    """Permute and flip as it is told: every order, coins one after another."""
    law, orders = [mpf(0)] * len(utilities), list(permutations(range(len(utilities))))
    for order in orders:
        tails = mpf(1)
        for i in order:
            coin = _coin(utilities, i, rate)
            law[i] += tails * coin / len(orders)
            tails *= 1 - coin
    return law


def noisy_max_law(utilities: Sequence[int], rate: Fraction, most: int) -> list[mpf]:
    """The greatest utility plus geometric noise below `most`, ties broken evenly."""
    law, step = [mpf(0)] * len(utilities), exp(-mpf(rate.numerator) / rate.denominator)
    for draws in product(range(most), repeat=len(utilities)):
        chance = mpf(1)
        for draw in draws:
            chance *= (1 - step) * step**draw
        totals = [u + g for u, g in zip(utilities, draws, strict=True)]
        best = [i for i, total in enumerate(totals) if total == max(totals)]
        for i in best:
            law[i] += chance / len(best)
    return law


def expected_error(utilities: Sequence[int], law: Sequence[mpf]) -> mpf:
    return sum(
        (chance * (max(utilities) - u) for u, chance in zip(utilities, law, strict=True)), mpf(0)
    )


def _coin(utilities: Sequence[int], place: int, rate: Fraction) -> mpf:
    return exp(-mpf(rate.numerator) / rate.denominator * (max(utilities) - utilities[place]))
