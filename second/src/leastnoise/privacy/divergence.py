r"""Divergences between two laws: hockey-stick, Renyi, and the privacy loss at one outcome.

The hockey-stick divergence at e^epsilon is the least delta at epsilon for one ordered pair; at
epsilon = 0 it is the total variation. Renyi divergences of order 1 are Kullback-Leibler, of order
infinity the greatest loss. exp((a - 1)*D_a), not D_a, is an f-divergence, of f(t) = t^a.

The bad-event recipe goes from tails of the loss to (epsilon, delta): P(loss > epsilon) <= delta for
every ordered pair of neighbours implies (epsilon, delta)-DP, as an event S splits into its part with
a greater loss, of probability at most delta, and the rest, of at most e^epsilon*Q(S). It is not
necessary: the Gaussian mechanism with mu = 1 exceeds the loss 1 with chance .3085 and yet is
(1, .1270)-DP. `tail_bound` is the converse, at every greater epsilon'. Whatever is computed from an
output without the data keeps every guarantee: no divergence grows when both laws pass through one
channel.

References: van Erven and Harremoes 2014; Kasiviswanathan and Smith 2014, Lemma 3.3.
"""

from collections.abc import Hashable, Mapping
from fractions import Fraction
from math import inf
from typing import Any

from flint import arb

from leastnoise.noise.line import Laplace, Normal, StaircaseDensity
from leastnoise.numbers.ball import ball, enclosure
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import Exact, exact, non_negative, renyi_order, truth_value, whole
from leastnoise.numbers.interval import End, Interval
from leastnoise.privacy.guarantee import ApproxDP, PureDP
from leastnoise.privacy.lattice import chances_beside

Pairs = list[tuple[Interval, Interval]]


def hockey_stick(one: Any, other: Any, epsilon: Exact) -> Interval:
    """The integral of max(0, p - e^epsilon*q).

    >>> hockey_stick({"yes": 3, "no": 1}, {"yes": 1, "no": 3}, 0)
    0.5
    """
    size = exact(epsilon, "epsilon")
    if _is_on_a_line(one, other):
        found: Interval = one.hockey_stick(other, size)
        return found
    pairs, beyond = _pairs(one, other)
    factor = Interval.exactly(1) if not size else enclosure(lambda: ball(size).exp())
    low = sum((max(p.lower - factor.upper * q.upper, Fraction(0)) for p, q in pairs), Fraction(0))
    high = sum((max(p.upper - factor.lower * q.lower, Fraction(0)) for p, q in pairs), Fraction(0))
    return Interval(low, max(low, min(high + beyond, Fraction(1))))


def renyi(one: Any, other: Any, order: Exact) -> Interval:
    """The Renyi divergence of an order from 1 on; math.inf is allowed.

    >>> renyi({0: 3, 1: 1}, {0: 1, 1: 1}, 2)
    0.22314355131420...
    >>> renyi(Normal(0, 1), Normal(1, 1), 1)
    0.5
    """
    at = renyi_order(order)
    if _is_on_a_line(one, other):
        found: Interval = one.renyi(other, order)
        return found
    pairs, beyond = _pairs(one, other)
    if beyond:
        raise InvalidInput(
            "Of noise on the integers, Renyi divergences are known from shifted copies: law.renyi."
        )
    exact_pairs = [(Fraction(p.lower), Fraction(q.lower)) for p, q in pairs if p.lower]
    if any(not q for _, q in exact_pairs):
        return Interval.exactly(inf)
    if all(p == q for p, q in exact_pairs):
        return Interval.exactly(0)
    if at == inf:
        most = max(p / q for p, q in exact_pairs)
        return enclosure(lambda: ball(most).log())
    a = Fraction(at)

    def compute() -> arb:
        logs = [(ball(p), ball(p / q).log()) for p, q in exact_pairs]
        if a == 1:
            return sum((p * loss for p, loss in logs), arb(0))
        return sum((p * (loss * ball(a - 1)).exp() for p, loss in logs), arb(0)).log() / ball(a - 1)

    found = enclosure(compute)
    return Interval(max(found.lower, Fraction(0)), max(found.upper, Fraction(0)))


