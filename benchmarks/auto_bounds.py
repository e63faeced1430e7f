"""Bounds chosen from noisy hats: how much larger errors are than with the best bound in hindsight.

python -m benchmarks.auto_bounds

Each table is a list of rows per unit. The error of one answer is E|noise + cut|: noise in
proportion to the bound, at what the choice leaves of the budget; the cut, Σ (n − bound)⁺, divided
evenly over the answers. The best fixed bound knows the table and has all of the budget (ε = 1, or
ρ = 1/2). Printed: the mean error over releases as a ratio to the best, median / nine tenths / worst
of the tables; and the same where errors below 1 % of the answer count as 1 %.
"""

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.release.ask.bounds import ONE_ROW
from leastnoise.release.spread.choosing_share import choosing_share
from leastnoise.release.spread.chosen_bounds import Stake, bound_knots, least_bounds, mean_error
from leastnoise.release.spread.hats import Hats
from leastnoise.release.step.unit_spread import SPREAD_WEIGHT

_RELEASES, _SEED, _MOST = 60, 20261116, 2**20
_KNOTS = bound_knots(_MOST)
_NORMAL_MEAN = math.sqrt(2 / math.pi)
_FLOOR = 0.01

Numbers = NDArray[np.float64]


class Units:
    """A table, as what each unit has."""

    def __init__(self, rows: Numbers) -> None:
        self.rows = np.sort(np.clip(np.asarray(rows, dtype=np.float64), 1, _MOST))
        self.total = float(self.rows.sum())
        self._above = np.append(np.cumsum(self.rows[::-1])[::-1], 0.0)
        self.hats = self._hats()

    def cut(self, bounds: Numbers) -> Numbers:
        """Σ (n − bound)⁺ for each bound."""
        places = np.searchsorted(self.rows, bounds)
        return np.asarray(self._above[places] - (len(self.rows) - places) * bounds)

    def _hats(self) -> Numbers:
        knots = np.array(_KNOTS, dtype=np.float64)
        places = np.clip(np.searchsorted(knots, self.rows, side="right") - 1, 0, len(knots) - 2)
        parts = (self.rows - knots[places]) / (knots[places + 1] - knots[places])
        found = np.bincount(places, 1 - parts, len(knots))
        return np.asarray(found + np.bincount(places + 1, parts, len(knots)))

    def best(self, answers: int, *, normal: bool) -> float:
        """The least error of any bound at the whole budget."""
        bounds = np.unique(np.append(np.geomspace(1, self.rows[-1], 2000), self.rows[-500:]))
        return float(self.errors(bounds, answers, 1.0, normal=normal).min())

    def errors(self, bounds: Numbers, answers: int, part: float, *, normal: bool) -> Numbers:
        """Of one answer, for each bound, at a part of the budget."""
        one = _NORMAL_MEAN / math.sqrt(part) if normal else 1 / part
        return mean_error(one * bounds, self.cut(bounds) / answers, normal=normal)


def tables(source: np.random.Generator) -> Iterator[tuple[str, Units]]:
    """Shapes of real tables, at three sizes."""
    for units in (3_000, 30_000, 300_000):
        few = source.random(units) < 0.01
        shapes = {
            "negative binomial": 1 + source.negative_binomial(1.5, 0.08, units),
            "Zipf 2.5": source.zipf(2.5, units),
            "Zipf 2": source.zipf(2.0, units),
            "Weibull 1/2": np.ceil(20 * source.weibull(0.5, units)),
            "one in 100 heavy": 1
            + np.where(few, source.poisson(200, units), source.poisson(2, units)),
            "uniform to 37": source.integers(1, 38, units),
            "Pareto 1.2": np.ceil(source.pareto(1.2, units)),
            "geometric": source.geometric(1 / 3, units),
            "binomial": 1 + source.binomial(12, 0.3, units),
            "lognormal": np.ceil(np.exp(source.normal(1.5, 1.4, units))),
            "one each": np.ones(units),
        }
        for name, rows in shapes.items():
            yield f"{name}, {units}", Units(rows.astype(np.float64))


def chosen_error(
    units: Units, answers: int, share: Fraction, source: np.random.Generator, *, normal: bool
) -> float:
    """The mean error of an answer over releases, each with a bound of its own."""
    part = float(share)
    law = (
        DiscreteGaussian(SPREAD_WEIGHT**2 / share)
        if normal
        else DiscreteLaplace(scale=SPREAD_WEIGHT / share)
    )
    noise = (_NORMAL_MEAN / math.sqrt(1 - part)) if normal else 1 / (1 - part)
    found = []
    for _ in range(_RELEASES):
        drawn = (
            source.normal(0, part**-0.5, len(_KNOTS))
            if normal
            else source.laplace(0, 1 / part, len(_KNOTS))
        )
        noisy = np.round((units.hats + drawn) * SPREAD_WEIGHT).astype(np.int64)
        hats = Hats(_KNOTS, noisy, law, SPREAD_WEIGHT)
        stake = Stake(answers, noise, 1.0, normal, ONE_ROW, rows=hats)
        found.append(least_bounds([stake], max_groups=1, max_rows=None).max_rows)
    return float(units.errors(np.array(found, float), answers, 1 - part, normal=normal).mean())


def main() -> None:
    """Print one line for each law and number of answers."""
    source = np.random.default_rng(_SEED)
    known = list(tables(source))
    print("| noise, answers | share | median / p90 / worst | with 1 % floor | worst table |")
    print("|---|---|---|---|---|")
    for normal in (False, True):
        for answers in (1, 10, 100, 1000):
            share = choosing_share(answers, normal)
            pairs = [
                (
                    chosen_error(each, answers, share, source, normal=normal),
                    each.best(answers, normal=normal),
                    each,
                )
                for _, each in known
            ]
            ratios = np.array([error / best for error, best, _ in pairs])
            floors = [_FLOOR * each.total / answers for _, _, each in pairs]
            floored = np.array(
                [
                    max(error, least) / max(best, least)
                    for (error, best, _), least in zip(pairs, floors, strict=True)
                ]
            )
            name = "Gaussian" if normal else "Laplace"
            worst = known[int(ratios.argmax())][0]
            cells = (f"{name}, {answers}", f"{100 * float(share):g} %")
            print("|", " | ".join([*cells, words(ratios), words(floored), worst]), "|")


def words(ratios: Numbers) -> str:
    """Median, nine tenths and worst."""
    return " / ".join(
        f"{x:.3g}" for x in (np.median(ratios), np.quantile(ratios, 0.9), ratios.max())
    )


if __name__ == "__main__":
    main()
