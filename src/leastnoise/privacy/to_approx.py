"""Every promise as (ε, δ)-differential privacy: ask for ε at a δ, or for δ at an ε.

The answers are promises, rounded up. `curve_of` gives the curve, which answers with brackets.
"""

from fractions import Fraction
from typing import assert_never

from leastnoise._check import Exact
from leastnoise.privacy.curves.concentrated_curve import ConcentratedCurve
from leastnoise.privacy.curves.curve import PrivacyCurve, approx_at
from leastnoise.privacy.curves.gaussian_curve import GaussianCurve
from leastnoise.privacy.curves.renyi_curve import RenyiCurve
from leastnoise.privacy.curves.response_curve import ResponseCurve
from leastnoise.privacy.guarantee import (
    GDP,
    RDP,
    ZCDP,
    ApproxDP,
    Guarantee,
    PureDP,
    checked_guarantee,
)


def curve_of(promise: Guarantee) -> PrivacyCurve:
    """Every (ε, δ) that a promise implies, as a curve that answers with brackets.

    Example:
        >>> round(float(curve_of(GDP(mu=1)).epsilon(delta="1e-6")), 4)
        4.8866
    """
    checked_guarantee(promise, "promise")
    match promise:
        case PureDP():
            return ResponseCurve(ApproxDP(epsilon=promise.epsilon, delta=0))
        case ApproxDP():
            return ResponseCurve(promise)
        case ZCDP():
            return ConcentratedCurve(promise)
        case RDP():
            return _renyi_curve(promise)
        case GDP():
            return GaussianCurve(promise)
        case _:
            assert_never(promise)


def _renyi_curve(promise: RDP) -> PrivacyCurve:
    if isinstance(promise.order, Fraction):
        return RenyiCurve(order=promise.order, bound=promise.epsilon)
    return ResponseCurve(ApproxDP(epsilon=promise.epsilon, delta=0))


def pure_to_approx(
    promise: PureDP, *, epsilon: Exact | None = None, delta: Exact | None = None
) -> ApproxDP:
    r"""ε₀-DP implies (ε, (e^ε₀ − e^ε)/(e^ε₀ + 1))-DP for every ε ≤ ε₀.

    Theorem: for all ε₀-DP mechanisms and all neighbours; attained by randomised response.
    Proof: docs/proofs/implications.md, section 1.

    References: KairouzOhViswanath2017, Section 4 (arXiv 1311.0776).

    Example:
        >>> pure_to_approx(PureDP(epsilon=2), epsilon=1)
        ApproxDP(epsilon=1, delta='0.55676994114594')
        >>> pure_to_approx(PureDP(epsilon=2), delta="0.01")
        ApproxDP(epsilon='1.98858170585506', delta='0.01')
    """
    return approx_at(curve_of(promise), epsilon=epsilon, delta=delta)


def approx_to_approx(
    promise: ApproxDP, *, epsilon: Exact | None = None, delta: Exact | None = None
) -> ApproxDP:
    r"""(ε₀, δ₀)-DP implies (ε, δ₀ + (1−δ₀)·(e^ε₀ − e^ε)/(e^ε₀ + 1))-DP for every ε ≤ ε₀.

    Theorem: for all (ε₀, δ₀)-DP mechanisms and all neighbours; attained by randomised response that
    gives the secret away with probability δ₀.
    Proof: docs/proofs/implications.md, section 1.

    References: KairouzOhViswanath2017, Section 4 (arXiv 1311.0776).

    Example:
        >>> approx_to_approx(ApproxDP(epsilon=1, delta="0.01"), epsilon=2)
        ApproxDP(epsilon=2, delta='0.01')
    """
    return approx_at(curve_of(promise), epsilon=epsilon, delta=delta)


def zcdp_to_approx(
    promise: ZCDP, *, epsilon: Exact | None = None, delta: Exact | None = None
) -> ApproxDP:
    r"""δ₀-approximate ρ-zCDP implies (ε, δ₀ + (1−δ₀)·δ)-DP at the best Rényi order.

    Theorem: for all such mechanisms, with ε = min over α > 1 of
    ρα + (ln(1/δ) + (α−1)·ln(1−1/α) − ln α)/(α−1). An upper bound, the best closed one known: at
    ρ = 0.1 and δ = 1e-6 it gives 2.142, where the Gaussian mechanism's own ε is 1.995.
    Proof: docs/proofs/implications.md, sections 3 and 4.

    References: CanonneKamathSteinke2020, Corollary 13 (arXiv 2004.00010v4);
    AsoodehLiaoCalmonKosutSankar2021; BunSteinke2016, Section 8, for δ₀ > 0.

    Example:
        >>> zcdp_to_approx(ZCDP(rho="0.5"), delta="1e-6")
        ApproxDP(epsilon='5.22153444453017', delta='0.000001')
    """
    return approx_at(curve_of(promise), epsilon=epsilon, delta=delta)


def rdp_to_approx(
    promise: RDP, *, epsilon: Exact | None = None, delta: Exact | None = None
) -> ApproxDP:
    r"""(α, R)-RDP implies (R + (ln(1/δ) + (α−1)·ln(1−1/α) − ln α)/(α−1), δ)-DP.

    Theorem: for all (α, R)-RDP mechanisms and all δ in (0, 1); an upper bound. Order ∞ is R-DP, for
    which see `pure_to_approx`.
    Proof: docs/proofs/implications.md, section 3.

    References: CanonneKamathSteinke2020, Proposition 12 (arXiv 2004.00010v4).

    Example:
        >>> rdp_to_approx(RDP(order=10, epsilon=1), delta="1e-6")
        ApproxDP(epsilon='2.17385342489443', delta='0.000001')
    """
    return approx_at(curve_of(promise), epsilon=epsilon, delta=delta)


def gdp_to_approx(
    promise: GDP, *, epsilon: Exact | None = None, delta: Exact | None = None
) -> ApproxDP:
    r"""μ-GDP implies (ε, Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ))-DP, and is implied by all of them.

    Theorem: for all μ-GDP mechanisms and every ε ≥ 0; attained by the Gaussian mechanism.
    Proof: docs/proofs/implications.md, section 5.

    References: BalleWang2018, Theorem 8 (arXiv 1805.06530v2); DongRothSu2022, Corollary 2.13.

    Example:
        >>> gdp_to_approx(GDP(mu=1), epsilon=1)
        ApproxDP(epsilon=1, delta='0.126936737506644')
    """
    return approx_at(curve_of(promise), epsilon=epsilon, delta=delta)
