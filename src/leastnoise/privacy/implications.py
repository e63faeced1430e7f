"""One function per theorem "this promise implies that one".

Conversions to (ε, δ) are in `to_approx`. Every parameter of an answer is an exact rational on
the sound side of the truth: rounded up to 15 significant digits unless it is known exactly. Both
promises of a theorem are about the same neighbours.
"""

from fractions import Fraction
from typing import TypeVar

from flint import arb

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.errors import UnsupportedQuery
from leastnoise.numeric.ball import ball, enclosure
from leastnoise.numeric.exponential import ExponentialRatio, ExponentialSum
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.curves.curve import at_most_one, sound_end
from leastnoise.privacy.guarantee import GDP, RDP, ZCDP, ApproxDP, Guarantee, PureDP, checked_order

AnyGuarantee = TypeVar("AnyGuarantee", bound=Guarantee)


def rho_of_pure(epsilon: Exact) -> Interval:
    """ε·tanh(ε/2), the ρ of `pure_to_zcdp`, as a bracket."""
    loss = _check.non_negative(epsilon, "epsilon")
    top = ExponentialSum.exp(loss)
    return ExponentialRatio((top - 1) * loss, top + 1).interval()


def pure_to_zcdp(promise: PureDP) -> ZCDP:
    r"""ε-DP implies ρ-zCDP with ρ = ε·tanh(ε/2), always below ε²/2.

    Theorem: for all ε-DP mechanisms, all neighbours and all α > 1, D_α ≤ α·ε·tanh(ε/2). The ρ is
    the least that serves all of them: randomised response meets it as α → 1.
    Proof: randomised response is the worst ε-DP pair and has
    (α−1)·D_α = ln cosh((α−½)ε) − ln cosh(ε/2). Because x ↦ ln cosh √x is concave, its tangent at
    x = (ε/2)² lies above it, which is the claim: docs/proofs/implications.md, section 2.

    References: BunSteinke2016, Proposition 3.3 (arXiv 1605.02065v1) for the form ε²/2.

    Example:
        >>> pure_to_zcdp(PureDP(epsilon=4))
        ZCDP(rho='3.85611032030327')
    """
    return ZCDP(rho=sound_end(rho_of_pure(promise.epsilon)))


def approx_to_zcdp(promise: ApproxDP) -> ZCDP:
    r"""(ε, δ)-DP implies δ-approximate ρ-zCDP with ρ = ε·tanh(ε/2).

    Theorem: for all (ε, δ)-DP mechanisms and all neighbours; ρ is the least that serves all of
    them at this δ.
    Proof: both laws are mixtures, δ·anything + (1−δ)·(one of an ε-DP pair), by the simulation of
    Kairouz, Oh and Viswanath. Take "the second part was drawn" as the event of `ZCDP`'s
    definition, then apply `pure_to_zcdp`: docs/proofs/implications.md, section 2.

    References: KairouzOhViswanath2017, Section 4; BunSteinke2016, Section 8, with ε²/2.

    Example:
        >>> approx_to_zcdp(ApproxDP(epsilon=1, delta="1e-6"))
        ZCDP(rho='0.46211715726001', delta='0.000001')
    """
    return ZCDP(rho=sound_end(rho_of_pure(promise.epsilon)), delta=promise.delta)


def mu_of_pure(epsilon: Exact) -> Interval:
    """−2Φ⁻¹(1/(1+e^ε)), the μ of `pure_to_gdp`, as a bracket."""
    loss = _check.non_negative(epsilon, "epsilon")
    if not loss:
        return Interval.exactly(0)
    return enclosure(lambda: 2 * arb(2).sqrt() * (2 / (1 + ball(loss).exp())).erfcinv())


