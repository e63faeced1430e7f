"""The least errors of any private mechanism on tiny tables, by linear programming over all of them.

A mechanism is a table of probabilities: one row per data set, one column per answer. Answers are
vectors of column sums on a grid; rounding an answer to the grid costs at most half a step, which is
added to the error the bounds may claim.
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
    """All tables of n records in {±1}^d, their order forgotten, and answers on a grid.

    Averaging a mechanism over the order of the records keeps its promise and its errors.
    """

    dimension: int
    records: int
    step: float = 1.0

    @property
    def tables(self) -> list[tuple[tuple[int, ...], ...]]:
        rows = list(product((-1, 1), repeat=self.dimension))
        return list(combinations_with_replacement(rows, self.records))

    @property
    def answers(self) -> Floats:
        side = np.arange(-self.records, self.records + self.step / 2, self.step)
        return np.array(list(product(side, repeat=self.dimension)))

    def errors(self) -> Floats:
        """|answer − sum| for every table, answer and column."""
        sums = np.array([np.sum(table, axis=0) for table in self.tables], dtype=float)
        errors: Floats = np.abs(self.answers[None, :, :] - sums[:, None, :])
        return errors

    def neighbours(self) -> list[tuple[int, int]]:
        tables = self.tables
        return [
            (i, j)
            for i, one in enumerate(tables)
            for j, other in enumerate(tables)
            if i != j and (Counter(one) - Counter(other)).total() == 1
        ]


def least_cost(tiny: Tiny, costs: Floats, epsilon: float, delta: float) -> float:
    """The least worst-case expected cost of an (ε, δ)-DP mechanism; costs[table, answer]."""
    tables, answers = costs.shape
    pairs = tiny.neighbours()
    masses = tables * answers
    slacks = len(pairs) * answers if delta else 0
    variables = masses + slacks + 1
    rows: list[tuple[int, int, float]] = []
    limits: list[float] = []

    def constrain(terms: list[tuple[int, float]], limit: float) -> None:
        rows.extend((len(limits), column, value) for column, value in terms)
        limits.append(limit)

    for t in range(tables):
        constrain(
            [(t * answers + a, costs[t, a]) for a in range(answers)] + [(variables - 1, -1)], 0
        )
    for p, (i, j) in enumerate(pairs):
        for a in range(answers):
            terms = [(i * answers + a, 1.0), (j * answers + a, -math.exp(epsilon))]
            constrain([*terms, (masses + p * answers + a, -1.0)] if delta else terms, 0)
        if delta:
            constrain([(masses + p * answers + a, 1.0) for a in range(answers)], delta)
    upper = coo_array(
        ([r[2] for r in rows], ([r[0] for r in rows], [r[1] for r in rows])),
        shape=(len(limits), variables),
    )
    sums = coo_array(
        (np.ones(masses), (np.repeat(np.arange(tables), answers), np.arange(masses))),
        shape=(tables, variables),
    )
    goal = np.zeros(variables)
    goal[-1] = 1
    found = linprog(goal, upper, limits, sums, np.ones(tables), bounds=(0, None), method="highs")
    assert found.status == 0
    return float(found.fun)


def least_mean_error(tiny: Tiny, epsilon: float, delta: float) -> float:
    """At most the least mean over the columns of E|error of the sum|: the grid's, less rounding."""
    return least_cost(tiny, tiny.errors().mean(axis=2), epsilon, delta) - tiny.step / 2


def least_failure(tiny: Tiny, error: float, epsilon: float, delta: float) -> float:
    """The least chance that some sum is off by more than `error`, over answers on the grid."""
    missed = (tiny.errors().max(axis=2) > error + 1e-9).astype(float)
    return least_cost(tiny, missed, epsilon, delta)
