"""Which law of noise a release gets, and how its price is divided. The only place that divides.

Nothing here is trusted: the gate proves the price of every proposal anew.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Literal

from leastnoise.ledger.costs import Asked, price_of
from leastnoise.ledger.meters import Family, Meters, Price
from leastnoise.numbers.errors import InvalidInput
from leastnoise.privacy.guarantee import ZCDP
from leastnoise.release.estimate import noise_sizes, quantile
from leastnoise.release.measurement import NORM, Part, Proposal
from leastnoise.release.query import OVER_LIMIT, Select
from leastnoise.tables.contributions import ONE

Word = Literal["auto", "laplace", "gaussian"]

CHECK_BELOW = 200  # units: how exactly the units over the limit must be counted, or are not at all


def proposal(selects: Sequence[Select], family: Family, price: Price) -> Proposal:
    """The noise that fills the price: every query an equal part, its totals by `Select.shares`."""
    return Proposal(
        family, tuple(_part(each, family, price, len(selects)) for each in selects), price
    )


def _part(select: Select, family: Family, price: Price, count: int) -> Part:
    amount = (price.squared_mu if family == "gaussian" else price.epsilon or Fraction(0)) / count
    over_limit = select.limit is not None and _sees_units(family, amount)
    measurement = select.measurement(over_limit=over_limit)
    shares = select.shares(over_limit=over_limit)
    noise = tuple(
        _size(family, measurement.sensitivity(total, NORM[family]), share * amount)
        for total, share in shares.items()
    )
    units = _size(family, ONE**2, OVER_LIMIT * amount) if over_limit else None
    return Part(measurement, noise, units)


def _size(family: Family, squared: int, amount: Fraction) -> int:
    """The least whole noise with which a total of this squared sensitivity costs at most that."""
    return -(-squared // amount) if family == "gaussian" else -(-isqrt(squared) // amount)


def _sees_units(family: Family, amount: Fraction) -> bool:
    """Whether the units over the limit are counted: if the margin of the count is below 200.

    That depends on the noise alone, because how many units there are is secret.
    """
    part = float(OVER_LIMIT * amount)
    return quantile(family, [part**-0.5 if family == "gaussian" else 1 / part], 0.025) < CHECK_BELOW


@dataclass(frozen=True)
class Choice:
    """A proposal, and the line of the rule that led to its law."""

    proposal: Proposal
    reason: str


def choose(selects: Sequence[Select], asked: Asked, noise: Word, meters: Meters) -> Choice:
    """The proposal for a release, by what was insisted on or by the rule of three lines.

    1. Delta 0: Laplace. A ledger in rho: Gaussian. If only one law still fits: that law.
    2. If the release asks for more than half of the ledger: the law with less noise.
    3. Else Gaussian noise, which composes.
    """
    if noise not in ("auto", "laplace", "gaussian"):
        raise InvalidInput(f'noise is {noise!r}. Give "auto", "laplace" or "gaussian".')
    family, reason = _family(selects, asked, noise, meters)
    return Choice(proposal(selects, family, price_of(asked, family, meters)), reason)


def _family(
    selects: Sequence[Select], asked: Asked, noise: Word, meters: Meters
) -> tuple[Family, str]:
    guarantee = meters.total.guarantee
    pure_only = not isinstance(guarantee, ZCDP) and guarantee.delta == 0
    if noise == "gaussian" and pure_only:
        raise InvalidInput("This ledger has delta 0 for ever, so it takes Laplace noise only.")
    if noise != "auto":
        return noise, "asked for"
    if pure_only:
        return "laplace", "the ledger has delta 0"
    if isinstance(guarantee, ZCDP):
        return "gaussian", "the ledger counts in rho"
    fitting: list[Family] = [
        family for family in NORM if meters.fits(price_of(asked, family, meters))
    ]
    if len(fitting) == 1:
        return fitting[0], "only this law still fits"
    if asked.amount > meters.total.epsilon / 2:
        widths = {family: _margin(selects, asked, family, meters) for family in NORM}
        return min(
            widths, key=lambda family: widths[family]
        ), "less noise, in a release of more than half"
    return "gaussian", "leaves the ledger open"


def _margin(selects: Sequence[Select], asked: Asked, family: Family, meters: Meters) -> float:
    """The margin of the first total of the first query; all totals have about one ratio."""
    part = proposal(selects, family, price_of(asked, family, meters)).parts[0]
    return quantile(family, noise_sizes(part, family)[:1], 0.01)
