"""The question how columns explain another."""

from collections.abc import Sequence
from typing import Self, SupportsIndex

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.release.ask.defaults import ranges_or_declared
from leastnoise.release.ask.expected import Rows
from leastnoise.release.ask.expression import Condition, Term, as_term
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.named_bounds import Bound, NamedBounds
from leastnoise.release.ask.question_parts import checked_importance, square_grid
from leastnoise.release.asking.question_list import QuestionList
from leastnoise.release.step.groups import By, KeysLike


class RegressionQuestions(QuestionList):
    """How a column follows others."""

    def regression(  # noqa: PLR0913 - each is part of the question
        self,
        column: str | Term,
        on: Sequence[str | Term],
        *,
        lower: Exact | None = None,
        upper: Exact | None = None,
        on_lower: Sequence[Exact] | None = None,
        on_upper: Sequence[Exact] | None = None,
        population: bool | None = None,
        by: By = (),
        keys: KeysLike = None,
        at_least: SupportsIndex | None = None,
        where: Condition | str | None = None,
        max_groups: Bound = None,
        max_rows: Bound = None,
        importance: Exact = 1,
        expected: Rows | None = None,
        name: str | None = None,
    ) -> Self:
        """The coefficients of a column on others by ordinary least squares, an intercept included.

        Values are cut to their bounds, and rows without one of them do not count. Tight bounds make
        little noise. Regressions with the same columns and rows share their sums.

        Args:
            column: what is explained.
            on: the columns that explain it; of whole numbers from 0 to 1 no square is needed.
            lower: of the values explained; public.
            upper: of the values explained; public.
            on_lower: for each column in `on`; public.
            on_upper: for each column in `on`; public.
            population: make intervals about a population that the rows were drawn from; else they
                are about this table.
            by: the columns that make the groups.
            keys: the groups, or 'private' to look for them in the data.
            at_least: of private groups, show none of fewer units than this.
            where: only rows for which this is true.
            max_groups: how many groups of one unit count here, in place of the plan's number.
            max_rows: how many rows of one unit count here, in place of the plan's number.
            importance: of an error as large as what one row adds.
            expected: how many rows one group has, for forecasts; see `mean`.
            name: how the answer is found again.

        Example:
            >>> import leastnoise as ln
            >>> import pyarrow as pa
            >>> visits = ln.read(pa.table({"age": [41], "cost": [80.0]}), unit=None)
            >>> ln.plan(visits).regression(
            ...     "cost", on=["age"], lower=0, upper=600, on_lower=[0], on_upper=[110]
            ... )
            <Plan: 1 question>
        """
        from leastnoise.release.questions.regression import Regression, refuse_repeated  # noqa: PLC0415

        bounds = NamedBounds(max_groups=max_groups, max_rows=max_rows)
        groups = self._groups(by, keys, where, at_least)
        explained = square_grid(*self._range(column, lower, upper))
        places = [*self._explaining(on, on_lower, on_upper), (as_term(column), explained)]
        columns, grids = zip(*places, strict=True)
        refuse_repeated(columns)
        title = name or f"regression of {column} on {', '.join(map(str, on))}{groups}"
        whole = population is not None and _check.flag(population, "population")
        weight = checked_importance(importance)
        asked = Regression(title, groups, columns, grids, whole, weight)
        return self._with(asked, bounds)._expecting(expected)

    def _explaining(
        self, on: Sequence[str | Term], lower: Sequence[Exact] | None, upper: Sequence[Exact] | None
    ) -> list[tuple[Term, Grid]]:
        from leastnoise.release.questions.regression import explaining  # noqa: PLC0415

        listed = [] if isinstance(on, str) or not isinstance(on, Sequence) else list(on)
        names = "on_lower", "on_upper"
        ends = ranges_or_declared(list(map(as_term, listed)), self.table, lower, upper, names)
        return explaining(on, *ends)
