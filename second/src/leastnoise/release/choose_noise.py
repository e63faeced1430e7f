"""Which law of noise a release gets, and how its price is divided. The only place that divides.

Nothing here is trusted: the gate proves the price of every proposal anew.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isqrt
from operator import mul
from typing import Literal, cast

from leastnoise.ledger.costs import Asked, price_of
from leastnoise.ledger.meters import Family, Meters, Price
from leastnoise.noise.joint_pure import ends
from leastnoise.noise.sums import noise_of
from leastnoise.noise.vector_laplace import LaplaceNoise
from leastnoise.numbers.errors import InvalidInput
from leastnoise.privacy.conversion import squared_mu_of_bounded_range
from leastnoise.privacy.guarantee import ZCDP
from leastnoise.release.auto_contributions import draw_price
from leastnoise.release.estimate import noise_sizes, quantile
from leastnoise.release.group_selection import is_safe, selection_price
from leastnoise.release.marginal_tables import CellNoise, Together, law_of
from leastnoise.release.measurement import (
    NORM,
    Drawn,
    JointLaw,
    Law,
    Limit,
    Part,
    Proposal,
    Selection,
    Shared,
)
from leastnoise.release.query import OVER_LIMIT, Select
from leastnoise.release.shared_draws import reach
from leastnoise.tables.contributions import ONE
from leastnoise.tables.groups import Groups, Unlisted
from leastnoise.tables.profile import STEPS
from leastnoise.workloads.joint_design import Group, gaussian_group, pure_groups, weighted_variance

Word = Literal["auto", "laplace", "gaussian"]

CHECK_BELOW = 200  # units: how exactly the units over the limit must be counted, or are not at all

_FOUND_GROUPS = 30  # how many groups are expected where they are found privately
_GRID = 1 << 20


@dataclass(frozen=True)
class Budget:
    """What one query of a release may cost.

    Attributes:
        family: the law of its noise.
        amount: epsilon (Laplace), or mu^2 (Gaussian).
        delta: for finding groups.
        in_rho: whether the ledger counts in rho.
    """

    family: Family
    amount: Fraction
    delta: Fraction
    in_rho: bool = False


def proposal(
    selects: Sequence[Select],
    family: Family,
    price: Price,
    *,
    weights: Sequence[Fraction] | None = None,
    delta_of_groups: Fraction = Fraction(0),
    in_rho: bool = False,
) -> Proposal:
    """The noise that fills the price, divided among the queries by their weights."""
    weights = weights or [Fraction(1)] * len(selects)
    whole = price.squared_mu if family == "gaussian" else price.epsilon or Fraction(0)
    finding = [isinstance(each.groups, Unlisted) for each in selects]
    if family == "laplace" and any(finding):
        raise InvalidInput(
            'groups="auto" needs Gaussian noise. Leave noise out, or list the groups.'
        )
    parts: list[Part] = []
    shared: tuple[Part, ...]
    draws: tuple[Law, ...]
    if selects[0].together is not None:
        budget = Budget(family, whole, Fraction(0), in_rho)
        shared, draws = _tables(selects, selects[0].together, budget)
    else:
        all_weights = sum(weights)
        for select, weight, finds in zip(selects, weights, finding, strict=True):
            delta = delta_of_groups / sum(finding) if finds else Fraction(0)
            budget = Budget(family, whole * weight / all_weights, delta, in_rho)
            parts += _parts(select, budget, len(parts))
        shared, draws = _shared(parts, family)
    price = replace(
        price, delta=sum((p.selection.delta for p in shared if p.selection), Fraction(0))
    )
    if in_rho and family == "gaussian":  # the other meter is not looked at
        limits = [draw_price(part.exponent).squared_mu for part in shared if part.exponent]
        price = replace(price, squared_mu=price.squared_mu + sum(limits))
    return Proposal(family, shared, price, draws)


def _shared(parts: Sequence[Part], family: Family) -> tuple[tuple[Part, ...], tuple[Law, ...]]:
    """The parts with noise from draws that totals share, where that is less noise; and the draws.

    What the variance of a total counts follows from its share of the price: with noise of its own,
    the shares would be the best ones.
    """
    own = [
        (place, number, reach(part, total, family), size)
        for place, part in enumerate(parts)
        if isinstance(part.measurement.groups, Groups) and len(part.measurement.groups) == 1
        if not part.is_drawn
        for number, (total, size) in enumerate(
            zip(part.measurement.totals, part.noise, strict=True)
        )
        if isinstance(size, int)
    ]
    if len(own) < 2:
        return tuple(parts), ()
    boxes, sizes = [box for _, _, box, _ in own], [size for *_, size in own]
    pairs = [(max(map(abs, ends(box))), size) for box, size in zip(boxes, sizes, strict=True)]
    groups: Sequence[Group]
    if family == "gaussian":
        price = sum((Fraction(move**2, size) for move, size in pairs), Fraction(0))
        weights, alone = [move**2 / size**2 for move, size in pairs], sizes
        groups = [gaussian_group(boxes, price, weights)]
    else:
        price = sum((Fraction(move, size) for move, size in pairs), Fraction(0))
        weights, alone = [move / size**3 for move, size in pairs], [2 * size**2 for size in sizes]
        groups = pure_groups(boxes, price, weights)
    if weighted_variance(groups, weights) >= sum(map(mul, weights, alone)):
        return tuple(parts), ()
    noise = [list(part.noise) for part in parts]
    for draw, group in enumerate(groups):
        for number, place in enumerate(group.places):
            part, total, *_ = own[place]
            noise[part][total] = Shared(draw, number)
    found = tuple(replace(part, noise=tuple(each)) for part, each in zip(parts, noise, strict=True))
    laws = tuple(group.law for group in groups if not isinstance(group.law, LaplaceNoise))
    return found, laws


def _parts(select: Select, budget: Budget, first: int) -> list[Part]:
    """The measurements of a query with their noise, which begin at a place of the proposal."""
    rest, selection, exponent = budget.amount, None, None
    family = budget.family
    if isinstance(select.groups, Unlisted):
        selection = _selection(select, rest / 2, budget.delta)
        rest -= selection_price(selection).squared_mu
    if isinstance(select.limit, Drawn):
        exponent = _exponent(select, family, rest)
        rest -= _cost_of_draw(exponent, budget)
    over_limit = isinstance(select.limit, Limit) and _sees_units(family, rest)
    parts: list[Part] = []
    for measurement, shares in select.measurements(family, over_limit=over_limit):
        at = replace(measurement, limit=Drawn(0)) if exponent else measurement
        noise = tuple(
            _size(family, at.sensitivity(total, NORM[family]), share * rest)
            for total, share in zip(measurement.totals, shares, strict=True)
        )
        units = _size(family, ONE**2, OVER_LIMIT * rest) if measurement.over_limit else None
        if not parts:
            parts.append(Part(measurement, noise, units, exponent, selection))
        else:
            leader = first if exponent or selection else None
            parts.append(Part(measurement, noise, units, leader=leader))
    return parts


def _tables(
    selects: Sequence[Select], together: Together, budget: Budget
) -> tuple[tuple[Part, ...], tuple[Law, ...]]:
    """The measurements of tables that fit together, and the noise of each total on all of them."""
    first, family, rest = selects[0], budget.family, budget.amount
    exponent, over_limit, shares = None, False, tuple[Fraction, ...]()
    if isinstance(first.limit, Drawn):
        exponent = _exponent(first, family, rest)
        rest -= _cost_of_draw(exponent, budget)
    elif isinstance(first.limit, Limit):
        over_limit = _sees_units(family, rest)
    units = _size(family, ONE**2, OVER_LIMIT * rest) if over_limit else None
    parts = list[Part]()
    for place, select in enumerate(selects):
        ((measured, shares),) = select.measurements(family, over_limit=over_limit)
        noise = tuple(Shared(number, place) for number in range(len(shares)))
        if not place:
            parts.append(Part(measured, noise, units, exponent))
            continue
        measured = replace(measured, over_limit=False)
        parts.append(Part(measured, noise, leader=None if exponent is None else 0))
    return tuple(parts), tuple(law_of(together, family, share * rest) for share in shares)


def _selection(select: Select, squared_mu: Fraction, delta: Fraction) -> Selection:
    """Noise on the units of groups for this price, and the least threshold that is safe."""
    if not delta:
        raise InvalidInput(
            "This ledger has delta 0 for ever, so groups cannot be found privately. List them, or use "
            "a ledger with a delta."
        )
    delta = Fraction(int(delta * 10**30), 10**30)
    variance = -(-(STEPS**2) // squared_mu)
    alone = select.relation.one_row_each

    def found(threshold: int) -> Selection:
        return Selection(variance, threshold, delta, select.min_units)

    most = 1 if alone else STEPS
    reach = (STEPS / k**0.5 + variance**0.5 * quantile("gaussian", [1.0], float(delta) / k)
             for k in range(1, most + 1))  # fmt: skip
    threshold = int(max(reach))  # a float: within one of the least
    while not is_safe(found(threshold), one_row_each=alone):
        threshold += 1
    return found(threshold)


def _exponent(select: Select, family: Family, amount: Fraction) -> Fraction:
    """The exponent of the draw of a limit: a part of the price that falls with the groups."""
    groups = select.known_groups or _FOUND_GROUPS
    laplace = family == "laplace"
    share = max((0.25 if laplace else 0.2) * groups**-0.2, 0.03)
    if select.asks_for_means_alone:
        share = min(share, 1 / groups) if laplace else share
    if laplace:
        exponent = share * float(amount)
    else:
        mu = float(amount) ** 0.5
        exponent = 1.59 * share**0.5 * mu
        if select.asks_for_means_alone:
            exponent = min(exponent, 3 * mu / groups)
    return max(Fraction(int(exponent * _GRID), _GRID), Fraction(1, 2**40))


def _cost_of_draw(exponent: Fraction, budget: Budget) -> Fraction:
    if budget.family == "laplace":
        return exponent
    return exponent**2 / 4 if budget.in_rho else squared_mu_of_bounded_range(exponent)


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


def choose(
    selects: Sequence[Select],
    asked: Asked,
    noise: Word,
    meters: Meters,
    weights: Sequence[Fraction] | None = None,
) -> Choice:
    """The proposal for a release, by what was insisted on or by the rule of three lines.

    1. Delta 0: Laplace. A ledger in rho, or groups found privately: Gaussian. If only one law still
       fits: that law.
    2. If the release asks for more than half of the ledger: the law with less noise.
    3. Else Gaussian noise, which composes.
    """
    if noise not in ("auto", "laplace", "gaussian"):
        raise InvalidInput(f'noise is {noise!r}. Give "auto", "laplace" or "gaussian".')
    family, reason = _family(selects, asked, noise, meters, weights)
    return Choice(propose(selects, asked, family, meters, weights), reason)


def propose(
    selects: Sequence[Select],
    asked: Asked,
    family: Family,
    meters: Meters,
    weights: Sequence[Fraction] | None = None,
) -> Proposal:
    """The proposal with noise of a family."""
    price = price_of(asked, family, meters)
    total, promise = meters.total, meters.total.guarantee
    in_rho, spent, whole = False, price.squared_mu, Fraction(0)
    if isinstance(promise, ZCDP):
        in_rho, spent, whole = True, asked.amount, promise.rho
    elif promise.delta:
        whole = total.squared_mu
    delta = min(spent / whole, Fraction(1)) * total.delta_of_groups if whole else Fraction(0)
    return proposal(selects, family, price, weights=weights, delta_of_groups=delta, in_rho=in_rho)


def _family(
    selects: Sequence[Select],
    asked: Asked,
    noise: Word,
    meters: Meters,
    weights: Sequence[Fraction] | None,
) -> tuple[Family, str]:
    guarantee = meters.total.guarantee
    pure_only = not isinstance(guarantee, ZCDP) and guarantee.delta == 0
    finds = any(isinstance(each.groups, Unlisted) for each in selects)
    if noise == "gaussian" and pure_only:
        raise InvalidInput("This ledger has delta 0 for ever, so it takes Laplace noise only.")
    if pure_only and finds:
        raise InvalidInput(
            "This ledger has delta 0 for ever, so groups cannot be found privately. List them, or use "
            "a ledger with a delta."
        )
    if noise != "auto":
        return noise, "asked for"
    if pure_only:
        return "laplace", "the ledger has delta 0"
    if isinstance(guarantee, ZCDP):
        return "gaussian", "the ledger counts in rho"
    if finds:
        return "gaussian", "groups are found privately"
    fitting: list[Family] = [
        family for family in NORM if meters.fits(price_of(asked, family, meters))
    ]
    if len(fitting) == 1:
        return fitting[0], "only this law still fits"
    if fitting and asked.amount > meters.total.epsilon / 2:
        if any(isinstance(each.limit, Drawn) for each in selects):
            return (
                "laplace",
                "less noise, in a release of more than half",
            )
        widths = {
            family: _margin(propose(selects, asked, family, meters, weights), selects[0])
            for family in NORM
        }
        least = min(widths, key=lambda family: widths[family])
        return least, "less noise, in a release of more than half"
    return "gaussian", "leaves the ledger open"


def _margin(proposed: Proposal, select: Select) -> float:
    """The margin of the first total of the first query; all totals have about one ratio."""
    first, family = proposed.parts[0], proposed.family
    if select.together is not None:
        noise = CellNoise.of(select.together, first, proposed.draws)
        return noise.quantile({first.measurement.totals[0]: 1}, 0.01)
    shared = first.noise[0]
    if isinstance(shared, Shared):
        laws = cast(tuple[JointLaw, ...], proposed.draws)
        return noise_of(laws, {(shared.draw, shared.place, 0): 1 / ONE}).quantile(0.01)
    return quantile(family, noise_sizes(first, family)[:1], 0.01)
