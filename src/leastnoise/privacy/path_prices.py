r"""What Laplace noise costs, and with it all whose loss grows evenly along a path between data.

A mechanism that is defined on all points of a segment and (ε·t)-DP for points a share t of it apart
is dominated by continuous Laplace noise, `PrivacyLoss.laplace(epsilon=ε)`; one that is (ε/n)-DP for
each of n steps by two-sided geometric noise of rate ε/n at distance n.
Proof: docs/proofs/paths.md.
"""

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.numeric.ball import ball, enclosure
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.curves.curve import sound_end
from leastnoise.privacy.guarantee import GDP, ZCDP


def rho_of_laplace(epsilon: Exact) -> Interval:
    """ε − 1 + e^−ε, the ρ of `laplace_to_zcdp`, as a bracket."""
    loss = _check.non_negative(epsilon, "epsilon")
    if not loss:
        return Interval.exactly(0)
    return enclosure(lambda: ball(loss) + ball(-loss).expm1())


def laplace_to_zcdp(*, epsilon: Exact) -> ZCDP:
    r"""Laplace noise of scale sensitivity/ε is ρ-zCDP with ρ = ε − 1 + e^−ε, and for no smaller ρ.

    Theorem: for all ε and α > 1, D_α of Laplace noise is at most α·(ε − 1 + e^−ε), which is met as
    α → 1. So is D_α of every mechanism that it dominates.
    Proof: docs/proofs/paths.md, section 2.

    Example:
        >>> laplace_to_zcdp(epsilon=1)
        ZCDP(rho='0.367879441171443')
    """
    return ZCDP(rho=sound_end(rho_of_laplace(epsilon)))


def mu_of_laplace(epsilon: Exact) -> Interval:
    """−2Φ⁻¹(e^(−ε/2)/2), the μ of `laplace_to_gdp`, as a bracket."""
    loss = _check.non_negative(epsilon, "epsilon")
    if not loss:
        return Interval.exactly(0)
    return enclosure(lambda: 2 * ball(2).sqrt() * ball(-loss / 2).exp().erfcinv())


def laplace_to_gdp(*, epsilon: Exact) -> GDP:
    r"""Laplace noise of scale sensitivity/ε is μ-GDP with μ = −2Φ⁻¹(e^(−ε/2)/2), for no smaller μ.

    Theorem: for all ε the trade-off curve of Laplace noise lies above that of N(0, 1) and N(μ, 1),
    and meets it on the diagonal.
    Proof: docs/proofs/paths.md, section 3.

    Example:
        >>> laplace_to_gdp(epsilon=1)
        GDP(mu='1.03006399762444')
    """
    return GDP(mu=sound_end(mu_of_laplace(epsilon)))
