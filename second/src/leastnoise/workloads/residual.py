r"""The residual planner: tables by several attributes, each effect measured once, with the least noise.

Every table is a sum of *effects* (`residual_answers`): for each set A of attributes, what a table by A
holds beyond all tables by fewer. Each effect is measured once, as an integer *residual*
(`marginal_noise`), with noise of its own variance, for all tables that need it.

Let n be the sizes, and s_A the variance of the estimate of an effect as there. Every cell of the table
by W has the variance sum over A within W of s_A * f, f the product of 1 - 1/n over A and of 1/n^2 over
the rest of W. The price is mu^2 = sum of q_A / s_A, q_A the product of 1 - 1/n over A.

Theorem. For all weights of the tables let F_A be the sum over tables of weight * f.
(1) No Gaussian mechanism with the price mu^2, for one unit with one row added or removed, has a
    weighted sum of variances below (sum of sqrt(F_A * q_A))^2 / mu^2, and s_A in proportion to
    sqrt(q_A / F_A) attains it.
(2) For weights that add up to 1 the greatest variance is at least that, too; at the best weights it is
    attained. Replacing each weight by weight * variance^2, normalised, never lowers the bound.

Proof page: docs/proofs/residual_planner.md. Reference: Xiao, He, Zhang and Kifer 2023, An optimal and
scalable matrix mechanism for noisy marginals.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain
from math import prod
from typing import Literal

import numpy as np
from flint import arb
from numpy.typing import ArrayLike

from leastnoise.noise.source import Source, system_source
from leastnoise.numbers.ball import ball, enclosure
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import Exact, positive, whole
from leastnoise.numbers.interval import Interval
from leastnoise.privacy.guarantee import GDP, PureDP
from leastnoise.workloads.marginal_noise import Axes, ResidualNoise, SignedNoise, TableLaw
from leastnoise.workloads.residual_answers import (
    Floats,
    TableAnswers,
    TableErrors,
    centred,
    inside,
    owners,
    shares,
    unsigned,
)
from leastnoise.workloads.signed import signed_effects, signed_noise, signed_spreads

Columns = tuple[str, ...]
"""The attributes of a table, by name; () is the number of rows."""

Tables = Iterable[Sequence[str]] | Mapping[Columns, Exact]
"""The tables that are wanted, perhaps with a weight for each."""

Objective = Literal["sum", "greatest"]

STEP = 1 << 20
"""Counts are measured in so many steps, so that noise may be a fraction of a row."""

MOST_EFFECTS = 1 << 20
_FINE = 1 << 40  # the least precision: rounded, precisions are still the best ones
_NARROW, _LEAST, _ROUNDS = 1e-9, 1e-100, 20_000


@dataclass(frozen=True, eq=False)
class ResidualPlan:
    """What is measured for some tables, with which noise, and the tables that come of it.

    Attributes:
        names: of the attributes.
        law: what is measured, and its noise.

    >>> plan = ResidualPlan.gaussian({"sex": 2, "age": 3}, [("sex", "age"), ("age",)], rho="0.5")
    >>> [round(plan.variance(table), 5) for table in (("age",), ("sex", "age"))]
    [1.57735, 1.07735]
    >>> answers = plan.release({("sex", "age"): [[5, 1, 0], [2, 2, 2]], ("age",): [7, 3, 2]})
    >>> bool(np.allclose(answers.table(("sex", "age")).sum(axis=0), answers.table(("age",))))
    True
    """

    names: tuple[str, ...]
    law: TableLaw

    @classmethod
    def gaussian(
        cls, sizes: Mapping[str, int], tables: Tables, *, rho: Exact, objective: Objective = "sum"
    ) -> "ResidualPlan":
        """The best plan for rho-zCDP (mu-GDP with mu^2 = 2*rho), one row added or removed.

        Args:
            sizes: the attributes with their numbers of values.
            tables: the tables by the names of their attributes, perhaps with weights.
            rho: the price of all tables together.
            objective: what is made small: "sum", the weighted sum of the variances of all cells, or
                "greatest", the greatest weighted variance of a cell.
        """
        goal = Goal.of(sizes, tables, objective)
        return cls(tuple(sizes), goal.noise(2 * positive(rho, "rho")))

    @classmethod
    def pure(cls, sizes: Mapping[str, int], tables: Tables, *, epsilon: Exact) -> "ResidualPlan":
        """The best plan found for pure epsilon: the weighted sum of the variances of all cells is small.

        Args:
            sizes: the attributes with their numbers of values.
            tables: the tables by the names of their attributes, perhaps with weights.
            epsilon: the price of all tables together.
        """
        goal = Goal.of(sizes, tables, "sum")
        weights = {table: float(w) for table, w in goal.importance.items()}
        law = signed_noise(goal.sizes, weights, positive(epsilon, "epsilon"))
        return cls(tuple(sizes), law)

    @property
    def guarantee(self) -> GDP | PureDP:
        """What is promised to a unit with one row."""
        if isinstance(self.law, SignedNoise):
            return PureDP(epsilon=self.law.epsilon())
        return GDP(mu=float(self.law.squared_mu()) ** 0.5 * (1 + 1e-15))

    @cached_property
    def errors(self) -> TableErrors:
        """The errors of the tables."""
        law = self.law
        spreads = _spreads(law) if isinstance(law, ResidualNoise) else signed_spreads(law)
        return TableErrors(self.names, law.sizes, spreads)

    def variance(self, columns: Sequence[str]) -> float:
        """The variance of every cell of a table, but for rounding to steps of 2^-20."""
        return self.errors.variance_of(tuple(sorted(self.errors.axes(columns))))

    @property
    def tables(self) -> tuple[Columns, ...]:
        """The tables that are measured."""
        return tuple(tuple(self.names[axis] for axis in table) for table in self.law.tables)

    def release(
        self, counts: Mapping[Columns, ArrayLike], source: Source | None = None
    ) -> TableAnswers:
        """Estimates of all tables, with fresh noise.

        Args:
            counts: the table of counts of each of `tables`; together they hold at most one row of each
                unit.
            source: where the noise comes from.
        """
        law, exact = self.law, []
        for place, (columns, axes) in enumerate(zip(self.tables, law.tables, strict=True)):
            if columns not in counts:
                raise InvalidInput(f"The table by {columns} is missing. Give all of plan.tables.")
            table = np.asarray(counts[columns])
            if table.shape != tuple(law.sizes[i] for i in axes) or table.dtype.kind not in "iu":
                raise InvalidInput(f"The table by {columns} has another shape, or is no integers.")
            exact.append(law.measured(place, [STEP * int(each) for each in table.ravel()]))
        pairs = zip(exact, law.draw(system_source(source), STEP), strict=True)
        return self.answers([[a + b for a, b in zip(*each, strict=True)] for each in pairs])

    def answers(self, noisy: Sequence[Sequence[int]], step: int = STEP) -> TableAnswers:
        """All tables, from the noisy numbers of every table.

        Args:
            noisy: what was measured, in steps.
            step: how many steps a row is.
        """
        law = self.law
        rows = [np.array([each / step for each in own], dtype=np.float64) for own in noisy]
        decode = _effects if isinstance(law, ResidualNoise) else signed_effects
        return TableAnswers(self.errors, decode(law, rows))  # type: ignore[arg-type]


# Residuals


def _scale(sizes: Sequence[int], effect: Axes) -> int:
    """The variance of a residual's noise over s: residuals are 2 or n times effects along an axis."""
    return prod(2 if sizes[axis] == 2 else sizes[axis] ** 2 for axis in effect)


