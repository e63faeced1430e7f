r"""Privacy losses on a grid, as integers: an upper and a lower twin of a curve, and their sums.

A twin has masses n_j / 2^bits at the losses first + j*step, and `infinite` / 2^bits at infinity.
Its curve is H(a) = infinite + the sum of n_j * max(0, 1 - a*e^-loss). Write m <= m' if the curve
of m is nowhere above that of m'. This order is kept when losses of independent (also adaptive)
steps add up. A measure goes up if mass is added, if a loss is raised, or if a mass is spread to
two points with the same mean of e^-loss; and down by the opposite. So the upper twin takes chords
of H, rounds up, and cuts tails upward; the lower twin takes tangents of H, rounds down, and drops
tails. Sums are products of polynomials with integer coefficients, which FLINT computes exactly.
Nothing else has to be proved: docs/proofs/accountant.md.
"""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, inf

from flint import arb, fmpz, fmpz_poly

from leastnoise.numbers.ball import ball, exact_value, precision
from leastnoise.numbers.errors import Undecided
from leastnoise.numbers.interval import End
from leastnoise.privacy.curve import Curve

MOST_POINTS = 1 << 20
_SPARE = 40  # bits of curves' values beyond those of the masses
_NEAR_POINTS = 16  # spreads around loss 0 where every point of the grid gets a mass
_SLACK = 20  # the lower twin is that of H + 2^-(bits + 20)


@dataclass(frozen=True)
class Grid:
    """One twin of `steps` steps together."""

    step: Fraction
    first: Fraction
    masses: fmpz_poly
    infinite: int
    bits: int
    upper: bool
    steps: int = 1

    def times(self, other: "Grid", spill: Fraction) -> "Grid":
        """The twin of both together, without tails of steps*spill."""
        both = self._product(other)
        return both._cut(floor(spill * both.steps))

    def _product(self, other: "Grid") -> "Grid":
        size = self.masses.length() + other.masses.length()
        if size > MOST_POINTS:
            raise too_many()
        masses = (self.masses * other.masses) // fmpz(1 << self.bits)
        mine, theirs = int(self.masses(1)), int(other.masses(1)) + other.infinite
        infinite = self.infinite * theirs + other.infinite * mine
        if self.upper:
            masses += fmpz_poly([1] * (size - 1))
            infinite += (1 << self.bits) - 1
        return Grid(
            self.step,
            self.first + other.first,
            masses,
            infinite >> self.bits,
            self.bits,
            self.upper,
            self.steps + other.steps,
        )

    def power(self, count: int, spill: Fraction) -> "Grid":
        """The twin of `count` of these."""
        block, found = self, None
        while True:
            if count & 1:
                found = block if found is None else found.times(block, spill)
            count >>= 1
            if not count:
                return found or block
            block = block.times(block, spill)

    def _cut(self, spill: int) -> "Grid":
        """Without tails of at most `spill` on either side."""
        masses, length = self.masses, self.masses.length()
        top = bottom = skipped = 0
        end = length
        while end > 1 and top + (mass := int(masses[end - 1])) <= spill:
            top, end = top + mass, end - 1
        while skipped < end - 1 and bottom + (mass := int(masses[skipped])) <= spill:
            bottom, skipped = bottom + mass, skipped + 1
        kept = masses.truncate(end).right_shift(skipped)
        infinite = self.infinite
        if self.upper:
            kept, infinite = kept + bottom, infinite + top
        first = self.first + skipped * self.step
        return Grid(self.step, first, kept, infinite, self.bits, self.upper, self.steps)

    @property
    def slack(self) -> Fraction:
        """What the lower twin of H + 2^-(bits + 20) may have too much, in units of 2^-bits."""
        return Fraction(0) if self.upper else Fraction(2 * self.steps, 1 << _SLACK)

    def _sums(self) -> Iterator[tuple[int, int, arb]]:
        """From the top: j, and of the masses above point j the sum and that of n*e^(l_j - loss)."""
        decay, above, seen = ball(-self.step).exp(), 0, arb(0)
        masses = self.masses.coeffs()
        for j in range(len(masses) - 1, -1, -1):
            yield j, above, seen
            above, seen = above + int(masses[j]), (seen + masses[j]) * decay
        yield -1, above, seen

    def points(self) -> Iterator[tuple[Fraction, arb]]:
        """From the top: the grid's losses, and delta there, in units of 2^-bits."""
        with precision(self.bits + 64):
            for j, above, seen in self._sums():
                yield self.first + j * self.step, self.infinite - ball(self.slack) + above - seen

    def epsilon(self, delta: Fraction) -> End:
        """The end that this twin proves of the least epsilon, also below 0: the upper or the lower."""
        room = delta * 2**self.bits - self.infinite + self.slack
        if room < 0:
            return inf
        with precision(self.bits + 64):
            bound = ball(room)
            last: tuple[int, int, arb] | None = None
            for j, above, seen in self._sums():
                beyond = above - seen
                if last and (not beyond <= bound if self.upper else beyond > bound):
                    return self._crossing(j, last, bound)
                last = (j, *self._with(j, above, seen))
        return -inf

    def _with(self, j: int, above: int, seen: arb) -> tuple[int, arb]:
        """The sums for epsilons just below point j, where its own mass counts."""
        mass = self.masses[j] if j >= 0 else fmpz(0)
        return above + int(mass), seen + mass

    def _crossing(self, j: int, last: tuple[int, int, arb], bound: arb) -> End:
        """Where delta is the bound, between point j and the one above it."""
        above_j, total, seen = last
        top = self.first + above_j * self.step
        found = ball(top) + ((total - bound) / seen).log()
        low = self.first + j * self.step
        if self.upper:
            return max(low, exact_value(found.upper())) if found.is_finite() else top
        return min(top, exact_value(found.lower())) if found.is_finite() else low

    def delta(self, epsilon: Fraction) -> Fraction:
        """The end that this twin proves of delta at epsilon."""
        with precision(self.bits + 64):
            beyond = arb(0)
            for j, above, seen in self._sums():
                loss = self.first + j * self.step
                if loss <= epsilon or j < 0:
                    # From here on the masses above point j count, at a distance of their own.
                    distance = ball(epsilon - loss).exp()
                    beyond = above - seen * distance
                    break
            found = (beyond + self.infinite - ball(self.slack)) / (arb(2) ** self.bits)
            end = exact_value(found.upper() if self.upper else found.lower())
        return min(max(end, Fraction(0)), Fraction(1))


