"""`PureMarginals`: marginals of a table under pure ε, by joint noise on signed tables."""

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise._frozen import keep
from leastnoise.mechanisms.release import Release
from leastnoise.noise.shapes.shape import Draws
from leastnoise.privacy.guarantee import PureDP
from leastnoise.randomness.source import Source, checked_source
from leastnoise.tabulation.residuals.residual_axis import TableArray
from leastnoise.tabulation.residuals.residual_counts import (
    Tables,
    checked_tables,
    counted_records,
    shared_residuals,
)
from leastnoise.tabulation.residuals.residual_workload import Marginal, ResidualWorkload, subsets
from leastnoise.tabulation.signed.signed_plan import SignedPlan
from leastnoise.tabulation.signed.signed_search import SignedChoice, best_choice
from leastnoise.tabulation.signed.signed_table import SignedTable

if TYPE_CHECKING:
    from leastnoise.privacy.loss import PrivacyLoss
    from leastnoise.tabulation.signed.signed_answers import SignedAnswers


@dataclass(frozen=True, init=False, repr=False)
class PureMarginals:
    r"""Marginals of any sizes, together, with ε-DP and little noise.

    A person moves one cell of every *signed table* by 1: attributes of two values are signs, others
    make cells. Tables of similar size share one draw of noise, whose price is that of a single
    table; the shares of ε, and which tables are worth measuring, are searched for. Least squares
    makes one table of what several tell.

    Theorem: for all tables of counts, and all units that move every cell of the full table by
    integers whose magnitudes add up to at most `contribution`, the release is ε-DP. The estimates
    are unbiased and agree with each other.
    Proof: docs/proofs/pure_marginals.md, sections 1 and 3.

    Args:
        workload: which marginals of which attributes.
        guarantee: `PureDP(epsilon=…)` with ε > 0.
        contribution: how far one unit moves the full table, in ℓ1: 1 for one person more or less,
            2 for one replaced.

    Raises:
        InvalidParameter: an argument is none of these.
        UnsupportedQuery: noise too wide to be drawn.

    References: HardtTalwar2010, Section 4, for the noise; XiaoHeZhangKifer2023, for the residuals.

    Example:
        >>> workload = ResidualWorkload({"sex": 2, "ill": 2}, [("sex", "ill")])
        >>> mechanism = PureMarginals(workload, guarantee=PureDP(epsilon=1))
        >>> people = [[0, 1], [1, 1], [1, 0]]  # one row of codes per person
        >>> answers = mechanism.release(mechanism.count(people)).value
        >>> answers.table(("sex", "ill")).shape
        (2, 2)
    """

    workload: ResidualWorkload
    guarantee: PureDP
    contribution: int

    def __init__(
        self,
        workload: ResidualWorkload,
        *,
        guarantee: PureDP,
        contribution: SupportsIndex = 1,
    ) -> None:
        rule = "`workload` must be a ResidualWorkload"
        example = "Write ResidualWorkload({'sex': 2, 'age': 10}, [('sex', 'age')])."
        keep(
            self,
            workload=_check.kind(workload, ResidualWorkload, rule, example),
            guarantee=_positive(guarantee),
            contribution=_check.integer_between(contribution, "contribution", 1),
        )
        _ = self.plan.laws  # refuses what cannot be drawn, before any data is read

    @property
    def parameters(self) -> dict[str, Any]:
        """The constructor's parameters by name."""
        return {
            "workload": self.workload,
            "guarantee": self.guarantee,
            "contribution": self.contribution,
        }

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in self.parameters.items())
        return f"PureMarginals({inside})"

    @cached_property
    def plan(self) -> SignedPlan:
        """Which tables are measured, in which groups, with which noise."""
        rate = Fraction(self.guarantee.epsilon) / self.contribution
        return SignedPlan.of(self.workload, _chosen(self.workload), rate)

    @property
    def needed(self) -> tuple[Marginal, ...]:
        """The marginals whose tables of counts `release` takes."""
        return self.workload.needed

    def count(self, records: ArrayLike) -> dict[Marginal, TableArray]:
        """The tables needed, counted from an array with one row of codes per person; secret."""
        found = counted_records(self.workload, records)
        return {self.workload.named(places): table for places, table in found.items()}

    def make_ready(self) -> None:
        """Makes the tables that noise is drawn from; draws nothing."""
        for law in self.plan.laws:
            law.make_ready()

    def release(
        self, value: Mapping[Marginal, ArrayLike], source: Source | None = None
    ) -> "Release[SignedAnswers]":
        """Noisy signed tables, from the tables of counts of the marginals `needed`.

        Raises:
            InvalidParameter: a table is missing or has another shape, counts are no counts, or
                tables disagree; nothing has been drawn then.
        """
        from leastnoise.tabulation.signed.signed_answers import SignedAnswers  # noqa: PLC0415 - only drawing needs it

        source = checked_source(source)
        tables = checked_tables(self.workload, value)
        shared_residuals(self.workload, tables)  # refuses tables that disagree
        answers = SignedAnswers(self.plan, self._noisy(tables, source))
        return Release(answers, self.guarantee, repr(self))

    def _noisy(self, tables: Tables, source: Source) -> dict[SignedTable, Draws]:
        homes = {subset: places for places in tables for subset in subsets(places)}
        noisy: dict[SignedTable, Draws] = {}
        for group, law in zip(self.plan.groups, self.plan.laws, strict=True):
            for table, noise in zip(group.tables, law.draw(source), strict=True):
                places = homes[tuple(sorted((*table.signs, *table.cells)))]
                exact = table.of(tables[places], places)
                noisy[table] = np.asarray(exact + noise.reshape(exact.shape))
                noisy[table].flags.writeable = False
        return noisy

    def privacy(self, distance: SupportsIndex = 1) -> "PrivacyLoss":
        """The price of one release if that many units change, as of any ε-DP mechanism."""
        from leastnoise.privacy.loss import PrivacyLoss  # noqa: PLC0415 - a forecast asks for none

        count = _check.integer_between(distance, "distance", 1)
        return PrivacyLoss.randomized_response(epsilon=self.guarantee.epsilon * count, categories=2)

    def certificate(self) -> None:
        """None: no lower bound is proved for these."""
        return

    def variance(self, marginal: Marginal | str) -> float:
        """The variance of each cell of a marginal, before any data is seen."""
        return self.plan.variance(marginal)

    def error(self, marginal: Marginal | str, *, confidence: Exact) -> float:
        """An error that a cell exceeds with at most the remaining probability."""
        return self.plan.error(marginal, confidence=confidence)

    def expected_cost(self) -> float:
        """The weighted sum of the variances of all cells."""
        return self.plan.expected_cost()


@lru_cache(maxsize=32)
def _chosen(workload: ResidualWorkload) -> SignedChoice:
    """The search is the same for all ε."""
    return best_choice(workload)


def _positive(guarantee: object) -> PureDP:
    if isinstance(guarantee, PureDP) and guarantee.epsilon > 0:
        return guarantee
    raise _check.refuse(
        "`guarantee` must be PureDP with epsilon > 0",
        _check.shown(guarantee),
        "Write PureDP(epsilon=1); for zCDP use ResidualPlanner.",
    )