def _spreads(law: ResidualNoise) -> dict[Axes, float]:
    """s of every effect."""
    return {
        axes: law.variance / (precision * _scale(law.sizes, axes))
        for axes, precision in chain.from_iterable(law.residuals)
    }


def _effects(law: ResidualNoise, noisy: Sequence[Floats]) -> dict[Axes, Floats]:
    """The estimate of every effect, from the noisy numbers of every table."""
    found = {}
    for numbers, own in zip(noisy, law.residuals, strict=True):
        rest = numbers
        for axes, _ in own:
            signs = tuple(axis for axis in axes if law.sizes[axis] == 2)
            shape = [law.sizes[axis] for axis in axes if axis not in signs]
            values, rest = np.split(rest, [prod(shape)])
            found[axes] = unsigned(centred(values.reshape(shape)) / prod(shape), signs, axes)
    return found


# The best noise


@dataclass(frozen=True, eq=False)
class Goal:
    """What is to be small, with weights that prove how small it can be.

    Attributes:
        sizes: how many values each attribute has.
        importance: the weight of each table in the theorem: what was asked for, times the cells of the
            table ("sum"), or times a part of 1 ("greatest").
    """

    sizes: tuple[int, ...]
    importance: Mapping[Axes, Fraction]

    @classmethod
    def of(cls, sizes: Mapping[str, int], tables: Tables, objective: Objective) -> "Goal":
        """The goal for tables by name."""
        if objective not in ("sum", "greatest"):
            raise InvalidInput(f'objective is {objective!r}. Give "sum" or "greatest".')
        counts = tuple(whole(size, f"the size of {name}", least=2) for name, size in sizes.items())
        names, weights = list(sizes), dict[Axes, Fraction]()
        given = tables.items() if isinstance(tables, Mapping) else ((each, 1) for each in tables)
        for columns, weight in given:
            unknown = [name for name in columns if name not in names]
            if isinstance(columns, str) or unknown:
                raise InvalidInput('A table is a tuple of attributes:  ("sex", "age")')
            axes = tuple(sorted(map(names.index, columns)))
            if axes in weights or len({*axes}) < len(axes):
                raise InvalidInput("A table or an attribute of it is named twice. Name it once.")
            weights[axes] = positive(weight, "a weight")
        if not weights or sum(2 ** len(axes) for axes in weights) > MOST_EFFECTS:
            raise InvalidInput(f"There must be a table, and at most {MOST_EFFECTS:,} effects.")
        if objective == "sum":
            sums = {axes: w * prod(counts[axis] for axis in axes) for axes, w in weights.items()}
            return cls(counts, sums)
        return cls(counts, _least_favourable(counts, weights))

    @cached_property
    def effects(self) -> dict[Axes, Fraction]:
        """F of every effect."""
        found: dict[Axes, Fraction] = {}
        for table, importance in self.importance.items():
            for effect, share in shares(self.sizes, table):
                found[effect] = found.get(effect, Fraction(0)) + importance * share
        return found

    def noise(self, squared_mu: Fraction) -> ResidualNoise:
        """The best noise: every residual is measured of the smallest table that has it."""
        best = {
            effect: float(f / inside(self.sizes, effect)) ** 0.5 / _scale(self.sizes, effect)
            for effect, f in self.effects.items()
        }
        unit, tables = Fraction(min(best.values())) / _FINE, tuple(self.importance)
        own: list[list[tuple[Axes, int]]] = [[] for _ in tables]
        for effect, place in owners(self.sizes, tables).items():
            own[place].append((effect, int(Fraction(best[effect]) / unit)))
        law = ResidualNoise(self.sizes, tables, tuple(map(tuple, own)), 1)
        return replace(law, variance=-(-law.squared_mu() // squared_mu))

    def least(self, squared_mu: Fraction) -> Interval:
        """What no Gaussian mechanism with this price can fall below, for what is to be small."""

        def bound() -> arb:
            each = (ball(f * inside(self.sizes, effect)) for effect, f in self.effects.items())
            total = sum((product.sqrt() for product in each), arb(0))
            return total * total / ball(squared_mu)

        return enclosure(bound)


def _least_favourable(
    sizes: Sequence[int], weights: Mapping[Axes, Fraction]
) -> dict[Axes, Fraction]:
    """The importance at which the bound on the greatest variance is best, by steps that raise it."""
    numbers: dict[Axes, int] = {}
    entries = [
        (row, numbers.setdefault(effect, len(numbers)), float(weight * share))
        for row, (table, weight) in enumerate(weights.items())
        for effect, share in shares(sizes, table)
    ]
    row, column, value = (np.array(each) for each in zip(*entries, strict=True))
    moves = np.array([float(inside(sizes, effect)) for effect in numbers])
    theta = np.full(len(weights), 1 / len(weights))
    for _ in range(_ROUNDS):
        noise = np.sqrt(moves / np.bincount(column, theta[row] * value))
        costs = np.bincount(row, value * noise[column])
        if costs.max() <= (1 + _NARROW) * (theta @ costs):
            break
        theta = np.maximum(theta * costs**2 / (theta @ costs**2), _LEAST)
    parts = dict(zip(weights, map(Fraction, theta.tolist()), strict=True))
    total = sum(parts.values())
    return {table: weight * parts[table] / total for table, weight in weights.items()}
