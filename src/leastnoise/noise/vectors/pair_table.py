"""`PairTable`: noise for two counts at once, as a table of whole weights."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Any, SupportsIndex

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leastnoise import _check
from leastnoise._check import Exact, Size
from leastnoise._frozen import Checked, checked, frozen
from leastnoise.errors import UnsupportedQuery
from leastnoise.noise.laws.identity import Rebuilt
from leastnoise.noise.laws.table_law import TableLaw
from leastnoise.noise.shapes.shape import Draws
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.inverse import least_integer
from leastnoise.numeric.real import Computable
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.verification import Verification
from leastnoise.randomness.source import Source, checked_source
from leastnoise.randomness.uniform_rows import uniform_rows

_MOST_TOTAL = 1 << 62
_MOVES = ((1, 0), (0, 1), (1, 1), (-1, 0), (0, -1), (-1, -1))

Rows = tuple[tuple[int, ...], ...]


def _table(rows: Sequence[Sequence[SupportsIndex]], name: str) -> Rows:
    whole = tuple(tuple(_check.integer_between(w, name, 0) for w in row) for row in rows)
    odd = len(whole) % 2 == 1 and all(len(row) == len(whole) for row in whole)
    if odd and 0 < sum(map(sum, whole)) < _MOST_TOTAL:
        return whole
    raise _check.refuse(
        f"`{name}` must be a square of odd side, its weights ≥ 0 with a sum in 1..2^62",
        "another table",
        "Give one row for each error of the first count, from −n to n.",
    )


@frozen(repr=False)
class PairTable(Rebuilt):
    r"""Noise for two counts that one unit moves by 0 or 1 each, in one direction.

    Law: P(X = (i − n, j − n)) = weights[i][j] / Σ weights, for i, j in 0..2n.

    Theorem: for every query with values in Z² to which one unit adds some v in {0, 1}², adding X is
    (ε, δ)-DP with δ = `law.delta(epsilon)`, exactly: no smaller δ will do.
    Proof: δ is the greatest Σ max(0, P(x) − e^ε·P(x + v)) over ±v, which is the definition.

    This is the form in which the linear program for two counts returns noise.

    Args:
        weights: 2n + 1 rows of 2n + 1 whole weights.

    Example:
        >>> law = PairTable([[0, 1, 1], [1, 2, 1], [1, 1, 0]])
        >>> float(law.delta(0)), law.sample().shape
        (0.75, (2,))
    """

    weights: Checked[Sequence[Sequence[SupportsIndex]], Rows] = checked(_table)

    dimension = 2
    centre = Fraction(0)

    @cached_property
    def _array(self) -> NDArray[np.int64]:
        return np.array(self.weights, dtype=np.int64)

    @property
    def _most(self) -> int:
        return len(self.weights) // 2

    @cached_property
    def cell(self) -> TableLaw:
        """The error of the count that errs more, in half steps."""
        sums = [self._array.sum(axis=axis) for axis in (0, 1)]
        worse = max(sums, key=lambda chances: int(self._square(chances)))
        places = range(-2 * self._most, 2 * self._most + 1, 2)
        return TableLaw({k: int(w) for k, w in zip(places, worse, strict=True)})

    def _square(self, chances: NDArray[np.int64]) -> int:
        return sum(k * k * int(w) for k, w in enumerate(chances, -self._most))

    def quantile(self, probability: Exact) -> int:
        """The least number of half steps that both errors keep with at least this probability."""
        level, most = _check.probability(probability, "probability"), self._most
        total = int(self._array.sum())

        def enough(m: int) -> bool:
            inner = self._array[max(0, most - m) : most + m + 1, max(0, most - m) : most + m + 1]
            return Fraction(int(inner.sum()), total) >= level

        return 2 * least_integer(enough, 0)

    def delta(self, epsilon: Exact) -> Interval:
        """The least delta at which one unit more or less is (epsilon, delta)-indistinguishable."""
        wanted = _check.non_negative(epsilon, "epsilon")
        return Computable(lambda: self._leak(wanted)).interval()

    def _leak(self, epsilon: Fraction) -> arb:
        factor, greatest = balls.ball(epsilon).exp(), arb(0)
        for one, other in _MOVES:
            there = np.zeros((3 * len(self.weights),) * 2, dtype=np.int64)
            size = len(self.weights)
            there[size : 2 * size, size : 2 * size] = self._array
            moved = there[size + one : 2 * size + one, size + other : 2 * size + other]
            pairs: list[Any] = list(zip(self._array.ravel(), moved.ravel(), strict=True))
            falls = (arb(int(a)) - factor * int(b) for a, b in pairs if a > b)
            greatest = greatest.max(sum((fall.max(arb(0)) for fall in falls), arb(0)))
        return greatest / int(self._array.sum())

    def verify(
        self, *, epsilon: Exact, delta: Exact = 0, sensitivity: SupportsIndex = 1
    ) -> Verification:
        """Prove or refute that adding this law is (epsilon, delta)-DP if a unit adds {0, 1}²."""
        wanted, promised = _check.non_negative(epsilon, "epsilon"), _check.delta(delta)
        reach, leak = _check.integer(sensitivity, "sensitivity"), self.delta(wanted)
        return Verification(
            holds=reach == 1 and leak.upper <= promised,
            epsilon=wanted,
            delta=promised,
            sensitivity=reach,
            attained=leak if reach == 1 else Interval(leak.lower, Fraction(1)),
            shift=reach,
            argument="all moves of one unit were gone through",
        )

    def privacy(self, distance: SupportsIndex) -> PrivacyLoss:
        """Not known: which unit is worst depends on ε.

        Raises:
            UnsupportedQuery: always; `CountsNoise` then counts with its guarantee.
        """
        raise UnsupportedQuery(
            "a table for two counts must be asked for delta at one epsilon; got a question for its "
            f"loss at distance {_check.shown(distance)}. Use PrivacyLoss.worst_case."
        )

    @cached_property
    def _running(self) -> NDArray[np.int64]:
        return np.cumsum(self._array.ravel())

    def sample(self, size: Size | None = None, source: Source | None = None) -> Draws:
        """Independent exact draws: an array of shape size + (2,)."""
        shape, entropy = _check.size(size), checked_source(source)
        bounds = np.full(prod(shape), self._running[-1], dtype=np.int64)
        drawn = uniform_rows(bounds, 1, entropy)[:, 0].astype(np.int64)
        places = np.searchsorted(self._running, drawn, side="right")
        pairs = np.stack(np.divmod(places, len(self.weights)), axis=1) - self._most
        return pairs.astype(np.int64).reshape((*shape, 2))

    def __repr__(self) -> str:
        return f"PairTable({len(self.weights)}×{len(self.weights)} weights)"