def too_many() -> Undecided:
    """That a sum would have more than 2^20 points."""
    return Undecided(
        f"A sum of losses would have more than {MOST_POINTS:,} points. "
        'Ask for less precision, for example within="1e-2".'
    )


@lru_cache(maxsize=64)
def twin(
    curve: Curve, step: Fraction, bits: int, spill: Fraction, upper: bool, fineness: int = 0
) -> Grid:
    """The upper or the lower twin of one step; tails with at most `spill` of curve are cut."""
    curve = curve.side(upper, fineness)
    first, count = _window(curve, step, bits, spill)
    last = first + (count - 1) * step
    sparse = 0 if curve.atoms else _NEAR_POINTS * fineness
    chosen = _chosen(round(-first / step), count, sparse)
    places = bits + _SPARE + max(0, -floor(first * 3 / 2))
    with precision(places + max(0, ceil(last * 3 / 2)) + 16):
        alphas = _alphas(first, step, chosen, places, upper)
        make = _chords if upper else _tangents
        values = make(curve, alphas, places, bits + _SPARE)
        infinite = values[-1]
    masses = [0] * count
    for j, mass in zip(chosen, (_spread if upper else _pooled)(alphas, values, bits), strict=True):
        masses[j] = mass
    infinite = -(-infinite >> _SPARE) if upper else infinite >> _SPARE
    return Grid(step, first, fmpz_poly(masses), max(infinite, 0), bits, upper)


def _window(curve: Curve, step: Fraction, bits: int, spill: Fraction) -> tuple[Fraction, int]:
    """The first point and the number of points."""
    with precision(2 * bits + 64):
        offset = Fraction(0)
        for end in curve.ends():  # atoms and an abrupt end of the loss lie on the grid
            if end.is_finite():
                offset = Fraction(round(exact_value(end.mid()) * 2 ** (2 * bits)), 2 ** (2 * bits))
                offset -= (offset / step).__floor__() * step
                break
        tiny = ball(spill)

        def above(j: int) -> bool:  # nothing to speak of lies above
            value = curve.at(ball(offset + j * step).exp())[0] - ball(curve.infinite)
            return bool(value < tiny)

        def below(j: int) -> bool:
            alpha = ball(offset + j * step).exp()
            return bool(curve.at(alpha)[0] - 1 + alpha < tiny)

        top = _first(above, 1)
        bottom = -_first(lambda j: below(-j), 1)
    if top - bottom >= MOST_POINTS:
        raise too_many()
    top = max(top, bottom + 1)
    return offset + bottom * step, top - bottom + 1


