"""Questions how values vary: variances, and how two columns vary together."""

from typing import Self, SupportsIndex

from leastnoise._check import Exact
from leastnoise.release.ask.chosen_ends import chosen_ends, first_range
from leastnoise.release.ask.expected import Rows
from leastnoise.release.ask.expression import Condition, Term, as_term
from leastnoise.release.ask.named_bounds import Bound, NamedBounds
from leastnoise.release.ask.question_parts import checked_importance, square_grid
from leastnoise.release.asking.question_list import QuestionList
from leastnoise.release.step.groups import By, KeysLike


class VariationQuestions(QuestionList):
    """How far values are from their mean, and how two columns go together."""

    def variance(  # noqa: PLR0913 - each is part of the question
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
        importance: Exact = 1,
        expected: Rows | None = None,
        expected_answer: Exact | None = None,
        name: str | None = None,
    ) -> Self:
        """The variance of a column, its values cut to lower..upper; missing ones do not count.

        'auto' for `lower`, `upper` or both, as in `sum`.

        Example:
            >>> import leastnoise as ln
            >>> import pyarrow as pa
            >>> visits = ln.read(pa.table({"cost": [80.0]}), unit=None)
            >>> ln.plan(visits).variance("cost", lower=0, upper=600)
            <Plan: 1 question>
        """
        from leastnoise.release.questions.variance import Variance  # noqa: PLC0415

        bounds = NamedBounds(max_groups=max_groups, max_rows=max_rows)
        groups = self._groups(by, keys, where, at_least)
        low, high = self._range(column, lower, upper)
        ends = chosen_ends(low, high, None)
        grid = square_grid(*first_range(low, high, ends))
        title = name or f"variance of {column}{groups}"
        weight = checked_importance(importance)
        return self._with(
            Variance(title, groups, as_term(column), grid, weight, ends), bounds
        )._expecting(expected, expected_answer)

    def std(  # noqa: PLR0913 - each is part of the question
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
        importance: Exact = 1,
        expected: Rows | None = None,
        expected_answer: Exact | None = None,
        name: str | None = None,
    ) -> Self:
        """The standard deviation of a column, as `variance` has it; both together cost no more.

        Example:
            >>> import leastnoise as ln
            >>> import pyarrow as pa
            >>> visits = ln.read(pa.table({"cost": [80.0]}), unit=None)
            >>> ln.plan(visits).std("cost", lower=0, upper=600)
            <Plan: 1 question>
        """
        from leastnoise.release.questions.standard_deviation import StandardDeviation  # noqa: PLC0415

        bounds = NamedBounds(max_groups=max_groups, max_rows=max_rows)
        groups = self._groups(by, keys, where, at_least)
        low, high = self._range(column, lower, upper)
        ends = chosen_ends(low, high, None)
        grid = square_grid(*first_range(low, high, ends))
        title = name or f"std of {column}{groups}"
        weight = checked_importance(importance)
        return self._with(
            StandardDeviation(title, groups, as_term(column), grid, weight, ends), bounds
        )._expecting(expected, expected_answer)

    def covariance(  # noqa: PLR0913 - each is part of the question
        self,
        column: str | Term,
        other: str | Term,
        *,
        lower: Exact | None = None,
        upper: Exact | None = None,
        other_lower: Exact | None = None,
        other_upper: Exact | None = None,
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
        """How two columns vary together; rows without one of both values do not count.

        Example:
            >>> import leastnoise as ln
            >>> import pyarrow as pa
            >>> visits = ln.read(pa.table({"age": [41], "cost": [80.0]}), unit=None)
            >>> ln.plan(visits).covariance(
            ...     "age", "cost", lower=0, upper=110, other_lower=0, other_upper=600
            ... )
            <Plan: 1 question>
        """
        from leastnoise.release.questions.covariance import Covariance  # noqa: PLC0415

        bounds = NamedBounds(max_groups=max_groups, max_rows=max_rows)
        groups = self._groups(by, keys, where, at_least)
        title = name or f"covariance of {column} and {other}{groups}"
        columns = as_term(column), as_term(other)
        ranges = (
            self._range(column, lower, upper),
            self._range(other, other_lower, other_upper, "other_"),
        )
        grids = square_grid(*ranges[0]), square_grid(*ranges[1])
        weight = checked_importance(importance)
        return self._with(Covariance(title, groups, columns, grids, weight), bounds)._expecting(
            expected, expected_answer
        )

    def correlation(  # noqa: PLR0913 - each is part of the question
        self,
        column: str | Term,
        other: str | Term,
        *,
        lower: Exact | None = None,
        upper: Exact | None = None,
        other_lower: Exact | None = None,
        other_upper: Exact | None = None,
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
        """How nearly two columns rise together, from -1 to 1, as `covariance` has them.

        Example:
            >>> import leastnoise as ln
            >>> import pyarrow as pa
            >>> visits = ln.read(pa.table({"age": [41], "cost": [80.0]}), unit=None)
            >>> ln.plan(visits).correlation(
            ...     "age", "cost", lower=0, upper=110, other_lower=0, other_upper=600
            ... )
            <Plan: 1 question>
        """
        from leastnoise.release.questions.correlation import Correlation  # noqa: PLC0415
        from leastnoise.release.questions.covariance import Covariance  # noqa: PLC0415

        bounds = NamedBounds(max_groups=max_groups, max_rows=max_rows)
        groups = self._groups(by, keys, where, at_least)
        title = name or f"correlation of {column} and {other}{groups}"
        columns = as_term(column), as_term(other)
        ranges = (
            self._range(column, lower, upper),
            self._range(other, other_lower, other_upper, "other_"),
        )
        grids = square_grid(*ranges[0]), square_grid(*ranges[1])
        weight = checked_importance(importance)
        return self._with(
            Correlation(Covariance(title, groups, columns, grids, weight)), bounds
        )._expecting(expected, expected_answer)
