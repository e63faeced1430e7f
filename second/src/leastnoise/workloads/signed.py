r"""Tables under pure epsilon: which signed tables are measured, which of them share a draw of noise.

Attributes of two values may be *signs*: a signed table with signs S and cells T adds rows up by the
values of T, with the sign of the product over S. A table by W follows from its signed tables: S any
set of its signs, T all its other attributes. Tables that share a draw need less noise than with a
part of epsilon each. What several tables say of one effect is averaged by precision.

Theorem. Let a signed table (S, T) have uncorrelated noise of variance v on every cell. Then it gives
the effect of S and B, for every B within T, with s = v * (product of sizes of T outside B) / 2^|S|.
Least squares weighs all tables that give an effect by 1/s, and 1/s adds up. Proof page:
docs/proofs/residual_planner.md, sections 6 to 10.

The search is in floats: it decides how good answers are, never what they cost.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import chain, pairwise
from math import prod

import numpy as np

from leastnoise.noise.joint_pure import Diamond, KNormNoise
from leastnoise.noise.joint_tables import Law, variance
from leastnoise.noise.sums import NoiseSum, Number, noise_of
from leastnoise.noise.vector_laplace import LaplaceNoise
from leastnoise.workloads.marginal_noise import Axes, SignedNoise
from leastnoise.workloads.residual_answers import Floats, centred, owners, shares, subsets, unsigned

Piece = tuple[Axes, Axes]
"""A signed table: its sign attributes and its cell attributes."""

Group = tuple[Piece, ...]
"""Signed tables that share a draw."""

_Numbers = tuple[Fraction, tuple[tuple[float, tuple[float, ...]], ...]]
"""Of one draw the rate, and for each of its tables a number's variance and all coefficients."""

MOST = 1 << 20
"""The move for which variances are computed: fine steps."""

_MANY = 30  # numbers of a sum whose law is computed
_WIDEST = 256  # wider tables gain nothing from company, and get draws of their own
_MOST_SHARED = 500  # numbers of one draw
_MOST_GIVEN = 1 << 12  # pairs of a table and an effect, for more than one look
_ROUNDS, _SETTLED, _WORTHWHILE = 100, 1e-9, 1e-6
_GRID = 1 << 24  # parts of epsilon are multiples of 1/_GRID


def given_effects(sizes: Sequence[int], piece: Piece) -> Iterator[tuple[Axes, float]]:
    """Each effect that a signed table gives, and s if v is 1."""
    signs, cells = piece
    for kept in subsets(cells):
        summed = prod(sizes[axis] for axis in cells if axis not in kept)
        yield tuple(sorted((*signs, *kept))), summed / 2 ** len(signs)


def signed_noise(
    sizes: tuple[int, ...], weights: Mapping[Axes, float], epsilon: Fraction
) -> SignedNoise:
    """The best law found for tables by these attributes.

    Args:
        sizes: how many values each attribute has.
        weights: for each table what the variance of a cell of it counts.
        epsilon: the price of all tables together.
    """
    bits = tuple(axis for axis, size in enumerate(sizes) if size == 2)
    searches = [_Search(sizes, weights, signs) for signs in dict.fromkeys([bits, ()])]
    best = min((search.found() for search in searches), key=lambda choice: choice.cost)
    parts = [max(1, int(share * _GRID)) for share in best.shares]
    parts[parts.index(max(parts))] += _GRID - sum(parts)
    tables = tuple(weights)
    first = owners(sizes, tables)
    own: list[list[tuple[Axes, Axes, int]]] = [[] for _ in tables]
    for draw, group in enumerate(best.groups):
        for signs, cells in group:
            own[first[tuple(sorted((*signs, *cells)))]].append((signs, cells, draw))
    rates = tuple(epsilon * Fraction(part, _GRID) for part in parts)
    return SignedNoise(sizes, tables, rates, tuple(map(tuple, own)))


# The errors and the estimates of a law


_Told = tuple[int, int, Axes, Axes, list[tuple[Axes, float]]]
"""Of a signed table: place of its table, draw, signs, cells, and the precision 1/s of effects."""


@lru_cache(maxsize=64)
def _told(law: SignedNoise) -> list[_Told]:
    variances, found = [_variances(law, draw) for draw in range(len(law.rates))], []
    for place, own in enumerate(law.signed):
        for signs, cells, draw in own:
            v = variances[draw][law.cells(cells)]
            given = [(each, 1 / (s * v)) for each, s in given_effects(law.sizes, (signs, cells))]
            found.append((place, draw, signs, cells, given))
    return found


