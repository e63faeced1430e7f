"""`choose`: the least noise, its rivals, and this mechanism's own risk; `certify`: the proof."""

from fractions import Fraction
from typing import Any

from leastnoise.errors import LeastNoiseError, UnsupportedQuery
from leastnoise.least_noise.optimal import optimal, optimal_scalar
from leastnoise.least_noise.optimal_answers import OptimalAnswers, Tried
from leastnoise.least_noise.scalar.optimal_noise import OptimalNoise
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.nearest_float import nearest_float
from leastnoise.planning.attack_risk import percent
from leastnoise.web.ask import Ask
from leastnoise.web.noise_view import NoiseView, law_name, law_text, one_answer
from leastnoise.web.sketch import risk

_ALARM = Fraction(1, 100)  # the false alarms of the sentence
_MOST_TEXT = 4_000_000  # 4 megabytes of certificate
_LARGEST = 1e300  # JSON has no infinity


def choose(ask: Ask) -> dict[str, Any]:
    """The noise that costs least, and what else was tried."""
    found = _found(ask)
    return {
        "ask": ask.said(),
        "final": True,
        "noise": NoiseView.of(found).facts(ask.meant_cost),
        "all95": _all_within(found),
        "risk": risk(ask.promise) | {"own": _own_risk(found)},
        "promise": str(ask.promise),
        "rivals": _rivals(found),
        "left_out": [f"{left.family}: {left.why}" for left in _left_out(found)],
    }


def _found(ask: Ask) -> OptimalNoise | OptimalAnswers:
    sensitivity, epsilon, delta = ask.sensitivity, ask.epsilon, ask.delta
    cost = ask.meant_cost
    if ask.queries == 1:
        return optimal_scalar(sensitivity=sensitivity, epsilon=epsilon, delta=delta, cost=cost)
    return optimal(
        sensitivity=sensitivity, epsilon=epsilon, delta=delta, cost=cost, count=ask.queries
    )


def _all_within(found: OptimalNoise | OptimalAnswers) -> float | None:
    if isinstance(found, OptimalNoise):
        return None
    return float(found.simultaneous("0.95"))


def _own_risk(found: OptimalNoise | OptimalAnswers) -> str | None:
    """What this very mechanism gives away, which may be less than its promise allows."""
    try:
        missed = found.privacy().tradeoff(_ALARM)
    except LeastNoiseError:  # only what was promised is known
        return None
    return percent(Interval(1 - missed.upper, 1 - missed.lower))


def _rivals(found: OptimalNoise | OptimalAnswers) -> list[dict[str, Any]]:
    step, rounding = found.mechanism.granularity, found.mechanism.rounding
    return [
        {
            "name": rival.family if isinstance(rival, Tried) else law_name(rival.law),
            "law": law_text(rival.law),
            "cost": nearest_float(Fraction(rival.cost.upper)),
            "ratio": min(rival.ratio, _LARGEST),
            "error95": float(one_answer(rival.law).quantile("0.95") * step + rounding),
        }
        for rival in found.alternatives()
    ]


def _left_out(found: OptimalNoise | OptimalAnswers) -> tuple[Any, ...]:
    return found.left_out if isinstance(found, OptimalAnswers) else ()


def certify(ask: Ask) -> dict[str, Any]:
    """The proof of how near to the least possible cost the noise is, checked anew."""
    found = _found(ask)
    if isinstance(found, OptimalAnswers):
        raise UnsupportedQuery(
            "a certificate covers one query; got several. Rivals are priced exactly, but nothing "
            "proves that no other noise is better."
        )
    certificate = found.certificate()
    verdict, text = certificate.check(), certificate.to_json()
    return {
        "ask": ask.said(),
        "ratio": nearest_float(certificate.ratio),
        "excess": nearest_float(certificate.ratio - 1),
        "achieved": nearest_float(certificate.achieved),
        "bound": nearest_float(certificate.bound),
        "cost": found.problem.cost.name,
        "scope": certificate.scope,
        "reference": certificate.reference,
        "accepted": verdict.accepted,
        "finding": verdict.finding,
        "bytes": len(text),
        "text": text if len(text) <= _MOST_TEXT else None,
    }
