"""The least budget for a wanted precision."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction

from leastnoise._dataclass import dataclass
from leastnoise.errors import UnsupportedQuery
from leastnoise.people import said_error, said_value
from leastnoise.people.digits import said_number
from leastnoise.privacy.guarantee import ApproxDP, Guarantee, PureDP
from leastnoise.release.price.priced_plan import PricedPlan
from leastnoise.release.price.wanted_width import WantedWidth
from leastnoise.release.result.forecast import Forecast

_LEAST, _MOST = Fraction(1, 10**6), Fraction(10**6)  # beyond them noise or privacy is nothing
_WEAK = 20  # from here on an epsilon is said to be next to no promise
Price = Callable[[Guarantee], PricedPlan]


@dataclass(frozen=True)
class Needed:
    """A budget, and what it was found for.

    Attributes:
        budget: the least, to three digits.
        assumed: for what, in sentences.
        warnings: what the promise is worth, if that is little.
    """

    budget: PureDP | ApproxDP
    assumed: tuple[str, ...]
    warnings: tuple[str, ...] = ()


def needed_budget(price: Price, wanted: Mapping[str, WantedWidth], delta: Fraction) -> Needed:
    """The least ε, to three digits, at which the named questions are as precise as asked.

    Args:
        price: the plan at a budget.
        wanted: by the names of questions, how precise they are to be.
        delta: of the budget.

    Raises:
        InvalidParameter: a width that nobody can judge, as too little is expected.
        UnsupportedQuery: no ε up to 10^6 is enough.
    """

    def lacking(epsilon: Fraction) -> list[str]:
        found = price(_budget(epsilon, delta))
        told = found.forecasts(wanted)
        return [words for each in told for words in _lacks(each, wanted[each.question], found)]

    def enough(epsilon: Fraction) -> bool:
        try:
            return not lacking(epsilon)
        except UnsupportedQuery:  # too little to draw noise from
            return False

    hopeless = lacking(_MOST)  # if the plan itself is at fault, this says so
    if hopeless:
        raise UnsupportedQuery(f"No budget does: {'; '.join(hopeless)}.")
    budget = _budget(_least(enough), delta)
    told = price(budget).forecasts(wanted)
    return Needed(budget, _assumed(told, wanted), worth_words(budget.epsilon))


def _lacks(told: Forecast, wanted: WantedWidth, priced: PricedPlan) -> Iterable[str]:
    """Why answers are not as precise as asked; nothing if they are."""
    width = wanted.of(told)
    if told.rounding > width:
        yield (
            f"values of {told.question!r} are rounded before anything is computed, which alone may "
            f"move an answer by {said_value(told.rounding)}"
        )
    units = priced.fewest_units(told)
    if units is not None and told.shown_from is not None and units < told.shown_from:
        yield (
            f"groups of {units:,} units, as expected of {told.question!r}, are shown with a chance "
            f"of less than 95 %; from {told.shown_from:,} on they are"
        )
    if told.interval is not None and told.interval > width:
        yield (
            f"95 % of the answers of {told.question!r} are within {said_error(told.interval)} at "
            "epsilon = 10^6: relative errors have a fixed price, and few rows tell little"
        )


def _assumed(told: Sequence[Forecast], wanted: Mapping[str, WantedWidth]) -> tuple[str, ...]:
    found = [f"{wanted[each.question].words(each)}." for each in told]
    shown = [
        f"{each.question}: groups from {each.shown_from:,} units on are shown with 95 %."
        for each in told
        if each.shown_from is not None
    ]
    return (*found, *shown)


def worth_words(epsilon: Fraction) -> tuple[str, ...]:
    """What a promise with a large ε is worth."""
    if epsilon <= _WEAK:
        return ()
    return (
        f"An epsilon of {said_number(epsilon)} promises next to nothing: whoever holds it as "
        "likely as not that somebody is in the data may be wrong about them in as little as 1 of "
        f"10^{math.floor(epsilon / Fraction(math.log(10)))} cases. Expect less precision, ask "
        "less, or find more rows.",
    )


def _budget(epsilon: Fraction, delta: Fraction) -> PureDP | ApproxDP:
    return ApproxDP(epsilon=epsilon, delta=delta) if delta else PureDP(epsilon=epsilon)


def _least(enough: Callable[[Fraction], bool]) -> Fraction:
    """Of numbers with three digits: the power of ten first, then by halving."""
    high = _LEAST
    while high < _MOST and not enough(high):
        high *= 10
    low, step = high / 10, high / 1000
    first, last = 0, round((high - low) / step)
    while last - first > 1:
        middle = (first + last) // 2
        first, last = (first, middle) if enough(low + middle * step) else (middle, last)
    return low + last * step
