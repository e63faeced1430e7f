"""The gate: proves anew what a proposal costs. Only what it admits is charged, read and drawn.

Whoever made the proposal may be wrong: the sensitivity of every total comes from the measurement,
in integers, and the price from sensitivity and noise, in exact fractions. There is a case for each
kind of noise and for each kind of draw; anything else is refused.

Theorem (joint price). The totals of one measurement share the weights of its units, and adding or
removing one unit moves total j by at most S_j (`Measurement.sensitivity`).
Gaussian: with independent rounded Gaussians of variance V_j it is mu-GDP with
mu^2 = sum of S_j^2 / V_j. Laplace: with discrete Laplace noise of scale B_j it is epsilon-DP with
epsilon = sum of S_j / B_j. Parts add up, also if one depends on what an earlier one gave. A limit
that is drawn is followed by noise for the limit that came out: the price holds for every one.
Proof page: docs/proofs/unit_locality.md.

Trusted.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from leastnoise.ledger.meters import Family, Price
from leastnoise.numbers.errors import InvalidInput, LeastNoiseError
from leastnoise.release.auto_contributions import draw_price
from leastnoise.release.group_selection import is_safe, selection_price
from leastnoise.release.measurement import LEVELS, Part, Proposal, Shared
from leastnoise.release.shared_draws import prices as shared_prices
from leastnoise.tables.contributions import ONE
from leastnoise.tables.groups import Unlisted
from leastnoise.tables.totals import Below

_KEY = object()
_NOWHERE = "A part of a release takes its groups or its limit from nowhere."


class NotAdmitted(LeastNoiseError):
    """The gate could not prove the price of a proposal. Nothing was read or charged."""


@dataclass(frozen=True)
class Admitted:
    """A proposal whose price was proved. `admit` alone can make one."""

    proposal: Proposal
    key: object

    def __post_init__(self) -> None:
        if self.key is not _KEY:
            raise NotAdmitted("Only the gate admits.")


def admit(proposal: Proposal) -> Admitted:
    """The proposal, if its noise keeps the promise that its price stands for."""
    family = proposal.family
    if not proposal.parts:
        raise _refused("A release measures nothing.")
    for part in proposal.parts:
        _check_noise(part)
    prices = [price for part in proposal.parts for price in _draws(part, proposal)]
    for part in proposal.parts:
        most = max(_amount(each, family) for each in _at_every_limit(part, family))
        prices.append(Price.gaussian(most) if family == "gaussian" else Price.pure(most))
    try:
        prices += shared_prices(proposal.draws, proposal.parts, family)
    except InvalidInput as error:
        raise _refused(str(error)) from None
    proved = sum(prices[1:], prices[0])
    if not proposal.price.covers(proved):
        raise _refused("The noise of a release does not keep what its price promises.")
    return Admitted(proposal, _KEY)


def _refused(why: str) -> NotAdmitted:
    return NotAdmitted(f"{why} Nothing was read or charged. Please report this as a bug.")


def _check_noise(part: Part) -> None:
    """Every total, once, has noise of its own of a whole size, or shares a draw."""
    measurement = part.measurement
    if len(part.noise) != len(measurement.totals):
        raise _refused("Every total needs noise.")
    if len(set(measurement.totals)) < len(measurement.totals):
        raise _refused("A total is measured twice.")
    own = [each for each in part.noise if not isinstance(each, Shared)]
    counts = [part.over_limit_noise] if measurement.over_limit else []
    if any(type(each) is not int or each < 1 for each in (*own, *counts)):
        raise _refused("Every total needs noise of a whole size above 0.")


def _draws(part: Part, proposal: Proposal) -> Iterator[Price]:
    """What finding groups and drawing a limit cost; a part either does so or follows one that does."""
    first = part
    if part.leader is not None:
        if part.leader not in range(len(proposal.parts)) or part.exponent or part.selection:
            raise _refused(_NOWHERE)
        first = proposal.parts[part.leader]
        if first.leader is not None:
            raise _refused(_NOWHERE)
    finds, is_drawn = first.selection is not None, first.exponent is not None
    if isinstance(part.measurement.groups, Unlisted) is not finds or part.is_drawn is not is_drawn:
        raise _refused(_NOWHERE)
    if part.exponent is not None:
        if part.exponent <= 0:
            raise _refused("A limit cannot be drawn so.")
        yield draw_price(part.exponent)
    if part.selection is not None:
        if not is_safe(part.selection, one_row_each=part.measurement.relation.one_row_each):
            raise _refused("The threshold of groups is too low.")
        yield selection_price(part.selection)


def _at_every_limit(part: Part, family: Family) -> Iterator[Part]:
    """The part with the noise that it will have, for every limit that may be drawn."""
    if part.is_drawn:
        yield from (part.at(level, family) for level in range(LEVELS))
    else:
        yield part


def _amount(part: Part, family: Family) -> Fraction:
    """The mu^2, or the epsilon, of the noise of all totals of a part."""
    sizes = list(_sensitivities(part, family))
    if family == "gaussian":
        return sum((Fraction(squared, variance) for squared, variance in sizes), Fraction(0))
    return sum((Fraction(isqrt(squared), scale) for squared, scale in sizes), Fraction(0))


def _sensitivities(part: Part, family: Family) -> Iterator[tuple[int, int]]:
    """(squared sensitivity, noise) of every total with noise of its own, and of both counts of units.

    One unit is in one of the two counts, so together they move by one unit in either norm. `Above`
    and `Below` of one value with the same noise move in l1 norm as far as one of them. No total
    stands there twice, so no `Above` pays for two.
    """
    measurement, norm = part.measurement, part.measurement.norm(family)
    noise = dict(zip(measurement.totals, part.noise, strict=True))
    for total, size in noise.items():
        is_second = type(total) is Below and noise.get(total.other) == size
        if not (isinstance(size, Shared) or (is_second and family == "laplace")):
            yield measurement.sensitivity(total, norm), size
    if measurement.over_limit:
        yield ONE**2, part.over_limit_noise or 0
