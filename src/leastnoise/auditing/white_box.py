"""`white_box`: a promise held against the law of the outputs itself; nothing is drawn."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any, SupportsIndex

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.auditing.counted_tree import counted_tree
from leastnoise.auditing.exact_audit import ExactAudit
from leastnoise.auditing.group_sizes import audit_group_sizes
from leastnoise.auditing.joint_audit import audit_joint
from leastnoise.auditing.output_law import output_law
from leastnoise.auditing.signed_moves import signed_moves
from leastnoise.auditing.small_inputs import Pair, both_ways, small_inputs
from leastnoise.errors import UnsupportedQuery
from leastnoise.groupwise.groupwise_counts import GroupwiseCounts
from leastnoise.least_noise.scalar.optimal_noise import OptimalNoise
from leastnoise.mechanisms.adding.additive_noise import AdditiveNoise
from leastnoise.mechanisms.adding.additive_vector_noise import AdditiveVectorNoise
from leastnoise.mechanisms.adding.counts_noise import CountsNoise
from leastnoise.mechanisms.adding.euclidean_noise import EuclideanNoise
from leastnoise.mechanisms.adding.joint_noise import JointNoise
from leastnoise.mechanisms.joint.joint_mechanism import JointMechanism
from leastnoise.mechanisms.quantile.counted_quantiles import CountedQuantiles
from leastnoise.mechanisms.quantile.factored_quantiles import FactoredQuantiles
from leastnoise.mechanisms.quantile.quantiles import Quantiles
from leastnoise.mechanisms.thresholds.above_threshold import AboveThreshold
from leastnoise.mechanisms.thresholds.threshold_transcripts import HonestMachine, greatest_loss
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.noise.vectors.counts_law import CountsLaw
from leastnoise.noise.vectors.euclidean_law import EuclideanLaw
from leastnoise.noise.vectors.vector_law import VectorLaw
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, Guarantee, PureDP, exact_text
from leastnoise.privacy.laws.finite_law import FiniteLaw
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.to_approx import curve_of
from leastnoise.privacy.verification import Verification
from leastnoise.tabulation.signed.pure_marginals import PureMarginals

_EPSILONS = tuple(Fraction(text) for text in ("0", "0.1", "0.3", "0.5", "1", "1.5", "2", "3", "5"))
_ORDERS = tuple(Fraction(text) for text in ("1.1", "2", "4", "16"))
_WINDOW = (-2, 0, 1)  # around the threshold 0


@dataclass(frozen=True)
class Point:
    """One thing that a promise says: that some measure of two laws is at most so much."""

    measure: str
    allowed: Fraction
    of_laws: Callable[[FiniteLaw, FiniteLaw], Interval]
    of_loss: Callable[[PrivacyLoss], Interval]


def white_box(  # noqa: PLR0911 - one for each kind of inside
    thing: Any,
    *,
    sensitivity: SupportsIndex | None = None,
    epsilon: Exact | None = None,
    delta: Exact = 0,
) -> ExactAudit:
    r"""Prove or refute a promise from inside.

    A law of noise is verified at a sensitivity for a stated (ε, δ). A mechanism is held to its own
    guarantee: noise on a lattice through its law, joint noise through the sets it is uniform on,
    AboveThreshold through all its transcripts, what has finitely many outputs through their
    probabilities on all small inputs, counts whose privacy grows with the group through the
    divergences of neighbouring sizes, and what is a product by its composed loss.

    Theorem: the sum of the positive parts of P(M(a) = y) − e^ε·P(M(b) = y) is the least δ for which
    P(M(a) ∈ S) ≤ e^ε·P(M(b) ∈ S) + δ for all events S.
    Proof: docs/proofs/auditing.md, section 4.

    Raises:
        UnsupportedQuery: there is no such way to look inside.
    """
    if isinstance(thing, LatticeLaw | VectorLaw | CountsLaw | EuclideanLaw):
        return _of_law(thing, sensitivity, epsilon, delta)
    if sensitivity is not None or epsilon is not None:
        raise _check.refuse(
            "a mechanism is held to its own guarantee",
            f"sensitivity={sensitivity!r:.60}, epsilon={epsilon!r:.60}",
            "Leave them out; or give neighbours= too, to audit it from outside.",
        )
    if isinstance(thing, OptimalNoise):
        thing = thing.mechanism
    if isinstance(thing, AboveThreshold):
        return _of_transcripts(thing)
    if isinstance(
        thing, AdditiveNoise | AdditiveVectorNoise | JointNoise | CountsNoise | EuclideanNoise
    ):
        return _of_noise(thing)
    if isinstance(thing, JointMechanism | GroupwiseCounts):
        return audit_joint(thing) if isinstance(thing, JointMechanism) else audit_group_sizes(thing)
    if isinstance(thing, Quantiles) and isinstance(thing.way, CountedQuantiles | FactoredQuantiles):
        return counted_tree(thing, thing.way)
    if isinstance(thing, PureMarginals):
        return signed_moves(thing)
    return _of_outputs(thing) if _is_finite(thing) else _of_loss(thing)


def _of_law(
    law: LatticeLaw | VectorLaw | CountsLaw | EuclideanLaw,
    sensitivity: SupportsIndex | None,
    epsilon: Exact | None,
    delta: Exact,
) -> ExactAudit:
    if sensitivity is None or epsilon is None:
        raise _check.refuse(
            "a law must be given sensitivity= and epsilon= to be audited",
            f"sensitivity={sensitivity!r:.60}, epsilon={epsilon!r:.60}",
            "Say what it shall promise: noise alone promises nothing.",
        )
    reach = _check.integer(sensitivity, "sensitivity")
    return _verified(law.verify(sensitivity=reach, epsilon=epsilon, delta=delta))


def _of_noise(
    mechanism: AdditiveNoise | AdditiveVectorNoise | JointNoise | CountsNoise | EuclideanNoise,
) -> ExactAudit:
    promise = mechanism.guarantee
    leak = promise.delta if isinstance(promise, ApproxDP) else Fraction(0)
    found = mechanism.law.verify(sensitivity=mechanism.steps, epsilon=promise.epsilon, delta=leak)
    return _verified(found)


def _verified(found: Verification) -> ExactAudit:
    # The decision was exact; a bracket that touches δ is cut at it, on the side decided.
    low, high = found.attained.lower, found.attained.upper
    decided = Interval(low, min(high, found.delta)) if found.holds else Interval(low, high)
    return ExactAudit(
        measure=_least_delta(found.epsilon),
        attained=decided,
        allowed=found.delta,
        pairs=2 * found.sensitivity,
        scope=f"all values up to {found.sensitivity} apart; {found.argument}",
        worst=found.shift,
    )


def _is_finite(thing: Any) -> bool:
    return all(
        rule.dispatch(type(thing)) is not rule.dispatch(object)
        for rule in (output_law, small_inputs)
    )


def _of_outputs(mechanism: Any) -> ExactAudit:
    """All outputs of all small inputs."""
    pairs, scope = small_inputs(mechanism)
    law = lru_cache(maxsize=None)(lambda data: output_law(mechanism, data))
    points, ordered = promised_points(mechanism.guarantee), list(both_ways(pairs))
    found = (
        (point, point.of_laws(law(one), law(other)), (one, other))
        for one, other in ordered
        for point in points
    )
    return _worst(found, len(ordered), scope)


def _worst(
    found: Iterable[tuple[Point, Interval, Pair | None]], pairs: int, scope: str
) -> ExactAudit:
    point, attained, pair = max(found, key=lambda one: one[1].upper - one[0].allowed)
    return ExactAudit(point.measure, attained, point.allowed, pairs, scope, pair)


def promised_points(promise: Guarantee) -> list[Point]:
    """What a promise says, at one point for (ε, δ)-DP, at several for a promise that is a curve."""
    if isinstance(promise, PureDP):
        return [_leak(promise.epsilon, Fraction(0))]
    if isinstance(promise, ApproxDP):
        return [_leak(promise.epsilon, promise.delta)]
    if isinstance(promise, ZCDP) and not promise.delta:
        return [_divergence(order, order * promise.rho) for order in _ORDERS]
    curve = curve_of(promise)
    return [_leak(epsilon, Fraction(curve.delta(epsilon=epsilon).upper)) for epsilon in _EPSILONS]


def _leak(epsilon: Fraction, allowed: Fraction) -> Point:
    return Point(
        _least_delta(epsilon),
        allowed,
        lambda one, other: one.hockey_stick(other, epsilon),
        lambda loss: loss.delta(epsilon),
    )


def _divergence(order: Fraction, allowed: Fraction) -> Point:
    return Point(
        f"Rényi divergence of order {exact_text(order)}",
        allowed,
        lambda one, other: one.renyi(other, order),
        lambda loss: loss.renyi(order),
    )


def _least_delta(epsilon: Fraction) -> str:
    return f"the least δ at ε = {exact_text(epsilon)}"


def _of_transcripts(mechanism: AboveThreshold) -> ExactAudit:
    """Every row of answers to a few questions whose values lie near the threshold."""
    noise = mechanism.noise
    machine, reach = HonestMachine(noise, 0, 1 if mechanism.gap else 0), noise.sensitivity
    moves = (0, reach) if noise.monotone else (-reach, 0, reach)
    questions = min(noise.positives, 2) + 1
    pairs = [
        (one, tuple(a + b for a, b in zip(one, move, strict=True)))
        for one in product(_WINDOW, repeat=questions)
        for move in product(moves, repeat=questions)
        if any(move)
    ]
    losses = [(greatest_loss(machine, one, other), (one, other)) for one, other in pairs]
    greatest, worst = max(losses, key=lambda found: found[0].upper)
    return ExactAudit(
        measure="the greatest loss of a row of answers",
        attained=greatest,
        allowed=mechanism.guarantee.epsilon,
        pairs=len(pairs),
        scope=f"{questions} questions with values near the threshold",
        worst=worst,
    )


def _of_loss(thing: Any) -> ExactAudit:
    """What the composed privacy loss says at the points of the promise."""
    loss = thing.privacy() if hasattr(thing, "privacy") else None
    if not isinstance(loss, PrivacyLoss) or not isinstance(thing.guarantee, Guarantee):
        raise UnsupportedQuery(
            f"a thing must have a guarantee and a privacy loss to be audited from inside; got a "
            f"{type(thing).__name__}. Audit it from outside: give neighbours=."
        )
    found = ((point, point.of_loss(loss), None) for point in promised_points(thing.guarantee))
    return _worst(found, 1, "its own privacy loss, bracketed, at the points of its promise")
