r"""Tables under pure epsilon: which signed tables are measured, which of them share a draw of noise.

Attributes of two values may be *signs*: a signed table with signs S and cells T adds rows up by the
values of T, with the sign of the product over S. A table by W follows from its signed tables: S any
set of its signs, T all its other attributes. Tables that share a draw need less noise than with a
part of epsilon each. What several tables say of one effect is averaged by precision.

Theorem. Let a signed table (S, T) have uncorrelated noise of variance v on every cell. Then it gives
the effect of S and B, for every B within T, with s = v * (product of sizes of T outside B) / 2^|S|.
Least squares weighs all tables that give an effect by 1/s, and 1/s adds up. Proof page:
docs/proofs/signed_marginals.md.

The search is in floats: it decides how good answers are, never what they cost.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import groupby
from math import prod

import numpy as np

from leastnoise.noise.joint_pure import Diamond, KNormNoise
from leastnoise.noise.joint_tables import Law, variance
from leastnoise.noise.sums import NoiseSum, Number, noise_of
from leastnoise.noise.vector_laplace import LaplaceNoise
from leastnoise.workloads.marginal_noise import Axes, SignedNoise
from leastnoise.workloads.residual_answers import Floats, centred, owners, shares, subsets

Piece = tuple[Axes, Axes]
"""A signed table: its sign attributes and its cell attributes."""

Group = tuple[Piece, ...]
"""Signed tables that share a draw."""

MOST = 1 << 20
"""The move for which variances are computed: fine steps."""

_MANY = 40  # numbers, from which on a sum of them is taken as normal
_WIDEST = 256  # wider tables gain nothing from company, and get draws of their own
_MOST_SHARED = 500  # numbers of one draw
_MOST_GROUPS = 16  # of narrow tables, to begin with
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
    first = owners(tables, [prod(sizes[axis] for axis in table) for table in tables])
    own: list[list[tuple[Axes, Axes, int]]] = [[] for _ in tables]
    for draw, group in enumerate(best.groups):
        for signs, cells in group:
            own[first[tuple(sorted((*signs, *cells)))]].append((signs, cells, draw))
    rates = tuple(epsilon * Fraction(part, _GRID) for part in parts)
    return SignedNoise(sizes, tables, rates, tuple(map(tuple, own)))


# The errors and the estimates of a law


@lru_cache(maxsize=64)
def signed_spreads(law: SignedNoise) -> dict[Axes, float]:
    """s of every effect, by least squares."""
    precisions: dict[Axes, float] = {}
    for effect, precision in (
        each for own in _precisions(law) for _, given in own for each in given
    ):
        precisions[effect] = precisions.get(effect, 0.0) + precision
    return {effect: 1 / precision for effect, precision in precisions.items()}


def signed_effects(law: SignedNoise, noisy: Sequence[Floats]) -> dict[Axes, Floats]:
    """The estimate of every effect, from the noisy numbers of every table."""
    spreads, found = signed_spreads(law), dict[Axes, Floats]()
    for numbers, own in zip(noisy, _precisions(law), strict=True):
        at = 0
        for (signs, cells), given in own:
            shape = [law.sizes[axis] for axis in cells]
            values = numbers[at : at + prod(shape)].reshape(shape)
            at += values.size
            for effect, precision in given:
                others = tuple(i for i, axis in enumerate(cells) if axis not in effect)
                part = _unsigned(centred(values.sum(axis=others)), signs, effect)
                found[effect] = found.get(effect, 0.0) + part * (precision * spreads[effect])
    return found


def _unsigned(values: Floats, signs: Axes, effect: Axes) -> Floats:
    """An effect from its values by cells: half of them for each value of a sign, up and down."""
    for place, axis in enumerate(effect):
        if axis in signs:
            values = np.stack([values, -values], axis=place) / 2
    return values


@lru_cache(maxsize=64)
def _precisions(law: SignedNoise) -> list[list[tuple[Piece, list[tuple[Axes, float]]]]]:
    """For every table its signed tables, each with the precision 1/s of the effects that it gives."""
    variances = [_variances(law, draw) for draw in range(len(law.rates))]
    return [
        [
            (
                (signs, cells),
                [
                    (effect, 1 / (s * variances[draw][law.cells(cells)]))
                    for effect, s in given_effects(law.sizes, (signs, cells))
                ],
            )
            for signs, cells, draw in own
        ]
        for own in law.signed
    ]


@lru_cache(maxsize=4096)
def cell_noise(terms: tuple[tuple[SignedNoise, Axes, float], ...]) -> NoiseSum:
    """The noise of a sum over laws of coefficient * (a cell of the table by some attributes), in rows.

    Draws have finitely many numbers; a cell that is made of many has nearly a normal law.
    """
    key, square = list[tuple[Fraction, tuple[int, ...], _Coefficients]](), 0.0
    for law, axes, c in terms:
        by_draw = _cell_coefficients(law, axes)
        for draw, own in by_draw.items():
            variances = _variances(law, draw)
            square += sum(
                variances[len(block)] * float(block @ block) * c**2 for block in own if block.any()
            )
            blocks = sorted(tuple(sorted((abs(c) * block).round(12))) for block in own)
            key.append((law.rates[draw], tuple(map(len, blocks)), tuple(blocks)))
    if sum(x != 0 for *_, blocks in key for block in blocks for x in block) > _MANY:
        return NoiseSum.gaussian(square**0.5)
    return _by_points(tuple(key))


_Coefficients = tuple[tuple[float, ...], ...]
"""Of the numbers of the tables of a draw."""


def _cell_coefficients(law: SignedNoise, axes: Axes) -> dict[int, list[Floats]]:
    """The first cell of a table as a sum of noisy numbers: for each draw those of its tables."""
    spreads, found = signed_spreads(law), dict[int, list[Floats]]()
    for numbers, own in zip(law.signed, _precisions(law), strict=True):
        for (_, _, draw), ((signs, cells), given) in zip(numbers, own, strict=True):
            total = np.zeros([law.sizes[axis] for axis in cells])
            for effect, precision in given:
                if {*effect} <= {*axes}:
                    share = precision * spreads[effect] / 2 ** len(signs)
                    share /= law.cells(tuple(axis for axis in axes if axis not in effect))
                    total += share * _first_centred([law.sizes[axis] for axis in cells],
                                                    [axis in effect for axis in cells])  # fmt: skip
            found.setdefault(draw, []).append(total.ravel())
    return found


def _first_centred(sizes: Sequence[int], kept: Sequence[bool]) -> Floats:
    """The first cell of a table, centred along axes that are kept and summed along the others."""
    found: Floats = np.ones(())
    for size, is_kept in zip(sizes, kept, strict=True):
        along = (np.arange(size) == 0) - 1 / size if is_kept else np.ones(size)
        found = np.multiply.outer(found, along)
    return found


@lru_cache(maxsize=64)
def _by_points(key: tuple[tuple[Fraction, tuple[int, ...], _Coefficients], ...]) -> NoiseSum:
    """The noise of a sum of numbers of draws: their rate, the widths of their tables, coefficients."""
    laws, coefficients = list[Law](), dict[Number, float]()
    for at, (rate, widths, blocks) in enumerate(key):
        diamonds = tuple(Diamond(width, MOST) for width in widths)
        alone = len(diamonds) == 1
        laws.append(LaplaceNoise(round(MOST / rate), diamonds[0]) if alone
                    else KNormNoise(rate, diamonds, 1))  # fmt: skip
        for place, block in enumerate(blocks):
            coefficients |= {(at, place, i): c / MOST for i, c in enumerate(block) if c}
    return noise_of(laws, coefficients)


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
    """Greedy: join neighbouring groups, leave out what follows from finer tables."""

    sizes: tuple[int, ...]
    weights: Mapping[Axes, float]
    signs: Axes

    @cached_property
    def _costs(self) -> dict[Axes, float]:
        """What s = 1 of every effect adds to the weighted sum of the variances of cells."""
        costs: dict[Axes, float] = {}
        for table, weight in self.weights.items():
            for effect, share in shares(self.sizes, table):
                costs[effect] = costs.get(effect, 0.0) + weight * share
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
        """The best that was found."""
        every = list(self._given)
        starts = [self._groups(every), self._groups(_finest(every, every))]
        best = min(map(self._priced, starts), key=lambda choice: choice.cost)
        while sum(map(len, self._given.values())) <= _MOST_GIVEN:
            tried = [self._priced(groups) for groups in self._changes(best.groups)]
            better = min(tried, key=lambda choice: choice.cost, default=best)
            if better.cost >= best.cost * (1 - _WORTHWHILE):
                break
            best = better
        return best

    def _width(self, piece: Piece) -> int:
        return prod(self.sizes[axis] for axis in piece[1])

    def _groups(self, pieces: Sequence[Piece]) -> list[Group]:
        """Narrow tables of one width and number of signs together; wide ones alone.

        Tables with few signs serve many others: with a draw of their own they get a larger part.
        """
        ordered = sorted(pieces, key=self._likeness)
        narrow = [piece for piece in ordered if self._width(piece) <= _WIDEST]
        groups = [tuple(group) for _, group in groupby(narrow, self._likeness)]
        while len(groups) > _MOST_GROUPS:
            ends = [self._width(group[-1]) for group in groups]
            at = min(range(len(ends) - 1), key=lambda i: ends[i + 1] / ends[i])
            groups[at : at + 2] = [groups[at] + groups[at + 1]]
        wide = [(piece,) for piece in ordered[len(narrow) :]]
        return [*(part for group in groups for part in self._small(group)), *wide]

    def _likeness(self, piece: Piece) -> tuple[int, int]:
        return self._width(piece), len(piece[0])

    def _small(self, group: Group) -> Iterator[Group]:
        """The group in parts that one draw can serve."""
        start, numbers = 0, 0
        for at, piece in enumerate(group):
            if at > start and numbers + self._width(piece) > _MOST_SHARED:
                yield group[start:at]
                start, numbers = at, 0
            numbers += self._width(piece)
        yield group[start:]

    def _changes(self, groups: Sequence[Group]) -> Iterator[list[Group]]:
        """Each with two groups joined, or with fewer tables in a group."""
        every = [piece for group in groups for piece in group]
        for i, group in enumerate(groups):
            fewer = tuple(_finest(group, every))
            if len(fewer) < len(group):
                yield [*groups[:i], *([fewer] if fewer else []), *groups[i + 1 :]]
            joined = group + groups[i + 1] if i + 1 < len(groups) else ()
            wide = any(self._width(piece) > _WIDEST for piece in joined)
            if joined and not wide and sum(map(self._width, joined)) <= _MOST_SHARED:
                yield [*groups[:i], joined, *groups[i + 2 :]]

    def _priced(self, groups: Sequence[Group]) -> _Choice:
        r"""The best parts of epsilon: at the minimum, all groups gain alike from a little more.

        The cost is the sum of K_A / (sum of share^2 * precision); each round multiplies a share by the
        cube root of what its group gains, which for groups that have nothing in common is exact.
        """
        numbers = {effect: i for i, effect in enumerate(self._costs)}
        costs = np.array([*self._costs.values()])
        entries = [
            (
                i,
                numbers[effect],
                1 / (s * _smooth(self._width(piece), sum(map(self._width, group)))),
            )
            for i, group in enumerate(groups)
            for piece in group
            for effect, s in self._given[piece]
        ]
        group, effect, precision = (np.array(column) for column in zip(*entries, strict=True))
        parts = np.full(len(groups), 1 / len(groups))
        best, kept = np.inf, parts
        for _ in range(_ROUNDS):
            given = np.bincount(effect, parts[group] ** 2 * precision, len(costs))
            cost = float((costs / given).sum())
            settled = cost > best * (1 - _SETTLED)
            if cost < best:
                best, kept = cost, parts
            if settled:
                break
            gain = (costs / given**2)[effect] * precision * parts[group]
            parts = parts * np.cbrt(np.bincount(group, gain, len(groups)))
            parts = np.maximum(parts / parts.sum(), _WORTHWHILE)
        return _Choice(tuple(groups), tuple((kept / kept.sum()).tolist()), best)


def _smooth(width: int, numbers: int) -> float:
    """The variance at rate 1 in fine steps, if all tables of the draw have so many numbers."""
    return 2 * (numbers + 1) * (numbers + 2) / ((width + 1) * (width + 2))


def _finest(pieces: Sequence[Piece], among: Sequence[Piece]) -> list[Piece]:
    """Those that follow from no finer table with the same signs."""
    coarser = {(signs, kept) for signs, cells in among for kept in subsets(cells) if kept != cells}
    return [piece for piece in pieces if piece not in coarser]
