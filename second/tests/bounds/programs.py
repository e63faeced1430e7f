"""The least errors of all private mechanisms on tiny tables, by linear programming.

A mechanism is a table of chances: one row for each data set, one column for each answer. Averaging it
over the order of the records keeps its promise and its errors, so tables are sets of rows.
"""

import math
from collections import Counter
from dataclasses import dataclass
from itertools import combinations_with_replacement, product

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import coo_array

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Tiny:
    """All tables of n records in {-1, 1}^d, and answers (vectors of sums) on a grid."""

    dimension: int
    records: int
    step: float = 1.0

    @property
    def tables(self) -> list[tuple[tuple[int, ...], ...]]:
        rows = list(product((-1, 1), repeat=self.dimension))
        return list(combinations_with_replacement(rows, self.records))

    def errors(self) -> Floats:
        """|answer - sum| for every table, answer and column."""
        side = np.arange(-self.records, self.records + self.step / 2, self.step)
        answers = np.array(list(product(side, repeat=self.dimension)))
        sums = np.array([np.sum(table, axis=0) for table in self.tables], dtype=float)
        found: Floats = np.abs(answers[None, :, :] - sums[:, None, :])
        return found

    def neighbours(self) -> list[tuple[int, int]]:
        counted = [Counter(table) for table in self.tables]
        size = range(len(counted))
        return [(i, j) for i in size for j in size if (counted[i] - counted[j]).total() == 1]


def least_cost(tiny: Tiny, costs: Floats, epsilon: float, delta: float) -> float:
    """The least worst-case expected cost of an (epsilon, delta)-DP mechanism; costs[table, answer]."""
    tables, answers = costs.shape
    pairs = tiny.neighbours()
    masses = tables * answers
    total = masses + len(pairs) * answers + 1  # chances, what exceeds e^epsilon times, the cost
    rows: list[tuple[int, int, float]] = []
    limits: list[float] = []

    def constrain(terms: list[tuple[int, float]], limit: float) -> None:
        rows.extend((len(limits), column, value) for column, value in terms)
        limits.append(limit)

    for t in range(tables):
        constrain([(t * answers + a, costs[t, a]) for a in range(answers)] + [(total - 1, -1)], 0)
    for p, (i, j) in enumerate(pairs):
        over = masses + p * answers
        for a in range(answers):
            terms = [
                (i * answers + a, 1.0),
                (j * answers + a, -math.exp(epsilon)),
                (over + a, -1.0),
            ]
            constrain(terms, 0)
        constrain([(over + a, 1.0) for a in range(answers)], delta)
    shape = (len(limits), total)
    upper = coo_array(([r[2] for r in rows], ([r[0] for r in rows], [r[1] for r in rows])), shape)
    places = np.repeat(np.arange(tables), answers), np.arange(masses)
    sums = coo_array((np.ones(masses), places), shape=(tables, total))
    goal = np.zeros(total)
    goal[-1] = 1
    found = linprog(goal, upper, limits, sums, np.ones(tables), bounds=(0, None), method="highs")
    assert found.status == 0
    return float(found.fun)
