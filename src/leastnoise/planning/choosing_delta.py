"""Choosing δ: what it permits in the worst case, and how small that makes it."""

from fractions import Fraction
from typing import SupportsIndex

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.numeric.ball import ball, enclosure
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.inverse import least_integer
from leastnoise.people.numbers import equation
from leastnoise.privacy.curves.curve import price_text
from leastnoise.privacy.guarantee import exact_text


class DeltaTooLarge(UserWarning):
    """A δ that lets a mechanism expose somebody and keep its promise; for `warnings.warn`."""


def exposure_probability(*, delta: Exact, records: SupportsIndex) -> Interval:
    r"""The probability that name-and-shame at this δ publishes somebody's record.

    Theorem: publishing each of n records with probability δ, independently, is (0, δ)-DP, and
    publishes at least one with probability 1 − (1−δ)^n, exactly.
    Proof: docs/proofs/choosing_delta.md.

    Args:
        delta: δ in [0, 1].
        records: the number n of records.

    Example:
        >>> exposure_probability(delta="1e-5", records=100_000)
        Interval(0.632122398233427, 0.632122398233428)
    """
    leak = _check.probability(delta, "delta")
    people = _check.integer_between(records, "records", 1)
    if leak in (0, 1) or people == 1:
        return Interval.exactly(leak)
    return enclosure(lambda: -(people * ball(-leak).log1p()).expm1())


@dataclass(frozen=True)
class DeltaChoice:
    """A δ for a number of records, and what can be said about it."""

    delta: Fraction
    records: int
    reason: str

    @property
    def exposure(self) -> Interval:
        """The probability that the worst mechanism with this δ exposes somebody."""
        return exposure_probability(delta=self.delta, records=self.records)

    @property
    def warning(self) -> DeltaTooLarge | None:
        """Something to warn with if δ ≥ 1/n, else None."""
        if self.delta * self.records < 1:
            return None
        return DeltaTooLarge(
            f"`delta` must be far below 1/records; got delta={exact_text(self.delta)} for "
            f"{self.records} records. A mechanism may then publish somebody's record with "
            f"probability {price_text(self.exposure)}: choose suggest_delta(records).delta."
        )

    def __str__(self) -> str:
        return f"{equation('δ', self.delta)}: {self.reason}"


def suggest_delta(records: SupportsIndex, *, exposure: Exact = Fraction(1, 10**6)) -> DeltaChoice:
    r"""The largest power of ten that keeps even name-and-shame from exposing anybody.

    Theorem: let n·δ ≤ q. For every (ε, δ)-DP mechanism, the probability that it shows anything
    that could not have been shown without one particular record, whichever, is at most q.
    Name-and-shame comes within (nδ)²/2 of n·δ.
    Proof: docs/proofs/choosing_delta.md. The rule δ = n^−1.1 in the lecture notes allows a
    probability of 0.27 at n = 100 000 (errata A9); a smaller δ is cheap, because noise grows with
    √ln(1/δ) only.

    Args:
        records: the number n of records that are protected.
        exposure: the probability q of exposing anybody at all that is acceptable; one in a million.

    Example:
        >>> choice = suggest_delta(records=100_000)
        >>> choice.delta
        Fraction(1, 100000000000)
        >>> print(choice)
        δ = 10⁻¹¹: the largest power of ten with records × δ at most 0.000001, so that even a
        mechanism that uses δ to publish records as they are exposes nobody, save with that
        probability
    """
    people = _check.integer_between(records, "records", 1)
    accepted = _check.positive_delta(exposure, "exposure")
    power = least_integer(lambda digits: people <= accepted * 10**digits, 1)
    reason = (
        f"the largest power of ten with records × δ at most {exact_text(accepted)}, so that even a "
        "mechanism that uses δ to publish records as they are exposes nobody, save with that "
        "probability"
    )
    return DeltaChoice(Fraction(1, 10**power), people, reason)


def judge_delta(*, delta: Exact, records: SupportsIndex) -> DeltaChoice:
    """A δ chosen elsewhere, with its exposure and, if it is 1/n or more, a warning.

    Example:
        >>> choice = judge_delta(delta="1e-5", records=100_000)
        >>> round(float(choice.exposure), 4), choice.warning is None
        (0.6321, False)
    """
    people = _check.integer_between(records, "records", 1)
    return DeltaChoice(_check.delta(delta), people, "chosen by the user")
