"""The least budget for a wanted precision."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.errors import LeastNoiseError, UnsupportedQuery
from leastnoise.privacy.guarantee import ApproxDP, PureDP
from leastnoise.release.price.priced_plan import PricedPlan
from leastnoise.release.questions.question import Question
from leastnoise.release.result.forecast import Forecast
from leastnoise.release.step.bounded_table import BoundedTable

_LEAST, _MOST = Fraction(1, 10**6), Fraction(10**6)  # beyond them noise or privacy is nothing


def needed_budget(
    table: BoundedTable,
    questions: Sequence[Question],
    within: Mapping[str, Exact],
    delta: Fraction,
) -> PureDP | ApproxDP:
    """The least ε, to three digits, at which the named questions are as precise as asked.

    Raises:
        InvalidParameter: an unknown question, or a width that is not positive.
        UnsupportedQuery: no ε up to 10^6 is enough.
    """
    wanted = _wanted(within, [question.name for question in questions])

    def told(epsilon: Fraction) -> list[Forecast]:
        return PricedPlan.of(table, questions, _budget(epsilon, delta)).forecasts()

    def enough(epsilon: Fraction) -> bool:
        try:
            found = told(epsilon)
        except LeastNoiseError:  # too little to draw noise from
            return False
        return all(each.interval <= wanted.get(each.question, each.interval) for each in found)

    try:
        return _budget(_least(enough), delta)
    except UnsupportedQuery:
        told(_MOST)  # if the plan itself is at fault, this says so
        raise


def _wanted(within: Mapping[str, Exact], names: list[str]) -> dict[str, Fraction]:
    unknown = within.keys() - set(names)
    if unknown or not within:
        known = ", ".join(map(repr, names))
        found = ", ".join(map(repr, sorted(unknown))) or "nothing"
        raise _check.refuse("`within` must name questions of the plan", found, f"One of: {known}.")
    return {name: _check.positive(width, f"within[{name!r}]") for name, width in within.items()}


def _budget(epsilon: Fraction, delta: Fraction) -> PureDP | ApproxDP:
    return ApproxDP(epsilon=epsilon, delta=delta) if delta else PureDP(epsilon=epsilon)


def _least(enough: Callable[[Fraction], bool]) -> Fraction:
    """Of numbers with three digits: the power of ten first, then by halving."""
    high = _LEAST
    while not enough(high):
        high *= 10
        if high > _MOST:
            raise UnsupportedQuery(
                "no epsilon up to 10^6 makes the answers as precise as asked. Allow wider ones: "
                "whole numbers cannot be closer than half, and relative errors have a fixed price."
            )
    low, step = high / 10, high / 1000
    first, last = 0, round((high - low) / step)
    while last - first > 1:
        middle = (first + last) // 2
        first, last = (first, middle) if enough(low + middle * step) else (middle, last)
    return low + last * step