def _first(holds: Callable[[int], bool], reach: int) -> int:
    """The least j at which a condition holds that holds from there on."""
    if holds(0):
        low, high = -reach, 0
        while holds(low):
            low, high, reach = low - 2 * reach, low, 2 * reach
            if reach > MOST_POINTS:
                raise too_many()
    else:
        low, high = 0, reach
        while not holds(high):
            low, high, reach = high, high + 2 * reach, 2 * reach
            if reach > MOST_POINTS:
                raise too_many()
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _chosen(zero: int, count: int, near: int) -> list[int]:
    """The points that get masses: all up to `near` of loss 0, the others 1/near of their loss apart.

    All if `near` is 0. Chords and tangents of wider cells are bounds as well.

    >>> _chosen(0, 16, 3)
    [0, 1, 2, 3, 4, 5, 6, 8, 10, 13, 15]
    """
    if not near:
        return list(range(count))
    found = [min(max(zero, 0), count - 1)]
    while found[-1] < count - 1:
        found.append(min(found[-1] + max(1, (found[-1] - zero) // near), count - 1))
    found.reverse()
    while found[-1] > 0:
        found.append(max(found[-1] - max(1, (zero - found[-1]) // near), 0))
    return sorted(found)


def _alphas(
    first: Fraction, step: Fraction, chosen: list[int], places: int, upper: bool
) -> list[int]:
    """e^loss of every point in units of 2^-places: rounded down for the upper twin, else up.

    A mass that belongs to the rounded place goes to the grid's own: up, or down.
    """
    start, rise, scale = ball(first), ball(step), arb(2) ** places
    rounded = _down if upper else _up
    return [rounded((start + j * rise).exp() * scale) for j in chosen]


def _down(value: arb) -> int:
    return int(value.lower().floor().unique_fmpz())


def _up(value: arb) -> int:
    return int(value.upper().ceil().unique_fmpz())


def _chords(curve: Curve, alphas: list[int], places: int, scale: int) -> list[int]:
    """H at every point, rounded up."""
    one, unit = arb(2) ** scale, arb(2) ** -places
    return [_up(curve.at(alpha * unit)[0] * one) for alpha in alphas]


def _tangents(curve: Curve, alphas: list[int], places: int, scale: int) -> list[int]:
    """The lesser of the values of the two tangents next to every point, rounded down.

    They are tangents of H + slack at the middles of cells. Where one would fall below 1 - a at its
    left end or below P(loss = infinity) at its right end, it is taken next to that end instead, so
    that an abrupt end of the loss stays where it is.
    """
    slack, unit = 1 << (_SPARE - _SLACK), arb(2) ** -places
    least = _down(ball(curve.infinite) * arb(2) ** scale)
    shift = places - scale

    def line(place: arb, left: int, right: int) -> tuple[int, int]:
        value, slope = curve.at(place * unit)
        ends = (value + slope * ((arb(end) - place) * unit) for end in (left, right))
        one, other = (_down(end * arb(2) ** scale) + slack for end in ends)
        return one, other

    def diagonal(alpha: int) -> int:
        return (1 << scale) - (-(-alpha >> shift) if shift > 0 else alpha << -shift)

    values = [diagonal(alphas[0])]
    for left, right in itertools.pairwise(alphas):
        one, other = line(arb(left + right) / 2, left, right)
        if one < diagonal(left) or other < least:
            one, other = _next_to_an_end(line, left, right, scale, diagonal(left), least)
        values[-1] = min(values[-1], one)
        values.append(other)
    values[-1] = min(values[-1], least)
    return values


def _next_to_an_end(
    line: Callable[[arb, int, int], tuple[int, int]],
    left: int,
    right: int,
    scale: int,
    start: int,
    least: int,
) -> tuple[int, int]:
    gap = 8 + (right >> scale)  # more than the rounding of places
    at_left, at_right = line(arb(left + gap), left, right), line(arb(right - gap), left, right)
    for one, other in (at_left, at_right):
        if one >= start and other >= least:
            return one, other
    return least, least  # H is nowhere below it


def _spread(alphas: list[int], values: list[int], bits: int) -> list[int]:
    """The masses of the chords: a * (slope to the right - slope to the left), rounded up."""
    found, before = [], values[0] - (1 << (bits + _SPARE))
    for j, alpha in enumerate(alphas[:-1]):
        rise, run = values[j + 1] - values[j], alphas[j + 1] - alpha
        found.append(max(0, -((before + (alpha * -rise) // run) >> _SPARE)))
        before = alphas[j + 1] * rise // run
    found.append(max(0, -(before >> _SPARE)))
    return found


def _pooled(alphas: list[int], values: list[int], bits: int) -> list[int]:
    """The masses of the greatest convex function up to all values, rounded down."""
    kept: list[int] = []
    for j, (alpha, value) in enumerate(zip(alphas, values, strict=True)):
        while len(kept) > 1:
            a, b = kept[-2:]
            left, right = values[b] - values[a], value - values[b]
            if left * (alpha - alphas[b]) < right * (alphas[b] - alphas[a]):
                break
            kept.pop()
        kept.append(j)
    found, before = [0] * len(alphas), values[0] - (1 << (bits + _SPARE))
    for a, b in itertools.pairwise(kept):
        rise, run = values[b] - values[a], alphas[b] - alphas[a]
        found[a] = max(0, (alphas[a] * rise // run - before) >> _SPARE)
        before = -(alphas[b] * -rise // run)
    found[kept[-1]] = max(0, -before >> _SPARE)
    return found
