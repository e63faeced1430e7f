"""Questions that add values up: sums, means and ratios of sums."""

from typing import Self, SupportsIndex

from leastnoise._check import Exact
from leastnoise.release.ask.chosen_ends import chosen_ends, first_range
from leastnoise.release.ask.clip import Clip
from leastnoise.release.ask.defaults import most_or_declared
from leastnoise.release.ask.expected import Rows
from leastnoise.release.ask.expression import Condition, Term, as_term
from leastnoise.release.ask.named_bounds import Bound, NamedBounds
from leastnoise.release.ask.question_parts import (
    checked_importance,
    counts_missing,
    mean_grid,
    sum_grid,
    weight_grid,
)
from leastnoise.release.asking.question_list import QuestionList
from leastnoise.release.questions.mean import Mean
from leastnoise.release.questions.mean_of_all import MeanOfAll
from leastnoise.release.questions.sum import Sum
from leastnoise.release.step.groups import By, KeysLike


class SumQuestions(QuestionList):
    """What the values of a column make in all, or by row."""

    def sum(  # noqa: PLR0913 - each is part of the question
        self,
        column: str | Term,
        *,
        lower: Exact | None = None,
        upper: Exact | None = None,
        by: By = (),
        keys: KeysLike = None,
        at_least: SupportsIndex | None = None,
        where: Condition | str | None = None,
        max_groups: Bound = None,
        max_rows: Bound = None,
        clip: Clip | None = None,
        importance: Exact = 1,
        expected: Rows | None = None,
        expected_answer: Exact | None = None,
        name: str | None = None,
    ) -> Self:
        """The sum of a column whose values are cut to lower..upper; missing ones count as 0.

        With a `clip`, as in `count`. 'auto' for `lower`, `upper` or both has them chosen from the
        data, by a part of the budget.

        Example:
            >>> import leastnoise as ln
            >>> import pyarrow as pa
            >>> visits = ln.read(pa.table({"cost": [80.0]}), unit=None)
            >>> ln.plan(visits).sum("cost", lower=0, upper=600)
            <Plan: 1 question>
        """
        bounds = NamedBounds(max_groups=max_groups, max_rows=max_rows, clip=clip)
        groups = self._groups(by, keys, where, at_least)
        title = name or f"sum of {column}{groups}"
        low, high = self._range(column, lower, upper)
        ends = chosen_ends(low, high, clip)
        grid = sum_grid(*first_range(low, high, ends), clip)
        weight = checked_importance(importance)
        return self._with(
            Sum(title, groups, as_term(column), grid, weight, ends), bounds
        )._expecting(expected, expected_answer)

    def mean(  # noqa: PLR0913 - each is part of the question
        self,
        column: str | Term,
        *,
        lower: Exact | None = None,
        upper: Exact | None = None,
        by: By = (),
        keys: KeysLike = None,
        at_least: SupportsIndex | None = None,
        where: Condition | str | None = None,
        max_groups: Bound = None,
        max_rows: Bound = None,
        clip: Clip | None = None,
        missing: str | None = None,
        importance: Exact = 1,
        expected: Rows | None = None,
        expected_answer: Exact | None = None,
        name: str | None = None,
    ) -> Self:
        """The mean of a column whose values are cut to lower..upper; missing ones do not count.

        With a `clip`, as in `count`. The error depends on how many rows there are: `expected` is
        the number (in a group, if by group) for which it is forecast, `expected_answer` what the
        mean will be about. Both are public, and change no noise.

        With missing='middle' a missing value counts as the middle of the range: if none is missing
        the mean is the same, with less noise where several are asked.

        'auto' for `lower`, `upper` or both, as in `sum`.

        Example:
            >>> import leastnoise as ln
            >>> import pyarrow as pa
            >>> visits = ln.read(pa.table({"cost": [80.0], "city": ["Oslo"]}), unit=None)
            >>> ln.plan(visits).mean(
            ...     "cost", lower=0, upper=600, by="city", keys=["Oslo"], expected=500
            ... )
            <Plan: 1 question>
        """
        bounds = NamedBounds(max_groups=max_groups, max_rows=max_rows, clip=clip)
        groups = self._groups(by, keys, where, at_least)
        title = name or f"mean of {column}{groups}"
        low, high = self._range(column, lower, upper)
        ends = chosen_ends(low, high, clip)
        grid = mean_grid(*first_range(low, high, ends), clip)
        weight = checked_importance(importance)
        if counts_missing(missing, clip, ends):
            return self._with(
                MeanOfAll(title, groups, as_term(column), grid, weight), bounds
            )._expecting(expected, expected_answer)
        return self._with(
            Mean(title, groups, as_term(column), grid, weight, ends), bounds
        )._expecting(expected, expected_answer)

    def weighted_mean(  # noqa: PLR0913 - each is part of the question
        self,
        column: str | Term,
        weight: str | Term,
        *,
        lower: Exact | None = None,
        upper: Exact | None = None,
        most_weight: Exact | None = None,
        by: By = (),
        keys: KeysLike = None,
        at_least: SupportsIndex | None = None,
        where: Condition | str | None = None,
        max_groups: Bound = None,
        max_rows: Bound = None,
        importance: Exact = 1,
        expected: Rows | None = None,
        expected_answer: Exact | None = None,
        name: str | None = None,
    ) -> Self:
        """The mean of a column in which each row counts with a weight, from 0 to `most_weight`.

        Rows without a value or without a weight do not count.

        Example:
            >>> import leastnoise as ln
            >>> import pyarrow as pa
            >>> visits = ln.read(pa.table({"cost": [80.0], "weight": [1.5]}), unit=None)
            >>> ln.plan(visits).weighted_mean("cost", "weight", lower=0, upper=600, most_weight=9)
            <Plan: 1 question>
        """
        from leastnoise.release.questions.weighted_mean import WeightedMean  # noqa: PLC0415

        bounds = NamedBounds(max_groups=max_groups, max_rows=max_rows)
        groups = self._groups(by, keys, where, at_least)
        return self._with(
            WeightedMean.of(
                name or f"mean of {column} weighted by {weight}{groups}",
                groups,
                as_term(column),
                mean_grid(*self._range(column, lower, upper), None),
                as_term(weight),
                weight_grid(self._most(weight, most_weight)),
                checked_importance(importance),
            ),
            bounds,
        )._expecting(expected, expected_answer)

    def ratio(  # noqa: PLR0913 - each is part of the question
        self,
        column: str | Term,
        over: str | Term,
        *,
        lower: Exact | None = None,
        upper: Exact | None = None,
        over_lower: Exact | None = None,
        over_upper: Exact | None = None,
        by: By = (),
        keys: KeysLike = None,
        at_least: SupportsIndex | None = None,
        where: Condition | str | None = None,
        max_groups: Bound = None,
        max_rows: Bound = None,
        importance: Exact = 1,
        expected: Rows | None = None,
        expected_answer: Exact | None = None,
        name: str | None = None,
    ) -> Self:
        """The sum of a column over the sum of another; missing values count as 0.

        Both sums are measured; one that `sum` asks for too costs nothing more.

        Args:
            column: what is summed above.
            over: what is summed below.
            lower: of the values above; public.
            upper: of the values above; public.
            over_lower: of the values below; public.
            over_upper: of the values below; public.
            by: the columns that make the groups.
            keys: the groups, or 'private' to look for them in the data.
            at_least: of private groups, show none of fewer units than this.
            where: only rows for which this is true.
            max_groups: how many groups of one unit count here, in place of the plan's number.
            max_rows: how many rows of one unit count here, in place of the plan's number.
            importance: of an error as large as what one row adds.
            expected: how many rows one answer is about, for forecasts; see `mean`.
            expected_answer: what it will be about, for forecasts.
            name: how the answer is found again.

        Example:
            >>> import leastnoise as ln
            >>> import pyarrow as pa
            >>> visits = ln.read(pa.table({"cost": [80.0], "weight": [1.5]}), unit=None)
            >>> ln.plan(visits).ratio(
            ...     "cost", "weight", lower=0, upper=600, over_lower=1, over_upper=9
            ... )
            <Plan: 1 question>
        """
        from leastnoise.release.questions.ratio import Ratio  # noqa: PLC0415

        bounds = NamedBounds(max_groups=max_groups, max_rows=max_rows)
        groups = self._groups(by, keys, where, at_least)
        title = name or f"ratio of {column} to {over}{groups}"
        weight = checked_importance(importance)
        above = sum_grid(*self._range(column, lower, upper), None)
        below = sum_grid(*self._range(over, over_lower, over_upper, "over_"), None)
        top = Sum(title, groups, as_term(column), above, weight)
        return self._with(
            Ratio(title, top, Sum(title, groups, as_term(over), below, weight)), bounds
        )._expecting(expected, expected_answer)

    def _most(self, weight: str | Term, most: Exact | None) -> Exact:
        """The greatest weight: what is given, else what is declared of its column."""
        return most_or_declared(as_term(weight), self.table, most, "most_weight")
