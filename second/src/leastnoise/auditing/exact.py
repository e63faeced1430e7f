"""Exact audits: a promise held against the law of the outputs. Nothing is drawn.

The least delta at epsilon for two laws is the sum over outputs of max(0, P - e^epsilon * Q). Its terms
are sums of exponentials, whose signs are decided, so an audit also decides what holds with equality.

- Noise on whole numbers: every shift up to the sensitivity.
- A mechanism with few outputs: the exact law for every pair of neighbours in a small window of inputs.
  Laws are worked out from what the mechanism says it does, not from its sampler or its price.
- Any function that gives the law of the output, for the pairs of neighbours that are named.

Proof page: docs/proofs/audit.md, section 4.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from math import inf
from typing import Any, Protocol

from flint import arb

from leastnoise.mechanisms.additive import AdditiveNoise
from leastnoise.mechanisms.mechanism import Mechanism, whole_numbers
from leastnoise.mechanisms.response import RandomizedResponse
from leastnoise.mechanisms.selection import ExponentialMechanism, PermuteAndFlip, Selection
from leastnoise.mechanisms.teaching import NameAndShame
from leastnoise.noise.balls import NormStaircase
from leastnoise.noise.distribution import Distribution
from leastnoise.numbers.ball import ball, enclosure, upper_end
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import non_negative, whole, written
from leastnoise.numbers.exponential import ExponentialRatio, ExponentialSum
from leastnoise.numbers.interval import Interval
from leastnoise.privacy.conversion import gaussian_delta
from leastnoise.privacy.divergence import hockey_stick, renyi
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.privacy.loss import PrivacyLoss

Pair = tuple[Any, Any]
Chances = dict[Hashable, ExponentialSum]

_EPSILONS = tuple(map(Fraction, ("0", "1/10", "1/2", "1", "2", "4")))  # for a promise of mu
_ORDERS = tuple(map(Fraction, ("11/10", "2", "4", "16")))  # for a promise of rho
_MOST_SHIFTS = 10_000
_MOST_CANDIDATES = 4
_ONE = ExponentialSum.of(1)


@dataclass(frozen=True, repr=False)
class ExactAudit:
    """What exact probabilities say about a promise. Print it.

    Attributes:
        measure: what was computed, for example "the least δ at ε = 1".
        found: the greatest of it over all pairs of neighbours, in both orders.
        allowed: what the promise allows.
        pairs: how many pairs of neighbours were looked at.
        neighbours: the pair where it is greatest; of noise, 0 and the shift.
        points: at how many points a promise was tested that says more than one thing.
    """

    measure: str
    found: Interval
    allowed: Fraction
    pairs: int
    neighbours: Pair | None
    points: int = 1

    @property
    def violated(self) -> bool:
        """Whether the promise is refuted."""
        return self.found.lower > self.allowed

    @property
    def proved(self) -> bool:
        """Whether the promise is proved for all the pairs."""
        return self.found.upper <= self.allowed and self.points == 1

    def __repr__(self) -> str:
        promised = f"where {float(self.allowed):.4g} was promised"
        if self.violated:
            return f"violation: {self.measure} is {float(self.found.lower):.4g} {promised} (proved)"
        upto = f"{self.measure} is at most {float(self.found.upper):.4g} {promised}"
        if self.proved:
            return f"no violation: {upto} (proved; {_counted(self.pairs, 'pair')} of neighbours)"
        return f"no violation found: {upto} ({_counted(self.points, 'point')} of the promise)"


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}" + ("s" if count > 1 else "")


def exact_audit(
    mechanism: Any, promise: Guarantee, pairs: list[Pair] | None, sensitivity: int | None
) -> ExactAudit:
    """Holds a promise against exact probabilities."""
    points = _claims(promise)
    known = list(comparisons(mechanism, pairs, sensitivity))
    if not known:
        raise InvalidInput("neighbours is an empty list. Give at least one pair.")
    found = [
        ExactAudit(
            each.measure, each.of(compared), each.allowed, len(known), neighbours, len(points)
        )
        for compared, neighbours in known
        for each in points
    ]
    return max(found, key=lambda one: (one.violated, one.found.upper - one.allowed))


# What a promise says


class Comparison(Protocol):
    """Two laws, and how far they diverge; the greater of both orders if there is a greater."""

    def delta(self, epsilon: Fraction) -> Interval:
        """The least delta at epsilon."""

    def renyi(self, order: Fraction) -> Interval:
        """The Renyi divergence."""


@dataclass(frozen=True)
class _Claim:
    """That some measure of two laws is at most so much."""

    measure: str
    allowed: Fraction
    of: Callable[[Comparison], Interval]


def _claims(promise: Guarantee) -> list[_Claim]:
    """All that a promise of epsilon and delta says; of a promise of mu or rho, some points."""
    match promise:
        case PureDP():
            return [_leak(promise.epsilon, Fraction(0))]
        case ApproxDP():
            return [_leak(promise.epsilon, promise.delta)]
        case GDP():
            return [_leak(each, _gaussian(each, promise.mu)) for each in _EPSILONS]
        case ZCDP():
            return [_divergence(order, order * promise.rho) for order in _ORDERS]


def _gaussian(epsilon: Fraction, mu: Fraction) -> Fraction:
    """The delta that mu-GDP allows, rounded up."""
    return upper_end(lambda: gaussian_delta(ball(epsilon), ball(mu))) if mu else mu


def _divergence(order: Fraction, most: Fraction) -> _Claim:
    name = f"the Rényi divergence of order {written(order)}"
    return _Claim(name, most, lambda compared: compared.renyi(order))


def _leak(epsilon: Fraction, delta: Fraction) -> _Claim:
    name = f"the least δ at ε = {written(epsilon)}"
    return _Claim(name, delta, lambda compared: compared.delta(epsilon))


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
    """Two laws with finitely many outputs, as weights."""

    one: Chances
    other: Chances

    def delta(self, epsilon: Fraction) -> Interval:
        first, second = _total(self.one), _total(self.other)
        grown = ExponentialSum.exp(epsilon) * first
        nothing = ExponentialSum.of(0)
        excess = [p * second - grown * self.other.get(y, nothing) for y, p in self.one.items()]
        leaked = _total({y: each for y, each in enumerate(excess) if each.sign() > 0})
        return ExponentialRatio(leaked, first * second).interval()

    def renyi(self, order: Fraction) -> Interval:
        common = [(p, self.other.get(y)) for y, p in self.one.items() if p.sign()]
        if any(q is None or not q.sign() for _, q in common):
            return Interval.exactly(inf)

        def divergence() -> arb:
            first, second = _total(self.one).ball(), _total(self.other).ball()
            logs = [((p.ball() / first).log(), (q.ball() / second).log()) for p, q in common if q]
            power = ball(order)
            terms = ((power * p - (power - 1) * q).exp() for p, q in logs)
            return sum(terms, arb(0)).log() / (power - 1)

        return enclosure(divergence)


@dataclass(frozen=True)
class _Laws:
    """Two laws on the real line, or two on the integers."""

    one: Any
    other: Any

    def delta(self, epsilon: Fraction) -> Interval:
        return hockey_stick(self.one, self.other, epsilon)

    def renyi(self, order: Fraction) -> Interval:
        return renyi(self.one, self.other, order)


def _total(weights: Mapping[Any, ExponentialSum]) -> ExponentialSum:
    return sum(weights.values(), ExponentialSum.of(0))


# From mechanisms to laws


def has_law(mechanism: Any) -> bool:
    """Whether the law of its output is known here."""
    if isinstance(mechanism, AdditiveNoise):
        return getattr(getattr(mechanism, "problem", None), "dimension", 1) == 1
    known = Distribution | PrivacyLoss | RandomizedResponse | Selection | NameAndShame
    return isinstance(mechanism, known)


def comparisons(
    mechanism: Any, pairs: list[Pair] | None, sensitivity: int | None
) -> Iterator[tuple[Comparison, Pair | None]]:
    """The laws to compare: for the pairs of neighbours, or for all in a small window."""
    if isinstance(mechanism, PrivacyLoss):
        yield mechanism, None
    elif isinstance(mechanism, Distribution | AdditiveNoise) and has_law(mechanism):
        yield from _of_noise(mechanism, pairs, sensitivity)
    elif has_law(mechanism):
        chances = cache(lambda data: law_of(mechanism, data))
        for one, other in _small(mechanism) if pairs is None else pairs:
            for ordered in ((_frozen(one), _frozen(other)), (_frozen(other), _frozen(one))):
                yield _Finite(*map(chances, ordered)), ordered
    elif isinstance(mechanism, Mechanism) or not callable(mechanism):
        raise InvalidInput(
            f"The exact law of a {type(mechanism).__name__} is not known here. "
            "Give neighbours= to audit it by samples."
        )
    elif pairs is None:
        raise InvalidInput("neighbours is missing. Give a pair of inputs, or a list of pairs.")
    else:
        for one, other in pairs:
            laws = mechanism(one), mechanism(other)
            yield _compared(*laws), (one, other)
            yield _compared(*reversed(laws)), (other, one)


def _frozen(data: Any) -> Any:
    return tuple(data) if isinstance(data, Sequence) and not isinstance(data, str) else data


def _compared(one: Any, other: Any) -> Comparison:
    """Two laws that a function gave: two dicts of weights, or two laws of `noise`."""
    if not (isinstance(one, Mapping) and isinstance(other, Mapping)):
        return _Laws(one, other)
    chances = [
        {y: ExponentialSum.of(non_negative(weight, "a weight")) for y, weight in law.items()}
        for law in (one, other)
    ]
    if any(not _total(law).terms for law in chances):
        raise InvalidInput("All weights of a law are 0. Give some output a weight.")
    return _Finite(*chances)


def _of_noise(
    noise: Distribution | AdditiveNoise, pairs: list[Pair] | None, sensitivity: int | None
) -> Iterator[tuple[Comparison, Pair]]:
    """Every shift, in both directions; the largest alone if it is the worst."""
    law = noise.law if isinstance(noise, AdditiveNoise) else noise
    step = noise.step if isinstance(noise, AdditiveNoise) else Fraction(1)
    if pairs is not None:
        shifts = [_distance(law, one, other, step) for one, other in pairs]
        named = zip(shifts, pairs, strict=True)
    else:
        if sensitivity is None and isinstance(noise, AdditiveNoise):
            sensitivity = noise.sensitivity
        if sensitivity is None:
            raise InvalidInput("sensitivity is missing. Give it, or give neighbours=.")
        most = whole(sensitivity, "sensitivity")
        if most > _MOST_SHIFTS and not law.is_peaked:
            raise InvalidInput(
                f"sensitivity is above {_MOST_SHIFTS:,}. Divide query and noise by a factor."
            )
        shifts = [most] if law.is_peaked else list(range(1, most + 1))
        named = zip(shifts, [(0, shift) for shift in shifts], strict=True)
    for shift, pair in named:
        yield _Shifted(law, shift), pair
        if not law.is_peaked:
            yield _Shifted(law, -shift), pair


def _distance(law: Distribution, one: Any, other: Any, step: Fraction) -> int:
    moved = whole_numbers(other, step, "A neighbour") - whole_numbers(one, step, "A neighbour")
    if isinstance(law, NormStaircase):
        return law.length(moved)
    if moved.size != 1:
        raise InvalidInput("Neighbours are two whole numbers. Audit vectors by samples.")
    return int(moved.item())


def law_of(mechanism: Any, data: Any) -> Chances:
    """The weight of every output, for public or made-up data."""
    match mechanism:
        case RandomizedResponse():
            odds = ExponentialSum.exp(mechanism.epsilon)
            return {y: odds if y == data else _ONE for y in range(mechanism.categories)}
        case NameAndShame():
            chances: Chances = {}
            for shown in product((False, True), repeat=len(data)):
                output = tuple((i, data[i]) for i, seen in enumerate(shown) if seen)
                chance = mechanism.delta ** sum(shown)
                chance *= (1 - mechanism.delta) ** (len(data) - sum(shown))
                chances[output] = chances.get(output, ExponentialSum.of(0)) + chance
            return chances
        case ExponentialMechanism() | PermuteAndFlip() if mechanism.count == 1:
            heads = [ExponentialSum.exp(mechanism.rate * (u - max(data))) for u in data]
            flips = isinstance(mechanism, PermuteAndFlip)
            return _flipped(heads) if flips else dict(enumerate(heads))
    raise InvalidInput("count is above 1. Audit one choice; all of them are its composition.")


def _flipped(heads: list[ExponentialSum]) -> Chances:
    """Each set of coins that show heads, its chance shared by its members."""
    chances: Chances = {i: ExponentialSum.of(0) for i in range(len(heads))}
    for coins in product((False, True), repeat=len(heads)):
        chance = _ONE
        for head, shown in zip(heads, coins, strict=True):
            chance = chance * (head if shown else 1 - head)
        for i, shown in enumerate(coins):
            if shown:
                chances[i] = chances[i] + chance * Fraction(1, sum(coins))
    return chances


def _small(mechanism: Any) -> Iterator[Pair]:
    """Every pair of neighbours in a small window of inputs."""
    match mechanism:
        case RandomizedResponse():
            yield 0, 1  # any other pair of categories is this one with other names
        case NameAndShame():
            for table in product("ab", repeat=2):
                yield ("a", *table), ("b", *table)
        case Selection():
            yield from _utilities(mechanism)


def _utilities(mechanism: Selection) -> Iterator[Pair]:
    """Utilities of a few steps, moved by up to the sensitivity. Only gaps matter, and no order."""
    size, reach = mechanism.candidates, mechanism.sensitivity
    if size > _MOST_CANDIDATES:
        raise InvalidInput(
            f"There are {size} candidates, too many for all inputs. Audit {_MOST_CANDIDATES}."
        )
    window = sorted({0, 1, reach, 2 * reach})
    moves = product((0, reach) if mechanism.monotone else (-reach, 0, reach), repeat=size)
    for move in moves:
        for rest in combinations_with_replacement(window, size - 1):
            start = (0, *rest)
            if any(move):
                yield start, tuple(u + step for u, step in zip(start, move, strict=True))