@lru_cache(maxsize=64)
def signed_spreads(law: SignedNoise) -> dict[Axes, float]:
    """s of every effect, by least squares."""
    precisions: dict[Axes, float] = {}
    for effect, precision in chain.from_iterable(given for *_, given in _told(law)):
        precisions[effect] = precisions.get(effect, 0.0) + precision
    return {effect: 1 / precision for effect, precision in precisions.items()}


def signed_effects(law: SignedNoise, noisy: Sequence[Floats]) -> dict[Axes, Floats]:
    """The estimate of every effect, from the noisy numbers of every table."""
    spreads, found, rest = signed_spreads(law), dict[Axes, Floats](), list(noisy)
    for place, _, signs, cells, given in _told(law):
        numbers, rest[place] = np.split(rest[place], [law.cells(cells)])
        values = numbers.reshape([law.sizes[axis] for axis in cells])
        for effect, precision in given:
            others = tuple(i for i, axis in enumerate(cells) if axis not in effect)
            part = unsigned(centred(values.sum(axis=others)), signs, effect)
            found[effect] = found.get(effect, 0.0) + part * (precision * spreads[effect])
    return found


@lru_cache(maxsize=4096)
def cell_noise(terms: tuple[tuple[SignedNoise, Axes, float], ...]) -> NoiseSum:
    """The noise of a sum over laws of coefficient * (a cell of a table by some attributes), in rows."""
    key = list[_Numbers]()
    for law, axes, c in terms:
        for draw, own in _cell_coefficients(law, axes).items():
            blocks = sorted(tuple(sorted((abs(c) * block).round(12))) for block in own)
            variances = _variances(law, draw)
            key.append((law.rates[draw], tuple((variances[len(each)], each) for each in blocks)))
    return _sum_of(tuple(key))


@lru_cache(maxsize=64)
def _sum_of(key: tuple[_Numbers, ...]) -> NoiseSum:
    """By points. Of many numbers, those that count least are nearly normal together."""
    from scipy.special import ndtri

    squares = sorted(v * x**2 for _, blocks in key for v, block in blocks for x in block)
    least, rest = squares[-_MANY:][0], sum(squares[:-_MANY])
    laws, coefficients = list[Law](), dict[Number, float]()
    for at, (rate, blocks) in enumerate(key):
        diamonds = tuple(Diamond(len(block), MOST) for _, block in blocks)
        alone = LaplaceNoise(round(MOST / rate), diamonds[0]) if len(blocks) == 1 else None
        laws.append(alone or KNormNoise(rate, diamonds, 1))
        for place, (v, block) in enumerate(blocks):
            numbers = ((i, x) for i, x in enumerate(block) if x and v * x**2 >= least)
            coefficients |= {(at, place, i): x / MOST for i, x in numbers}
    found = noise_of(laws, coefficients)
    assert found.magnitudes is not None and found.weights is not None
    normal = ndtri(np.arange(1, len(found.weights) + 1) * np.pi % 1)  # beside roots of primes
    return NoiseSum.of_points(found.magnitudes + rest**0.5 * normal, found.weights)


def _cell_coefficients(law: SignedNoise, axes: Axes) -> dict[int, list[Floats]]:
    """The first cell of a table as a sum of noisy numbers: for each draw those of its tables."""
    spreads, found = signed_spreads(law), dict[int, list[Floats]]()
    for _, draw, signs, cells, given in _told(law):
        total = np.zeros([law.sizes[axis] for axis in cells])
        for effect, precision in given:
            if {*effect} <= {*axes}:
                others = law.cells(tuple(axis for axis in axes if axis not in effect))
                share = precision * spreads[effect] / 2 ** len(signs) / others
                total += share * _first_centred(law.sizes, cells, effect)
        found.setdefault(draw, []).append(total.ravel())
    return found


def _first_centred(sizes: Sequence[int], cells: Axes, effect: Axes) -> Floats:
    """The first cell of a table, centred along the axes of an effect and summed along the others."""
    found: Floats = np.ones(())
    for axis in cells:
        first = (np.arange(sizes[axis]) == 0) - 1 / sizes[axis]
        found = np.multiply.outer(found, first if axis in effect else np.ones(sizes[axis]))
    return found


@lru_cache(maxsize=256)
def _variances(law: SignedNoise, draw: int) -> dict[int, float]:
    """By width, the variance of every number of a draw, in rows."""
    widths, rate = law.widths(draw), law.rates[draw]
    joint = law.law(draw, MOST)
    if joint is None:
        return dict.fromkeys(widths, 2 / float(rate) ** 2)
    return {width: variance(joint, widths.index(width)) / MOST**2 for width in {*widths}}


# The search


@dataclass(frozen=True)
class _Choice:
    """Groups of signed tables, the part of epsilon of each, and the cost at epsilon = 1."""

    groups: tuple[Group, ...]
    shares: tuple[float, ...]
    cost: float


