"""`ResidualPlanner`: marginals of a table with the least Gaussian noise there is."""

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
from flint import arb
from numpy.typing import ArrayLike

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise._frozen import keep
from leastnoise.mechanisms.release import Release
from leastnoise.noise.shapes.shape import Draws
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.randomness.source import Source, checked_source
from leastnoise.tabulation.neighbours import (
    AddRemove,
    Neighbours,
    NeighboursName,
    ReplaceOne,
    checked_neighbours,
)
from leastnoise.tabulation.residuals.residual_axis import TableArray
from leastnoise.tabulation.residuals.residual_charges import residual_charges
from leastnoise.tabulation.residuals.residual_counts import (
    Tables,
    checked_tables,
    counted_records,
    shared_residuals,
    summed_cube,
)
from leastnoise.tabulation.residuals.residual_noise import Budget, checked_budget, squared_mu
from leastnoise.tabulation.residuals.residual_objective import (
    ResidualObjective,
    ResidualObjectiveName,
    checked_residual_objective,
)
from leastnoise.tabulation.residuals.residual_plan import ResidualPlan
from leastnoise.tabulation.residuals.residual_split import ResidualSplit, best_split
from leastnoise.tabulation.residuals.residual_workload import (
    AttributeSet,
    Marginal,
    ResidualWorkload,
)

if TYPE_CHECKING:
    from leastnoise.privacy.loss import PrivacyLoss
    from leastnoise.tabulation.residuals.residual_answers import ResidualAnswers


