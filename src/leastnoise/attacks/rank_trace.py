"""`rank_trace`: the tracing attack where only a sample of outsiders is known."""

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.attacks.attribute_rows import (
    Floats,
    Rows,
    checked_range,
    products,
    risk,
    rows,
    vector,
)
from leastnoise.mechanisms.release import Release
from leastnoise.privacy.guarantee import exact_text
from leastnoise.tabulation.marginals_release import MarginalsRelease

_ROUNDING = 2.0**-49  # sixteen times what one rounding loses
_CHUNK = 64  # targets compared with all outsiders at a time


@dataclass(frozen=True, eq=False, repr=False)
class RankTrace:
    """Who is accused, judged against people known to be outsiders.

    Attributes:
        scores: one per target; comparable with each other.
        p_values: the share of outsiders, the target counted as one, that score as high or higher.
        accused: whether the p-value is at most `false_accusation`.
        false_accusation: the probability that a target who was not in the data is accused.
    """

    scores: Floats
    p_values: Floats
    accused: NDArray[np.bool_]
    false_accusation: Fraction

    def __post_init__(self) -> None:
        for array in (self.scores, self.p_values, self.accused):
            array.flags.writeable = False

    def __repr__(self) -> str:
        return (
            f"RankTrace({int(self.accused.sum())} of {self.accused.size} accused, an innocent one "
            f"with probability at most {exact_text(self.false_accusation)})"
        )


def rank_trace(
    release: MarginalsRelease | Release[Any] | ArrayLike,
    targets: ArrayLike,
    outsiders: ArrayLike,
    *,
    false_accusation: Exact,
    values: tuple[Exact, Exact] = (0, 1),
) -> RankTrace:
    r"""Accuse the targets that the release leans towards more than to nearly all outsiders.

    Score of z beside target y: ⟨release − c, z⟩, c the mean of the outsiders and y together.

    Theorem: let the r outsiders and the target be exchangeable, for instance independent draws from
    one population, with attributes as dependent as they like, and let them be independent of the
    release. For every mechanism the target is among the ⌊β(r+1)⌋ highest of the r + 1 scores with
    probability at most β.
    Proof: the r + 1 scores are exchangeable, for c does not know which of them is the target;
    docs/proofs/fingerprinting.md, section 2.

    Args:
        release: the released means, one per attribute: of `marginals`, a `Release` or an array.
        targets: one row per suspect.
        outsiders: one row per person known not to be in the data; r rows allow β ≥ 1/(r+1).
        false_accusation: β in (0, 1), for each target by itself.
        values: the least and the greatest value of an attribute.

    Raises:
        InvalidParameter: too few outsiders, or shapes and values that do not fit.

    References: VovkGammermanShafer2005, Proposition 2.3.

    Example:
        >>> rng = np.random.default_rng(1)  # for the example only; nothing here is secret
        >>> people, others = rng.integers(0, 2, (5, 900)), rng.integers(0, 2, (99, 900))
        >>> rank_trace(people.mean(axis=0), people, others, false_accusation="0.01")
        RankTrace(5 of 5 accused, an innocent one with probability at most 0.01)
    """
    bounds = checked_range(values)
    answer = vector(release, "release")
    table = rows(targets, "targets", answer.size, bounds)
    known = rows(outsiders, "outsiders", answer.size, bounds)
    accepted = _enough(risk(false_accusation, "false_accusation"), known.shape[0])
    scores, as_high = _compare(answer, table, known, max(map(abs, bounds)))
    p_values = (1 + as_high) / (known.shape[0] + 1)
    accused = 1 + as_high <= int(accepted * (known.shape[0] + 1))
    return RankTrace(scores, p_values, accused, accepted)


def _enough(risk: Fraction, outsiders: int) -> Fraction:
    if risk * (outsiders + 1) >= 1:
        return risk
    raise _check.refuse(
        "`false_accusation` must be at least 1 in (outsiders + 1)",
        f"{outsiders} outsiders",
        "Find more outsiders, or accept more false accusations.",
    )


def _compare(
    answer: Floats, targets: Rows, known: Rows, greatest: float
) -> tuple[Floats, NDArray[np.int64]]:
    """Each target's score, and how many outsiders score as high beside it."""
    people = known.shape[0] + 1
    total = known.sum(axis=0, dtype=np.float64)
    lean = answer - total / people
    own, theirs = products(targets, lean), products(known, lean)
    # Where rounding might decide, the outsider counts as higher: the safe side.
    room = _ROUNDING * (answer.size + 8) * greatest * float((np.abs(lean) + greatest).sum())
    scores, as_high = np.empty(own.size), np.empty(own.size, dtype=np.int64)
    for start in range(0, own.size, _CHUNK):
        part = slice(start, start + _CHUNK)
        few = targets[part].astype(np.float64)
        shared = products(known, few.T)
        scores[part] = own[part] - (few**2).sum(axis=1) / people
        as_high[part] = (theirs[:, None] - shared / people >= scores[part] - room).sum(axis=0)
    return scores - (total / people) @ lean, as_high