def privacy_loss(one: Any, other: Any, y: Any) -> Interval:
    """log(p(y)/q(y)): what one outcome says; infinite where one law excludes it.

    >>> privacy_loss(Normal(0, 1), Normal(1, 1), 0), privacy_loss(Laplace(0, 1), Laplace(1, 1), 2)
    (0.5, -1)
    >>> privacy_loss({0: 1}, {0: 1, 1: 1}, 1)
    -inf
    """
    if _is_on_a_line(one, other):
        at = exact(y, "y")
        found: Interval = one.privacy_loss(other, at)
        return found
    if isinstance(one, Mapping):
        first, second = _shares(one), _shares(other)
        if not isinstance(y, Hashable):
            raise InvalidInput("y is no key of a dict. Give an outcome of the two laws.")
        p, q = (Interval.exactly(law.get(y, Fraction(0))) for law in (first, second))
    else:
        place = whole(y, "y", least=-(10**18))
        p, q = one.pmf(place), other.pmf(place)
    if not p.upper and not q.upper:
        raise InvalidInput("Neither law allows this outcome. It has no loss.")
    if not q.upper or not p.upper:
        return Interval.exactly(inf if p.upper else -inf)
    if one == other or p == q == Interval.exactly(p.lower):
        return Interval.exactly(0)
    return Interval(_log_ratio(p.lower, q.upper).lower, _log_ratio(p.upper, q.lower).upper)


def _log_ratio(top: End, bottom: End) -> Interval:
    return enclosure(lambda: ball(Fraction(top) / Fraction(bottom)).log())


def pairs_of(
    one: Mapping[Any, Exact], other: Mapping[Any, Exact]
) -> list[tuple[Fraction, Fraction]]:
    """The two chances of every outcome of two dicts of weights."""
    first, second = _shares(one), _shares(other)
    zero = Fraction(0)
    return [(first.get(y, zero), second.get(y, zero)) for y in {**first, **second}]


def _shares(weights: Mapping[Any, Exact]) -> dict[Any, Fraction]:
    found = {outcome: non_negative(weight, "a weight") for outcome, weight in weights.items()}
    total = sum(found.values(), Fraction(0))
    if not total:
        raise InvalidInput("All weights are 0. Give some outcome a weight.")
    return {outcome: weight / total for outcome, weight in found.items()}


def _is_on_a_line(one: Any, other: Any) -> bool:
    if isinstance(one, Normal | Laplace | StaircaseDensity) and type(one) is type(other):
        return True
    lattice = hasattr(one, "pmf") and hasattr(other, "pmf")
    if lattice or (isinstance(one, Mapping) and isinstance(other, Mapping)):
        return False
    raise InvalidInput(
        "The laws are of different kinds. Give two Normal, two Laplace, two StaircaseDensity, two "
        "laws on the integers, or two dicts of weights."
    )


def _pairs(one: Any, other: Any) -> tuple[Pairs, Fraction]:
    """The chances of every outcome under both laws, and what the first has beyond them."""
    if isinstance(one, Mapping):
        pairs = pairs_of(one, other)
        return [(Interval.exactly(p), Interval.exactly(q)) for p, q in pairs], Fraction(0)
    return chances_beside(one, other)


def tail_bound(
    guarantee: ApproxDP | PureDP, epsilon: Exact, *, two_sided: bool = False
) -> Interval:
    r"""The greatest P(loss > epsilon'), or P(|loss| > epsilon'), of mechanisms with a guarantee.

    delta/(1 - e^(epsilon - epsilon')) for epsilon' > epsilon, as delta >= E max(0, 1 -
    e^(epsilon - loss)). Two-sided it is times 1 + e^-epsilon'.

    >>> tail_bound(ApproxDP(epsilon=1, delta="1e-6"), 2)
    0.00000158197670686932...
    """
    if not isinstance(guarantee, ApproxDP | PureDP):
        raise InvalidInput("The guarantee is no ApproxDP and no PureDP. Convert it first.")
    threshold, both = non_negative(epsilon, "epsilon"), truth_value(two_sided, "two_sided")
    lost = guarantee.delta if isinstance(guarantee, ApproxDP) else Fraction(0)
    if threshold < guarantee.epsilon or (lost and threshold == guarantee.epsilon):
        raise InvalidInput("epsilon is not above the guarantee's. There every tail is possible.")
    if not lost:
        return Interval.exactly(0)

    def compute() -> arb:
        one_sided = ball(lost) / -ball(guarantee.epsilon - threshold).expm1()
        return one_sided * (1 + ball(-threshold).exp()) if both else one_sided

    found = enclosure(compute)
    return Interval(min(found.lower, Fraction(1)), min(found.upper, Fraction(1)))
