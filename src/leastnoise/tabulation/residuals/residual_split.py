"""`ResidualSplit`: how precisely to measure each residual, and a proof that nothing beats it."""

from fractions import Fraction

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.numeric import ball as balls
from leastnoise.tabulation.residuals.residual_objective import CostRows

Floats = NDArray[np.float64]

_NARROW = 1e-10
_LEAST_WEIGHT = 1e-100
_MOST_ROUNDS = 20_000
_MOST_WORK = 1 << 31


@dataclass(frozen=True)
class ResidualSplit:
    r"""Relative precisions of the residuals, and weights that prove them best.

    Let h_A be the precision (1/variance) of residual A. Marginal W has cost Σ_A f_WA/h_A; a kind r
    of neighbours is μ_r² = Σ_A q_rA·h_A apart. Both sides scale, so the goal is to make
    (largest cost)·(largest μ²) small.

    Theorem: for all weights θ of costs and λ of neighbours, each summing to 1, and all h > 0,
    max_W cost · max_r μ² ≥ (Σ_A √(F_A·Q_A))², with F = Σ_W θ_W·f_W and Q = Σ_r λ_r·q_r. One cost
    and one kind of neighbours: equality at h_A ∝ √(F_A/Q_A). In general the best weights give
    equality. The bound holds for every Gaussian mechanism, not only for those that measure
    residuals.
    Proof: docs/proofs/residual_planner.md, sections 5 and 6.

    Args:
        costs: the rows f.
        charges: the rows q.
        cost_weights: θ, not normalised.
        charge_weights: λ, not normalised.
        precisions: h, up to a common factor; 0 where no neighbours differ, and no noise is needed.
    """

    costs: CostRows
    charges: NDArray[np.int64]
    cost_weights: Floats
    charge_weights: Floats
    precisions: Floats

    def least_product(self) -> arb:
        """(Σ_A √(F_A·Q_A))² at the weights, as a ball."""
        theta, shares = _normalised(self.cost_weights), _normalised(self.charge_weights)
        weighted = [arb(0)] * self.costs.columns
        values = [balls.ball(value) for value in self.costs.values]
        entries = (self.costs.row.tolist(), self.costs.column.tolist(), self.costs.kind.tolist())
        for row, column, kind in zip(*entries, strict=True):
            weighted[column] += theta[row] * values[kind]
        total = arb(0)
        for column, cost in enumerate(weighted):
            charge = sum(
                (
                    share * int(charge)
                    for share, charge in zip(shares, self.charges[:, column], strict=True)
                    if charge
                ),
                arb(0),
            )
            total += (cost * charge).sqrt()
        return total * total


def _normalised(weights: Floats) -> list[arb]:
    exact = [Fraction(weight) for weight in weights.tolist()]
    total = sum(exact)
    return [balls.ball(weight / total) for weight in exact]


def best_split(costs: CostRows, charges: NDArray[np.int64]) -> ResidualSplit:
    r"""The best weights, by steps that never make the bound smaller.

    Theorem: replacing θ_W by θ_W·cost_W², or λ_r by λ_r·(μ_r²)², normalised, does not lower
    Σ_A √(F_A·Q_A). Proof: docs/proofs/residual_planner.md, section 6.

    It stops when the bound is met to 1e-10, or when it has worked enough: the weights prove what
    they prove, and floats decide nothing about privacy.
    """
    values = _relative(costs.values)[costs.kind]
    rates = charges.astype(np.float64)
    theta = np.full(costs.rows, 1 / costs.rows)
    shares = np.full(len(rates), 1 / len(rates))
    rounds = min(_MOST_ROUNDS, 1 + _MOST_WORK // (len(values) + rates.size))
    for _ in range(rounds):
        h = _precisions(costs, values, theta, shares @ rates)
        paid, apart = _costs_at(costs, values, h), rates @ h
        if paid.max() * apart.max() <= (1 + _NARROW) * (theta @ paid) * (shares @ apart):
            break
        theta = _raised(theta, paid)
        apart = rates @ _precisions(costs, values, theta, shares @ rates)
        shares = _raised(shares, apart)
    return ResidualSplit(costs, charges, theta, shares, h)


def _relative(values: tuple[Fraction, ...]) -> Floats:
    """The values as multiples of the greatest; weights may be any numbers, floats may not."""
    greatest = max(values)
    return np.maximum([float(value / greatest) for value in values], _LEAST_WEIGHT)


def _precisions(costs: CostRows, values: Floats, theta: Floats, charge: Floats) -> Floats:
    """√(F/Q), and 0 where nothing is charged."""
    weighted = np.bincount(costs.column, values * theta[costs.row], minlength=costs.columns)
    charged = charge > 0
    precisions: Floats = np.sqrt(weighted / np.where(charged, charge, 1.0)) * charged
    return precisions


def _costs_at(costs: CostRows, values: Floats, precisions: Floats) -> Floats:
    noise = np.divide(1.0, precisions, out=np.zeros_like(precisions), where=precisions > 0)
    total: Floats = np.bincount(
        costs.row, weights=values * noise[costs.column], minlength=costs.rows
    ).astype(np.float64)
    return total


def _raised(weights: Floats, factors: Floats) -> Floats:
    raised = weights * factors**2
    # A weight that vanished in floats could never grow again.
    return np.asarray(np.maximum(raised / raised.sum(), _LEAST_WEIGHT))