def pure_to_gdp(promise: PureDP) -> GDP:
    r"""ε-DP implies μ-GDP with μ = 2Φ⁻¹(e^ε/(1+e^ε)).

    Theorem: for all ε-DP mechanisms and all neighbours; μ is the least that serves all of them.
    Proof: the trade-off function of ε-DP is two straight lines, from (0, 1) to the point
    c = 1/(1+e^ε) on the diagonal and on to (1, 0). A Gaussian trade-off function is convex with the
    same ends, so it lies below both lines exactly if it meets the diagonal at or below c, that is
    if Φ(−μ/2) ≤ c.

    References: DongRothSu2022, Section 2, for the trade-off functions (arXiv 1905.02383v3).

    Example:
        >>> pure_to_gdp(PureDP(epsilon=1))
        GDP(mu='1.23203538534491')
    """
    return GDP(mu=sound_end(mu_of_pure(promise.epsilon)))


def pure_to_rdp(promise: PureDP, *, order: Exact) -> RDP:
    r"""ε-DP implies (α, ln(cosh((α−½)ε)/cosh(ε/2))/(α−1))-RDP.

    Theorem: for all ε-DP mechanisms and all ordered pairs of neighbours; attained by randomised
    response at every order α > 1.
    Proof: docs/proofs/implications.md, section 2.

    References: Mironov2017, Section VI, for randomised response.

    Example:
        >>> pure_to_rdp(PureDP(epsilon=1), order=2)
        RDP(order=2, epsilon='0.73532566405552')
    """
    exact, loss = checked_order(order), promise.epsilon
    if not (isinstance(exact, Fraction) and loss):
        return RDP(order=order, epsilon=loss)

    def divergence() -> arb:
        wide, narrow = ball((exact - Fraction(1, 2)) * loss), ball(loss / 2)
        return (wide.cosh() / narrow.cosh()).log() / ball(exact - 1)

    return RDP(order=exact, epsilon=sound_end(enclosure(divergence)))


def zcdp_to_rdp(promise: ZCDP, *, order: Exact) -> RDP:
    r"""ρ-zCDP implies (α, ρα)-RDP for every finite order α > 1; this is its definition.

    Raises:
        UnsupportedQuery: the promise is δ-approximate (a divergence may then be infinite), or the
            order is.

    Example:
        >>> zcdp_to_rdp(ZCDP(rho="0.5"), order=8)
        RDP(order=8, epsilon=4)
    """
    exact = checked_order(order)
    if promise.delta == 0 and isinstance(exact, Fraction):
        return RDP(order=exact, epsilon=promise.rho * exact)
    raise UnsupportedQuery(
        "only zCDP with delta=0 bounds a Rényi divergence, and only at finite orders; got "
        f"{promise!r}, order={exact}. Convert to ApproxDP with `to_approx` instead."
    )


def gdp_to_zcdp(promise: GDP) -> ZCDP:
    r"""μ-GDP implies μ²/2-zCDP.

    Theorem: for all μ-GDP mechanisms; attained at every order by the Gaussian mechanism.
    Proof: the release is a post-processing of N(0, 1) or N(μ, 1) for each pair of neighbours
    (Blackwell), and D_α(N(0, 1)‖N(μ, 1)) = αμ²/2.

    References: DongRothSu2022, Theorem 2.10 and Section 2.3 (arXiv 1905.02383v3).

    Example:
        >>> gdp_to_zcdp(GDP(mu="0.5"))
        ZCDP(rho='0.125')
    """
    return ZCDP(rho=promise.mu**2 / 2)


def tail_condition_to_approx(*, epsilon: Exact, delta: Exact) -> ApproxDP:
    r"""P(loss > ε) ≤ δ for every ordered pair of neighbours implies (ε, δ)-DP.

    Theorem: sufficient, not necessary (errata A1): the Gaussian mechanism with μ = 1 exceeds ε = 1
    with probability 0.3085 and yet is (1, 0.1270)-DP. For what is necessary see `approx_to_tail`.
    Proof: let B be the event that the loss ln(dP/dQ) exceeds ε. For every event S,
    P(S) ≤ P(S ∖ B) + P(B) ≤ e^ε·Q(S) + δ.

    Args:
        epsilon: the threshold.
        delta: a bound on P(loss > ε), the same for all ordered pairs.

    References: KasiviswanathanSmith2014, Lemma 3.3 (arXiv 0803.3946v3).

    Example:
        >>> tail_condition_to_approx(epsilon=1, delta="0.309")
        ApproxDP(epsilon=1, delta='0.309')
    """
    return ApproxDP(epsilon=epsilon, delta=delta)