@dataclass(frozen=True, init=False, repr=False)
class ResidualPlanner:
    r"""Marginals of any sizes, together, with the least total (or largest) variance.

    Every marginal is a sum of *residuals*: for each set A of its attributes, what the A-marginal
    holds beyond all smaller ones. Each residual is measured once, with its own precision, for all
    marginals that need it. Precisions are integers g_A: the integer residual times g_A is released
    with discrete Gaussian noise, the same for all.

    Theorem: the release meets the guarantee for all tables of counts and all neighbours; for zCDP
    and one person added or removed the ρ is exact, and the same for everybody. The estimates are
    unbiased and agree with each other. No Gaussian mechanism that meets the same guarantee on the
    line has a smaller weighted sum of variances (or largest weighted variance) than
    `lower_bound()`; `expected_cost()` exceeds it by what integer precisions and a lattice cost,
    typically less than a part in 10⁹.
    Proof: docs/proofs/residual_planner.md.

    Args:
        workload: which marginals of which attributes.
        guarantee: `ZCDP(rho=…)`, or `ApproxDP(epsilon=…, delta=…)` with δ > 0.
        objective: "total", the weighted sum of the variances of all cells, or "largest", the
            largest weighted variance of a cell.
        neighbours: "add_remove", or "replace": then the number of people is public.
        records: the number of people, for "replace".

    Raises:
        InvalidParameter: an argument is none of these.
        UnsupportedQuery: replacement of people with too many attributes to price.

    References: XiaoHeZhangKifer2023, for the residuals and the closed form; LiMiklau2013, for the
    bound; CanonneKamathSteinke2020, for the noise.

    Example:
        >>> from leastnoise.privacy.guarantee import ZCDP
        >>> workload = ResidualWorkload({"sex": 2, "age": 3}, [("sex", "age"), "age"])
        >>> planner = ResidualPlanner(workload, guarantee=ZCDP(rho="0.5"))
        >>> print(f"{float(planner.expected_cost()):.9f} {float(planner.lower_bound()):.9f}")
        11.196152423 11.196152423
        >>> people = [[0, 2], [1, 1], [1, 2]]  # one row of codes per person
        >>> answers = planner.release(planner.count(people)).value
        >>> answers.table(("sex", "age")).shape
        (2, 3)
        >>> bool(np.allclose(answers.table(("sex", "age")).sum(axis=0), answers.table("age")))
        True
        >>> round(float(answers.error("age", confidence="0.95")), 4)
        2.4616
    """

    workload: ResidualWorkload
    guarantee: Budget
    objective: ResidualObjective
    neighbours: Neighbours

    def __init__(
        self,
        workload: ResidualWorkload,
        *,
        guarantee: Budget,
        objective: ResidualObjectiveName | ResidualObjective = "total",
        neighbours: NeighboursName | Neighbours = "add_remove",
        records: SupportsIndex | None = None,
    ) -> None:
        rule = "`workload` must be a ResidualWorkload"
        example = "Write ResidualWorkload({'sex': 2, 'age': 10}, [('sex', 'age')])."
        keep(
            self,
            workload=_check.kind(workload, ResidualWorkload, rule, example),
            guarantee=checked_budget(guarantee),
            objective=checked_residual_objective(objective),
            neighbours=checked_neighbours(neighbours, records),
        )
        if isinstance(self.neighbours, ReplaceOne) and workload.residuals == ((),):
            raise _check.refuse(
                "`workload` must hold more than the number of people if that is public",
                "the marginal () alone",
                "Publish the number, or use neighbours='add_remove'.",
            )
        _ = self.plan  # refuses what cannot be met, before any data is read

    @property
    def parameters(self) -> dict[str, Any]:
        """The constructor's parameters by name."""
        found: dict[str, Any] = {
            "workload": self.workload,
            "guarantee": self.guarantee,
            "objective": self.objective.value,
        }
        if isinstance(self.neighbours, AddRemove):
            return found | {"neighbours": "add_remove"}
        return found | {"neighbours": "replace", "records": self.neighbours.records}

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in self.parameters.items())
        return f"ResidualPlanner({inside})"

    @cached_property
    def split(self) -> ResidualSplit:
        """How precisely each residual should be measured, with the proof that it is best."""
        charges = residual_charges(self.neighbours, self.workload)
        return best_split(self.objective.costs(self.workload), charges)

    @cached_property
    def plan(self) -> ResidualPlan:
        """How precisely each residual is measured."""
        return ResidualPlan.of(self.workload, self.split, self.guarantee)

    @property
    def needed(self) -> tuple[Marginal, ...]:
        """The marginals whose tables of counts `release` takes."""
        return self.workload.needed

    def count(self, records: ArrayLike) -> dict[Marginal, TableArray]:
        """The tables needed, counted from an array with one row of codes per person.

        Column i holds attribute i, coded 0 … n−1. The result is as secret as the records.
        """
        return self._named(counted_records(self.workload, records))

    def sum_cube(self, cube: ArrayLike) -> dict[Marginal, TableArray]:
        """The tables needed, summed from a table of counts by all attributes, and as secret."""
        return self._named(summed_cube(self.workload, cube))

    def _named(self, tables: Tables) -> dict[Marginal, TableArray]:
        return {self.workload.named(places): table for places, table in tables.items()}

    def release(
        self, value: Mapping[Marginal, ArrayLike], source: Source | None = None
    ) -> "Release[ResidualAnswers]":
        """Noisy residuals, from the tables of counts of the marginals `needed`.

        Raises:
            InvalidParameter: a table is missing or has another shape, counts are no counts, or
                tables disagree; nothing has been drawn then.
        """
        from leastnoise.tabulation.residuals.residual_answers import ResidualAnswers  # noqa: PLC0415 - only drawing needs it

        source = checked_source(source)
        exact = self._residuals(checked_tables(self.workload, value))
        answers = ResidualAnswers(self.plan, self._noisy(exact, source))
        return Release(answers, self.guarantee, repr(self))

    def _residuals(self, tables: Tables) -> Tables:
        found = shared_residuals(self.workload, tables)
        if isinstance(self.neighbours, AddRemove) or found[()] == self.neighbours.records:
            return found
        raise _check.refuse(
            f"the tables must count records={self.neighbours.records} people",
            "another number (not shown: it is data)",
            "With neighbours='replace' the number of people is public: state it.",
        )

    def _noisy(self, exact: Tables, source: Source) -> dict[AttributeSet, Draws]:
        """Every residual times its multiplier, plus noise; a public one as it is."""
        noise = self.plan.noise.law.sample(self.plan.noise.coordinates, source)
        noisy: dict[AttributeSet, Draws] = {}
        used = 0
        for places, multiplier in zip(self.workload.residuals, self.plan.multipliers, strict=True):
            residual = exact[places]
            if multiplier:
                drawn = noise[used : used + residual.size]
                used += residual.size
                residual = (multiplier * residual.ravel() + drawn).reshape(residual.shape)
            noisy[places] = np.asarray(residual)
            noisy[places].flags.writeable = False
        return noisy

    def privacy(self, distance: SupportsIndex = 1) -> "PrivacyLoss":
        """The price of one release if that many people are added, removed or replaced."""
        return self.plan.noise.loss(distance)

    def certificate(self) -> None:
        """None; `lower_bound` is computed and proved afresh."""
        return

    def variance(self, marginal: Marginal | str) -> Interval:
        """The variance of each cell of a marginal, before any data is seen."""
        return self.plan.variance(marginal)

    def error(
        self, marginal: Marginal | str, *, confidence: Exact, every_cell: bool = False
    ) -> Interval:
        """The error of a cell not exceeded with the given probability; promise the upper end."""
        return self.plan.error(marginal, confidence=confidence, every_cell=every_cell)

    def expected_cost(self) -> Interval:
        """The weighted sum of the variances of all cells, or the largest weighted variance."""
        workload, plan = self.workload, self.plan
        weighted = list(zip(workload.sets, workload.weights, strict=True))
        if self.objective is ResidualObjective.LARGEST:
            costs = [
                plan.noise.variance(lambda: balls.ball(weight) * plan.cell_squares(places))  # noqa: B023
                for places, weight in weighted
            ]
            return Interval(max(c.lower for c in costs), max(c.upper for c in costs))

        def total() -> arb:
            return sum(
                (
                    balls.ball(weight * workload.cells(places)) * plan.cell_squares(places)
                    for places, weight in weighted
                ),
                arb(0),
            )

        return plan.noise.variance(total)

    def lower_bound(self) -> Interval:
        """What no Gaussian mechanism with this guarantee on the line can fall below."""
        product = balls.enclosure(self.split.least_product)
        square = squared_mu(self.guarantee)
        return Interval(product.lower / square.upper, product.upper / square.lower)
