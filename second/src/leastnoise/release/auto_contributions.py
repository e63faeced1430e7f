r"""The private draw of a contribution limit: `max_contributions="auto"`.

Candidates are the limits L with L^2 = 2^i, i = 0 .. 40. Let over(i) be the number of units whose
vector of rows per group has a squared norm above 2^i. One candidate is drawn with a chance
proportional to e^(-e1 * over(i)) * 8^-i. The factor 8^-i = L^-6 pays for going up.

Theorem. The draw is e1-DP and has bounded range e1. Proof: removing a unit lowers every over(i) by 0
or 1, so each weight grows by a factor in [1, e^e1], and so does their sum; hence the ratio of the
chances of i, over all i, lies in an interval [t - e1, t] on the logarithmic scale with t in
[0, e1]. So it is e1^2/8-zCDP (Cesar and Rogers 2021) and mu-GDP with the mu of
`squared_mu_of_bounded_range` (Dong, Durfee and Rogers 2020). Proof page: docs/proofs/auto_limit.md.

Trusted.
"""

from collections.abc import Sequence
from fractions import Fraction

from flint import arb

from leastnoise.ledger.meters import Price
from leastnoise.noise.source import Source
from leastnoise.noise.uniform import Table
from leastnoise.numbers.ball import ball, floor
from leastnoise.privacy.conversion import squared_mu_of_bounded_range
from leastnoise.release.measurement import LEVELS

_SPARE = 64  # bits


def draw_price(exponent: Fraction) -> Price:
    """What a draw with this exponent e1 costs."""
    return Price(exponent, squared_mu_of_bounded_range(exponent), exponent**2 / 8)


def draw_level(exponent: Fraction, over: Sequence[int], source: Source) -> int:
    """A level i, given over(i) for every level."""
    if len(over) != LEVELS:
        raise ValueError("one number is needed for each level")
    return int(
        Table(lambda n, bits: _floor_of_tail(exponent, over, n, bits), LEVELS).sample(1, source)[0]
    )


def _floor_of_tail(exponent: Fraction, over: Sequence[int], n: int, bits: int) -> int:
    """The floor of P(level >= n) * 2^bits, for 1 <= n < LEVELS.

    It is 2^bits - 1 - floor(P(level < n) * 2^bits): the lower part may be far smaller than any
    number of bits of the upper one, and it is no fraction of a power of two.
    """

    def below() -> arb:
        weights = [(-ball(exponent * each)).exp() / arb(8) ** i for i, each in enumerate(over)]
        return sum(weights[:n], arb(0)) / sum(weights, arb(0)) * arb(2) ** bits

    return (1 << bits) - 1 - floor(below, bits + _SPARE)
