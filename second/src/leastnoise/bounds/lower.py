r"""Lower bounds: with how few records no private mechanism whatever reaches an error.

`theorems` gives totals: with n records the sums of the columns cannot all be closer than T, so means
that are off by at most a need T <= a*n. Known rows can be added to few records and taken out of the
answer again, so a total for n0 records is one for all n >= n0.

Theorem (walk): if fewer than N records are impossible at the error a, and T is a total for at most N
records, then fewer than T/a records are impossible too. So N grows until nothing more follows.

Proof page: docs/proofs/lower_bounds.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from flint import arb

from leastnoise.bounds import theorems
from leastnoise.bounds.question import Objective, Question, rounded_down, table
from leastnoise.bounds.theorems import Theorem, searched
from leastnoise.numbers import ball as balls
from leastnoise.numbers.ball import ball
from leastnoise.numbers.exact import Exact
from leastnoise.numbers.interval import Interval
from leastnoise.privacy.conversion import squared_mu

_MOST_RECORDS = 1 << 50  # what holds for so many holds for more
_MOST_STEPS = 200  # of a walk; to stop early is sound
EVERY, UNBIASED = "every mechanism", "answers without bias"

_MEAN: dict[str, Theorem] = {
    "one column": searched(theorems.one_column),
    "spread": searched(theorems.spread, 4),
    "fingerprint": searched(theorems.mean_fingerprint, 2, 4),
}
_SQUARED = _MEAN | {
    "two tables": searched(theorems.two_tables),
    "corners": searched(theorems.corners),
}
_THEOREMS: dict[str, dict[str, Theorem]] = {
    "max": {"packing": theorems.packing, "fingerprint": searched(theorems.worst_fingerprint, 1)},
    "average": _MEAN,
    "squared": _SQUARED,  # the mean error is at most the root mean square error
    "l2": _SQUARED,
}


def barriers(question: Question, records: int) -> dict[str, Fraction]:
    """The total of each theorem for every mechanism, for at most so many records."""
    few = min(records, _MOST_RECORDS)
    return {name: theorem(question, few) for name, theorem in _THEOREMS[question.objective].items()}


def _unbiased(question: Question) -> list[tuple[str, Theorem]]:
    """Scopes of answers without bias, and the theorem for each."""
    delta, half = question.delta, question.epsilon / 2

    def approximate() -> arb:
        sine = ball(half).sinh() ** 2
        return 4 * (sine + (1 + sine) * ball(delta / (1 - delta)))

    found = [(UNBIASED, theorems.variances(balls.upper_end(approximate)))]
    rho = squared_mu(question.epsilon, delta) / 2
    if rho:  # C = 4*sinh(a)^2 where 2*a*tanh(a) = rho
        a = balls.border(
            lambda a: balls.sign(lambda: 2 * ball(a) * ball(a).tanh() - ball(rho)) <= 0, Fraction(1)
        )[1]
        price = balls.upper_end(lambda: 4 * ball(a).sinh() ** 2)
        found.append((f"{UNBIASED}, {rounded_down(rho)}-zCDP", theorems.variances(price)))
    return found


@dataclass(frozen=True)
class LowerBound:
    """With fewer than `records` records no mechanism of the scope reaches the error."""

    theorem: str
    scope: str
    records: int


@dataclass(frozen=True, repr=False)
class LowerBounds:
    """Numbers of records that are too few; print it.

    Attributes:
        question: what was asked.
        error: the error of the means, on the scale of the values.
        rows: one for each theorem, the strongest first; those for every mechanism before others.
    """

    question: Question
    error: Fraction
    rows: tuple[LowerBound, ...]

    @property
    def records(self) -> int:
        """With fewer no mechanism reaches the error."""
        return self.rows[0].records

    def __repr__(self) -> str:
        rows = [(row.theorem, f"{row.records:,}", row.scope) for row in self.rows]
        title = f"{self.question.title(self.error)}, {self.question.promise}"
        return table(title, ("impossible below", "records"), rows)


def lower_bounds(
    *,
    dimension: int,
    error: Exact,
    epsilon: Exact,
    delta: Exact = 0,
    objective: Objective,
    confidence: Exact | None = None,
    values: tuple[Exact, Exact] = (-1, 1),
) -> LowerBounds:
    """Numbers of records with which no private mechanism reaches an error, and by which theorem.

    Args:
        dimension: how many means.
        error: what they may be off by.
        epsilon: of the promise.
        delta: of the promise.
        objective: "max", "average", "squared" or "l2": see `sample_size`.
        confidence: for "max": how often; 0.95 if nothing is given.
        values: the two values of a number. The bounds hold where values in between are allowed.

    >>> lower_bounds(dimension=1000, error="0.1", epsilon=1, delta="1e-6", objective="max")
    1,000 means of ±1, worst error 0.1 with confidence 0.95, epsilon 1, delta 1e-06
    <BLANKLINE>
    impossible below  records
    fingerprint           300  every mechanism
    packing               150  every mechanism
    """
    question = Question(
        dimension=dimension, epsilon=epsilon, delta=delta, objective=objective,
        confidence=confidence, values=values,
    )  # fmt: skip
    allowed = question.on_signs(error)
    return LowerBounds(question, Fraction(allowed.upper), bounds_at(question, allowed))


def bounds_at(question: Question, error: Interval) -> tuple[LowerBound, ...]:
    """One row for each theorem, at an error of means of signs; the walk."""
    allowed, records = Fraction(error.upper), 1
    for _ in range(_MOST_STEPS):
        totals = barriers(question, records)
        further = ceil(max(totals.values()) / allowed)
        if further <= records:
            break
        records = further
    found = [
        LowerBound(name, EVERY, max(1, ceil(total / allowed))) for name, total in totals.items()
    ]
    rows = sorted(found, key=lambda row: -row.records)
    for scope, theorem in _unbiased(question) if question.is_squared else []:
        most = records
        while (further := ceil(theorem(question, most) / allowed)) > most:
            most = further
        rows.append(LowerBound("variances", scope, most))
    return tuple(rows)
