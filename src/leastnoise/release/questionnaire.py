"""`Questionnaire`: what is asked about one table, one method for each kind of question."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Self, SupportsIndex

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.release.ask.bin import Bin
from leastnoise.release.ask.chosen_ends import chosen_ends, first_range
from leastnoise.release.ask.clip import Clip
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.expected import Expected, Rows, expectation
from leastnoise.release.ask.expression import Condition, Term, as_term
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.keys import Key
from leastnoise.release.ask.measured_cut import MeasuredCut
from leastnoise.release.ask.named_bounds import NO_BOUNDS, Bound, NamedBounds
from leastnoise.release.ask.question_parts import (
    checked_importance,
    counts_missing,
    mean_grid,
    square_grid,
    sum_grid,
    weight_grid,
)
from leastnoise.release.ask.table import Table
from leastnoise.release.measure.answerable import refuse_impossible
from leastnoise.release.measure.sql.sql_term import kind_of
from leastnoise.release.questions.bounded_question import BoundedQuestion
from leastnoise.release.questions.column_quantiles import ColumnQuantiles, quantile_parts
from leastnoise.release.questions.correlation import Correlation
from leastnoise.release.questions.count import Count
from leastnoise.release.questions.covariance import Covariance
from leastnoise.release.questions.cumulative import Cumulative, checked_parts
from leastnoise.release.questions.distinct import Distinct
from leastnoise.release.questions.histogram import Histogram
from leastnoise.release.questions.marginals import Marginals, attributes
from leastnoise.release.questions.mean import Mean
from leastnoise.release.questions.mean_of_all import MeanOfAll
from leastnoise.release.questions.median import Median
from leastnoise.release.questions.most_common import MostCommon
from leastnoise.release.questions.question import Question
from leastnoise.release.questions.ratio import Ratio
from leastnoise.release.questions.regression import Regression, explaining, refuse_repeated
from leastnoise.release.questions.share import Share
from leastnoise.release.questions.standard_deviation import StandardDeviation
from leastnoise.release.questions.sum import Sum
from leastnoise.release.questions.unit_share import UnitShare
from leastnoise.release.questions.variance import Variance
from leastnoise.release.questions.weighted_mean import WeightedMean
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.bounds_used import bounds_used
from leastnoise.release.step.groups import By, KeysLike, groups_of, key_term, with_public_keys

_MOST_SHOWN = 10**6  # of private groups, whose number is not known; each is drawn


@dataclass(frozen=True)
class Questionnaire:
    """A list of questions about a table; each method returns a longer one.

    Attributes:
        table: what is asked about.
        bounds: how much of one unit counts in each question, as far as the plan says it.
        questions: what is asked.
        expected: by the names of questions, what somebody expects of their answers. It is for
            forecasts alone, and no part of the plan's fingerprint.
        cut: how what the bounds leave out is measured; None if it is not.
    """

    table: Table
    bounds: NamedBounds
    questions: tuple[Question, ...] = ()
    expected: tuple[tuple[str, Expected], ...] = field(default=(), repr=False)
    cut: MeasuredCut | None = None

    @property
    def bounded(self) -> BoundedTable:
        """The table with the bounds: what questions are asked of."""
        return BoundedTable(self.table, self.bounds.over(), self.cut)

    def count(  # noqa: PLR0913 - each is part of the question
        self,
        *,
        by: By = (),
        keys: KeysLike = None,
        at_least: SupportsIndex | None = None,
        where: Condition | None = None,
        max_groups: Bound = None,
        max_rows: Bound = None,
        clip: Clip | None = None,
        importance: Exact = 1,
        expected: Rows | None = None,
        name: str | None = None,
    ) -> Self:
        """How many rows, in all or in each group.

        `max_groups` and `max_rows` of a question take the place of the plan's. With a `clip`, all
        groups of a unit count, and a bound on all of them together takes the place of both. It
        needs public keys.
        """
        bounds = NamedBounds(max_groups=max_groups, max_rows=max_rows, clip=clip)
        groups = groups_of(by, keys, where, at_least)
        title = name or f"count{groups}"
        return self._with(
            Count(title, groups, False, checked_importance(importance)), bounds
        )._expecting(expected)

    def count_units(  # noqa: PLR0913 - each is part of the question
        self,
        *,
        by: By = (),
        keys: KeysLike = None,
        at_least: SupportsIndex | None = None,
        where: Condition | None = None,
        max_groups: Bound = None,
        clip: Clip | None = None,
        importance: Exact = 1,
        expected: Rows | None = None,
        name: str | None = None,
    ) -> Self:
        """How many units (people), in all or in each group.

        With a `clip` of C, a unit in g groups counts in all of them, with min(1, C/g) in each under
        `max_total` and min(1, C/√g) under `max_norm`. It needs public keys.
        """
        bounds = NamedBounds(max_groups=max_groups, clip=clip)
        groups = groups_of(by, keys, where, at_least)
        title = name or f"units{groups}"
        return self._with(
            Count(title, groups, True, checked_importance(importance)), bounds
        )._expecting(expected)

    def sum(  # noqa: PLR0913 - each is part of the question
        self,
        column: str | Term,
        *,
        lower: Exact,
        upper: Exact,
        by: By = (),
        keys: KeysLike = None,
        at_least: SupportsIndex | None = None,
        where: Condition | None = None,
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
        """
        bounds = NamedBounds(max_groups=max_groups, max_rows=max_rows, clip=clip)
        groups = groups_of(by, keys, where, at_least)
        title = name or f"sum of {column}{groups}"
        ends = chosen_ends(lower, upper, clip)
        grid = sum_grid(*first_range(lower, upper, ends), clip)
        weight = checked_importance(importance)
        return self._with(
            Sum(title, groups, as_term(column), grid, weight, ends), bounds
        )._expecting(expected, expected_answer)

    def mean(  # noqa: PLR0913 - each is part of the question
        self,
        column: str | Term,
        *,
        lower: Exact,
        upper: Exact,
        by: By = (),
        keys: KeysLike = None,
        at_least: SupportsIndex | None = None,
        where: Condition | None = None,
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
        the number (in a group, if by group) for which it is foretold, `expected_answer` what the
        mean will be about. Both are public, and change no noise.

        With missing='middle' a missing value counts as the middle of the range: if none is missing
        the mean is the same, with less noise where several are asked.

        'auto' for `lower`, `upper` or both, as in `sum`.
        """
        bounds = NamedBounds(max_groups=max_groups, max_rows=max_rows, clip=clip)
        groups = groups_of(by, keys, where, at_least)
        title = name or f"mean of {column}{groups}"
        ends = chosen_ends(lower, upper, clip)
        grid = mean_grid(*first_range(lower, upper, ends), clip)
        weight = checked_importance(importance)
        if counts_missing(missing, clip, ends):
            return self._with(
                MeanOfAll(title, groups, as_term(column), grid, weight), bounds
            )._expecting(expected, expected_answer)
        return self._with(
            Mean(title, groups, as_term(column), grid, weight, ends), bounds
        )._expecting(expected, expected_answer)

    def variance(  # noqa: PLR0913 - each is part of the question
        self,
        column: str | Term,
        *,
        lower: Exact,
        upper: Exact,
        by: By = (),
        keys: KeysLike = None,
        at_least: SupportsIndex | None = None,
        where: Condition | None = None,
        max_groups: Bound = None,
        max_rows: Bound = None,
        importance: Exact = 1,
        expected: Rows | None = None,
        expected_answer: Exact | None = None,
        name: str | None = None,
    ) -> Self:
        """The variance of a column, its values cut to lower..upper; missing ones do not count."""
        bounds = NamedBounds(max_groups=max_groups, max_rows=max_rows)
        groups = groups_of(by, keys, where, at_least)
        grid = square_grid(lower, upper)
        title = name or f"variance of {column}{groups}"
        return self._with(
            Variance(title, groups, as_term(column), grid, checked_importance(importance)), bounds
        )._expecting(expected, expected_answer)

    def std(  # noqa: PLR0913 - each is part of the question
        self,
        column: str | Term,
        *,
        lower: Exact,
        upper: Exact,
        by: By = (),
        keys: KeysLike = None,
        at_least: SupportsIndex | None = None,
        where: Condition | None = None,
        max_groups: Bound = None,
        max_rows: Bound = None,
        importance: Exact = 1,
        expected: Rows | None = None,
        expected_answer: Exact | None = None,
        name: str | None = None,
    ) -> Self:
        """The standard deviation of a column, as `variance` has it; both together cost no more."""
        bounds = NamedBounds(max_groups=max_groups, max_rows=max_rows)
        groups = groups_of(by, keys, where, at_least)
        grid = square_grid(lower, upper)
        title = name or f"std of {column}{groups}"
        weight = checked_importance(importance)
        return self._with(
            StandardDeviation(title, groups, as_term(column), grid, weight), bounds
        )._expecting(expected, expected_answer)

    def covariance(  # noqa: PLR0913 - each is part of the question
        self,
        column: str | Term,
        other: str | Term,
        *,
        lower: Exact,
        upper: Exact,
        other_lower: Exact,
        other_upper: Exact,
        by: By = (),
        keys: KeysLike = None,
        at_least: SupportsIndex | None = None,
        where: Condition | None = None,
        max_groups: Bound = None,
        max_rows: Bound = None,
        importance: Exact = 1,
        expected: Rows | None = None,
        expected_answer: Exact | None = None,
        name: str | None = None,
    ) -> Self:
        """How two columns vary together; rows without one of both values do not count."""
        bounds = NamedBounds(max_groups=max_groups, max_rows=max_rows)
        groups = groups_of(by, keys, where, at_least)
        title = name or f"covariance of {column} and {other}{groups}"
        columns = as_term(column), as_term(other)
        grids = square_grid(lower, upper), square_grid(other_lower, other_upper)
        weight = checked_importance(importance)
        return self._with(Covariance(title, groups, columns, grids, weight), bounds)._expecting(
            expected, expected_answer
        )

    def correlation(  # noqa: PLR0913 - each is part of the question
        self,
        column: str | Term,
        other: str | Term,
        *,
        lower: Exact,
        upper: Exact,
        other_lower: Exact,
        other_upper: Exact,
        by: By = (),
        keys: KeysLike = None,
        at_least: SupportsIndex | None = None,
        where: Condition | None = None,
        max_groups: Bound = None,
        max_rows: Bound = None,
        importance: Exact = 1,
        expected: Rows | None = None,
        expected_answer: Exact | None = None,
        name: str | None = None,
    ) -> Self:
        """How nearly two columns rise together, from -1 to 1, as `covariance` has them."""
        bounds = NamedBounds(max_groups=max_groups, max_rows=max_rows)
        groups = groups_of(by, keys, where, at_least)
        title = name or f"correlation of {column} and {other}{groups}"
        columns = as_term(column), as_term(other)
        grids = square_grid(lower, upper), square_grid(other_lower, other_upper)
        weight = checked_importance(importance)
        return self._with(
            Correlation(Covariance(title, groups, columns, grids, weight)), bounds
        )._expecting(expected, expected_answer)

    def regression(  # noqa: PLR0913 - each is part of the question
        self,
        column: str | Term,
        on: Sequence[str | Term],
        *,
        lower: Exact,
        upper: Exact,
        on_lower: Sequence[Exact],
        on_upper: Sequence[Exact],
        population: bool | None = None,
        by: By = (),
        keys: KeysLike = None,
        at_least: SupportsIndex | None = None,
        where: Condition | None = None,
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
        """
        bounds = NamedBounds(max_groups=max_groups, max_rows=max_rows)
        groups = groups_of(by, keys, where, at_least)
        places = [*explaining(on, on_lower, on_upper), (as_term(column), square_grid(lower, upper))]
        columns, grids = zip(*places, strict=True)
        refuse_repeated(columns)
        title = name or f"regression of {column} on {', '.join(map(str, on))}{groups}"
        whole = population is not None and _check.flag(population, "population")
        weight = checked_importance(importance)
        asked = Regression(title, groups, columns, grids, whole, weight)
        return self._with(asked, bounds)._expecting(expected)

    def share(  # noqa: PLR0913 - each is part of the question
        self,
        of: Condition,
        *,
        by: By = (),
        keys: KeysLike = None,
        at_least: SupportsIndex | None = None,
        where: Condition | None = None,
        max_groups: Bound = None,
        max_rows: Bound = None,
        importance: Exact = 1,
        expected: Rows | None = None,
        expected_answer: Exact | None = None,
        name: str | None = None,
    ) -> Self:
        """Which part of the rows meets a condition, in all or in each group; from 0 to 1.

        Rows for which the condition is not known, as a value is missing, are among those that do
        not meet it. Use `where` to leave them out.
        """
        bounds = NamedBounds(max_groups=max_groups, max_rows=max_rows)
        groups = groups_of(by, keys, where, at_least)
        title = name or f"share with {of}{groups}"
        return self._with(
            Share.of(title, groups, of, checked_importance(importance)), bounds
        )._expecting(expected, expected_answer)

    def share_units(  # noqa: PLR0913 - each is part of the question
        self,
        of: Condition,
        *,
        by: By = (),
        keys: KeysLike = None,
        where: Condition | None = None,
        max_groups: Bound = None,
        importance: Exact = 1,
        expected: Rows | None = None,
        expected_answer: Exact | None = None,
        name: str | None = None,
    ) -> Self:
        """Which part of the units (people) has a row that meets a condition; from 0 to 1.

        Both numbers of units are measured; one that `count_units` asks for too costs nothing more.
        Where units are in more than `max_groups` groups, the two are of different groups of them.
        """
        bounds = NamedBounds(max_groups=max_groups)
        groups = with_public_keys(groups_of(by, keys, where), "a share of units")
        title = name or f"share of units with {of}{groups}"
        return self._with(
            UnitShare.of(title, groups, of, checked_importance(importance)), bounds
        )._expecting(expected, expected_answer)

    def ratio(  # noqa: PLR0913 - each is part of the question
        self,
        column: str | Term,
        over: str | Term,
        *,
        lower: Exact,
        upper: Exact,
        over_lower: Exact,
        over_upper: Exact,
        by: By = (),
        keys: KeysLike = None,
        at_least: SupportsIndex | None = None,
        where: Condition | None = None,
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
        """
        bounds = NamedBounds(max_groups=max_groups, max_rows=max_rows)
        groups = groups_of(by, keys, where, at_least)
        title = name or f"ratio of {column} to {over}{groups}"
        weight = checked_importance(importance)
        above, below = sum_grid(lower, upper, None), sum_grid(over_lower, over_upper, None)
        top = Sum(title, groups, as_term(column), above, weight)
        return self._with(
            Ratio(title, top, Sum(title, groups, as_term(over), below, weight)), bounds
        )._expecting(expected, expected_answer)

    def weighted_mean(  # noqa: PLR0913 - each is part of the question
        self,
        column: str | Term,
        weight: str | Term,
        *,
        lower: Exact,
        upper: Exact,
        most_weight: Exact,
        by: By = (),
        keys: KeysLike = None,
        at_least: SupportsIndex | None = None,
        where: Condition | None = None,
        max_groups: Bound = None,
        max_rows: Bound = None,
        importance: Exact = 1,
        expected: Rows | None = None,
        expected_answer: Exact | None = None,
        name: str | None = None,
    ) -> Self:
        """The mean of a column in which each row counts with a weight, from 0 to `most_weight`.

        Rows without a value or without a weight do not count.
        """
        bounds = NamedBounds(max_groups=max_groups, max_rows=max_rows)
        groups = groups_of(by, keys, where, at_least)
        return self._with(
            WeightedMean.of(
                name or f"mean of {column} weighted by {weight}{groups}",
                groups,
                as_term(column),
                mean_grid(lower, upper, None),
                as_term(weight),
                weight_grid(most_weight),
                checked_importance(importance),
            ),
            bounds,
        )._expecting(expected, expected_answer)

    def histogram(  # noqa: PLR0913 - each is part of the question
        self,
        column: str | Term,
        *,
        lower: Exact,
        upper: Exact,
        parts: SupportsIndex,
        by: By = (),
        keys: KeysLike = None,
        where: Condition | None = None,
        max_rows: Bound = None,
        importance: Exact = 1,
        expected: Rows | None = None,
        name: str | None = None,
    ) -> Self:
        """How many rows have a value in each of several equal parts of lower..upper.

        At most `max_rows` rows of a unit count, all groups together. Values outside count in the
        first or last part, missing ones in none.
        """
        bounds = NamedBounds(max_rows=max_rows)
        groups = with_public_keys(groups_of(by, keys, where), "a histogram")
        title = name or f"histogram of {column}{groups}"
        part = Bin(as_term(column), Grid(lower=lower, upper=upper), parts)
        return self._with(
            Histogram(title, groups, part, checked_importance(importance)), bounds
        )._expecting(expected)

    def cumulative(  # noqa: PLR0913 - each is part of the question
        self,
        column: str | Term,
        *,
        lower: Exact,
        upper: Exact,
        parts: SupportsIndex,
        by: By = (),
        keys: KeysLike = None,
        where: Condition | None = None,
        max_rows: Bound = None,
        importance: Exact = 1,
        expected: Rows | None = None,
        name: str | None = None,
    ) -> Self:
        """Which part of the rows is below each end between equal parts of lower..upper; 0 to 1.

        The shares rise, and so does their band, which holds for all ends of a group at once. At
        most `max_rows` rows of a unit count, all groups together; missing values do not.
        """
        bounds = NamedBounds(max_rows=max_rows)
        groups = with_public_keys(groups_of(by, keys, where), "a cumulative question")
        title = name or f"cumulative {column}{groups}"
        part = checked_parts(Bin(as_term(column), Grid(lower=lower, upper=upper), parts))
        weight = checked_importance(importance)
        return self._with(Cumulative(title, groups, part, weight), bounds)._expecting(expected)

    def distinct(  # noqa: PLR0913 - each is part of the question
        self,
        column: str | Term,
        *,
        by: By = (),
        keys: KeysLike = None,
        where: Condition | None = None,
        max_groups: Bound = None,
        max_rows: Bound = None,
        importance: Exact = 1,
        expected: Rows | None = None,
        name: str | None = None,
    ) -> Self:
        """How many different values a column has, of integers, text or truth values.

        Each unit adds at most `max_rows` of its values in a group, chosen at random: with small
        bounds values are left out that few units have. For units themselves ask `count_units`.
        """
        bounds = NamedBounds(max_groups=max_groups, max_rows=max_rows)
        groups = with_public_keys(groups_of(by, keys, where), "a number of different values")
        title = name or f"distinct {column}{groups}"
        question = Distinct(title, groups, key_term(column), checked_importance(importance))
        return self._with(question, bounds)._expecting(expected)

    def quantiles(  # noqa: PLR0913 - each is part of the question
        self,
        column: str | Term,
        levels: Sequence[Exact],
        *,
        lower: Exact,
        upper: Exact,
        parts: SupportsIndex | None = None,
        by: By = (),
        keys: KeysLike = None,
        where: Condition | None = None,
        max_rows: Bound = None,
        importance: Exact = 1,
        expected: Rows | None = None,
        name: str | None = None,
    ) -> Self:
        """The values of a column below which given parts of the rows lie, all at once.

        At most `max_rows` rows of a unit count, all groups together. Values outside lower..upper
        count as these, missing ones not at all.

        Args:
            column: numbers.
            levels: rising, in (0, 1); [0.25, 0.5, 0.75] are the quartiles.
            lower: of the values; public.
            upper: of the values; public.
            parts: into how many equal parts to cut the range; the answer is the middle of one. By
                default whole numbers get a part each, others some 16 000 in all.
            by: the columns that make the groups.
            keys: the groups; public.
            where: only rows for which this is true.
            max_rows: how many rows of one unit count here, in place of the plan's number.
            importance: of an error of one row in the rank.
            expected: how many rows one answer is about, for forecasts; see `mean`.
            name: how the answer is found again.
        """
        bounds = NamedBounds(max_rows=max_rows)
        groups = with_public_keys(groups_of(by, keys, where), "a quantile")
        title = name or f"quantiles of {column}{groups}"
        kind = kind_of(as_term(column), self.table.schema)
        part = quantile_parts(as_term(column), lower, upper, parts, kind)
        return self._with(
            ColumnQuantiles.of(
                title,
                groups,
                part,
                levels=levels,
                importance=checked_importance(importance),
            ),
            bounds,
        )._expecting(expected)

    def median(  # noqa: PLR0913 - each is part of the question
        self,
        column: str | Term,
        *,
        lower: Exact,
        upper: Exact,
        parts: SupportsIndex | None = None,
        by: By = (),
        keys: KeysLike = None,
        where: Condition | None = None,
        max_rows: Bound = None,
        importance: Exact = 1,
        expected: Rows | None = None,
        name: str | None = None,
    ) -> Self:
        """The value of a column below which half of the rows lie, as `quantiles` finds it."""
        bounds = NamedBounds(max_rows=max_rows)
        groups = with_public_keys(groups_of(by, keys, where), "a median")
        title = name or f"median of {column}{groups}"
        kind = kind_of(as_term(column), self.table.schema)
        part = quantile_parts(as_term(column), lower, upper, parts, kind)
        weight = checked_importance(importance)
        return self._with(
            Median.of(title, groups, part, levels=["1/2"], importance=weight), bounds
        )._expecting(expected)

    def marginals(  # noqa: PLR0913 - each is part of the question
        self,
        columns: Iterable[str],
        *,
        ways: SupportsIndex = 1,
        keys: Mapping[str, Iterable[Key]] | None = None,
        where: Condition | None = None,
        max_rows: Bound = None,
        importance: Exact = 1,
        expected: Rows | None = None,
        name: str | None = None,
    ) -> Self:
        """How many rows by each of several columns, or by every two or three of them.

        At most `max_rows` rows of a unit count, and only rows that have a listed value in each of
        the columns.

        Args:
            columns: at least one.
            ways: how many of them make a table.
            keys: the values of each column; columns of truth values need none.
            where: only rows for which this is true.
            max_rows: how many rows of one unit count here, in place of the plan's number.
            importance: of an error of one row.
            expected: how many rows one answer is about, for forecasts; see `mean`.
            name: how the answer is found again.
        """
        bounds = NamedBounds(max_rows=max_rows)
        listed = attributes(columns, keys or {}, self.table.schema)
        size = _check.integer_between(ways, "ways", 1, len(listed))
        names = ", ".join(column for column, _ in listed)
        title = name or f"marginals of {names}" + (f", {size} ways" if size > 1 else "")
        weight = checked_importance(importance)
        return self._with(Marginals(title, listed, size, where, weight), bounds)._expecting(
            expected
        )

    def relative_counts(  # noqa: PLR0913 - each is part of the question
        self,
        *,
        relative_error: Exact,
        smallest: SupportsIndex,
        by: By = (),
        keys: KeysLike = None,
        at_least: SupportsIndex | None = None,
        where: Condition | None = None,
        max_groups: Bound = None,
        name: str | None = None,
    ) -> Self:
        """How many units, with a mean error of at most so many times the number itself.

        The price follows from the error and the smallest group; people in larger groups are better
        protected than that. Groups below `smallest` look like groups of this size.
        """
        bounds = NamedBounds(max_groups=max_groups)
        # Loaded here: a tenth of a second that plans without this question need not wait.
        from leastnoise.groupwise.relative_counts import RelativeCounts  # noqa: PLC0415
        from leastnoise.release.questions.relative_count import RelativeCount  # noqa: PLC0415

        groups = groups_of(by, keys, where, at_least)
        noise = RelativeCounts(relative_error=relative_error, smallest=smallest)
        title = name or f"relative counts{groups}"
        return self._with(RelativeCount(title, groups, noise), bounds)

    def most_common(  # noqa: PLR0913 - each is part of the question
        self,
        by: By,
        *,
        count: SupportsIndex,
        keys: KeysLike,
        at_least: SupportsIndex | None = None,
        where: Condition | None = None,
        max_groups: Bound = None,
        clip: Clip | None = None,
        importance: Exact = 1,
        expected: Rows | None = None,
        name: str | None = None,
    ) -> Self:
        """The groups with the most units, and how many they have.

        Args:
            by: the columns that make the groups.
            count: how many groups to show, at most.
            keys: all groups there may be, or 'private' to look for them in the data.
            at_least: of private groups, show none of fewer units than this.
            where: only rows for which this is true.
            max_groups: how many groups of one unit count here, in place of the plan's number.
            clip: a bound on all groups of a unit together, in its place; for public keys.
            importance: of an error of one unit.
            expected: how many rows one answer is about, for forecasts; see `mean`.
            name: how the answer is found again.
        """
        bounds = NamedBounds(max_groups=max_groups, clip=clip)
        groups = groups_of(by, keys, where, at_least)
        size = _check.integer_between(count, "count", 1, groups.count or _MOST_SHOWN)
        title = name or f"{size} most common{groups}"
        return self._with(
            MostCommon(title, groups, size, checked_importance(importance)), bounds
        )._expecting(expected)

    def _with(self, question: Question, own: NamedBounds = NO_BOUNDS) -> Self:
        self._refuse_name(question.name)
        bounded = self._bounded(self._dated(question), own)
        asked = bounded.measurements(self.bounded)
        for each in asked:
            refuse_impossible(each, self.table.schema)
        if self.table.unit is not None:
            used = frozenset[str]().union(*map(bounds_used, asked))
            own.before(self.bounds).refuse_missing(used, question.name)
        return replace(self, questions=(*self.questions, bounded))

    def _dated(self, question: Question) -> Question:
        """The question with dates for keys that were given as text, where a column holds dates."""
        groups, schema = question.groups, self.table.schema
        if groups.public_keys is None:
            return question
        dated = {e.name for e in groups.by if kind_of(e, schema) is ColumnType.DATE}
        keys = groups.public_keys.with_dates(dated)
        if keys is groups.public_keys:
            return question
        return replace(question, groups=replace(groups, keys=keys))  # type: ignore[type-var]

    def _refuse_name(self, name: object) -> None:
        if not isinstance(name, str) or not name.isprintable():
            raise _check.refuse(
                "`name` must be printable text", _check.shown(name), "Use a few words."
            )
        if name in map(attrgetter("name"), self.questions):
            raise _check.refuse("questions must have different names", repr(name), "Give `name=`.")

    def _bounded(self, question: Question, own: NamedBounds) -> Question:
        """The question under its own bounds, if it has any that have an effect."""
        if own.clip is not None:
            with_public_keys(question.groups, "a clip")
        if own.max_groups is not None and not question.groups.by:
            raise _check.refuse(
                "`max_groups` is for questions by groups",
                f"max_groups={own.max_groups} for {question.name!r}",
                "Leave it out, or say `by`.",
            )
        return question if own == NO_BOUNDS else BoundedQuestion(question, own)

    def _expecting(self, rows: Rows | None, answer: Exact | None = None) -> Self:
        """The same, with what somebody expects of the last question's answers."""
        expected = expectation(rows, answer)
        return replace(self, expected=(*self.expected, (self.questions[-1].name, expected)))
