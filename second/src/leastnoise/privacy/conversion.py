r"""From one guarantee to another: each implication once, rounded to the safe side.

P -> GDP:      mu = 2 * quantile(e^epsilon / (1 + e^epsilon)); the least that every epsilon-DP
               mechanism has.
P -> zCDP:     rho = epsilon * tanh(epsilon / 2); the least.
GDP -> (e, d): d = Phi(mu/2 - e/mu) - e^e * Phi(-mu/2 - e/mu), the analytic Gaussian; the least.
GDP -> zCDP:   rho = mu^2 / 2; the least.
zCDP -> (e, d): the best order of the Renyi bound; an upper bound, not always the least.
A draw of bounded range r (such as the exponential mechanism) -> GDP: that of (r/2)-DP;
-> zCDP: r^2 / 8; -> P: r.

Proof page with references: docs/proofs/conversion.md.

Trusted.
"""

from fractions import Fraction
from functools import lru_cache
from typing import assert_never

from flint import arb

from leastnoise.numbers.ball import ball, border, greatest, normal_tail, settle, sign, upper_end
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import Exact, inside, probability, written
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, Guarantee, PureDP


def gaussian_delta(epsilon: arb, mu: arb) -> arb:
    """The least delta of a mu-GDP mechanism at epsilon, for mu > 0."""
    place, far = epsilon / mu - mu / 2, epsilon / mu + mu / 2
    return normal_tail(place) - epsilon.exp() * normal_tail(far)


@lru_cache(maxsize=1024)
def squared_mu(epsilon: Fraction, delta: Fraction) -> Fraction:
    """The greatest mu^2 for which mu-GDP implies (epsilon, delta)-DP, rounded down.

    >>> round(float(squared_mu(Fraction(6), Fraction(9, 10**7))), 4)
    1.4203
    """
    if not delta or not epsilon:
        return Fraction(0)

    def implies(square: Fraction) -> bool:
        return sign(lambda: gaussian_delta(ball(epsilon), ball(square).sqrt()) - ball(delta)) <= 0

    return greatest(implies, epsilon)


@lru_cache(maxsize=1024)
def squared_mu_of_pure(epsilon: Fraction) -> Fraction:
    """The least mu^2 such that epsilon-DP implies mu-GDP, rounded up.

    >>> round(float(squared_mu_of_pure(Fraction(1))), 4)
    1.5179
    """
    if not epsilon:
        return Fraction(0)
    # The tail beyond mu/2 is 1 / (1 + e^epsilon).

    def is_below(square: Fraction) -> bool:
        def above() -> arb:
            return normal_tail(ball(square).sqrt() / 2) - 1 / (1 + ball(epsilon).exp())

        return sign(above) >= 0

    return border(is_below, epsilon)[1]


def squared_mu_of_bounded_range(spread: Fraction) -> Fraction:
    """The least mu^2 such that every draw of this bounded range is mu-GDP, rounded up."""
    return squared_mu_of_pure(spread / 2)


@lru_cache(maxsize=1024)
def rho_of_pure(epsilon: Fraction) -> Fraction:
    """The least rho such that epsilon-DP implies rho-zCDP, rounded up."""
    return upper_end(lambda: ball(epsilon) * (ball(epsilon) / 2).tanh()) if epsilon else epsilon


