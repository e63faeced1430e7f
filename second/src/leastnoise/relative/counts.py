r"""`relative_counts`: counts whose error is a share of the count, the more private the larger.

Theorem. For every x >= smallest, E|estimate - x| <= relative_error*(x + slack), of the lattice and the
floats in use. For groups of every size, records added or removed and all orders a > 1, the release
is v-group-wise zCDP, v = `privacy`, which does not grow with the size. For large x and small r, v is
0.318/(r*x)^2, and no mechanism can do much better: `certificate`.

Small counts walk up or down by coins; large ones get Gaussian noise on their logarithm. Counts below
`smallest` are raised to it first: an error relative to an empty group would allow no noise at all.

Proof page: docs/proofs/relative_counts.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leastnoise.mechanisms.certificate import Certificate
from leastnoise.mechanisms.mechanism import whole_numbers
from leastnoise.noise.source import Source, system_source
from leastnoise.numbers import ball as balls
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import Checked, Exact, exact, inside, non_negative, whole, written
from leastnoise.numbers.interval import End, Interval
from leastnoise.numbers.inverse import least_integer
from leastnoise.privacy.guarantee import ApproxDP
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.relative.design import Design
from leastnoise.relative.error import DesignError
from leastnoise.relative.guarantee import GroupwiseZCDP, PublicPromise
from leastnoise.relative.search import certify, find_design

LARGEST_COUNT = 1 << 62  # noise on top of it fits into 64 bits


def secret_counts(counts: Any, largest: int = LARGEST_COUNT) -> NDArray[np.int64]:
    """Counts as an array; the message shows none of them."""
    found = whole_numbers(counts, Fraction(1), "The counts")
    if any(not 0 <= count <= largest for count in found.ravel()):
        raise InvalidInput(f"A count is below 0 or above {largest}. Give sizes of groups.")
    return found.astype(np.int64)


@dataclass(frozen=True)
class ReleasedCounts:
    """Counts that may be published.

    Attributes:
        value: in the arrangement of the true counts.
        guarantee: what is promised to a record of a group, by the group's size.
    """

    value: Any
    guarantee: GroupwiseZCDP


def share(value: Exact, name: str) -> Fraction:
    """A relative error; the lattice is too coarse for less than 1e-8."""
    error = exact(value, name)
    if not Fraction(1, 10**8) <= error < 1:
        raise InvalidInput(f"{name} is {written(error)}. Give 0.05 for 5 %: from 1e-8, below 1.")
    return error


def public_sizes(values: Sequence[int]) -> list[int]:
    """Sizes that are no secrets."""
    if not isinstance(values, Sequence | np.ndarray) or isinstance(values, str | bytes):
        raise InvalidInput("The sizes are no list. Give for example [1, 10, 100].")
    return [public_size(each) for each in values]


def public_size(value: int, name: str = "size") -> int:
    """The size of a group that is no secret."""
    size = whole(value, name, least=0)
    if size > LARGEST_COUNT:
        raise InvalidInput(f"{name} is above 2^62. Give a smaller one.")
    return size


@dataclass(frozen=True, kw_only=True, repr=False)
class RelativeCounts:
    """What `relative_counts` gives.

    Questions about privacy take a public size, never the count of a real group: `promise_at_release`
    says what may be published about one.
    """

    relative_error: Checked[Exact, Fraction] = Checked(share)
    smallest: Checked[int, int] = Checked(public_size, default=1)
    slack: Checked[Exact, Fraction] = Checked(non_negative, default=0)

    def __post_init__(self) -> None:
        if not self.smallest + self.slack:
            raise InvalidInput("smallest is 0, and there is no slack. Give smallest=1 or slack=1.")
        if self.slack > LARGEST_COUNT:
            raise InvalidInput("slack is above 2^62. Give a smaller one.")
        _ = self.design

    def __repr__(self) -> str:
        error, slack = written(self.relative_error), written(self.slack)
        return f"relative_counts(relative_error={error}, smallest={self.smallest}, slack={slack})"

    @cached_property
    def design(self) -> Design:
        """The chain and the channel; all of it is public."""
        return find_design(self.relative_error, self.smallest, self.slack)

    @cached_property
    def _errors(self) -> DesignError:
        return DesignError(self.design)

    # Privacy and error at a public size

    def privacy(self, size: int) -> Fraction:
        """v(size): the rho of a record in such a group, compared with one less and one more."""
        return self.design.rho(public_size(size))

    @property
    def guarantee(self) -> GroupwiseZCDP:
        """For groups of every size, 0 included."""
        return GroupwiseZCDP(v=self.privacy)

    def loss(self, size: int) -> PrivacyLoss:
        """A privacy loss that bounds that of the pair of sizes size - 1 and size, both ways."""
        return self.design.loss(public_size(size))

    def approx(self, size: int, *, delta: Exact) -> ApproxDP:
        """The (epsilon, delta)-DP of a record in such a group, by the losses of both its pairs."""
        x, lost = max(public_size(size), self.smallest), inside(delta, "delta")
        found = (Fraction(self.loss(place).epsilon(lost).upper) for place in (x, x + 1))
        return ApproxDP(epsilon=max(found), delta=lost)

    def expected_error(self, size: int) -> Interval:
        """E|estimate - size|, also of groups below `smallest`."""
        return self._errors.at(public_size(size))

    def table(self, sizes: Sequence[int], *, delta: Exact = "1e-6") -> "Table":
        """v, the expected error and epsilon at delta for public sizes, rounded up."""
        lost = inside(delta, "delta")
        head = "people", "v", "error", f"epsilon at delta {written(lost)}"
        rows = [
            (x, self.privacy(x), self.expected_error(x).upper, self.approx(x, delta=lost).epsilon)
            for x in public_sizes(sizes)
        ]
        return Table(head, tuple(rows), (0, 4, 1, 1))

    def certificate(self) -> Certificate:
        """How far v is from the least possible over a range of large sizes, and the proof."""
        return certify(self.design, self.relative_error)

    # Releases

    def release(self, counts: Any, source: Source | None = None) -> ReleasedCounts:
        """Noisy counts, each group with noise of its own. Every call spends its privacy anew.

        Args:
            counts: an integer, an array of integers, or a dict from group to count. Which groups
                there are is public.
            source: where the randomness comes from; leave it out.
        """
        names = list(counts) if isinstance(counts, Mapping) else None
        true = secret_counts(counts if names is None else list(counts.values()))
        if names is not None and true.ndim != 1:
            raise InvalidInput("A group has several counts. Give a whole number for each group.")
        drawn = self.design.draw(true.ravel(), system_source(source)).reshape(true.shape)
        if names is not None:
            return ReleasedCounts(dict(zip(names, map(int, drawn), strict=True)), self.guarantee)
        return ReleasedCounts(drawn if true.shape else int(drawn), self.guarantee)

    def lower_limit(self, released: Exact, *, confidence: Exact = "0.95") -> int:
        """L with P(L <= x) >= confidence for every size x, from a released count.

        L is the least size x with P(estimate >= released | x) > 1 - confidence, or 0 if that is the
        smallest one. This chance grows with x: if L > x, so large an estimate is rare at x.
        """
        value, doubt = exact(released, "released"), 1 - inside(confidence, "confidence")

        def is_possible(x: int) -> bool:
            with balls.precision(balls.FIRST_BITS):
                rare: arb = self._errors.chance_above(x, value) <= balls.ball(doubt)
                return x > LARGEST_COUNT or not rare

        least = least_integer(is_possible, self.smallest)
        return 0 if least == self.smallest else min(least, LARGEST_COUNT)

    def promise_at_release(self, released: Exact, *, confidence: Exact = "0.95") -> PublicPromise:
        """What may be published about one group's loss: v at a lower limit of its size."""
        limit = self.lower_limit(released, confidence=confidence)
        return self.guarantee.at_lower_limit(limit, confidence=confidence)


