"""`Canonical`: the least noise there is for a count."""

from fractions import Fraction
from functools import cached_property

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise._frozen import keep
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.noise.shapes.stairs import Stairs
from leastnoise.noise.shapes.truncation import truncated_stairs


@dataclass(frozen=True, init=False, repr=False)
class Canonical(LatticeLaw):
    r"""Discrete canonical noise: two-sided geometric, cut off where the leak reaches delta.

    Its tails T(k) = P(X ≥ k) obey T(1) = (1 − δ)/(1 + e^ε), T(k+1) = max(0, e^−ε·(T(k) − δ)).

    Theorem: for every integer query of sensitivity 1, adding this law is (ε, δ)-DP with equality.
    Every law on the integers that achieves (ε, δ)-DP at sensitivity 1 satisfies
    P(|Y| ≥ k) ≥ P(|X| ≥ k) for all k: X has the least expected cost for every cost that does not
    decrease with |error|, all at once.
    Proof: docs/proofs/canonical.md.

    Args:
        epsilon: ε ≥ 0, positive if δ = 0.
        delta: δ in [0, 1); 0 gives the discrete Laplace law of scale 1/ε.

    References: AwanRamasethu2023 (arXiv 2308.08343v3); GengViswanath2016b for the linear program
    whose exact solution this is.

    Example:
        >>> law = Canonical(epsilon=1, delta="1e-6")
        >>> round(float(law.variance), 4), law.support
        (1.8411, (-14, 14))
    """

    epsilon: Fraction
    leak: Fraction

    def __init__(self, *, epsilon: Exact, delta: Exact) -> None:
        exact_epsilon, exact_delta = _check.non_negative(epsilon, "epsilon"), _check.delta(delta)
        if not exact_delta:
            _check.positive(epsilon, "epsilon")
        keep(self, epsilon=exact_epsilon, leak=exact_delta)

    @cached_property
    def shape(self) -> Stairs:
        """Geometric stairs, cut off if delta allows."""
        endless = Stairs(period=1, width=1, rate=self.epsilon)
        if not self.leak:
            return endless
        return truncated_stairs(endless, sensitivity=1, epsilon=self.epsilon, delta=self.leak)
