"""Exact audits: a promise held against the law of the outputs. Nothing is drawn.

The least delta at epsilon for two laws is the sum over outputs of max(0, P - e^epsilon * Q). For
mechanisms with few outputs its terms are sums of exponentials, whose signs are decided, so an audit
also decides what holds with equality. Their laws are worked out from what a mechanism says it does, not
from its sampler or its price. Of noise on whole numbers every shift up to the sensitivity is tried, of a
mechanism with few outputs two given inputs, or every pair of neighbours in a small window.

Proof page: docs/proofs/audit.md, section 5.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from itertools import combinations_with_replacement, product
from math import inf
from typing import Any

from flint import arb

from leastnoise.auditing.evidence import ORDERS, Audit
from leastnoise.mechanisms.additive import AdditiveNoise
from leastnoise.mechanisms.mechanism import whole_numbers
from leastnoise.mechanisms.response import RandomizedResponse
from leastnoise.mechanisms.selection import PermuteAndFlip, Selection
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

Pair = tuple[Any, Any]
Weights = Mapping[Hashable, ExponentialSum]
"""From each output to its chance, up to a factor."""

_EPSILONS = tuple(map(Fraction, ("0", "1/10", "1/2", "1", "2", "4")))  # for a promise of mu
_MOST_SHIFTS = 10_000
_MOST_CANDIDATES = 4  # of which all small inputs are tried
_MOST_COINS = 12  # of which all outcomes are added up
_ONE, _NOTHING = ExponentialSum.of(1), ExponentialSum.of(0)


@dataclass(frozen=True)
class Laws:
    """Two laws: the least delta at an epsilon, the Renyi divergence of an order, and whose they are."""

    delta: Callable[[Fraction], Interval]
    renyi: Callable[[Fraction], Interval]
    neighbours: Pair | None = None


@dataclass(frozen=True)
class Claim:
    """That some measure of two laws is at most so much."""

    measure: str
    at: str
    allowed: Fraction
    of: Callable[[Laws], Interval]


def exact_audit(
    mechanism: Any, promise: Guarantee, pair: Pair | None, sensitivity: int | None
) -> Audit:
    """Holds a promise against exact probabilities."""
    claims = claims_of(promise)
    known = list(laws_of(mechanism, pair, sensitivity))
    found = [(claim, claim.of(laws), laws.neighbours) for laws in known for claim in claims]
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
        proved=violated or (proved and complete),
        measure=claim.measure,
        at=claim.at,
        found=level,
        allowed=claim.allowed,
        how="proved" if violated else f"proved{points}{pairs}" if proved else f"undecided{pairs}",
        where=f"neighbours: {names[0]} and {names[1]}" if violated and names else "",
    )


def claims_of(promise: Guarantee) -> list[Claim]:
    """All that a promise of epsilon and delta says; of a promise of mu or rho, some points."""

    def leak(epsilon: Fraction, delta: Fraction) -> Claim:
        at = f" at epsilon {written(epsilon)}"
        return Claim("delta", at, delta, lambda laws: laws.delta(epsilon))

    def divergence(order: Fraction, rho: Fraction) -> Claim:
        def of(laws: Laws) -> Interval:
            found = laws.renyi(order)
            return Interval(found.lower / order, found.upper / order)

        return Claim("rho", f" at order {written(order)}", rho, of)

    match promise:
        case PureDP() | ApproxDP():
            return [leak(promise.epsilon, getattr(promise, "delta", Fraction(0)))]
        case GDP():
            return [leak(each, _of_gaussian(each, promise.mu)) for each in _EPSILONS]
        case ZCDP():
            return [divergence(order, promise.rho) for order in ORDERS]


def _of_gaussian(epsilon: Fraction, mu: Fraction) -> Fraction:
    """The delta that mu-GDP allows, rounded up."""
    if mu and epsilon / mu - mu / 2 > 80:  # it is at most e^(-80^2/2), with more digits than memory
        return Fraction(1, 1 << 4096)
    return upper_end(lambda: gaussian_delta(ball(epsilon), ball(mu))) if mu else mu


# From what is audited to its laws


def is_exact(mechanism: Any, pair: Pair | None) -> bool:
    """Whether exact probabilities are known here, for these neighbours or for all."""
    if isinstance(mechanism, AdditiveNoise):
        single = mechanism.law.dimension == 1
        single &= getattr(getattr(mechanism, "problem", None), "dimension", 1) == 1
        return single and (pair is None or not any(hasattr(each, "__len__") for each in pair))
    if isinstance(mechanism, Selection):
        most = _MOST_CANDIDATES if pair is None else _MOST_COINS
        return mechanism.count == 1 and mechanism.candidates <= most
    return isinstance(mechanism, tuple | PrivacyLoss | Distribution | RandomizedResponse)


def laws_of(mechanism: Any, pair: Pair | None, sensitivity: int | None) -> Iterator[Laws]:
    """The laws to compare, for this pair of neighbours or for all that are small, in both orders."""
    if isinstance(mechanism, PrivacyLoss | tuple) and (pair, sensitivity) != (None, None):
        raise InvalidInput("Laws are compared as given. Leave neighbours and sensitivity out.")
    match mechanism:
        case PrivacyLoss():
            yield Laws(mechanism.delta, mechanism.renyi)
        case Distribution() | AdditiveNoise():
            yield from _of_noise(mechanism, pair, sensitivity)
        case tuple():
            if len(mechanism) != 2:
                raise InvalidInput(f"These are {len(mechanism)} laws. Give a pair: (one, other).")
            for one, other in (mechanism, mechanism[::-1]):
                yield Laws(partial(hockey_stick, one, other), partial(renyi, one, other))
        case _:
            weights: Callable[[Any], Weights] = partial(weights_of, mechanism)
            weights = cache(weights) if pair is None else weights
            for one, other in small_inputs(mechanism) if pair is None else [pair]:
                for names in ((one, other), (other, one)):
                    yield _finite(weights(names[0]), weights(names[1]), names)


def _of_noise(
    noise: Distribution | AdditiveNoise, pair: Pair | None, sensitivity: int | None
) -> Iterator[Laws]:
    """Noise, and noise moved by every shift both ways; by the largest alone if that is the worst.

    Noise of vectors is moved by the worst vector of a norm.
    """
    law = noise.law if isinstance(noise, AdditiveNoise) else noise
    step: Fraction = getattr(noise, "step", Fraction(1))
    if pair is not None:
        if law.dimension > 1:
            raise InvalidInput("Vectors are moved in the worst way. Give sensitivity= instead.")
        shifts = [_distance(pair, step)]
    else:
        size = getattr(noise, "sensitivity", None) if sensitivity is None else sensitivity
        if size is None:
            raise InvalidInput("sensitivity is missing. Give it, or give neighbours=.")
        most = whole(size, "sensitivity")
        if most > _MOST_SHIFTS and not law.is_peaked:
            raise InvalidInput(
                f"sensitivity is above {_MOST_SHIFTS:,}. Divide query and noise by a factor."
            )
        shifts = list(range(most if law.is_peaked else 1, most + 1))
    for shift in shifts:
        for moved in (shift,) if law.is_peaked else (shift, -shift):
            names = pair or ((0, shift * step) if moved == shift else (shift * step, 0))
            yield Laws(
                partial(law.hockey_stick, shift=moved),
                partial(law.renyi, shift=moved),
                names if law.dimension == 1 else None,
            )


def _distance(pair: Pair, step: Fraction) -> int:
    one, other = (whole_numbers(value, step, "A neighbour") for value in pair)
    if one.size != 1 or other.size != 1:
        raise InvalidInput("Neighbours are two whole numbers. Audit vectors by samples.")
    return int(other.item() - one.item())


# Mechanisms with few outputs


def _finite(one: Weights, other: Weights, neighbours: Pair) -> Laws:
    """Two laws with finitely many outputs."""
    first, second = sum(one.values(), _NOTHING), sum(other.values(), _NOTHING)

    def delta(epsilon: Fraction) -> Interval:
        grown = ExponentialSum.exp(epsilon) * first
        excess = [p * second - grown * other.get(y, _NOTHING) for y, p in one.items()]
        leaked = sum((each for each in excess if each.sign() > 0), _NOTHING)
        return ExponentialRatio(leaked, first * second).interval()

    def divergence(order: Fraction) -> Interval:
        common = [(p, other.get(y, _NOTHING)) for y, p in one.items() if p.sign()]
        if not all(q.sign() for _, q in common):
            return Interval.exactly(inf)

        def compute() -> arb:
            power, sizes = ball(order), (first.ball(), second.ball())
            logs = [((p.ball() / sizes[0]).log(), (q.ball() / sizes[1]).log()) for p, q in common]
            terms = ((power * p - (power - 1) * q).exp() for p, q in logs)
            return sum(terms, arb(0)).log() / (power - 1)

        return enclosure(compute)

    return Laws(delta, divergence, neighbours)


def weights_of(mechanism: Any, data: Any) -> Weights:
    """The weights of all outputs, for public or made-up data.

    >>> weights_of(RandomizedResponse(epsilon=1), 0)
    {0: 1*e^(1), 1: 1*e^(0)}
    """
    if isinstance(mechanism, RandomizedResponse):
        if not isinstance(data, int) or data not in range(mechanism.categories):
            raise InvalidInput(f"A neighbour is no category. Give 0 .. {mechanism.categories - 1}.")
        odds = ExponentialSum.exp(mechanism.epsilon)
        return {y: odds if y == data else _ONE for y in range(mechanism.categories)}
    row = whole_numbers(data, Fraction(1), "A neighbour")
    if row.shape != (mechanism.candidates,):
        raise InvalidInput(f"A neighbour is a list of {mechanism.candidates} utilities.")
    heads = [ExponentialSum.exp(mechanism.rate * (u - row.max())) for u in row]
    return _flipped(heads) if isinstance(mechanism, PermuteAndFlip) else dict(enumerate(heads))


def _flipped(heads: list[ExponentialSum]) -> Weights:
    """Each set of coins that show heads, its chance shared by its members."""
    chances: dict[Hashable, ExponentialSum] = dict.fromkeys(range(len(heads)), _NOTHING)
    for coins in product((False, True), repeat=len(heads)):
        chance = _ONE
        for head, is_shown in zip(heads, coins, strict=True):
            chance = chance * (head if is_shown else 1 - head)
        for i in (i for i, is_shown in enumerate(coins) if is_shown):
            chances[i] = chances[i] + chance * Fraction(1, sum(coins))
    return chances


def small_inputs(mechanism: Any) -> Iterator[Pair]:
    """Pairs of neighbours that stand for all small inputs; each is tried in both orders.

    Of a selection: utilities of a few steps, moved by up to the sensitivity. Only gaps matter.
    """
    if isinstance(mechanism, RandomizedResponse):
        yield 0, 1  # any other pair of categories is this one with other names
        return
    reach = mechanism.sensitivity
    moves = (0, reach) if mechanism.monotone else (-reach, 0, reach)
    window = sorted({0, 1, reach, 2 * reach})
    for move in product(moves, repeat=mechanism.candidates):
        for rest in combinations_with_replacement(window, mechanism.candidates - 1):
            if any(move):
                yield (0, *rest), tuple(map(sum, zip((0, *rest), move, strict=True)))