def approx_to_tail(promise: ApproxDP, *, epsilon: Exact) -> Interval:
    r"""(ε, δ)-DP implies P(loss > ε′) ≤ δ/(1 − e^(ε−ε′)) for every ε′ > ε.

    Theorem: for all (ε, δ)-DP mechanisms and all ordered pairs of neighbours; the converse of
    `tail_condition_to_approx`, and the reason why ε′ must exceed ε.
    Proof: δ ≥ E[(1 − e^(ε−loss))₊] ≥ (1 − e^(ε−ε′))·P(loss > ε′).

    Args:
        promise: what is known.
        epsilon: the threshold ε′, above the promise's ε.

    References: KasiviswanathanSmith2014, Lemma 3.3, for the two-sided form.

    Example:
        >>> round(float(approx_to_tail(ApproxDP(epsilon=1, delta="1e-6"), epsilon=2)), 9)
        1.582e-06
    """
    threshold = _check.non_negative(epsilon, "epsilon")
    if not threshold > promise.epsilon:
        raise _check.refuse(
            "`epsilon` must exceed the promise's own",
            f"epsilon={_check.shown(epsilon)}, promise {promise!r}",
            "At the promise's own epsilon the tail may have any probability below 1.",
        )
    far = ExponentialSum.exp(promise.epsilon - threshold)
    tail = ExponentialRatio(ExponentialSum.of(promise.delta), 1 - far)
    return at_most_one(tail.interval())


def approx_to_two_sided_tail(promise: ApproxDP, *, epsilon: Exact) -> Interval:
    r"""(ε, δ)-DP implies P(|loss| > ε′) ≤ δ·(1 + e^(−ε′))/(1 − e^(ε−ε′)) for every ε′ > ε.

    Theorem: for all (ε, δ)-DP mechanisms and all ordered pairs of neighbours; no smaller number
    does, as long as this one is at most 1.
    Proof: with P and Q exchanged, Q(loss < −ε′) is bounded as in `approx_to_tail`, and there
    dP ≤ e^(−ε′)·dQ. It is sharp: docs/proofs/implications.md, section 7.

    Args:
        promise: what is known.
        epsilon: the threshold ε′, above the promise's ε.

    References: KasiviswanathanSmith2014, Lemma 3.3, with a larger number.

    Example:
        >>> round(float(approx_to_two_sided_tail(ApproxDP(epsilon=1, delta="1e-6"), epsilon=2)), 9)
        1.796e-06
    """
    threshold = _check.non_negative(epsilon, "epsilon")
    approx_to_tail(promise, epsilon=threshold)  # refuses what it refuses
    far = ExponentialSum.exp(promise.epsilon - threshold)
    both = (1 + ExponentialSum.exp(-threshold)) * ExponentialSum.of(promise.delta)
    return at_most_one(ExponentialRatio(both, 1 - far).interval())


def after_processing(promise: AnyGuarantee) -> AnyGuarantee:
    r"""Post-processing: whatever is done to a release without looking at the data again is free.

    Theorem: if M keeps any of the five promises, so does f∘M, for every (randomised) f whose coins
    are independent of the data.
    Proof: all five bound divergences or trade-off functions, none of which a channel f can worsen:
    docs/proofs/implications.md, section 6.

    References: DworkRoth2014, Proposition 2.1; DongRothSu2022, Lemma 2.9.

    Example:
        >>> after_processing(PureDP(epsilon=1))
        PureDP(epsilon=1)
    """
    return promise
