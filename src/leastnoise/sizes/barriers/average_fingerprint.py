"""The fingerprinting bound for the mean error over the columns."""

from fractions import Fraction
from functools import cache

import numpy as np
from flint import arb

from leastnoise._dataclass import dataclass
from leastnoise.numeric import ball as balls
from leastnoise.sizes.barriers.barrier import Barrier
from leastnoise.sizes.barriers.group_sizes import Floats, Group, GroupSizes, group_of, group_sizes

_HALF_RATES = np.array([0.5, 0.75, 1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 7, 10, 15, 25])
# τ in units of α; the last stands for no cut at all.
_CUTS = np.array([1.5, 2, 2.5, 3, 4, 5, 6, 8, 12, np.inf])
_HALVINGS = 30  # of α, to nine digits
_MARGIN = 1 - 2.0**-20  # for the floats of the search
_NO_CUT = Fraction(2)  # τ in the theorem then


@dataclass(frozen=True)
class AverageFingerprint:
    r"""No private mechanism answers columns well on average.

    Theorem: let M be (ε, δ)-DP on n records in {±1}^d, replace-one, and let the mean over the
    columns of E|error of the mean| be at most α for every table. For all rates r > 0 and cuts
    τ > 2/n, with s = 4r·(r·(ψ((r+1)/2) − ψ(r/2)) − 1)/2, ψ the digamma function,
    u = √(τα) + √s/n and κ = ε·tanh(ε/2) − ln(1−δ),

        d·(s·(1 − 1/n) − α·(2r + 1/(τ − 2/n))) ≤ n·w,
        w = min(2·sinh(ε/2)·√d·u + 4δτd, √(2dκ)·u + 2δτd).

    Without a cut, d·(s − 2rα) ≤ n·w with τ = 2 in u and w; that is better for few records.

    Proof: docs/proofs/sample_size.md, section 6. The left side falls and the right side rises with
    α, so where it fails for some α it fails for all smaller ones. Applied to n = ⌊records/k⌋
    records and groups of k, it bounds the error of the sums by k·n·α.

    The best k, r, τ and α are searched for in floats; that the inequality fails is then decided in
    balls.

    Args:
        dimension: d.
    """

    dimension: int

    def barrier(self, epsilon: Fraction, delta: Fraction, records: int) -> Barrier | None:
        """The best bound that needs at most `records` records."""
        groups = group_sizes(epsilon, delta, records)
        errors = self._errors(groups, records)
        totals = groups.size[:, :, None] * (records // groups.size[:, :, None]) * errors
        row, rate, cut = np.unravel_index(int(totals.argmax()), totals.shape)
        group = group_of(epsilon, delta, int(groups.size[row, 0]))
        if group is None or not totals[row, rate, cut] > 0:
            return None
        error, ratio = Fraction(float(errors[row, rate, cut])), float(_CUTS[cut])
        limit = Fraction(ratio) * error if np.isfinite(ratio) else None
        trial = _Trial(group, records // group.size, Fraction(_HALF_RATES[rate]), limit)
        if balls.sign(lambda: trial.excess(error, self.dimension)) <= 0:
            return None
        return Barrier(
            group.size * trial.people, group.size * trial.people * error, "fingerprinting"
        )

    def _errors(self, groups: GroupSizes, records: int) -> Floats:
        """A little less than the greatest α excluded, for all k, r and τ/α tried; roughly."""
        shape = (len(groups.size), len(_HALF_RATES), len(_CUTS))
        low, high = np.zeros(shape), np.ones(shape)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            excluded = self._excluded(groups, records, middle)
            low, high = np.where(excluded, middle, low), np.where(excluded, high, middle)
        return low * _MARGIN

    def _excluded(self, groups: GroupSizes, records: int, error: Floats) -> Floats:
        people = (records // groups.size)[:, :, None]
        rate, spread, uncut = _HALF_RATES[:, None], _rough_spreads(), np.isinf(_CUTS)
        cut = np.where(uncut, 2.0, np.where(uncut, 1.0, _CUTS) * error)
        inner = np.where(uncut, np.inf, cut - 2 / people)
        with np.errstate(divide="ignore", invalid="ignore"):
            lost = np.where(uncut, 0.0, spread / people) + error / inner
        gain = self.dimension * (spread - 2 * rate * error - lost)
        size = np.sqrt(self.dimension) * (np.sqrt(cut * error) + np.sqrt(spread) / people)
        most = 2 * groups.leak[:, :, None] * cut * self.dimension
        first = groups.contrast[:, :, None] * size + 2 * most
        second = np.sqrt(2 * groups.divergence[:, :, None]) * size + most
        excluded: Floats = (inner > 0) & (gain > people * np.minimum(first, second))
        return excluded


@cache
def _rough_spreads() -> Floats:
    """The theorem's s for all rates tried, as a column."""
    return np.array([[float(balls.enclosure(_spread_of(rate)))] for rate in _HALF_RATES])


def _spread_of(rate: float) -> balls.Computation:
    return lambda: _spread(balls.ball(Fraction(rate)))


def _spread(rate: arb) -> arb:
    """The theorem's s, which is E(1 − P²)."""
    beta = (((rate + 1) / 2).digamma() - (rate / 2).digamma()) / 2
    return 4 * rate * (rate * beta - balls.ball(Fraction(1, 2)))


@dataclass(frozen=True)
class _Trial:
    """One choice of all parameters."""

    group: Group
    people: int
    rate: Fraction
    cut: Fraction | None

    def excess(self, error: Fraction, dimension: int) -> arb:
        """The left side of the theorem less its right side, as a ball."""
        spread, alpha, cut = self._spread(), balls.ball(error), balls.ball(self.cut or _NO_CUT)
        gain = spread - 2 * balls.ball(self.rate) * alpha - self._lost(error)
        size = (cut * alpha).sqrt() + spread.sqrt() / self.people
        size *= arb(dimension).sqrt()
        most = 2 * balls.ball(self.group.leak) * cut * dimension
        first = self.group.contrast() * size + 2 * most
        second = (2 * self.group.divergence()).sqrt() * size + most
        return dimension * gain - self.people * first.min(second)

    def _lost(self, error: Fraction) -> arb:
        """What cutting costs."""
        if self.cut is None:
            return arb(0)
        inner = self.cut - Fraction(2, self.people)
        return self._spread() / self.people + balls.ball(error / inner)

    def _spread(self) -> arb:
        return _spread(balls.ball(self.rate))
