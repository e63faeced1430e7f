"""Choosing the best of several candidates, with the wrong chances."""

from fractions import Fraction
from itertools import permutations
from math import prod

from leastnoise.privacy.loss import PrivacyLoss
from tests.museum.evidence import Diverging, Enumerated
from tests.museum.exhibit import exhibit

Utilities = tuple[int, ...]
Law = dict[int, Fraction]
NOBODY = -1
TWO = "0.7"  # a little above log 2: the ε of chances that halve with every unit of utility


def exponential(utilities: Utilities, factor: Fraction) -> Law:
    """Chances in proportion to factor^utility."""
    weights = [factor**utility for utility in utilities]
    return {k: weight / sum(weights) for k, weight in enumerate(weights)}


def permute_and_flip(utilities: Utilities, factor: Fraction, tried: int) -> Law:
    """In random order, each of the first few is taken with chance factor^(utility − best)."""
    law = dict.fromkeys([NOBODY, *range(len(utilities))], Fraction(0))
    orders = list(permutations(range(len(utilities))))
    for order in orders:
        left = Fraction(1, len(orders))
        for candidate in order[:tried]:
            chance = factor ** (utilities[candidate] - max(utilities))
            law[candidate] += left * chance
            left *= 1 - chance
        law[NOBODY] += left
    return law


@exhibit(Enumerated(neighbours=((1, 0, 0), (0, 1, 1)), epsilon=TWO))
def exponential_mechanism_without_the_two(utilities: Utilities) -> Law:
    """Chances in proportion to e^(ε·u/Δ) where utilities rise and fall together with a person:
    e^(ε·u/(2Δ)) would be right.

    Shown by: McSherryTalwar2007.
    """
    return exponential(utilities, Fraction(2))


@exhibit(Enumerated(neighbours=((0, 0, 0), (1, 0, 0)), epsilon=TWO))
def permute_and_flip_that_stops_too_early(utilities: Utilities) -> Law:
    """Off by one: the last in the order gets no coin. Nobody is chosen only if some are better
    than others, so that "nobody" tells.

    Shown by: McKennaSheldon2020.
    """
    return permute_and_flip(utilities, Fraction(2), tried=len(utilities) - 1)


def pairs(utilities: Utilities, factor: Fraction) -> dict[tuple[int, ...], Fraction]:
    """The best, and then the best of the rest."""
    law: dict[tuple[int, ...], Fraction] = {}
    for first, chance in exponential(utilities, factor).items():
        rest = [k for k in range(len(utilities)) if k != first]
        then = exponential(tuple(utilities[k] for k in rest), factor)
        law |= {(first, rest[k]): chance * second for k, second in then.items()}
    return law


@exhibit(Enumerated(neighbours=((2, 0, 2, 0), (0, 2, 0, 2)), epsilon="2.8"))
def best_two_at_the_price_of_one(utilities: Utilities) -> dict[tuple[int, ...], Fraction]:
    """The two best candidates, each chosen with the whole ε (utilities move by 2 here).

    Shown by: DurfeeRogers2019.
    """
    return pairs(utilities, Fraction(2))


def halving_cdf(most: int) -> Fraction:
    """P(X ≤ most) for P(X = k) ∝ 2^−|k|."""
    return Fraction(2, 3 * 2**-most) if most < 0 else 1 - Fraction(1, 3 * 2**most)


def noisy_max_value(values: Utilities) -> dict[int, Fraction]:
    """The law of the greatest noisy value, cut to −20..20 afterwards."""
    law, before = {}, Fraction(0)
    for told in range(-20, 21):
        below = Fraction(prod(halving_cdf(told - v) for v in values) if told < 20 else 1)
        law[told], before = below - before, below
    return law


@exhibit(Enumerated(neighbours=((0, 0, 0), (1, 1, 1)), epsilon=TWO))
def noisy_max_that_tells_its_value(values: Utilities) -> dict[int, Fraction]:
    """Tells the winner's noisy value with the noise that decided: a person who is in all counts
    moves all of them, and the price is that of one.

    Shown by: DworkRoth2014.
    """
    return noisy_max_value(values)


@exhibit(Diverging(rho="0.961", order=2))
def permute_and_flip_priced_as_exponential() -> PrivacyLoss:
    """Permute-and-flip at the ρ = ε²/8 that is true of the exponential mechanism; ε is 4·log 2.

    Shown by: OpenDpNoisyMax2026.
    """
    laws = [permute_and_flip(each, Fraction(2), tried=2) for each in ((0, 0), (2, -2))]
    return PrivacyLoss.of_laws(*laws)


@exhibit(Enumerated(neighbours=((3, 2), (3, 3)), epsilon=1))
def the_true_best(utilities: Utilities) -> Law:
    """No noise, since "only a name is published"; ties go to the later candidate.

    Shown by: McSherryTalwar2007.
    """
    return {max(range(len(utilities)), key=lambda k: (utilities[k], k)): Fraction(1)}
