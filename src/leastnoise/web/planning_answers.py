"""What the page's planning view shows: sample sizes, δ, and which mechanism for which data."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from leastnoise import _check
from leastnoise.least_noise.optimal import optimal, optimal_scalar
from leastnoise.least_noise.optimal_answers import OptimalAnswers
from leastnoise.least_noise.scalar.optimal_noise import OptimalNoise
from leastnoise.mechanisms.choosing.permute_and_flip import permute_and_flip
from leastnoise.mechanisms.response import randomized_response
from leastnoise.numeric.interval import Interval
from leastnoise.people import said_error, said_number
from leastnoise.people.digits import UP, decimal, rounded
from leastnoise.planning.choosing_delta import judge_delta, suggest_delta
from leastnoise.privacy.guarantee import exact_text
from leastnoise.sizes.sample_size import sample_size
from leastnoise.web.ask import Ask, number, whole, within
from leastnoise.web.noise_view import NoiseView

_MOST_COLUMNS = 100_000  # priced while somebody waits
_MOST_RECORDS = 10**12  # more than people live


def sample_sizes(said: Mapping[str, Any]) -> dict[str, Any]:
    """How many records suffice, by mechanism, and how many are too few for any."""
    ask = Ask.read({"sensitivity": 1, "queries": 1, **said})
    objective = said.get("objective")
    if objective not in ("max", "average", "squared"):
        raise _check.refuse(
            "`objective` must be max, average or squared", _check.shown(objective), "Choose one."
        )
    found = sample_size(
        dimension=whole(said, "columns", 1, _MOST_COLUMNS),
        error=number(said, "error"),
        epsilon=ask.epsilon,
        delta=ask.delta,
        objective=objective,
        confidence=number(said, "confidence") if objective == "max" else None,
        values=(0, 1),
    )
    return {
        "records": found.records,
        "options": [
            {"mechanism": option.mechanism, "records": option.records, "certain": option.certain}
            for option in found.options
        ],
        "impossible_below": found.impossible_below,
        "reason": found.reason,
        "narrower": [{"records": each.records, "scope": each.scope} for each in found.bounds[1:]],
        "gap": float(found.gap),
    }


_REASON = (
    "even a mechanism that uses all of δ to publish records as they are exposes nobody, save with "
    "a probability of at most 10⁻⁶"
)
_WARNING = "That is not far below 1 / {} people: choose a smaller one."


def delta_advice(said: Mapping[str, Any]) -> dict[str, Any]:
    """A δ for a number of people, why, and what is wrong with the one in use, if anything."""
    people = whole(said, "records", 1, _MOST_RECORDS)
    advice = suggest_delta(people)
    used = number(said, "delta") if said.get("delta") not in (None, "", 0, "0") else Fraction(0)
    within(used, "delta", Fraction(0), Fraction(999, 1000))
    judged = judge_delta(delta=used, records=people)
    warning = judged.warning
    return {
        "delta": exact_text(advice.delta),
        "reason": _REASON,
        "used": exact_text(used),
        "words": {
            "delta": said_number(advice.delta),
            "used": said_number(used),
            "exposure": _at_most(judged.exposure),
        },
        "warning": None if warning is None else _WARNING.format(said_number(people, 13)),
    }


def _at_most(chance: Interval) -> str:
    """Three digits, rounded up."""
    most = decimal(Fraction(chance.upper))
    return said_number(Fraction(rounded(most, most.adjusted() - 2, UP))) if most else "0"


def shapes(said: Mapping[str, Any]) -> dict[str, Any]:
    """Which mechanism for which data, each priced at the promise that is being looked at."""
    ask = Ask.read({"sensitivity": 1, "queries": 1, **said})
    count, total = _one(ask, 1), _one(ask, 100)
    rows = [
        _row("one count", "ln.optimal(sensitivity=1, …)", count),
        _row("counts by group, each person in one", 'plan.count(by="city", keys=[…])', count),
        _row("a sum of values from 0 to 100", 'plan.sum("cost", lower=0, upper=100)', total),
    ]
    rows += [
        _row(
            f"{number} counts, each person in all of them",
            f"ln.optimal(sensitivity=1, count={number}, …)",
            optimal(sensitivity=1, count=number, epsilon=ask.epsilon, delta=ask.delta),
        )
        for number in (10, 1000)
    ]
    return {"rows": [*rows, _selection(ask), _response(ask), *_OTHERS], "promise": str(ask.promise)}


_OTHERS = (
    {
        "shape": "counts from tiny to huge, where 5 % off is fine",
        "call": 'ln.relative_counts(relative_error="0.05", …)',
        "mechanism": "noise that grows with the count",
        "error": "a stated percentage of the count",
    },
    {
        "shape": "many questions, few of them above a threshold",
        "call": "ln.above_threshold(threshold=…, …)",
        "mechanism": "sparse vector",
        "error": "you pay only for what is above",
    },
)


def _one(ask: Ask, sensitivity: int) -> OptimalNoise:
    return optimal_scalar(sensitivity=sensitivity, epsilon=ask.epsilon, delta=ask.delta)


def _row(shape: str, call: str, chosen: OptimalNoise | OptimalAnswers) -> dict[str, Any]:
    view = NoiseView.of(chosen)
    most = view.error("0.95")
    error = f"within {said_error(most, whole=most.is_integer())} in 95 %"
    return {"shape": shape, "call": call, "mechanism": f"{view.name} noise", "error": error}


def _selection(ask: Ask) -> dict[str, Any]:
    """The error is for the worst scores, which the page need not know."""
    chooser = permute_and_flip(epsilon=ask.epsilon, sensitivity=1, candidates=10)
    short = said_number(chooser.expected_cost().upper)
    return {
        "shape": "the best of 10 candidates",
        "call": "ln.permute_and_flip(candidates=10, …)",
        "mechanism": "permute-and-flip",
        "error": f"score short by {short} on average, at worst",
    }


def _response(ask: Ask) -> dict[str, Any]:
    response = randomized_response(epsilon=ask.epsilon, categories=2)
    truth = float(response.truth.interval())
    return {
        "shape": "yes-or-no answers, hidden before they are collected",
        "call": "ln.randomized_response(categories=2, …)",
        "mechanism": "randomized response",
        "error": f"{100 * truth:.3g} % of answers are true",
    }
