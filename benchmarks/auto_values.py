"""Ranges chosen from noisy hats of values: how much larger errors are than with the best range.

python -m benchmarks.auto_values

Each table is a list of values, one per unit. The error of one answer is E|noise + cut|: noise in
proportion to the range of a mean, or to the larger of both distances from 0 of a sum, at what the
choice leaves of the budget; the cut, Σ |v − clamped v|, divided evenly over the answers. The best
fixed range knows the table and has all of the budget (ε = 1, or ρ = 1/2). Printed: the mean error
over releases as a ratio to the best, median / nine tenths / worst of the tables.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from benchmarks.auto_bounds import Numbers, words
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.release.ask.chosen_ends import VALUE_GRID, value_knots
from leastnoise.release.spread.choosing_share import choosing_share
from leastnoise.release.spread.chosen_bounds import mean_error
from leastnoise.release.spread.chosen_range import RangeStake, least_range
from leastnoise.release.spread.hats import Hats
from leastnoise.release.step.unit_spread import SPREAD_WEIGHT

_RELEASES, _SEED = 20, 20261116
_KNOTS = value_knots()
_AT = np.array(_KNOTS) * float(VALUE_GRID.step)
_NORMAL_MEAN = math.sqrt(2 / math.pi)
_FINE = 400  # candidates for the best end in hindsight


class Values:
    """A table, as what each unit has."""

    def __init__(self, values: Numbers) -> None:
        self.values = np.sort(np.clip(values, _AT[0], _AT[-1]))
        self._sums = np.append(0.0, np.cumsum(self.values))
        self.hats = self._hats()

    def cut(self, lower: Numbers, upper: Numbers) -> Numbers:
        """Σ |v − clamped v|, one row for each lower end."""
        few, many = np.searchsorted(self.values, lower), np.searchsorted(self.values, upper)
        below = few * lower - self._sums[few]
        above = self._sums[-1] - self._sums[many] - (len(self.values) - many) * upper
        return np.asarray(below[:, None] + above)

    def _hats(self) -> Numbers:
        places = np.clip(np.searchsorted(_AT, self.values, side="right") - 1, 0, len(_AT) - 2)
        parts = (self.values - _AT[places]) / (_AT[places + 1] - _AT[places])
        found = np.bincount(places, 1 - parts, len(_AT))
        return np.asarray(found + np.bincount(places + 1, parts, len(_AT)))

    def errors(self, stake: RangeStake, lower: Numbers, upper: Numbers) -> Numbers:
        """Of one answer, one row for each lower end."""
        width = upper - lower[:, None]
        place = np.clip((self.values.mean() - lower[:, None]) / np.where(width > 0, width, 1), 0, 1)
        noise = stake.reach(lower, upper) * (np.hypot(place, 1 - place) if stake.is_mean else 1)
        noise = stake.noise * np.where(width > 0, noise, 1)
        found = mean_error(noise, self.cut(lower, upper) / stake.answers, normal=stake.normal)
        return np.where(width > 0, found, np.inf)

    def best(self, stake: RangeStake) -> float:
        """The least error of any range at the whole budget."""
        ends = np.unique(np.append(np.quantile(self.values, np.linspace(0, 1, _FINE)), 0.0))
        ends = np.unique(np.concatenate([ends, self.values[:20], self.values[-100:]]))
        low, high = (ends, ends) if stake.is_mean else (ends[ends <= 0], ends[ends >= 0])
        return float(self.errors(stake, low, high).min())


def tables(source: np.random.Generator) -> Iterator[tuple[str, Values]]:
    """Shapes of columns, at two sizes."""
    for units in (10_000, 100_000):
        shapes = {
            "lognormal": np.exp(source.normal(3, 1.5, units)),
            "gamma": source.gamma(2, 50, units),
            "Pareto 2": source.pareto(2, units) * 20,
            "Student 3": source.standard_t(3, units) * 10,
            "normal at 0": source.normal(0, 30, units),
            "normal at 1000": source.normal(1000, 20, units),
            "uniform 0 to 1": source.random(units),
            "ages": source.integers(0, 96, units),
            "half 0": np.where(source.random(units) < 0.5, 0, source.gamma(1, 3000, units)),
        }
        for name, values in shapes.items():
            yield f"{name}, {units}", Values(values.astype(np.float64))


def chosen_error(
    table: Values, stake: RangeStake, share: Fraction, source: np.random.Generator
) -> float:
    """The mean error of an answer over releases, each with a range of its own."""
    part = float(share)
    found = []
    for _ in range(_RELEASES):
        drawn = (
            source.normal(0, part**-0.5, len(_KNOTS))
            if stake.normal
            else source.laplace(0, 1 / part, len(_KNOTS))
        )
        noisy = np.round((table.hats + drawn) * SPREAD_WEIGHT).astype(np.int64)
        times = 1 / math.sqrt(1 - part) if stake.normal else 1 / (1 - part)
        less = replace(stake, hats=replace(stake.hats, values=noisy), noise=times * stake.noise)
        low, high = (np.array([float(end)]) for end in least_range(less))
        found.append(float(table.errors(less, low, high)[0, 0]))
    return float(np.mean(found))


def _stake(answers: int, share: Fraction, *, normal: bool, is_mean: bool) -> RangeStake:
    """With the whole budget, before anything is shown."""
    law = (
        DiscreteGaussian(SPREAD_WEIGHT**2 / share)
        if normal
        else DiscreteLaplace(scale=SPREAD_WEIGHT / share)
    )
    nothing = Hats(_KNOTS, np.zeros(len(_KNOTS), np.int64), law, SPREAD_WEIGHT)
    noise = _NORMAL_MEAN if normal else 1.0
    step = VALUE_GRID.step
    return RangeStake(nothing, step, 1.0, answers, noise, normal, False, is_mean)


def main() -> None:
    """Print one line for each law and number of answers."""
    source = np.random.default_rng(_SEED)
    known = list(tables(source))
    print("| answers | noise | share | median / p90 / worst | worst table |")
    print("|---|---|---|---|---|")
    for is_mean in (False, True):
        for normal in (False, True):
            for answers in (1, 10, 100):
                share = choosing_share(answers, normal)
                stake = _stake(answers, share, normal=normal, is_mean=is_mean)
                ratios = np.array(
                    [
                        chosen_error(each, stake, share, source) / each.best(stake)
                        for _, each in known
                    ]
                )
                what = f"{answers} {'means' if is_mean else 'sums'}"
                cells = (what, "Gaussian" if normal else "Laplace", f"{100 * float(share):g} %")
                worst = known[int(ratios.argmax())][0]
                print("|", " | ".join([*cells, words(ratios), worst]), "|", flush=True)


if __name__ == "__main__":
    main()
