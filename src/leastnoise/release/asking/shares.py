"""Questions for a share of the rows or of the units."""

from typing import Self, SupportsIndex

from leastnoise._check import Exact
from leastnoise.release.ask.expected import Rows
from leastnoise.release.ask.expression import Condition
from leastnoise.release.ask.named_bounds import Bound, NamedBounds
from leastnoise.release.ask.question_parts import checked_importance
from leastnoise.release.asking.question_list import QuestionList
from leastnoise.release.step.groups import By, KeysLike, with_public_keys


class ShareQuestions(QuestionList):
    """Which part of rows or units meets a condition."""

    def share(  # noqa: PLR0913 - each is part of the question
        self,
        of: Condition | str,
        *,
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
        """Which part of the rows meets a condition, in all or in each group; from 0 to 1.

        Rows for which the condition is not known, as a value is missing, are among those that do
        not meet it. Use `where` to leave them out.

        Example:
            >>> import leastnoise as ln
            >>> import pyarrow as pa
            >>> visits = ln.read(pa.table({"smoker": [True]}), unit=None)
            >>> ln.plan(visits).share(ln.col("smoker") == True, name="smokers")
            <Plan: 1 question>
        """
        from leastnoise.release.questions.share import Share  # noqa: PLC0415

        bounds = NamedBounds(max_groups=max_groups, max_rows=max_rows)
        groups = self._groups(by, keys, where, at_least)
        part = self._condition(of)
        title = name or f"share with {part}{groups}"
        return self._with(
            Share.of(title, groups, part, checked_importance(importance)), bounds
        )._expecting(expected, expected_answer)

    def share_units(  # noqa: PLR0913 - each is part of the question
        self,
        of: Condition | str,
        *,
        by: By = (),
        keys: KeysLike = None,
        where: Condition | str | None = None,
        max_groups: Bound = None,
        importance: Exact = 1,
        expected: Rows | None = None,
        expected_answer: Exact | None = None,
        name: str | None = None,
    ) -> Self:
        """Which part of the units (people) has a row that meets a condition; from 0 to 1.

        Both numbers of units are measured; one that `count_units` asks for too costs nothing more.
        Where units are in more than `max_groups` groups, the two are of different groups of them.

        Example:
            >>> import leastnoise as ln
            >>> import pyarrow as pa
            >>> visits = ln.read(pa.table({"age": [41]}), unit=None)
            >>> ln.plan(visits).share_units(ln.col("age") >= 67, name="share of older patients")
            <Plan: 1 question>
        """
        from leastnoise.release.questions.unit_share import UnitShare  # noqa: PLC0415

        bounds = NamedBounds(max_groups=max_groups)
        groups = with_public_keys(self._groups(by, keys, where), "a share of units")
        part = self._condition(of)
        title = name or f"share of units with {part}{groups}"
        return self._with(
            UnitShare.of(title, groups, part, checked_importance(importance)), bounds
        )._expecting(expected, expected_answer)
