"""`CopiedRecords`: a mechanism for many records, run on copies of few.

It turns a promise about one record into one about groups, which a code of few users can refute
(Steinke and Ullman 2016, section 3). Proof page: docs/proofs/fingerprints.md, section 4.
"""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import ArrayLike, NDArray

from leastnoise.bounds.fingerprint import Floats, numbers
from leastnoise.bounds.risk import attack_risk
from leastnoise.numbers import ball as balls
from leastnoise.numbers.ball import ball
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import Checked, Exact, inside, positive, whole, written
from leastnoise.numbers.interval import Interval
from leastnoise.numbers.inverse import least_integer
from leastnoise.privacy.group import group_privacy
from leastnoise.privacy.guarantee import Guarantee


@dataclass(frozen=True)
class CopiedRecords:
    """From a mechanism for means of n rows of bits, one for floor(n/k) rows: each is written k times.

    Rows of ones fill the table up, and are taken out of the answer again.

    Attributes:
        mechanism: from a table of n rows of bits to the means of its columns.
        records: n.
        copies: k.

    >>> exact = CopiedRecords(lambda table: table.mean(axis=0), records=10, copies=3)
    >>> exact([[0, 0], [0, 1], [1, 1]]).round(3)
    array([0.333, 0.667])
    """

    mechanism: Callable[[NDArray[Any]], ArrayLike]
    _: KW_ONLY
    records: Checked[int, int] = Checked(whole)
    copies: Checked[int, int] = Checked(whole)

    def __post_init__(self) -> None:
        if not callable(self.mechanism):
            raise InvalidInput("mechanism is no function of a table. Give one that answers means.")
        if self.copies > self.records:
            raise InvalidInput(
                f"copies is {self.copies}. Give at most {self.records}, the records."
            )

    @property
    def people(self) -> int:
        """How many records are copied."""
        return self.records // self.copies

    def padding_shift(self, columns: int) -> Fraction:
        """How far the rows of ones, if left in, move means of signs in l1 norm, at most."""
        return 2 * whole(columns, "columns") * Fraction(self.records % self.copies, self.records)

    def __call__(self, people: ArrayLike) -> Floats:
        """The means of so many people."""
        rows = numbers(people, "people", 0, 1)
        if rows.ndim != 2 or len(rows) != self.people:
            raise InvalidInput(f"people is no table of {self.people} rows. Give one row for each.")
        ones = np.ones((self.records % self.copies, rows.shape[1]))
        answer = self.mechanism(np.vstack([np.repeat(rows, self.copies, axis=0), ones]))
        return (self.records * numbers(answer, "answer") - len(ones)) / (self.copies * self.people)

    def privacy(self, promise: Guarantee) -> Guarantee:
        """What a promise of the mechanism becomes: the same for groups of k."""
        return group_privacy(promise, size=self.copies)

    def accusation_bound(self, promise: Guarantee, *, false_accusation: Exact) -> Interval:
        """How often a record may be accused by whoever accuses outsiders with at most this chance.

        >>> from leastnoise.privacy import ApproxDP
        >>> half = CopiedRecords(lambda table: table.mean(axis=0), records=100, copies=2)
        >>> half.accusation_bound(ApproxDP(epsilon=1, delta="1e-6"), false_accusation="1e-6")
        0.0000111073379273896...
        """
        return attack_risk(self.privacy(promise)).caught(false_accusation)

    @staticmethod
    def most(*, epsilon: Exact, delta: Exact, records: int) -> int:
        """The most copies with which a code whose false accusations are delta refutes a promise.

        They have e^(k*epsilon)*delta + delta*(e^(k*epsilon) - 1)/(e^epsilon - 1) < 1/(12*n), and
        k <= n/200. 0 means that delta is too large for so many records.

        >>> CopiedRecords.most(epsilon=1, delta="1e-9", records=10_000)
        8
        """
        loss, leak, n = (
            positive(epsilon, "epsilon"),
            inside(delta, "delta"),
            whole(records, "records"),
        )

        def spent(copies: int) -> arb:
            grown = ball(copies * loss)
            return grown.exp() + grown.expm1() / ball(loss).expm1() - ball(1 / (12 * n * leak))

        return least_integer(lambda k: 200 * k > n or balls.sign(lambda: spent(k)) >= 0, 1) - 1

    @staticmethod
    def most_to_one(*, epsilon: Exact) -> int:
        """The most copies with which every (epsilon, delta)-DP mechanism is (1, delta/epsilon)-DP.

        1/epsilon copies, as in Steinke and Ullman's Fact 2.3, are too many.

        >>> CopiedRecords.most_to_one(epsilon="0.1"), CopiedRecords.most_to_one(epsilon="0.001")
        (7, 693)
        """
        loss = positive(epsilon, "epsilon")
        if loss > 1:
            raise InvalidInput(
                f"epsilon is {written(loss)}. Give at most 1, which copies raise it to."
            )
        if loss == 1:  # the only whole quotient
            return 1
        return balls.floor(lambda: (ball(loss).expm1() / ball(loss)).log1p() / ball(loss))