def relative_counts(
    *, relative_error: Exact, smallest: int = 1, slack: Exact = 0
) -> RelativeCounts:
    """Counts with E|estimate - x| <= relative_error*(x + slack), private in step with group size.

    Args:
        relative_error: 0.05 for 5 %.
        smallest: the least size that the error is promised for; smaller counts are raised to it.
        slack: records that the promise adds to every size; with it, smallest may be 0.

    >>> towns = relative_counts(relative_error="0.1")
    >>> sorted(towns.release({"Oslo": 709_037, "Utsira": 188}).value)
    ['Oslo', 'Utsira']
    >>> towns.table([1, 10, 100, 1000])
    people         v  error  epsilon at delta 1e-06
         1     1.931  0.098                     2.4
        10    0.3344    1.0                     3.9
       100    0.0032   10.0                    0.32
     1,000  0.000032  100.0                   0.027
    """
    return RelativeCounts(relative_error=relative_error, smallest=smallest, slack=slack)


@dataclass(frozen=True)
class Table:
    """Numbers side by side; printed, they are rounded up.

    Attributes:
        head: a word for each column.
        rows: whole numbers, other numbers, or words.
        decimals: how many of each column are printed, within two to four digits.
    """

    head: tuple[str, ...]
    rows: tuple[tuple[str | End, ...], ...]
    decimals: tuple[int, ...]

    def __repr__(self) -> str:
        cells = [self.head] + [tuple(map(_shown, row, self.decimals)) for row in self.rows]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        return "\n".join("  ".join(map(str.rjust, line, widths)) for line in cells)


def _shown(value: str | End, decimals: int) -> str:
    """A number rounded up to so many decimals, but to no fewer than two digits and at most four."""
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}"
    number, exactly = Fraction(value), Context(prec=60, rounding=ROUND_CEILING)
    quotient = exactly.divide(Decimal(number.numerator), Decimal(number.denominator))
    found = quotient.quantize(Decimal(1).scaleb(-decimals), context=exactly)
    digits = found.adjusted() + 1 + decimals
    if not 2 <= digits <= 4:
        found = Context(prec=min(max(digits, 2), 4), rounding=ROUND_CEILING).plus(quotient)
    return f"{found:.1e}" if found and found.adjusted() < -6 else f"{found:,f}"
