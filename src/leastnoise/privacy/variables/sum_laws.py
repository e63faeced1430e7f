r"""Sums of many independent ratios Y ≥ 0 on a linear grid, in whole numbers, from both sides.

A put is a mean of (K − S)₊, S the sum of T copies of Y: convex and falling in each copy. Masses are
integers in units of 2^−bits, products are FLINT's, so that nothing is assumed about floats.

- *spread*: each cell goes to its ends with its mean kept, and every mass is rounded up. Puts are
  never below the truth.
- *pooled*: cells are pooled to grid points with their mean kept, and every mass is rounded down.
  Puts are not above the truth by more than `moved` grid steps.

As sums get wider, the grid gets coarser; that is again a spread, or a pool.

Proof: docs/proofs/sampling.md, section 6.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from flint import fmpz_poly

from leastnoise._dataclass import dataclass
from leastnoise.errors import UnsupportedQuery


class NoLawError(UnsupportedQuery):
    """A law of ratios has no cells: too little noise, or too small a delta."""

    def __init__(self) -> None:
        super().__init__(
            "a release in one of several steps must have noise that hides something at the "
            "precision of floats; this one has less. Use more noise, or look at larger deltas."
        )


_SNAP = 4  # units by which a mass may be off its grid point and is put there


@dataclass(frozen=True)
class RatioCells:
    """The law of Y cut at multiples of a step: cell i lies between edges[i] and edges[i+1].

    Args:
        bits: masses are in units of 2^−bits.
        edges: increasing, in steps.
        least: masses of the cells, rounded down.
        rise: mass times mean height above the lower edge over the width, rounded to nearest.
        low_end: what spreading gives to the lower edge, rounded up.
        high_end: what it gives to the upper edge, rounded up.
        points: masses at single points of the grid, rounded down and up.
        outside: a bound on mass that is nowhere here.
        blur: a bound on mass times the distance by which it may lie elsewhere, in steps.
    """

    bits: int
    edges: list[int]
    least: list[int]
    rise: list[int]
    low_end: list[int]
    high_end: list[int]
    points: list[tuple[int, int, int]]
    outside: int
    blur: int


@dataclass(frozen=True)
class SumLaw:
    """Masses of a sum of so many copies at (first + i)·2^level steps.

    Args:
        bits: masses are in units of 2^−bits.
        copies: how many are summed.
        level: the grid is that of the cells, 2^level times as coarse.
        first: place of the first mass.
        mass: the masses.
        outside: a bound on mass that is nowhere here; what lies above the limit is not counted.
        moved: a bound on mass times the distance it was moved for rounding, in steps of level 0.
        rounded: a bound on mass that is there only because masses are rounded up.
    """

    bits: int
    copies: int
    level: int
    first: int
    mass: list[int]
    outside: int
    moved: int
    rounded: int


@dataclass(frozen=True)
class Bounds:
    """How large a law may grow.

    Args:
        top: in steps of level 0: sums at or above it do not matter.
        rare: mass that may be cut off from the T-fold sum at each product, in units.
        longest: no law keeps more points: its grid is made coarser.
        copies: T.
    """

    top: int
    rare: int
    longest: int
    copies: int

    def places(self, level: int) -> int:
        """How many places of a grid lie below the top, and one above them."""
        return -(-self.top >> level) + 1


def spread_law(cells: RatioCells, bounds: Bounds) -> SumLaw:
    """The law of T copies whose puts are not below the truth."""
    found: dict[int, int] = {}
    for i, (low, high) in enumerate(zip(cells.low_end, cells.high_end, strict=True)):
        found[cells.edges[i]] = found.get(cells.edges[i], 0) + low
        found[cells.edges[i + 1]] = found.get(cells.edges[i + 1], 0) + high
    for place, _, most in cells.points:
        found[place] = found.get(place, 0) + most
    one = _law(cells.bits, found, cells.outside, cells.blur)
    return _power(one, bounds, _times_up, _spread)


def pooled_law(cells: RatioCells, bounds: Bounds, *, lifted: bool) -> SumLaw:
    """The law of T copies whose puts are, but for `moved`, not above the truth.

    What is not balanced at the upper end is lifted to the next point, which puts allow, or lowered
    to the last one: then the calls, E(S − K)₊, are not above the truth.
    """
    found, moved = _pool(cells.edges, cells.least, cells.rise, lifted)
    for place, least, _ in cells.points:
        found[place] = found.get(place, 0) + least
    # A rise is off by half a unit, and by less than one for the mass that is rounded down.
    rounding = 2 * (cells.edges[-1] - cells.edges[0])
    one = _law(cells.bits, found, cells.outside, cells.blur + moved + rounding)
    return _power(one, bounds, _times_down, lambda law: _pool_coarser(law, lifted))


def _law(bits: int, found: dict[int, int], outside: int, moved: int) -> SumLaw:
    """One copy; no point is the sum of more than two numbers rounded up, but for `moved`."""
    if not found:  # nothing is large enough to be listed
        raise NoLawError
    first, last = min(found), max(found)
    mass = [0] * (last - first + 1)
    for place, value in found.items():
        mass[place - first] = value
    return SumLaw(bits, 1, 0, first, mass, outside, moved, 2 * len(mass) + moved)


Times = Callable[[SumLaw, SumLaw, int], SumLaw]
Coarser = Callable[[SumLaw], SumLaw]


def _power(one: SumLaw, bounds: Bounds, times: Times, coarser: Coarser) -> SumLaw:
    """The law of `bounds.copies` copies, by repeated squaring."""

    def fitted(law: SumLaw) -> SumLaw:
        law = _trimmed(law, bounds)
        while len(law.mass) > bounds.longest:
            law = coarser(law)
        return law

    def product(a: SumLaw, b: SumLaw) -> SumLaw:
        while a.level < b.level:
            a = coarser(a)
        while b.level < a.level:
            b = coarser(b)
        return fitted(times(a, b, max(1, bounds.places(a.level) - a.first - b.first)))

    square, rest = fitted(one), bounds.copies
    result: SumLaw | None = None
    while True:
        if rest & 1:
            result = square if result is None else product(result, square)
        rest >>= 1
        if not rest:
            return result if result is not None else square
        square = product(square, square)


def _trimmed(law: SumLaw, bounds: Bounds) -> SumLaw:
    """Without what lies at or above the top, and without thin ends, which are counted."""
    mass = law.mass[: max(1, bounds.places(law.level) - law.first)]
    allowed = bounds.rare * law.copies // bounds.copies
    start, stop, low, high = 0, len(mass), 0, 0
    while start < stop - 1 and low + mass[start] <= allowed:
        low, start = low + mass[start], start + 1
    while stop > start + 1 and high + mass[stop - 1] <= allowed:
        high, stop = high + mass[stop - 1], stop - 1
    return replace(
        law, first=law.first + start, mass=mass[start:stop], outside=law.outside + low + high
    )


def _times(a: SumLaw, b: SumLaw, most: int) -> list[int]:
    """The first masses of the sum of both, at most so many, rounded down."""
    length = min(len(a.mass) + len(b.mass) - 1, most)
    left = fmpz_poly(a.mass)
    right = left if a is b else fmpz_poly(b.mass)
    found = [int(value) for value in (left.mul_low(right, length) // (1 << a.bits)).coeffs()]
    return found + [0] * (length - len(found))


def _times_up(a: SumLaw, b: SumLaw, most: int) -> SumLaw:
    return _both(a, b, [value + 1 for value in _times(a, b, most)])


def _times_down(a: SumLaw, b: SumLaw, most: int) -> SumLaw:
    return _both(a, b, _times(a, b, most))


def _both(a: SumLaw, b: SumLaw, mass: list[int]) -> SumLaw:
    """What is outside in either is outside in both; moves add up, as no law weighs more than 1."""
    return SumLaw(
        a.bits,
        a.copies + b.copies,
        a.level,
        a.first + b.first,
        mass,
        a.outside + b.outside,
        a.moved + b.moved,
        a.rounded + b.rounded + (a.rounded * b.rounded >> a.bits) + 1 + len(mass),
    )


def _spread(law: SumLaw) -> SumLaw:
    """On a grid twice as coarse: what lies between goes to both sides in halves, rounded up."""
    mass = [0, *law.mass] if law.first & 1 else list(law.mass)
    mass += [0] * (1 + (len(mass) & 1))  # ends with an odd place followed by an even one
    halves = [-(-value >> 1) for value in mass[1::2]]
    even = mass[::2]
    even += [0] * (len(halves) + 1 - len(even))
    for i, half in enumerate(halves):
        even[i] += half
        even[i + 1] += half
    return replace(
        law, level=law.level + 1, first=law.first >> 1, mass=even, rounded=law.rounded + len(even)
    )


def _pool_coarser(law: SumLaw, lifted: bool) -> SumLaw:
    """On a grid twice as coarse: what lies between is pooled."""
    mass = [0, *law.mass] if law.first & 1 else list(law.mass)
    between = mass[1::2]
    start = law.first >> 1
    edges = list(range(start, start + len(between) + 1))
    # Twice the mass and its half, so that halves are whole.
    found, moved = _pool(edges, [2 * value for value in between], between, lifted)
    doubled = {place: value >> 1 for place, value in found.items()}
    for i, value in enumerate(mass[::2]):
        doubled[start + i] = doubled.get(start + i, 0) + value
    pooled = _law(law.bits, doubled, 0, 0)
    return replace(
        law,
        level=law.level + 1,
        first=pooled.first,
        mass=pooled.mass,
        moved=law.moved + ((moved + 1) << law.level),
    )


def _pool(
    edges: Sequence[int], masses: Sequence[int], rises: Sequence[int], lifted: bool
) -> tuple[dict[int, int], int]:
    """Masses at edges whose pools have their mean there; and by how much that is not exact.

    A pool begins with what is left of a cell and aims at that cell's upper edge; it takes cells
    above until it is balanced, the last one in part.
    """
    found: dict[int, int] = {}
    moved = 0
    # Of the pool: mass, the place aimed at, mass × distance to it, and a place below all of it.
    pool, target, lack, floor = 0, edges[0], 0, edges[0]
    for i, whole in enumerate(masses):
        if not whole:
            continue
        low, high = edges[i], edges[i + 1]
        width = high - low
        mass, rise = whole, min(max(rises[i], 0), whole)
        if rise <= _SNAP:  # at its lower edge, but for rounding
            moved += rise * width
            rise = 0
        if pool:
            surplus = mass * (low - target) + rise * width
            if surplus <= lack:
                lack, pool = lack - surplus, pool + mass
                continue
            taken = mass * lack // surplus
            found[target] = found.get(target, 0) + pool + taken
            # Rounding leaves out less than a unit of the cell, and of the rise of what is left.
            moved += high - target + width
            mass = whole - taken
            rise = rise * mass // whole
        if mass and rise:
            pool, target, lack, floor = mass, high, (mass - rise) * width, low
        else:
            found[low] = found.get(low, 0) + mass
            pool = 0
    if pool:
        near = lack <= _SNAP * (target - floor)  # a point of the grid, but for rounding
        place = target if lifted or near else floor
        found[place] = found.get(place, 0) + pool
        moved += lack if near else 0
    if not found:
        found[edges[0]] = 0
    return found, moved
