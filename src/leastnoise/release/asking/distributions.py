"""Questions how rows lie over parts of a range, or over the values of columns."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Self, SupportsIndex

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.release.ask.bin import Bin
from leastnoise.release.ask.dates import day_range, each_day
from leastnoise.release.ask.expected import Rows
from leastnoise.release.ask.expression import Condition, Term, as_term
from leastnoise.release.ask.keys import Key
from leastnoise.release.ask.named_bounds import Bound, NamedBounds
from leastnoise.release.ask.question_parts import checked_importance
from leastnoise.release.asking.question_list import End, QuestionList, number_ends
from leastnoise.release.measure.sql.sql_term import kind_of
from leastnoise.release.questions.column_quantiles import ColumnQuantiles, quantile_parts
from leastnoise.release.questions.histogram import Histogram
from leastnoise.release.questions.marginals import Marginals, attributes
from leastnoise.release.step.groups import By, KeysLike, with_public_keys


class DistributionQuestions(QuestionList):
    """How rows lie over a range, or over the values of several columns."""

    def histogram(  # noqa: PLR0913 - each is part of the question
        self,
        column: str | Term,
        *,
        lower: End = None,
        upper: End = None,
        parts: SupportsIndex,
        by: By = (),
        keys: KeysLike = None,
        where: Condition | str | None = None,
        max_rows: Bound = None,
        importance: Exact = 1,
        expected: Rows | None = None,
        name: str | None = None,
    ) -> Self:
        """How many rows have a value in each of several equal parts of lower..upper.

        At most `max_rows` rows of a unit count, all groups together. Values outside count in the
        first or last part, missing ones in none. Of dates, parts are stretches of whole days, from
        `lower` to `upper` with both; for weeks and months group by `date_trunc`.

        Example:
            >>> import leastnoise as ln
            >>> import pyarrow as pa
            >>> visits = ln.read(pa.table({"age": [41]}), unit=None)
            >>> ln.plan(visits).histogram("age", lower=0, upper=110, parts=11)
            <Plan: 1 question>
        """
        bounds = NamedBounds(max_rows=max_rows)
        groups = with_public_keys(self._groups(by, keys, where), "a histogram")
        title = name or f"histogram of {column}{groups}"
        part = self._parts(column, lower, upper, parts)
        return self._with(
            Histogram(title, groups, part, checked_importance(importance)), bounds
        )._expecting(expected)

    def cumulative(  # noqa: PLR0913 - each is part of the question
        self,
        column: str | Term,
        *,
        lower: End = None,
        upper: End = None,
        parts: SupportsIndex,
        by: By = (),
        keys: KeysLike = None,
        where: Condition | str | None = None,
        max_rows: Bound = None,
        importance: Exact = 1,
        expected: Rows | None = None,
        name: str | None = None,
    ) -> Self:
        """Which part of the rows is below each end between equal parts of lower..upper; 0 to 1.

        The shares rise, and so does their band, which holds for all ends of a group at once. At
        most `max_rows` rows of a unit count, all groups together; missing values do not. Of dates,
        parts are stretches of whole days.

        Example:
            >>> import leastnoise as ln
            >>> import pyarrow as pa
            >>> visits = ln.read(pa.table({"age": [41]}), unit=None)
            >>> ln.plan(visits).cumulative("age", lower=0, upper=110, parts=11)
            <Plan: 1 question>
        """
        from leastnoise.release.questions.cumulative import Cumulative, checked_parts  # noqa: PLC0415

        bounds = NamedBounds(max_rows=max_rows)
        groups = with_public_keys(self._groups(by, keys, where), "a cumulative question")
        title = name or f"cumulative {column}{groups}"
        part = checked_parts(self._parts(column, lower, upper, parts))
        weight = checked_importance(importance)
        return self._with(Cumulative(title, groups, part, weight), bounds)._expecting(expected)

    def quantiles(  # noqa: PLR0913 - each is part of the question
        self,
        column: str | Term,
        levels: Sequence[Exact],
        *,
        lower: End = None,
        upper: End = None,
        parts: SupportsIndex | None = None,
        by: By = (),
        keys: KeysLike = None,
        at_least: SupportsIndex | None = None,
        where: Condition | str | None = None,
        max_rows: Bound = None,
        importance: Exact = 1,
        expected: Rows | None = None,
        name: str | None = None,
    ) -> Self:
        """The values of a column below which given parts of the rows lie, all at once.

        At most `max_rows` rows of a unit count, all groups together. Values outside lower..upper
        count as these, missing ones not at all.

        Args:
            column: numbers, or dates: then answers are dates.
            levels: rising, in (0, 1); [0.25, 0.5, 0.75] are the quartiles.
            lower: of the values; public.
            upper: of the values; public.
            parts: into how many equal parts to cut the range; the answer is the middle of one. By
                default whole numbers get a part each, others some 16 000 in all.
            by: the columns that make the groups.
            keys: the groups; 'private' to find those of enough units in the data.
            at_least: of private groups, the fewest units of one that is shown.
            where: only rows for which this is true.
            max_rows: how many rows of one unit count here, in place of the plan's number.
            importance: of an error of one row in the rank.
            expected: how many rows one answer is about, for forecasts; see `mean`.
            name: how the answer is found again.

        Example:
            >>> import leastnoise as ln
            >>> import pyarrow as pa
            >>> visits = ln.read(pa.table({"age": [41]}), unit=None)
            >>> ln.plan(visits).quantiles(
            ...     "age", ["0.25", "0.5", "0.75"], lower=0, upper=110, parts=110
            ... )
            <Plan: 1 question>
        """
        bounds = NamedBounds(max_rows=max_rows)
        groups = self._groups(by, keys, where, at_least)
        title = name or f"quantiles of {column}{groups}"
        part = self._quantile_parts(column, lower, upper, parts)
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
        lower: End = None,
        upper: End = None,
        parts: SupportsIndex | None = None,
        by: By = (),
        keys: KeysLike = None,
        at_least: SupportsIndex | None = None,
        where: Condition | str | None = None,
        max_rows: Bound = None,
        importance: Exact = 1,
        expected: Rows | None = None,
        name: str | None = None,
    ) -> Self:
        """The value of a column below which half of the rows lie, as `quantiles` finds it.

        Example:
            >>> import leastnoise as ln
            >>> import pyarrow as pa
            >>> visits = ln.read(pa.table({"age": [41]}), unit=None)
            >>> ln.plan(visits).median("age", lower=0, upper=110, parts=110)
            <Plan: 1 question>
        """
        from leastnoise.release.questions.median import Median  # noqa: PLC0415

        bounds = NamedBounds(max_rows=max_rows)
        groups = self._groups(by, keys, where, at_least)
        title = name or f"median of {column}{groups}"
        part = self._quantile_parts(column, lower, upper, parts)
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
        where: Condition | str | None = None,
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

        Example:
            >>> import leastnoise as ln
            >>> import pyarrow as pa
            >>> visits = ln.read(pa.table({"smoker": [True], "insured": [False]}), unit=None)
            >>> ln.plan(visits).marginals(
            ...     ["smoker", "insured"], keys={"smoker": [True, False], "insured": [True, False]}
            ... )
            <Plan: 1 question>
        """
        bounds = NamedBounds(max_rows=max_rows)
        listed = attributes(columns, keys or {}, self.table)
        size = _check.integer_between(ways, "ways", 1, len(listed))
        names = ", ".join(column for column, _ in listed)
        title = name or f"marginals of {names}" + (f", {size} ways" if size > 1 else "")
        weight = checked_importance(importance)
        asked = Marginals(title, listed, size, self._where(where), weight)
        return self._with(asked, bounds)._expecting(expected)

    def _quantile_parts(
        self, column: str | Term, lower: End, upper: End, parts: SupportsIndex | None
    ) -> Bin:
        term = as_term(column)
        kind = kind_of(term, self.table.schema)
        if kind.has_days:
            return each_day(term, *day_range(term, self.table, lower, upper), parts)
        ends_ = self._range(column, *number_ends(lower, upper))
        return quantile_parts(term, *ends_, parts, kind)
