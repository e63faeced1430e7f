r"""The ratio Y = dP/dQ of a release under Q, the law without the record, cut on a linear grid.

Cells come from tails in balls, or from a list of atoms; masses leave as integers. Which edges are
taken carries no proof.

Proof: docs/proofs/sampling.md, section 6.
"""

import math
from collections.abc import Callable
from fractions import Fraction

from flint import arb, ctx

from leastnoise._dataclass import dataclass
from leastnoise.errors import UnsupportedQuery
from leastnoise.numeric import ball as balls
from leastnoise.privacy.variables.finite_variable import FiniteVariable
from leastnoise.privacy.variables.gaussian_variable import GaussianVariable
from leastnoise.privacy.variables.grid_cells import RELATIVE_ERROR
from leastnoise.privacy.variables.lattice_variable import LatticeVariable
from leastnoise.privacy.variables.loss_variable import AtomVariable, LossVariable
from leastnoise.privacy.variables.sampled_laws import SampledLaw, sampled_law
from leastnoise.privacy.variables.sum_laws import NoLawError, RatioCells

_EXTRA_BITS = 96  # of balls beyond those of masses
_SLIMMEST = 512  # cells to a deviation, or to their own height
_NEAR = 1e-9  # of a step: rounding of floats is far below
_LARGEST = 700.0  # exponentials of less are floats


@dataclass(frozen=True)
class RatioGrid:
    """Values of Y: origin + place·step, both computed in balls."""

    origin: Callable[[], arb]
    step: Callable[[], arb]


@dataclass(frozen=True)
class Fineness:
    """How fine to cut.

    Args:
        bits: masses are told in units of 2^−bits.
        top: greater ratios do not matter.
        rare: chance of ratios that may be left out, on either side.
        points: no more points than this.
        density: points to a deviation.
    """

    bits: int
    top: float
    rare: float
    points: int
    density: int


def ratio_cells(
    base: LossVariable, reverse: LossVariable, fine: Fineness
) -> tuple[RatioGrid, RatioCells]:
    """The grid and the law of Y on it: `base` is log Y under P, `reverse` is −log Y under Q."""
    law = sampled_law(base, Fraction(1))
    if law is not None:
        ends = _normal_ends(base, fine) if isinstance(base, GaussianVariable) else None
        return _of_tails(base, law, fine, ends)
    if AtomVariable in type(base).__mro__:
        return _of_atoms(base, reverse, fine)  # type: ignore[arg-type]
    raise UnsupportedQuery(
        "a release in one of several steps must be of one kind that is known; this one is a sum by "
        "grids. Bound it by PrivacyLoss.worst_case(epsilon=…, delta=…) and allocate that."
    )


def deviation(base: LossVariable) -> float:
    """About the standard deviation of Y under Q; chooses grids, carries no proof."""
    second = base.renyi(Fraction(2)).upper
    return math.sqrt(math.expm1(min(float(second), _LARGEST)))


def _normal_ends(base: GaussianVariable, fine: Fineness) -> tuple[float, float]:
    """Between which all but `rare` of Y lies."""
    mu = base.spread
    reach = math.sqrt(-2 * math.log(fine.rare)) * mu
    low, high = -reach - mu * mu / 2, reach - mu * mu / 2
    return math.exp(low), min(math.exp(min(high, _LARGEST)), fine.top)


def _of_tails(
    base: LossVariable, law: SampledLaw, fine: Fineness, ends: tuple[float, float] | None
) -> tuple[RatioGrid, RatioCells]:
    share = min(deviation(base), 1.0) / _SLIMMEST
    if ends is not None:
        low, high = ends
        size = Fraction(
            max(min(deviation(base), high / 4) / fine.density, (high - low) / fine.points)
        )
        if not size:
            raise NoLawError
        places = _edges(int(low / size), math.ceil(high / size), 0.0, share)
        grid = RatioGrid(lambda: arb(0), lambda: balls.ball(size))
        return grid, _cut(law, grid, places, fine, bounded=False)
    # Bounded both ways, with atoms at both ends perhaps: both are points of the grid.
    bound = base.renyi(math.inf).upper
    if bound > _LARGEST:
        raise UnsupportedQuery(
            f"a release in one of several steps must keep an epsilon below {_LARGEST:g}; this one "
            "hides nothing. Leave it out."
        )
    exact = Fraction(bound)
    whole = 2 * math.sinh(float(exact))
    count = min(fine.points, math.ceil(fine.density * whole / min(deviation(base), whole)))
    grid = RatioGrid(lambda: balls.ball(-exact).exp(), lambda: 2 * balls.ball(exact).sinh() / count)
    grain = whole / count
    places = _edges(0, count, math.exp(-float(exact)) / grain, share)
    return grid, _cut(law, grid, places, fine, bounded=True)


