"""The error of every candidate against ε, with what is impossible below them."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from fractions import Fraction

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.errors import UnsupportedQuery
from leastnoise.least_noise.optimal import optimal_scalar
from leastnoise.least_noise.scalar.law_choice import quick_bound
from leastnoise.least_noise.scalar.optimal_noise import OptimalNoise
from leastnoise.pictures.lines import Row, above_forbidden, log_axis, point
from leastnoise.pictures.names import capital, cost_words, number, plain_name, small
from leastnoise.pictures.palette import LINES
from leastnoise.pictures.picture import Picture, drawn
from leastnoise.privacy.guarantee import exact_text

_FACTORS = [Fraction(2) ** n * part for n in range(-3, 3) for part in (Fraction(1), Fraction(7, 5))]
_MOST_EPSILON = Fraction(20)  # unless the own one is larger
_CHOSEN = "Least noise (chosen)"
_ALIKE, _HOPELESS = 1.005, 30.0  # lines that cannot be told apart; that squash the others
_DEPTH = 40  # shown below the own cost, as a factor
_TINY = 1e-300  # quotients stay finite


def error_by_epsilon(mechanism: OptimalNoise, epsilons: Iterable[Exact] | None = None) -> Picture:
    """Expected cost against ε for the same question: the chosen noise, its rivals, and the bound.

    Args:
        mechanism: made by `optimal` for one query; says sensitivity, δ, cost and lattice.
        epsilons: where to look, above 0; by default from 1/8 to 5.6 times the mechanism's own.

    Raises:
        InvalidParameter: no such mechanism, or no such ε.
    """
    _check.kind(
        mechanism,
        OptimalNoise,
        "`mechanism` must be the least noise for one query",
        "Give what optimal(sensitivity=…, epsilon=…) makes, without a dimension.",
    )
    others = [_again(mechanism, level) for level in _levels(mechanism, epsilons)]
    rows = [row for other in others for row in _costs(other)]
    bounds = [row for other in others for row in _bound(other)]
    names = _names(rows)
    rows = [row for row in rows if row["series"] in names]
    own = float(mechanism.problem.epsilon), float(mechanism.expected_cost())
    what = cost_words(mechanism.problem.cost)
    levels = [row["epsilon"] for row in rows]
    privacy = "ε, the privacy budget (larger means less private)"
    layers = above_forbidden(
        log_axis("epsilon", privacy, min(levels), max(levels)),
        log_axis("cost", f"{what} (units of the answer)", *_range(rows, own[1])),
        bounds=bounds,
        lines=rows,
        sign="impossible: proved lower bound",
    )
    words = (
        f"{capital(what)} against ε. At ε = {own[0]:g} the chosen noise has {number(own[1])}. "
        "In the grey region no mechanism that adds noise to the answer keeps the promise."
    )
    return drawn(
        {"width": 520, "height": 320, "layer": [*layers, point(*own)]},
        title="What privacy costs",
        subtitle=_question(mechanism),
        words=words,
    )


def _range(rows: list[Row], own: float) -> tuple[float, float]:
    """From the largest cost down to well below the mechanism's own."""
    costs = [row["cost"] for row in rows if row["cost"] > 0]
    return max(min(costs), own / _DEPTH, max(costs) / 10**6) / 2, 1.2 * max(costs)


def _levels(mechanism: OptimalNoise, epsilons: Iterable[Exact] | None) -> list[Fraction]:
    if epsilons is not None:
        found = sorted({_check.positive(value, "an epsilon") for value in epsilons})
        if found:
            return found
        raise _check.refuse("`epsilons` must not be empty", "none", "Give some, or leave it out.")
    own = mechanism.problem.epsilon or Fraction(1)
    levels = sorted({own * factor for factor in _FACTORS})
    return [level for level in levels if level <= max(own, _MOST_EPSILON)]


def _again(mechanism: OptimalNoise, epsilon: Fraction) -> OptimalNoise:
    problem = mechanism.problem
    return optimal_scalar(
        sensitivity=problem.sensitivity * problem.step,
        epsilon=epsilon,
        delta=problem.delta,
        cost=problem.cost,
        granularity=problem.step,
    )


def _costs(mechanism: OptimalNoise) -> Iterator[Row]:
    level = float(mechanism.problem.epsilon)
    yield {"epsilon": level, "cost": float(mechanism.expected_cost()), "series": _CHOSEN}
    for rival in mechanism.alternatives():
        name = capital(plain_name(rival.law))
        yield {"epsilon": level, "cost": float(rival.cost), "series": name}


def _bound(mechanism: OptimalNoise) -> Iterator[Row]:
    with suppress(UnsupportedQuery):  # nothing is proved at this ε
        bound = float(quick_bound(mechanism.problem, mechanism.choice))
        if bound > 0:
            yield {"epsilon": float(mechanism.problem.epsilon), "cost": bound}


def _names(rows: list[Row]) -> list[str]:
    """The chosen one and those that differ: from it, from each other, and not beyond measure."""
    costs: dict[str, dict[float, float]] = {}
    for row in rows:
        costs.setdefault(row["series"], {})[row["epsilon"]] = row["cost"]
    shown = [_CHOSEN]
    for name, line in costs.items():
        if all(_differ(line, costs[other]) for other in shown) and _near(line, costs[_CHOSEN]):
            shown.append(name)
    return shown[: len(LINES)]


def _differ(one: dict[float, float], other: dict[float, float]) -> bool:
    common = one.keys() & other.keys()
    return any(not 1 / _ALIKE < one[e] / max(other[e], _TINY) < _ALIKE for e in common)


def _near(line: dict[float, float], best: dict[float, float]) -> bool:
    return any(cost < _HOPELESS * max(best[level], _TINY) for level, cost in line.items())


def _question(mechanism: OptimalNoise) -> str:
    problem = mechanism.problem
    reach = number(float(problem.sensitivity * problem.step))
    return f"one answer of sensitivity {reach}, δ = {small(exact_text(problem.delta))}"
