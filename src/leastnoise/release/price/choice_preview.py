"""What is told before a release whose bounds are yet to be chosen."""

from collections.abc import Iterator
from dataclasses import replace

from leastnoise.people import said_share, said_value
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.price.choosing import Choosing
from leastnoise.release.price.cut_forecasts import cuts_told
from leastnoise.release.price.stakes import FEW_ANSWERS, sharing_answers
from leastnoise.release.price.unit_spreads import Needed
from leastnoise.release.questions.mean import Mean
from leastnoise.release.result.forecast import Forecast
from leastnoise.release.result.preview import Preview

_BOUNDS = (8, 64)  # for which errors are told, beside 1


def choice_preview(choosing: Choosing) -> Preview:
    """The forecasts for bounds of 1, and what other bounds would make of them."""
    priced, left = choosing.priced, 1 - choosing.share
    told = [replace(each, share=each.share * left) for each in priced.forecasts()]
    noted = [
        replace(each, advice=(*each.advice, *_words(choosing, each), *_range_words(choosing, each)))
        for each in told
    ]
    return Preview(noted, priced.keys_found(), cuts_told(priced))


def _words(choosing: Choosing, told: Forecast) -> Iterator[str]:
    own = choosing.needed.get(told.question)
    if own is None:
        return
    verb = "is" if len(own.chosen) == 1 else "are"
    ratios = _ratios(choosing, told)
    times = ", ".join(f"{said_value(ratio)} times for {bound}" for bound, ratio in ratios)
    yield (
        f"{' and '.join(sorted(own.chosen))} {verb} chosen from the data, for "
        f"{said_share(choosing.share, digits=3)} of the budget; the error told is for 1, larger "
        f"for more ({times}), beside what is cut off"
    )
    if sharing_answers(choosing.priced, {told.question: own}) < FEW_ANSWERS:
        yield (
            "for so few answers a small part of the budget cannot choose well; if you know how "
            "many rows a unit has at most, set max_rows to that"
        )


def _range_words(choosing: Choosing, told: Forecast) -> Iterator[str]:
    own = choosing.ranges.get(told.question)
    if own is None:
        return
    verb, grid = "is" if len(own.chosen) == 1 else "are", own.question.grid
    mean = isinstance(own.question, Mean)
    yield (
        f"{' and '.join(own.chosen)} {verb} chosen from the data, for "
        f"{said_share(choosing.share, digits=3)} of the budget; the error told is for values from "
        f"{float(grid.lower):g} to {float(grid.upper):g}, and grows with "
        f"{'upper − lower' if mean else 'the larger of |lower| and |upper|'}, beside what is cut "
        "off"
    )


def _ratios(choosing: Choosing, told: Forecast) -> Iterator[tuple[int, float]]:
    """How many times as large errors are, with other bounds."""
    place = [each.name for each in choosing.priced.questions].index(told.question)
    for bound in _BOUNDS:
        other = choosing.then({name: _at(own, bound) for name, own in choosing.needed.items()})
        yield bound, other.errors[place] / choosing.priced.errors[place]


def _at(own: Needed, bound: int) -> Bounds:
    return Bounds(
        max_groups=bound if "max_groups" in own.chosen else own.at.max_groups,
        max_rows=bound if "max_rows" in own.chosen else own.at.max_rows,
    )