def _edges(first: int, last: int, origin: float, share: float) -> list[int]:
    """Edges from first to last: a cell is at most that share of its own height wide."""
    places = [first]
    while places[-1] < last:
        places.append(min(last, places[-1] + max(1, int(share * (origin + places[-1])))))
    return places


def _cut(
    law: SampledLaw, grid: RatioGrid, edges: list[int], fine: Fineness, *, bounded: bool
) -> RatioCells:
    """Masses between edges by differences of tails."""
    with balls.precision(fine.bits + _EXTRA_BITS):
        origin, step, unit, top = grid.origin(), grid.step(), arb(2) ** fine.bits, arb(fine.top)
        levels = [origin + step * place for place in edges]
        tails = [law.tails(level.log()) if level > 0 else (arb(1), arb(1)) for level in levels]
        least, rise, low_end, high_end = [], [], [], []
        for i, level in enumerate(levels[:-1]):
            (p, q), (p_next, q_next) = tails[i], tails[i + 1]
            mass = (q - q_next) * unit
            up = ((p - p_next) * unit - level * mass) / (step * (edges[i + 1] - edges[i]))
            least.append(_floor(mass))
            rise.append(_nearest(up))
            low_end.append(_ceil(mass - up))
            high_end.append(_ceil(up))
        below, above = (1 - tails[0][1]) * unit, tails[-1][1] * unit
        points, outside = [], 0
        if bounded:
            points = [
                (edges[0], _floor(below), _ceil(below)),
                (edges[-1], _floor(above), _ceil(above)),
            ]
        else:
            outside = _ceil(below) + (_ceil(above) if levels[-1] < top else 0)
    return RatioCells(fine.bits, edges, least, rise, low_end, high_end, points, outside, 0)


def _of_atoms(
    base: AtomVariable, reverse: LossVariable, fine: Fineness
) -> tuple[RatioGrid, RatioCells]:
    """Every value of Y in its cell; what only Q can give is at Y = 0."""
    with balls.precision(fine.bits + _EXTRA_BITS):
        values, lost = _ratios(base)
        absent = reverse.infinite_mass
        if absent.lower > 0:
            values.append((arb(0), balls.ball(Fraction(absent.lower))))
        # Greater ratios do not matter. The grid has the least and the greatest of the others.
        inside = [(y, mass) for y, mass in values if not y > fine.top] or values[:1]
        origin, top = (side((y for y, _ in inside), key=float) for side in (min, max))
        span = float(top) - float(origin)
        count = fine.points
        if span > 0:
            count = min(count, math.ceil(fine.density * max(1.0, span / deviation(base))))
        step = (top - origin) / count if span > 0 else arb(1)
        unit = arb(2) ** fine.bits
        least, rise, low_end, high_end = ([0] * (count + 1) for _ in range(4))
        outside = _ceil(unit * (balls.ball(Fraction(absent.upper - absent.lower)) + arb(lost)))
        blur = 0
        for y, mass in inside:
            place, weight = (y - origin) / step, mass * unit
            # A point of the grid that is missed by rounding belongs to the cell above it.
            cell = math.floor(float(place.mid()) + _NEAR)
            share = (place - cell) * weight
            least[cell] += max(0, _floor(weight))
            rise[cell] += max(0, _nearest(share))
            low_end[cell] += _ceil(weight - share)
            high_end[cell] += max(0, _ceil(share))
            blur += _ceil(arb(share.rad())) + max(0, _ceil(-share)) + 2
    edges = list(range(count + 2))
    grid = RatioGrid(lambda: origin, lambda: step)
    return grid, RatioCells(fine.bits, edges, least, rise, low_end, high_end, [], outside, blur)


def _ratios(base: AtomVariable) -> tuple[list[tuple[arb, arb]], float]:
    """Values of Y and their masses under Q; and a bound on mass that is not listed."""
    if isinstance(base, FiniteVariable):
        return [(balls.ball(p / q), balls.ball(q)) for p, q in base.outcomes if q], 0.0
    if isinstance(base, LatticeVariable):
        pairs = base.pairs_downwards(ctx.prec)
        return [(p / q, q) for p, q in pairs if q > 0 and p > 0], 0.0
    losses, masses, _, lost = base.atoms
    blur = arb(1, RELATIVE_ERROR)
    found = []
    for loss, mass in zip(losses.tolist(), masses.tolist(), strict=True):
        ratio = arb(loss, RELATIVE_ERROR * abs(loss)).exp()
        found.append((ratio, arb(mass) * blur / ratio))
    return found, lost


def _floor(value: arb) -> int:
    return _whole(value.lower().floor())


def _ceil(value: arb) -> int:
    return _whole(value.upper().ceil())


def _nearest(value: arb) -> int:
    return _whole((value.mid() + arb("0.5")).mid().floor())


def _whole(value: arb) -> int:
    found = value.unique_fmpz()
    if found is None:  # ends and middles of finite balls are exact: this one is not finite
        raise NoLawError
    return int(found)
