"""`MeansTask`: what is to be released, how privately, and how its error is judged."""

from dataclasses import dataclass
from fractions import Fraction
from typing import SupportsIndex

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._frozen import keep
from leastnoise.privacy.guarantee import exact_text
from leastnoise.sizes.attribute_range import AttributeRange
from leastnoise.tabulation.objective import Objective, ObjectiveName, checked_objective

_MOST_DIMENSION, _MOST_DIMENSION_WITH_DELTA = 10**9, 10**6  # beyond, exact laws take minutes
_LEAST_EPSILON = Fraction(1, 10**20)  # beyond, laws are not found in seconds
_LEAST_DELTA, _MOST_DELTA = Fraction(1, 10**40), Fraction(99, 100)


@dataclass(frozen=True, init=False)
class MeansTask:
    r"""The means of d columns of signs ±1 under (ε, δ)-DP, when one record is replaced.

    Its error is judged by one of three objectives, for the worst table there is:
    MAX: the error of the worst column, which must hold with probability `confidence`;
    AVERAGE: the mean over the columns of E|error|;
    SQUARED: the root of the mean over the columns of E(error)².

    Args:
        dimension: d in 1..10^9, for δ > 0 in 1..10^6.
        epsilon: ε > 0.
        delta: δ in [0, 1).
        objective: "max", "average" or "squared".
        confidence: in (0, 1), for "max" only.
    """

    dimension: int
    epsilon: Fraction
    delta: Fraction
    objective: Objective
    failure: Fraction | None

    def __init__(
        self,
        *,
        dimension: SupportsIndex,
        epsilon: Exact,
        delta: Exact,
        objective: ObjectiveName | Objective,
        confidence: Exact | None,
    ) -> None:
        leak, chosen = _check.delta(delta), checked_objective(objective)
        most = _MOST_DIMENSION_WITH_DELTA if leak else _MOST_DIMENSION
        keep(
            self,
            dimension=_check.integer_between(dimension, "dimension", 1, most),
            epsilon=_check.positive(epsilon, "epsilon"),
            delta=leak,
            objective=chosen,
            failure=_failure(chosen, confidence),
        )

    def in_reach(self) -> "MeansTask":
        """Itself, if exact laws and bounds for it are found in seconds.

        Raises:
            InvalidParameter: ε or δ is too extreme.
        """
        if self.epsilon < _LEAST_EPSILON:
            raise _check.refuse(
                "`epsilon` must be at least 1e-20 here",
                f"epsilon={exact_text(self.epsilon)}",
                "So little allows no answer at all.",
            )
        if self.delta and not _LEAST_DELTA <= self.delta <= _MOST_DELTA:
            raise _check.refuse(
                "`delta` must be 0 or lie in 1e-40..0.99 here",
                f"delta={exact_text(self.delta)}",
                "Below, use 0; above, nobody is protected.",
            )
        return self

    def at(self, epsilon: Fraction) -> "MeansTask":
        """The same task at another ε."""
        return MeansTask(
            dimension=self.dimension,
            epsilon=epsilon,
            delta=self.delta,
            objective=self.objective,
            confidence=self.confidence,
        )

    def words(self, values: AttributeRange, error: Fraction | None = None) -> str:
        """The task in one line, for tables."""
        kinds = {
            Objective.MAX: "worst error",
            Objective.AVERAGE: "mean error",
            Objective.SQUARED: "root mean square error",
        }
        judged = kinds[self.objective] + ("" if error is None else f" {exact_text(error)}")
        if self.confidence is not None:
            judged += f" with confidence {exact_text(self.confidence)}"
        means = "1 mean" if self.dimension == 1 else f"{self.dimension} means"
        return f"{means} of {values}, {judged}"

    @property
    def promise(self) -> str:
        """The privacy in a few words."""
        return f"ε = {exact_text(self.epsilon)}, δ = {exact_text(self.delta)}"

    @property
    def confidence(self) -> Fraction | None:
        """1 − failure, if there is one."""
        return None if self.failure is None else 1 - self.failure


def _failure(objective: Objective, confidence: Exact | None) -> Fraction | None:
    if objective is Objective.MAX:
        if confidence is None:
            raise _check.refuse(
                "`confidence` must be given for objective='max'",
                "confidence=None",
                "Say how often the worst column must be within the error, such as 0.95.",
            )
        return 1 - _check.confidence(confidence)
    if confidence is None:
        return None
    raise _check.refuse(
        f"`confidence` must be left out for objective='{objective.value}'",
        f"confidence={_check.shown(confidence)}",
        "That objective is an expectation already.",
    )
