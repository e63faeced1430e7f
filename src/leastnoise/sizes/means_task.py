"""`MeansTask`: what is to be released, how privately, and how its error is judged."""

from dataclasses import replace
from fractions import Fraction

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._frozen import Checked, Number, Whole, checked, frozen
from leastnoise.errors import InvalidParameter
from leastnoise.privacy.guarantee import exact_text
from leastnoise.sizes.attribute_range import AttributeRange
from leastnoise.tabulation.objective import Objective, ObjectiveName, checked_objective

_MOST_DIMENSION, _MOST_DIMENSION_WITH_DELTA = 10**9, 10**6  # beyond, exact laws take minutes
_LEAST_EPSILON = Fraction(1, 10**20)  # beyond, laws are not found in seconds
_LEAST_DELTA, _MOST_DELTA = Fraction(1, 10**40), Fraction(99, 100)


@frozen(kw_only=True)
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

    dimension: Whole = checked(_check.integer)
    epsilon: Number = checked(_check.positive)
    delta: Number = checked(_check.delta)
    objective: Checked[ObjectiveName | Objective, Objective] = checked(
        lambda objective, _: checked_objective(objective)
    )
    confidence: Checked[Exact | None, Fraction | None] = checked(
        lambda confidence, _: None if confidence is None else _check.confidence(confidence)
    )

    def __post_init__(self) -> None:
        most = _MOST_DIMENSION_WITH_DELTA if self.delta else _MOST_DIMENSION
        _check.integer_between(self.dimension, "dimension", 1, most)
        if (self.objective is Objective.MAX) != (self.confidence is not None):
            raise _about_confidence(self.objective, self.confidence)

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
        return replace(self, epsilon=epsilon)

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
    def failure(self) -> Fraction | None:
        """1 − confidence, if there is one."""
        return None if self.confidence is None else 1 - self.confidence


def _about_confidence(objective: Objective, confidence: Fraction | None) -> InvalidParameter:
    given = f"confidence={None if confidence is None else exact_text(confidence)}"
    if objective is Objective.MAX:
        return _check.refuse(
            "`confidence` must be given for objective='max'",
            given,
            "Say how often the worst column must be within the error, such as 0.95.",
        )
    return _check.refuse(
        f"`confidence` must be left out for objective='{objective.value}'",
        given,
        "That objective is an expectation already.",
    )