@lru_cache(maxsize=1024)
def epsilon_of_zcdp(rho: Fraction, delta: Fraction) -> Fraction:
    """An epsilon such that rho-zCDP implies (epsilon, delta)-DP, rounded up.

    Minimum over a > 1 of rho*a + log(1 - 1/a) - log(a*delta)/(a - 1), Canonne, Kamath and Steinke
    2020, Corollary 13. Every order gives a valid epsilon, so the search for the best need not be
    proved.

    >>> round(float(epsilon_of_zcdp(Fraction(1, 2), Fraction(1, 10**6))), 4)
    5.2215
    """
    if not rho:
        return rho

    def bound(order: Fraction) -> arb:
        a = ball(order)
        return ball(rho) * a + (1 - 1 / a).log() - (a * ball(delta)).log() / (a - 1)

    def middle(order: Fraction) -> float:
        return settle(lambda: bound(order), lambda found: float(found.mid()))

    # a - 1 by ever smaller steps, from the optimum of the bound without its small terms.
    start = settle(
        lambda: (-ball(delta).log() / ball(rho)).sqrt(), lambda found: float(found.mid())
    )
    best = Fraction(max(start, 2.0**-40)).limit_denominator(2**64)
    here = middle(1 + best)
    for bits in range(2, 20, 3):
        step = 1 + Fraction(1, 2**bits)
        for factor in (step, 1 / step):
            while here > 0:  # below 0 any order will do
                order = (best * factor).limit_denominator(2**64)
                if not order or (there := middle(1 + order)) >= here:
                    break
                best, here = order, there
    return max(upper_end(lambda: bound(1 + best)), Fraction(0))


def convert(given: Guarantee, to: type[Guarantee], *, delta: Exact | None = None) -> Guarantee:
    """A guarantee of the kind `to` that every mechanism with `given` has, rounded up.

    Args:
        given: what is known.
        to: `PureDP`, `ApproxDP`, `ZCDP` or `GDP`.
        delta: where `to` is `ApproxDP`: at which delta.

    >>> convert(GDP(mu=1), ApproxDP, delta=1e-6)
    ApproxDP(epsilon=4.88655411746222, delta=1e-06)
    """
    kinds = (PureDP, ApproxDP, ZCDP, GDP)
    if not isinstance(given, kinds) or not any(to is kind for kind in kinds):
        raise InvalidInput(
            "convert is asked as convert(GDP(mu=1), ZCDP): a guarantee, then a class, which is one of "
            "PureDP, ApproxDP, ZCDP and GDP."
        )
    if to is ApproxDP:
        return _to_approx(given, delta)
    if delta is not None:
        raise InvalidInput(f"{to.__name__} has no delta. Leave delta out.")
    if type(given) is to:
        return given
    match given:
        case PureDP() if to is ZCDP:
            return ZCDP(rho=rho_of_pure(given.epsilon))
        case PureDP() if to is GDP:
            return GDP(mu=_root(squared_mu_of_pure(given.epsilon)))
        case GDP() if to is ZCDP:
            return ZCDP(rho=given.mu**2 / 2)
        case ApproxDP() if not given.delta:
            return convert(PureDP(epsilon=given.epsilon), to)
    raise InvalidInput(f"{type(given).__name__} does not imply {to.__name__} of any size.")


def _to_approx(given: Guarantee, delta: Exact | None) -> ApproxDP:
    match given:
        case PureDP():
            return ApproxDP(epsilon=given.epsilon, delta=delta or 0)
        case ApproxDP():
            kept = given.delta if delta is None else probability(delta, "delta")
            if kept < given.delta:
                raise InvalidInput(f"delta is {written(kept)}, and {given} allows more.")
            return ApproxDP(epsilon=given.epsilon, delta=kept)
        case ZCDP() | GDP():
            if delta is None:
                raise InvalidInput("delta is missing. Give it, for example delta=1e-6.")
            at = inside(delta, "delta")
            found = epsilon_of_zcdp(given.rho, at) if isinstance(given, ZCDP) else _gdp(given, at)
            return ApproxDP(epsilon=found, delta=at)
        case _:
            assert_never(given)


def _gdp(given: GDP, delta: Fraction) -> Fraction:
    """The least epsilon of a GDP guarantee, rounded up."""
    mu = given.mu

    def above(epsilon: Fraction) -> bool:
        return sign(lambda: gaussian_delta(ball(epsilon), ball(mu)) - ball(delta)) > 0

    if not mu or not above(Fraction(0)):
        return Fraction(0)
    return border(above, mu)[1]


def _root(square: Fraction) -> Fraction:
    return upper_end(lambda: ball(square).sqrt())
