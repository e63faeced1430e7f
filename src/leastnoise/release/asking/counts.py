"""Questions that count: rows, units, different values, the most common groups."""

from typing import Self, SupportsIndex

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.release.ask.clip import Clip
from leastnoise.release.ask.expected import Rows
from leastnoise.release.ask.expression import Condition, Term
from leastnoise.release.ask.named_bounds import Bound, NamedBounds
from leastnoise.release.ask.question_parts import checked_importance
from leastnoise.release.asking.question_list import QuestionList
from leastnoise.release.questions.count import Count
from leastnoise.release.questions.most_common import MostCommon
from leastnoise.release.step.groups import By, KeysLike, key_term, with_public_keys

_MOST_SHOWN = 10**6  # of private groups, whose number is not known; each is drawn


class CountQuestions(QuestionList):
    """How many rows or units there are, in all or in each group."""

    def count(  # noqa: PLR0913 - each is part of the question
        self,
        *,
        by: By = (),
        keys: KeysLike = None,
        at_least: SupportsIndex | None = None,
        where: Condition | str | None = None,
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

        Example:
            >>> import leastnoise as ln
            >>> import pyarrow as pa
            >>> visits = ln.read(pa.table({"city": ["Oslo"]}), unit=None)
            >>> ln.plan(visits).count(by="city", keys=["Oslo", "Bergen"], name="visits by city")
            <Plan: 1 question>
        """
        bounds = NamedBounds(max_groups=max_groups, max_rows=max_rows, clip=clip)
        groups = self._groups(by, keys, where, at_least)
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
        where: Condition | str | None = None,
        max_groups: Bound = None,
        clip: Clip | None = None,
        importance: Exact = 1,
        expected: Rows | None = None,
        name: str | None = None,
    ) -> Self:
        """How many units (people), in all or in each group.

        With a `clip` of C, a unit in g groups counts in all of them, with min(1, C/g) in each under
        `max_total` and min(1, C/√g) under `max_norm`. It needs public keys.

        Example:
            >>> import leastnoise as ln
            >>> import pyarrow as pa
            >>> visits = ln.read(pa.table({"age": [41]}), unit=None)
            >>> ln.plan(visits).count_units(where=ln.col("age") >= 67, name="older patients")
            <Plan: 1 question>
        """
        bounds = NamedBounds(max_groups=max_groups, clip=clip)
        groups = self._groups(by, keys, where, at_least)
        title = name or f"units{groups}"
        return self._with(
            Count(title, groups, True, checked_importance(importance)), bounds
        )._expecting(expected)

    def distinct(  # noqa: PLR0913 - each is part of the question
        self,
        column: str | Term,
        *,
        by: By = (),
        keys: KeysLike = None,
        where: Condition | str | None = None,
        max_groups: Bound = None,
        max_rows: Bound = None,
        importance: Exact = 1,
        expected: Rows | None = None,
        name: str | None = None,
    ) -> Self:
        """How many different values a column has, of integers, text or truth values.

        Each unit adds at most `max_rows` of its values in a group, chosen at random: with small
        bounds values are left out that few units have. For units themselves ask `count_units`.

        Example:
            >>> import leastnoise as ln
            >>> import pyarrow as pa
            >>> visits = ln.read(pa.table({"city": ["Oslo"]}), unit=None)
            >>> ln.plan(visits).distinct("city", expected=40)
            <Plan: 1 question>
        """
        from leastnoise.release.questions.distinct import Distinct  # noqa: PLC0415

        bounds = NamedBounds(max_groups=max_groups, max_rows=max_rows)
        groups = with_public_keys(self._groups(by, keys, where), "a number of different values")
        title = name or f"distinct {column}{groups}"
        question = Distinct(title, groups, key_term(column), checked_importance(importance))
        return self._with(question, bounds)._expecting(expected)

    def relative_counts(  # noqa: PLR0913 - each is part of the question
        self,
        *,
        relative_error: Exact,
        smallest: SupportsIndex,
        by: By = (),
        keys: KeysLike = None,
        at_least: SupportsIndex | None = None,
        where: Condition | str | None = None,
        max_groups: Bound = None,
        name: str | None = None,
    ) -> Self:
        """How many units, with a mean error of at most so many times the number itself.

        The price follows from the error and the smallest group; people in larger groups are better
        protected than that. Groups below `smallest` look like groups of this size.

        Example:
            >>> import leastnoise as ln
            >>> import pyarrow as pa
            >>> visits = ln.read(pa.table({"city": ["Oslo"]}), unit=None)
            >>> ln.plan(visits).relative_counts(
            ...     relative_error="0.1", smallest=100, by="city", keys=["Oslo"]
            ... )
            <Plan: 1 question>
        """
        bounds = NamedBounds(max_groups=max_groups)
        # Loaded here: a tenth of a second that plans without this question need not wait.
        from leastnoise.groupwise.relative_counts import RelativeCounts  # noqa: PLC0415
        from leastnoise.release.questions.relative_count import RelativeCount  # noqa: PLC0415

        groups = self._groups(by, keys, where, at_least)
        noise = RelativeCounts(relative_error=relative_error, smallest=smallest)
        title = name or f"relative counts{groups}"
        return self._with(RelativeCount(title, groups, noise), bounds)

    def most_common(  # noqa: PLR0913 - each is part of the question
        self,
        by: By,
        *,
        count: SupportsIndex,
        keys: KeysLike = None,
        at_least: SupportsIndex | None = None,
        where: Condition | str | None = None,
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

        Example:
            >>> import leastnoise as ln
            >>> import pyarrow as pa
            >>> visits = ln.read(pa.table({"complaint": ["cough"]}), unit=None)
            >>> ln.plan(visits).most_common(
            ...     by="complaint", count=3, keys=["cough", "fever", "rash", "burn"]
            ... )
            <Plan: 1 question>
        """
        bounds = NamedBounds(max_groups=max_groups, clip=clip)
        groups = self._groups(by, keys, where, at_least)
        size = _check.integer_between(count, "count", 1, groups.count or _MOST_SHOWN)
        title = name or f"{size} most common{groups}"
        return self._with(
            MostCommon(title, groups, size, checked_importance(importance)), bounds
        )._expecting(expected)
