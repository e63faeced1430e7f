"""`sketch`: the answer to a slider's move, at once.

Where the best noise has a closed form the sketch is final. Where it must be searched for (δ > 0
with a larger sensitivity or several queries), the sketch shows noise that keeps the promise and is
known at once; `choose` then finds the least.
"""

import math
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from math import isqrt
from typing import Any

from leastnoise.accounting.gaussian_calibration import gaussian_sigma
from leastnoise.errors import InvalidParameter
from leastnoise.least_noise.optimal import optimal, optimal_scalar
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.laws.uniform import Uniform
from leastnoise.numeric.interval import Interval
from leastnoise.planning.attack_risk import attack_risk, percent
from leastnoise.privacy.curves.tradeoff_curve import PiecewiseLinearTradeoff
from leastnoise.privacy.guarantee import ApproxDP, PureDP
from leastnoise.web.ask import Ask
from leastnoise.web.noise_view import NoiseView, law_name, law_text

_ALARMS = ("0.001", "0.01", "0.05")
_SUSPICIONS = ("0.01", "0.1", "0.5", "0.9")
_FINE = 10**6  # six digits are enough for a sketch
_KEPT = 1024  # small; sliders come back to the same places

_WITHOUT_DELTA = "a first answer: the best noise that makes no use of δ; the search goes on"
_UNIFORM = "a first answer: uniform noise, which uses δ alone; the search goes on"
_NORMAL = "a first answer: normal noise of the least exact width; the search goes on"


def sketch(ask: Ask) -> dict[str, Any]:
    """Noise, errors, shape and risk for a promise; `final` if nothing better is known."""
    best, final = best_at_once(ask)
    return {
        "ask": ask.said(),
        "final": final,
        "noise": best.facts(ask.meant_cost),
        "risk": risk(ask.promise),
        "promise": str(ask.promise),
    }


def best_at_once(ask: Ask) -> tuple[NoiseView, bool]:
    """Noise that keeps the promise and is known at once, and whether none is known to be better."""
    if ask.delta and (ask.queries > 1 or ask.sensitivity != 1):
        pure = replace(_without_delta(ask), why=_WITHOUT_DELTA)
        others = [_uniform(ask, pure)] if ask.queries == 1 else _normal(ask, pure)
        return min([pure, *others], key=lambda view: view.cost(ask.meant_cost).upper), False
    return _least(ask, ask.delta), True


def _without_delta(ask: Ask) -> NoiseView:
    """The least noise that makes no use of δ, which keeps the promise with any δ."""
    return _least(ask, Fraction(0))


def _least(ask: Ask, delta: Fraction) -> NoiseView:
    if ask.queries == 1:
        return NoiseView.of(
            optimal_scalar(
                sensitivity=ask.sensitivity, epsilon=ask.epsilon, delta=delta, cost=ask.meant_cost
            )
        )
    return NoiseView.of(
        optimal(
            sensitivity=ask.sensitivity,
            epsilon=ask.epsilon,
            delta=delta,
            cost=ask.meant_cost,
            count=ask.queries,
        )
    )


def _uniform(ask: Ask, like: NoiseView) -> NoiseView:
    law = Uniform(sensitivity=-(-ask.sensitivity // like.step), delta=ask.delta)
    return replace(like, name=law_name(law), text=law_text(law), law=law, why=_UNIFORM)


def _normal(ask: Ask, like: NoiseView) -> list[NoiseView]:
    r"""Normal noise for all queries together: they move by at most Δ·√queries in length.

    On the real line this is exact. The lattice's own law, which `choose` proves, is as wide to
    within what the eye sees. None where it would be wider than that law can be.
    """
    length = Fraction(isqrt(ask.queries * _FINE**2) + 1, _FINE) * -(-ask.sensitivity // like.step)
    sigma = gaussian_sigma(epsilon=ask.epsilon, delta=ask.delta, sensitivity=length)
    try:
        law = DiscreteGaussian((Fraction(sigma.upper) ** 2).limit_denominator(_FINE))
    except InvalidParameter:
        return []
    return [replace(like, name=law_name(law), text=law_text(law), law=law, why=_NORMAL)]


@lru_cache(maxsize=_KEPT)
def risk(promise: PureDP | ApproxDP) -> dict[str, Any]:
    """What an attacker could learn, in words and in percentages; all rounded up."""
    worst = attack_risk(promise)
    delta = promise.delta if isinstance(promise, ApproxDP) else 0
    curve = PiecewiseLinearTradeoff.of_approx(epsilon=promise.epsilon, delta=delta)
    return {
        "words": list(worst.words()),
        "right": math.ceil(100 * Fraction(worst.right().upper)),
        "caught": [{"alarm": _percent(a), "caught": _caught(curve, a)} for a in _ALARMS],
        "sure": [
            {"before": _percent(prior), "after": percent(after)}
            for prior in _SUSPICIONS
            for after in [worst.sure(prior)]
            if after is not None
        ],
    }


def _caught(curve: PiecewiseLinearTradeoff, alarm: str) -> str:
    missed = curve.missed_detection(alarm)
    return percent(Interval(1 - missed.upper, 1 - missed.lower))


def _percent(share: str) -> str:
    return f"{float(share) * 100:g} %"