@dataclass(frozen=True)
class _Search:
    """Greedy: neighbouring groups are joined as long as that is less noise.

    Attributes:
        sizes: how many values each attribute has.
        weights: for each table what the variance of a cell of it counts.
        signs: the attributes that are signs.
    """

    sizes: tuple[int, ...]
    weights: Mapping[Axes, float]
    signs: Axes

    @cached_property
    def _costs(self) -> dict[Axes, float]:
        """What s = 1 of every effect adds to the weighted sum of the variances of cells."""
        costs: dict[Axes, float] = {}
        for table, weight in self.weights.items():
            for effect, share in shares(self.sizes, table):
                costs[effect] = costs.get(effect, 0.0) + weight * float(share)
        return costs

    @cached_property
    def _given(self) -> dict[Piece, list[tuple[Axes, float]]]:
        """All signed tables that may be measured, with the effects that they give."""
        found = {}
        for table in self.weights:
            cells = tuple(axis for axis in table if axis not in self.signs)
            for signs in subsets(tuple(axis for axis in table if axis in self.signs)):
                found[signs, cells] = [*given_effects(self.sizes, (signs, cells))]
        return found

    def found(self) -> _Choice:
        """The best that was found: from all tables, or from those that follow from no finer one."""
        every = list(self._given)
        coarse = {(s, kept) for s, cells in every for kept in subsets(cells) if kept != cells}
        finest = [piece for piece in every if piece not in coarse]
        starts = (self._joined(self._alike(pieces)) for pieces in (every, finest))
        return min(starts, key=lambda choice: choice.cost)

    def _joined(self, groups: Sequence[Group]) -> _Choice:
        best = self._priced(groups)
        while sum(map(len, self._given.values())) <= _MOST_GIVEN:
            groups = best.groups
            tried = [
                self._priced([*groups[:i], one + two, *groups[i + 2 :]])
                for i, (one, two) in enumerate(pairwise(groups))
                if self._fit(one + two)
            ]
            better = min(tried, key=lambda choice: choice.cost, default=best)
            if better.cost >= best.cost * (1 - _WORTHWHILE):
                break
            best = better
        return best

    def _alike(self, pieces: Sequence[Piece]) -> list[Group]:
        """Tables of one width and number of signs together, as far as one draw can serve them.

        Tables with few signs serve many others: with a draw of their own they get a larger part.
        """
        found = list[Group]()
        for piece in sorted(pieces, key=self._likeness):
            alike = found and self._likeness(found[-1][-1]) == self._likeness(piece)
            if alike and self._fit((*found[-1], piece)):
                found[-1] += (piece,)
            else:
                found.append((piece,))
        return found

    def _likeness(self, piece: Piece) -> tuple[int, int]:
        return self._width(piece), len(piece[0])

    def _width(self, piece: Piece) -> int:
        return prod(self.sizes[axis] for axis in piece[1])

    def _fit(self, group: Group) -> bool:
        """Whether one draw can serve several tables, and they gain from it."""
        widths = [*map(self._width, group)]
        return max(widths) <= _WIDEST and sum(widths) <= _MOST_SHARED

    def _priced(self, groups: Sequence[Group]) -> _Choice:
        r"""The best parts of epsilon: at the minimum, all groups gain alike from a little more.

        The cost is the sum of K_A / (sum of share^2 * precision); each round multiplies a share by the
        cube root of what its group gains, which for groups that have nothing in common is exact.
        """
        numbers = {effect: i for i, effect in enumerate(self._costs)}
        costs = np.array([*self._costs.values()])
        entries = []
        for i, pieces in enumerate(groups):
            all_ = sum(map(self._width, pieces))
            for piece in pieces:
                v = _smooth(self._width(piece), all_)
                entries += [(i, numbers[each], 1 / (s * v)) for each, s in self._given[piece]]
        group, effect, precision = (np.array(column) for column in zip(*entries, strict=True))
        parts = np.full(len(groups), 1 / len(groups))
        best, kept = np.inf, parts
        for _ in range(_ROUNDS):
            given = np.bincount(effect, parts[group] ** 2 * precision, len(costs))
            cost = float((costs / given).sum())
            if cost > best * (1 - _SETTLED):
                break
            best, kept = cost, parts
            gain = (costs / given**2)[effect] * precision * parts[group]
            parts = parts * np.cbrt(np.bincount(group, gain, len(groups)))
            parts = np.maximum(parts / parts.sum(), _WORTHWHILE)
        return _Choice(tuple(groups), tuple((kept / kept.sum()).tolist()), best)


def _smooth(width: int, numbers: int) -> float:
    """The variance at rate 1 in fine steps, if all tables of the draw have so many numbers."""
    return 2 * (numbers + 1) * (numbers + 2) / ((width + 1) * (width + 2))
