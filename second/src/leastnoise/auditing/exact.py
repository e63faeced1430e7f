"""Exact audits: a promise held against the law of the outputs. Nothing is drawn.

The least delta at epsilon for two laws is the sum over outputs of max(0, P - e^epsilon * Q). For
mechanisms with few outputs its terms are sums of exponentials, whose signs are decided, so an audit
also decides what holds with equality. What can be audited:

- noise on whole numbers: every shift up to the sensitivity;
- a mechanism with few outputs: every pair of neighbours in a small window of inputs;
- a `PrivacyLoss`;
- two laws: dicts of weights, or laws of `noise`.

Proof page: docs/proofs/audit.md, section 5.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import inf
from typing import Any, Protocol

from flint import arb

from leastnoise.auditing.evidence import ORDERS
from leastnoise.auditing.output_laws import Pair, Weights, has_law, law_of, small_inputs
from leastnoise.auditing.report import Audit
from leastnoise.mechanisms.additive import AdditiveNoise
from leastnoise.mechanisms.mechanism import whole_numbers
from leastnoise.noise.balls import NormStaircase
from leastnoise.noise.distribution import Distribution
from leastnoise.numbers.ball import ball, enclosure, upper_end
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import whole, written
from leastnoise.numbers.exponential import ExponentialRatio, ExponentialSum
from leastnoise.numbers.interval import Interval
from leastnoise.privacy.conversion import gaussian_delta
from leastnoise.privacy.divergence import hockey_stick, renyi
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.privacy.loss import PrivacyLoss

_EPSILONS = tuple(map(Fraction, ("0", "1/10", "1/2", "1", "2", "4")))  # for a promise of mu
_MOST_SHIFTS = 10_000
_NOTHING = ExponentialSum.of(0)


class Comparison(Protocol):
    """Two laws, and how far they diverge; the greater of both orders if there is a greater."""

    def delta(self, epsilon: Fraction) -> Interval:
        """The least delta at epsilon."""

    def renyi(self, order: Fraction) -> Interval:
        """The Renyi divergence."""


@dataclass(frozen=True)
class Claim:
    """That some measure of two laws is at most so much."""

    measure: str
    at: str
    allowed: Fraction
    of: Callable[[Comparison], Interval]


def exact_audit(
    mechanism: Any, promise: Guarantee, pair: Pair | None, sensitivity: int | None
) -> Audit:
    """Holds a promise against exact probabilities."""
    claims = claims_of(promise)
    known = list(comparisons(mechanism, pair, sensitivity))
    found = [(claim, claim.of(laws), names) for laws, names in known for claim in claims]
    claim, level, names = max(
        found, key=lambda each: (each[1].lower > each[0].allowed, each[1].upper - each[0].allowed)
    )
    violated = level.lower > claim.allowed
    proved = all(each.upper <= claim.allowed for claim, each, _ in found)
    complete = isinstance(promise, PureDP | ApproxDP)
    pairs = f"; {len(known):,} pairs of neighbours" if len(known) > 1 else ""
    points = "" if complete else f" at {len(claims)} points"
    return Audit(
        promise=promise,
        violated=violated,
        proved=proved and complete,
        measure=claim.measure,
        at=claim.at,
        found=level,
        allowed=claim.allowed,
        how="proved" if violated else f"proved{points}{pairs}" if proved else f"undecided{pairs}",
        where=f"neighbours: {names[0]} and {names[1]}" if violated and names else "",
    )


def claims_of(promise: Guarantee) -> list[Claim]:
    """All that a promise of epsilon and delta says; of a promise of mu or rho, some points."""
    match promise:
        case PureDP():
            return [_leak(promise.epsilon, Fraction(0))]
        case ApproxDP():
            return [_leak(promise.epsilon, promise.delta)]
        case GDP():
            return [_leak(each, _of_gaussian(each, promise.mu)) for each in _EPSILONS]
        case ZCDP():
            return [_divergence(order, promise.rho) for order in ORDERS]


def _leak(epsilon: Fraction, delta: Fraction) -> Claim:
    at = f" at epsilon {written(epsilon)}"
    return Claim("delta", at, delta, lambda compared: compared.delta(epsilon))


def _of_gaussian(epsilon: Fraction, mu: Fraction) -> Fraction:
    """The delta that mu-GDP allows, rounded up."""
    return upper_end(lambda: gaussian_delta(ball(epsilon), ball(mu))) if mu else mu


def _divergence(order: Fraction, rho: Fraction) -> Claim:
    """The Renyi divergence as a multiple of its order."""

    def of(compared: Comparison) -> Interval:
        found = compared.renyi(order)
        return Interval(found.lower / order, found.upper / order)

    return Claim("rho", f" at order {written(order)}", rho, of)


# Two laws


@dataclass(frozen=True)
class _Shifted:
    """Noise, and noise moved by a whole number: in a vector, by the worst vector of this norm."""

    law: Distribution
    shift: int

    def delta(self, epsilon: Fraction) -> Interval:
        return self.law.hockey_stick(epsilon, self.shift)

    def renyi(self, order: Fraction) -> Interval:
        return self.law.renyi(order, self.shift)


@dataclass(frozen=True)
class _Finite:
    """Two laws with finitely many outputs."""

    one: Weights
    other: Weights

    def delta(self, epsilon: Fraction) -> Interval:
        first, second = _total(self.one), _total(self.other)
        grown = ExponentialSum.exp(epsilon) * first
        excess = [p * second - grown * self.other.get(y, _NOTHING) for y, p in self.one.items()]
        leaked = sum((each for each in excess if each.sign() > 0), _NOTHING)
        return ExponentialRatio(leaked, first * second).interval()

    def renyi(self, order: Fraction) -> Interval:
        common = [(p, self.other.get(y, _NOTHING)) for y, p in self.one.items() if p.sign()]
        if not all(q.sign() for _, q in common):
            return Interval.exactly(inf)

        def divergence() -> arb:
            first, second, power = _total(self.one).ball(), _total(self.other).ball(), ball(order)
            logs = [((p.ball() / first).log(), (q.ball() / second).log()) for p, q in common]
            terms = ((power * p - (power - 1) * q).exp() for p, q in logs)
            return sum(terms, arb(0)).log() / (power - 1)

        return enclosure(divergence)


@dataclass(frozen=True)
class _Laws:
    """Two laws that were given: dicts of weights, or laws of `noise`."""

    one: Any
    other: Any

    def delta(self, epsilon: Fraction) -> Interval:
        return hockey_stick(self.one, self.other, epsilon)

    def renyi(self, order: Fraction) -> Interval:
        return renyi(self.one, self.other, order)


def _total(weights: Weights) -> ExponentialSum:
    return sum(weights.values(), _NOTHING)


# From what is audited to laws


def is_exact(mechanism: Any, pair: Pair | None) -> bool:
    """Whether exact probabilities are known here, for these neighbours or for all."""
    if isinstance(mechanism, AdditiveNoise):
        single = getattr(getattr(mechanism, "problem", None), "dimension", 1) == 1
        return single and (pair is None or not any(map(_is_vector, pair)))
    return isinstance(mechanism, tuple | PrivacyLoss | Distribution) or has_law(mechanism)


def _is_vector(value: Any) -> bool:
    return hasattr(value, "__len__")


def comparisons(
    mechanism: Any, pair: Pair | None, sensitivity: int | None
) -> Iterator[tuple[Comparison, Pair | None]]:
    """The laws to compare, for this pair of neighbours or for all that are small, in both orders."""
    match mechanism:
        case PrivacyLoss():
            yield mechanism, None
        case Distribution() | AdditiveNoise():
            yield from _of_noise(mechanism, pair, sensitivity)
        case (one, other):
            yield _Laws(one, other), None
            yield _Laws(other, one), None
        case _:
            weights = cache(lambda data: law_of(mechanism, data))
            for one, other in small_inputs(mechanism) if pair is None else [pair]:
                for ordered in ((_frozen(one), _frozen(other)), (_frozen(other), _frozen(one))):
                    yield _Finite(*map(weights, ordered)), ordered


def _frozen(data: Any) -> Any:
    return tuple(data) if isinstance(data, Sequence) and not isinstance(data, str) else data


def _of_noise(
    noise: Distribution | AdditiveNoise, pair: Pair | None, sensitivity: int | None
) -> Iterator[tuple[Comparison, Pair]]:
    """Every shift, in both directions; the largest alone if it is the worst."""
    additive = isinstance(noise, AdditiveNoise)
    law: Distribution = noise.law if additive else noise
    if pair is not None:
        shifts = [_distance(law, pair, noise.step if additive else Fraction(1))]
    else:
        if sensitivity is None and not additive:
            raise InvalidInput("sensitivity is missing. Give it, or give neighbours=.")
        most = whole(noise.sensitivity if sensitivity is None else sensitivity, "sensitivity")
        if most > _MOST_SHIFTS and not law.is_peaked:
            raise InvalidInput(
                f"sensitivity is above {_MOST_SHIFTS:,}. Divide query and noise by a factor."
            )
        shifts = [most] if law.is_peaked else list(range(1, most + 1))
    for shift in shifts:
        yield _Shifted(law, shift), pair or (0, shift)
        if not law.is_peaked:
            yield _Shifted(law, -shift), pair or (shift, 0)


def _distance(law: Distribution, pair: Pair, step: Fraction) -> int:
    one, other = (whole_numbers(value, step, "A neighbour") for value in pair)
    moved = other - one
    if isinstance(law, NormStaircase):
        return law.length(moved)
    if moved.size != 1:
        raise InvalidInput("Neighbours are two whole numbers. Audit vectors by samples.")
    return int(moved.item())
