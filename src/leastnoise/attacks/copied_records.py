"""`CopiedRecords`: a mechanism for many records, run on copies of few."""

from collections.abc import Callable
from dataclasses import KW_ONLY
from fractions import Fraction
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._frozen import Checked, Whole, checked, frozen
from leastnoise.attacks.attribute_rows import Floats, checked_range, risk, rows, vector
from leastnoise.numeric.exponential import ExponentialRatio, ExponentialSum
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.inverse import least_integer
from leastnoise.privacy.curves.curve import at_most_one
from leastnoise.privacy.group import group_privacy

Means = Callable[[NDArray[Any]], ArrayLike]
"""A mechanism for column means: an n × d table in, d noisy means out."""


@frozen(repr=False)
class CopiedRecords:
    r"""Steinke and Ullman's reduction: what a mechanism promises each record, it promises groups.

    From a mechanism M for n records make M* for n* = ⌊n/k⌋ records: write each record k times, add
    n − k·n* rows of the greatest value, run M, and take the padding out of the answer again:
    M*(D*) = (n·M(D) − (n − k·n*)·high)/(k·n*).

    Theorem: for every M and all data,
    (1) if M is (ε, δ)-DP, M* is (kε, δ′)-DP with δ′ = `group_privacy` at size k;
    (2) if M's mean of a column is off by α, then M*'s mean is off by α·n/(k·n*), exactly;
    (3) whoever traces M* and accuses an outsider with probability at most s accuses each record
    with probability at most e^(kε)·s + δ′.
    Proof: docs/proofs/fingerprinting.md, section 5.

    A tracer that accuses some record with a higher probability than (3) allows refutes (1), and so
    the promise of M.

    Args:
        means: M, a function of an n × d table that returns d numbers.
        records: n.
        copies: k in 1..n.
        values: the least and the greatest value of an attribute.

    References: SteinkeUllman2016, Section 3, with the constants of docs/errata.md, B5 to B8.

    Example:
        >>> exact = CopiedRecords(lambda table: table.mean(axis=0), records=10, copies=3)
        >>> exact.people, exact.padding
        (3, 1)
        >>> exact([[0, 0], [0, 1], [1, 1]]).round(3)
        array([0.333, 0.667])
    """

    means: Means
    _: KW_ONLY
    records: Whole = checked(_check.whole(1))
    copies: Whole = checked(_check.whole(1))
    values: Checked[tuple[Exact, Exact], tuple[float, float]] = checked(
        checked_range, default=(0, 1)
    )

    def __post_init__(self) -> None:
        _check.integer_between(self.copies, "copies", 1, self.records)

    def __repr__(self) -> str:
        return f"CopiedRecords(records={self.records}, copies={self.copies})"

    @property
    def people(self) -> int:
        """How many records M* takes, ⌊n/k⌋."""
        return self.records // self.copies

    @property
    def padding(self) -> int:
        """How many rows are made up."""
        return self.records - self.copies * self.people

    def table(self, people: ArrayLike) -> NDArray[Any]:
        """The n rows that M sees: copies, then padding."""
        found = np.asarray(people)
        width = found.shape[1] if found.ndim == 2 else 0
        checked = rows(people, "people", width, self.values)
        if checked.shape[0] != self.people:
            raise _check.refuse(
                f"`people` must have records // copies = {self.people} rows",
                "another number (not shown: it is data)",
                "Choose the records to copy, or another number of copies.",
            )
        fill = np.full((self.padding, width), self.values[1], dtype=self._type(checked.dtype))
        return np.concatenate([np.repeat(checked, self.copies, axis=0), fill])

    def _type(self, kind: np.dtype[Any]) -> np.dtype[Any]:
        """The type of the records, if it can hold the greatest value; else floats."""
        high = self.values[1]
        if kind.kind == "b":
            fits = high == 1
        elif kind.kind in "iu":
            fits = high.is_integer() and high <= np.iinfo(kind).max
        else:
            fits = True
        return kind if fits else np.dtype(np.float64)

    def __call__(self, people: ArrayLike) -> Floats:
        """M*(people): M's answer on the copies, with the padding taken out."""
        answer = vector(self.means(self.table(people)), "means")
        whole = self.records * answer - self.padding * self.values[1]
        return whole / (self.copies * self.people)

    def error(self, error: Exact) -> Fraction:
        """The error of M*'s means if M's are off by `error`: part (2)."""
        given = _check.non_negative(error, "error")
        return given * self.records / (self.copies * self.people)

    def padding_shift(self) -> Fraction:
        """How far the padding itself can move a mean of signs ±1, if it is not taken out.

        At most 2(n − k·n*)/n for each column, so d times that in ℓ1 (docs/errata.md, B7).
        """
        return Fraction(2 * self.padding, self.records)

    def delta(self, *, epsilon: Exact, delta: Exact) -> Interval:
        """The δ′ of M* at kε, if M is (ε, δ)-DP: part (1)."""
        return group_privacy(epsilon=epsilon, delta=delta, size=self.copies)

    def accusation_bound(
        self, *, epsilon: Exact, delta: Exact, false_accusation: Exact
    ) -> Interval:
        """The most often a record may be accused if M is (ε, δ)-DP: part (3).

        Example:
            >>> half = CopiedRecords(lambda table: table.mean(axis=0), records=100, copies=2)
            >>> half.accusation_bound(epsilon=1, delta="1e-6", false_accusation="1e-6")
            Interval(0.0000111073379273896, 0.0000111073379273897)
        """
        innocent = risk(false_accusation, "false_accusation")
        loss = _check.non_negative(epsilon, "epsilon")
        leak = self.delta(epsilon=loss, delta=delta)
        growth = ExponentialSum.exp(self.copies * loss) * innocent
        return at_most_one(ExponentialRatio(growth, ExponentialSum.of(1)).interval() + leak)


