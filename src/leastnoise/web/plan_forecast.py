"""What a plan's questions will be off by, for the promise and the limits that the sliders say.

The questions of Release are what Choose and Bounds speak about. Nothing is read of the data but the
names and types of columns, and nothing is spent.
"""

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from leastnoise import _check
from leastnoise.errors import LeastNoiseError
from leastnoise.numeric.nearest_float import nearest_float
from leastnoise.people import grade
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.release.file.plan_file import PlanFile
from leastnoise.release.price.priced_plan import PricedPlan
from leastnoise.release.result.forecast import Forecast
from leastnoise.web.ask import Ask
from leastnoise.web.asked_plan import plan_said, read_plan, refuse_too_many
from leastnoise.web.plan_text import plan_text

EPSILONS = tuple(Fraction(n, 10) for n in (1, 2, 5, 10, 20, 50, 100, 200))
"""Where the curve of a question is worked out; errors of plans are smooth between them."""

_ONE_QUERY = {"sensitivity": 1, "queries": 1}
_NOBODY_OPENS_IT = "budget.db"  # a plan names a ledger; none is looked at here


def plan_forecast(said: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The error of every question of a plan, without advice or proof, as soon as can be.

    Raises:
        InvalidParameter: the plan is not whole, or asks what cannot be; the message says which.
    """
    plan, ask = _plan(said, folder), Ask.read({**said, **_ONE_QUERY})
    return {"questions": [forecast_facts(each) for each in _forecasts(plan, ask.promise)]}


def plan_curve(said: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The error of one question for ε from 0.1 to 20, as far as the plan can be priced there."""
    plan, number = _plan(said, folder), _number(said)
    points = []
    for epsilon in EPSILONS:
        ask = Ask.read({**said, **_ONE_QUERY, "epsilon": str(epsilon)})
        try:
            error = _error(_forecasts(plan, ask.promise)[number])
        except LeastNoiseError:
            continue
        if error is not None:
            points.append({"epsilon": float(epsilon), "error95": error})
    return {"points": points}


def plan_limits(said: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The error of one question if so many rows of one person count, for each of some limits."""
    number, ask = _number(said), Ask.read({**said, **_ONE_QUERY})
    found = []
    for limit, changed in _limited(said, number):
        try:
            error = _error(_forecasts(_plan(changed, folder), ask.promise)[number])
        except LeastNoiseError:  # more than can be priced
            continue
        if error is not None:
            found.append({"limit": limit, "noise": error})
    return {"limits": found}


def _limited(said: Mapping[str, Any], number: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """The plan with other limits: the question's own, if it has one, else the plan's."""
    limits: Any = said.get("limits")
    questions: Any = said["question"]  # a list that has this place: see `_number`
    own = questions[number]
    few = isinstance(limits, list) and len(limits) <= _MOST_LIMITS
    if not (few and all(type(each) is int for each in limits) and isinstance(own, dict)):
        raise _check.refuse(
            "`limits` must be a few whole numbers for a question",
            _check.shown(limits),
            "Reload the page.",
        )
    for limit in limits:
        if "max_rows" in own:
            other = [*questions[:number], own | {"max_rows": limit}, *questions[number + 1 :]]
            yield limit, {**said, "question": other}
        else:
            yield limit, {**said, "bounds": {**said.get("bounds", {}), "max_rows": limit}}


_MOST_LIMITS = 20  # each is priced anew


def _plan(said: Mapping[str, Any], folder: Path) -> PlanFile:
    refuse_too_many(said)
    data, budget = said.get("data"), {"spend": {"epsilon": 1}}
    declared = isinstance(data, dict) and "dataset" in data
    ledger = {} if declared else {"ledger": _NOBODY_OPENS_IT}
    meant = plan_said({**said, "budget": budget | ledger})
    return read_plan(plan_text(meant), folder)


def _number(said: Mapping[str, Any]) -> int:
    number, questions = said.get("number"), said.get("question")
    if type(number) is int and isinstance(questions, list) and 0 <= number < len(questions):
        return number
    raise _check.refuse("`number` must be a question's", _check.shown(number), "Reload the page.")


def _forecasts(file: PlanFile, budget: Guarantee) -> list[Forecast]:
    plan = file.plan
    if plan.has_open_bounds:
        return list(plan.preview(budget))
    return (
        PricedPlan.of(plan.bounded, plan.questions, budget)
        .expecting(dict(plan.expected))
        .forecasts()
    )


def _error(forecast: Forecast) -> float | None:
    """Half the width of the 95 % interval; of answers that fall with the rows, for one row."""
    if forecast.interval is not None:
        return finite(forecast.interval)
    per_row = None if forecast.per_row is None else forecast.per_row.interval
    return None if per_row is None else finite(per_row)


def forecast_facts(forecast: Forecast) -> dict[str, Any]:
    """A forecast as plain values; what it is a share of is known only if somebody said it."""
    about = _expected(forecast)
    return {
        "question": forecast.question,
        "answers": forecast.answers,
        "mechanism": forecast.mechanism,
        "error": forecast.error_words,
        "interval": forecast.interval_words,
        "error95": _error(forecast),
        "unit": _unit(forecast),
        "about": about,
        **_judged(forecast, about),
        "notes": list(forecast.notes),
        "share": finite(forecast.share),
        "ratio": None if forecast.ratio is None else nearest_float(forecast.ratio),
        "shown_from": forecast.shown_from,
        "advice": list(forecast.advice),
    }


def _unit(forecast: Forecast) -> str:
    """What stands behind the number in `interval_words`."""
    rows = f" / {forecast.rows}" if forecast.interval is None else ""
    return rows if forecast.of == "answer" else f"{rows} ({forecast.of})"


def _judged(forecast: Forecast, about: float | None) -> dict[str, Any]:
    if not about or forecast.interval is None:
        return {"part": None, "grade": ""}
    error = float(forecast.interval)
    return {"part": finite(error / about), "grade": grade(about, about - error, about + error)}


def _expected(forecast: Forecast) -> float | None:
    """The answer that the person expects; a middle of a range is nobody's."""
    told = forecast.yardstick_words
    return forecast.yardstick if told == "as expected" or " expected" in told else None


def finite(value: Any) -> float | None:
    """A number that JSON can hold; None for the others."""
    number = float(value)
    return number if math.isfinite(number) else None
