"""The error of each of many counts, with noise apart and with one noise for all."""

from collections.abc import Iterable
from fractions import Fraction
from math import sqrt
from typing import SupportsIndex

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.certificates.make_plan import make_plan_certificate
from leastnoise.certificates.plan_part import PlanPart
from leastnoise.certificates.plan_scope import Scope
from leastnoise.mechanisms.joint.best_starts import best_starts
from leastnoise.mechanisms.joint.part import Box
from leastnoise.mechanisms.joint.two_counter_noise import TwoCounterNoise
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.pictures.lines import Row, above_forbidden, log_axis
from leastnoise.pictures.names import number, small
from leastnoise.pictures.picture import Picture, drawn
from leastnoise.privacy.gaussian import gaussian_mu
from leastnoise.privacy.guarantee import ApproxDP, exact_text
from leastnoise.release.price.centred_search import best_centred
from leastnoise.release.price.gaussian_price import gaussian_prices

_COUNTS = (1, 2, 3, 4, 5, 7, 10, 14, 20, 30, 50, 70, 100)
_MOST_COUNTS = 10_000  # nobody asks for more by hand
_APART, _SHARED = "noise apart", "one noise for all"


def error_by_questions(
    epsilon: Exact = 1, delta: Exact = "1e-6", counts: Iterable[SupportsIndex] = _COUNTS
) -> Picture:
    """The standard deviation of each of k counts with filters against k, under one promise.

    Args:
        epsilon: of the promise for all counts together.
        delta: of the lines of Gaussian noise; the others need none.
        counts: the numbers k to look at.
    """
    promise = ApproxDP(
        epsilon=_check.positive(epsilon, "epsilon"), delta=_check.positive(delta, "delta")
    )
    numbers = sorted({_check.integer_between(k, "a count", 1, _MOST_COUNTS) for k in counts})
    if not numbers:
        raise _check.refuse("`counts` must not be empty", "none", "Give some, or leave it out.")
    rows = [row for k in numbers for row in _deviations(k, promise)]
    bounds = [{"counts": k, "deviation": _least(k, promise)} for k in numbers]
    ends = [row["deviation"] for row in (*rows, *bounds)]
    layers = above_forbidden(
        log_axis("counts", "number of counts that share the budget", numbers[0], max(numbers)),
        log_axis("deviation", "standard deviation of each (people)", *_range(ends)),
        bounds=bounds,
        lines=rows,
        sign="impossible without bias: proved",
    )
    words = f"ε = {exact_text(promise.epsilon)}, δ = 0 or {exact_text(promise.delta)}"
    return drawn(
        {"width": 520, "height": 320, "layer": layers},
        title="Counts that share their noise have less of it",
        subtitle=small(f"{words}; each person may be in every count"),
        words=_words(rows, numbers[-1], small(words)),
    )


def _range(ends: list[float]) -> tuple[float, float]:
    return min(ends) / 1.5, 1.2 * max(ends)


def _deviations(count: int, promise: ApproxDP) -> list[Row]:
    """With noise apart and shared, without δ and with it."""
    box = Box(0, 1, cells=count)
    shared = TwoCounterNoise(promise.epsilon, best_starts(promise.epsilon, [box]))
    price = gaussian_prices(promise.epsilon, promise.delta, count + 1)[0]
    centred = best_centred([box], [Fraction(1)], price)
    tail = f", Gaussian, δ = {small(exact_text(promise.delta))}"
    squares = {
        f"{_APART}, δ = 0": DiscreteLaplace(scale=count / promise.epsilon).moment(2).upper,
        f"{_SHARED}, δ = 0": shared.cell(0).moment(2).upper,
        _APART + tail: count / gaussian_mu(promise.epsilon, promise.delta).lower ** 2,
        _SHARED + tail: centred.cell(0).moment(2).upper,
    }
    return [
        {"counts": count, "deviation": sqrt(square), "series": name[:1].upper() + name[1:]}
        for name, square in squares.items()
    ]


def _least(count: int, promise: ApproxDP) -> float:
    """What no mechanism without bias gets below, with or without δ."""
    part = PlanPart((0,), count, 0, 1, count, weight=Fraction(1), variance=Fraction(10) ** 12)
    proof = make_plan_certificate([part], promise, replaced=False)
    assert proof is not None, "something is proved for every such promise"
    bound = next(each.bound for each in proof.bounds if each.scope is Scope.UNBIASED)
    return sqrt(bound / count)


def _words(rows: list[Row], count: int, promise: str) -> str:
    own = [row for row in rows if row["counts"] == count]
    told = "; ".join(f"{row['series']}: {number(row['deviation'])}" for row in own)
    return (
        f"The standard deviation of each of many counts about the same people, {promise}. "
        f"With {count} counts: {told}. In the grey region no mechanism without bias keeps the "
        "promise."
    )