def most_copies(*, epsilon: Exact, delta: Exact, records: SupportsIndex) -> int:
    r"""The most copies at which a code with false accusations δ still refutes (ε, δ)-DP.

    It is the greatest k with e^(kε)·δ + δ·(e^(kε)−1)/(e^ε−1) < 1/(12n), cut to n/200 so that
    padding moves no mean by more than 1/100. For ε = 1 the proof of Steinke and Ullman takes
    k = ⌊ln(1/(12nδ)) − 1⌋, which is never more. 0 means that δ is too large for n.

    References: SteinkeUllman2016, Section 3; docs/proofs/fingerprinting.md, section 5.

    Example:
        >>> most_copies(epsilon=1, delta="1e-9", records=10_000)
        8
    """
    loss, leak = _check.positive(epsilon, "epsilon"), _check.positive_delta(delta)
    size = _check.integer_between(records, "records", 1)

    def too_many(copies: int) -> bool:
        growth = ExponentialSum.exp(copies * loss)
        span = ExponentialSum.exp(loss) - 1
        spent = (growth * span + growth - 1) * (leak * 12 * size)
        return copies > size // 200 or (spent - span).sign() >= 0

    return least_integer(too_many, 1) - 1


def most_copies_to_one(*, epsilon: Exact) -> int:
    r"""The most copies k with which every (ε, δ)-DP mechanism is (1, δ/ε)-DP: Fact 2.3.

    Theorem: k copies of each record make (ε, δ)-DP (kε, δ·(e^(kε)−1)/(e^ε−1))-DP, and for no
    smaller δ in general. So k is the greatest integer with e^(kε) − 1 ≤ (e^ε − 1)/ε, which is
    ⌊ln(1 + (e^ε − 1)/ε)/ε⌋ ≈ 0.69/ε; kε ≤ 1 follows. The k = 1/ε of the proof is too many.
    Proof: docs/proofs/group_privacy.md, section 2; docs/errata.md, B8. For kε ≤ 1:
    (e^ε − 1)/ε ≤ e − 1 for ε ≤ 1, by convexity.

    Args:
        epsilon: ε in (0, 1].

    References: SteinkeUllman2016, Fact 2.3.

    Example:
        >>> most_copies_to_one(epsilon="0.1"), most_copies_to_one(epsilon="0.001")
        (7, 693)
    """
    loss = _check.positive(epsilon, "epsilon")
    if loss > 1:
        raise _check.refuse(
            "`epsilon` must be at most 1",
            f"epsilon={_check.shown(epsilon)}",
            "The fact raises ε to 1.",
        )

    def too_many(copies: int) -> bool:
        most = (ExponentialSum.exp(loss) - 1) * (1 / loss)
        return (ExponentialSum.exp(copies * loss) - 1 - most).sign() > 0

    return least_integer(too_many, 1, int(Fraction(693, 1000) / loss)) - 1
