r"""How far short of the best a private choice may fall, whatever the utilities are."""

import math
from collections.abc import Callable
from fractions import Fraction

from flint import arb

from leastnoise.numeric import ball as balls
from leastnoise.numeric.inverse import least_integer

_GUESSES = 8

Missed = Callable[[int, arb], arb]
"""From the number of candidates, and the coin of all but the best, the chance to miss the best."""


def weighing_missed(candidates: int, coin: arb) -> arb:
    """The exponential mechanism's chance to miss one best if all others have this coin."""
    others = (candidates - 1) * coin
    return others / (1 + others)


def flipping_missed(candidates: int, coin: arb) -> arb:
    """The same for permute-and-flip."""
    return 1 - (1 - (1 - coin) ** candidates) / (candidates * coin)


def rare_gap(missed: Missed, candidates: int, rate: Fraction, failure: Fraction) -> int:
    r"""The least gap, 1 or more, that is reached with at most this chance.

    Theorem: for all utilities of so many candidates the choice's gap is this or more with chance at
    most `failure`. Proof: the chance of a candidate falls with its own gap and rises with those of
    others, so the worst is that all but one fall short by just this much: docs/proofs/selection.md.
    It is at most the sum of all others' coins, which is compared first: at great rates the chance
    itself is the difference of two numbers that no precision tells apart.

    Args:
        missed: how the choice is made.
        candidates: how many there are.
        rate: coins fall by e^−rate for each step of the gap.
        failure: the chance, in (0, 1).
    """

    def rare(gap: int) -> bool:
        # Balls are made anew each time: their precision must grow with the others'.
        def coins() -> arb:
            return (candidates - 1) * balls.ball(-rate * gap).exp() - balls.ball(failure)

        def excess() -> arb:
            return missed(candidates, balls.ball(-rate * gap).exp()) - balls.ball(failure)

        return balls.sign(coins) <= 0 or balls.sign(excess) <= 0

    return least_integer(rare, 1, int(_about(missed, candidates, failure) / float(rate)))


def _about(missed: Missed, candidates: int, failure: Fraction) -> float:
    """About −ln of the coin with which the best is missed so often: a guess."""
    first = coin = failure / candidates
    with balls.precision(balls.FIRST_PRECISION):
        wanted, ball = balls.ball(failure), balls.ball(first)
        for _ in range(_GUESSES):  # the chance is nearly a multiple of a small coin
            ball = (ball * wanted / missed(candidates, ball)).mid()
        if 0 < ball < 1:
            coin = balls.exact(ball)
    return math.log(coin.denominator) - math.log(coin.numerator)
