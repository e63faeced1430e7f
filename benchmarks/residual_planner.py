"""Marginals: variance beside other Gaussian mechanisms and beside the bound; time of a release.

The attributes are those of the Adult data set as XiaoHeZhangKifer2023 use it; all marginals of up
to three of them. Variances depend on nothing else, so no data is needed but for the clock.
"""

from collections.abc import Iterator
from itertools import combinations
from math import prod, sqrt

import numpy as np

from benchmarks.row import Row
from benchmarks.timing import clocks
from leastnoise.privacy.guarantee import ZCDP, ApproxDP
from leastnoise.tabulation.correlated_gaussian import CorrelatedGaussian
from leastnoise.tabulation.residuals.residual_planner import ResidualPlanner
from leastnoise.tabulation.residuals.residual_workload import ResidualWorkload

SIZES = (100, 100, 100, 99, 85, 42, 16, 15, 9, 7, 6, 5, 2, 2)
NAMES = tuple(f"a{place}" for place in range(len(SIZES)))
PEOPLE = 48_842
UNIT = ZCDP(rho="0.5")  # μ = 1
COLUMNS = 100


def residual_rows() -> Iterator[Row]:
    """All marginals of one, of two and of up to three attributes, then the clock."""
    for ways in (1, 2, 3):
        yield from _variance_rows(ways)
    yield _lattice_row()
    yield from _time_rows()
    yield _column_row()


def _planner(ways: int) -> ResidualPlanner:
    marginals = [m for k in range(1, ways + 1) for m in combinations(NAMES, k)]
    return ResidualPlanner(
        ResidualWorkload(dict(zip(NAMES, SIZES, strict=True)), marginals), guarantee=UNIT
    )


def _variance_rows(ways: int) -> Iterator[Row]:
    planner = _planner(ways)
    cost, bound = float(planner.expected_cost()), float(planner.lower_bound())
    count = len(planner.workload.sets)
    case = f"{count} marginals of up to {ways} of 14 attributes, sum of variances"
    cells = [prod(SIZES[place] for place in places) for places in planner.workload.sets]
    separate = sum(sqrt(n) for n in cells) ** 2
    yield Row(case, f"{cost:.6g}", f"separate noise, best split: {separate:.6g}", separate / cost)
    excess = max(0.0, cost / bound - 1)
    target = 1e-9 if ways == 1 else 1e-6
    yield Row(case, f"{cost:.9g}", f"bound: {bound:.9g}", excess, "above", "at most", target)


def _lattice_row() -> Row:
    """(ε, δ) on the lattice, beside the detour through zCDP that is usual there."""
    workload = _planner(2).workload
    direct = ResidualPlanner(workload, guarantee=ApproxDP(epsilon=1, delta="1e-9"))
    # The ρ whose best conversion is (1, 1e-9), CanonneKamathSteinke2020, Corollary 13.
    detour = ResidualPlanner(workload, guarantee=ZCDP(rho=_rho(1, 1e-9)))
    ours, theirs = float(direct.expected_cost()), float(detour.expected_cost())
    case = "the same, up to 2, at ε = 1, δ = 1e-9"
    return Row(case, f"{ours:.4g}", f"through zCDP: {theirs:.4g}", theirs / ours)


def _rho(epsilon: float, delta: float) -> float:
    """The greatest ρ that converts, over a fine grid of orders."""
    above = np.geomspace(1e-2, 1e4, 100_001)
    order = 1 + above
    peak = above * np.log(above / order) - np.log(order)
    return float(((epsilon + (np.log(delta) - peak) / above) / order).max())


def _time_rows() -> Iterator[Row]:
    workload = _planner(3).workload
    made: list[ResidualPlanner] = []
    wall, _ = clocks(lambda: made.append(ResidualPlanner(workload, guarantee=UNIT)))
    planner = made[0]
    case = "469 marginals of up to 3 of 14 attributes, a million cells in the largest"
    yield Row(f"{case}: plan", f"{wall:.3g} s", "–", wall, "s", "at most", 5)
    records = np.random.default_rng(1).integers(0, SIZES, size=(PEOPLE, len(SIZES)))
    tables = planner.count(records)
    planner.release(tables)
    wall, _ = clocks(lambda: planner.release(tables))
    numbers = planner.plan.noise.coordinates
    text = f"{numbers / wall / 1e6:.3g} M noisy numbers a second"
    yield Row(f"{case}: release", f"{wall:.3g} s", text, wall, "s", "at most", 20)
    answers = planner.release(tables).value
    wall, _ = clocks(lambda: [answers.table(name) for name in planner.needed])
    yield Row(f"{case}: all tables", f"{wall:.3g} s", "–", wall, "s", "at most", 10)


def _column_row() -> Row:
    mechanism = CorrelatedGaussian(columns=COLUMNS, guarantee=UNIT)
    deviation = sqrt(float(mechanism.variance))
    case = f"{COLUMNS} columns of bits, deviation at μ = 1"
    ratio = sqrt(COLUMNS) / deviation
    return Row(case, f"{deviation:.6g}", f"independent noise: {sqrt(COLUMNS):g}", ratio, target=1.8)
