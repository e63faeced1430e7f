"""`trace`: who was in the data, told from its published means."""

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.attacks.attribute_rows import (
    Floats,
    checked_range,
    products,
    risk,
    rows,
    same_length,
    vector,
    within,
)
from leastnoise.attacks.thresholds import hoeffding_threshold
from leastnoise.mechanisms.release import Release
from leastnoise.privacy.guarantee import exact_text
from leastnoise.tabulation.marginals_release import MarginalsRelease


@dataclass(frozen=True, eq=False, repr=False)
class Trace:
    """Who is accused of having been in the data.

    Attributes:
        scores: one per target, in the order given; the greater, the more suspect.
        accused: whether the score exceeds the threshold.
        threshold: the score an innocent target exceeds with probability `false_accusation` at most.
        false_accusation: that probability, for each target that was not in the data.
    """

    scores: Floats
    accused: NDArray[np.bool_]
    threshold: float
    false_accusation: Fraction

    def __post_init__(self) -> None:
        self.scores.flags.writeable = False
        self.accused.flags.writeable = False

    def __repr__(self) -> str:
        return (
            f"Trace({int(self.accused.sum())} of {self.accused.size} accused, an innocent one with "
            f"probability at most {exact_text(self.false_accusation)})"
        )


def trace(
    release: MarginalsRelease | Release[Any] | ArrayLike,
    targets: ArrayLike,
    reference: ArrayLike,
    *,
    false_accusation: Exact,
    values: tuple[Exact, Exact] = (0, 1),
) -> Trace:
    r"""Score each target by how far the release leans towards it, and accuse those that stand out.

    Score: T(y) = Σⱼ (releaseⱼ − referenceⱼ)·(yⱼ − referenceⱼ).

    Theorem: let a target's attributes be independent, in low..high, with the means `reference`, and
    let the target be independent of the release. For every mechanism, private or not,
    P(T(y) ≥ t) ≤ β for t = (high − low)·√(‖release − reference‖²·ln(1/β)/2): that is
    √(2·‖·‖²·ln(1/β)) for attributes ±1, and half as much for bits. For the exact means of n records
    the expected score of each record is Σⱼ Var(yⱼ)/n, that of an outsider 0.
    Proof: Hoeffding's inequality given the release; docs/proofs/fingerprinting.md, section 1.

    Where the population's means are not known, or its attributes are not independent, use
    `rank_trace` with a sample of people who were not in the data.

    Args:
        release: the released means, one per attribute: of `marginals`, a `Release` or an array.
        targets: one row per suspect, one column per attribute.
        reference: the means in the population the targets come from.
        false_accusation: β in (0, 1), for each target by itself.
        values: the least and the greatest value of an attribute: (0, 1) for bits.

    Raises:
        InvalidParameter: shapes that do not fit, or values out of range; no value is shown.

    References: DworkSmithSteinkeUllmanVadhan2015; Hoeffding1963, Theorem 2.

    Example:
        >>> people = np.array([[1, 0] * 40, [0, 1] * 40, [1, 1] * 40])
        >>> result = trace(people.mean(axis=0), people, [0.5] * 80, false_accusation="0.01")
        >>> result
        Trace(1 of 3 accused, an innocent one with probability at most 0.01)
    """
    low, high = checked_range(values)
    answer, means = vector(release, "release"), vector(reference, "reference")
    same_length(answer, means, "reference")
    within(means, "reference", (low, high))
    table = rows(targets, "targets", answer.size, (low, high))
    accepted = risk(false_accusation, "false_accusation")
    lean = answer - means
    scores = products(table, lean) - float(means @ lean)
    threshold = hoeffding_threshold(lean, low, high, accepted)
    return Trace(scores, scores > threshold, threshold, accepted)
