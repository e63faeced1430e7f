"""`Plan`: questions about one table, priced together, previewed, and released once."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.engine.allocation import Allotment, Need, allotted
from leastnoise.engine.answers import released
from leastnoise.engine.bounds import Bounds
from leastnoise.engine.expression import Column, Condition, col
from leastnoise.engine.forecast import Forecast, forecast
from leastnoise.engine.grid import Grid
from leastnoise.engine.keys import Key, Keys
from leastnoise.engine.measure import measure
from leastnoise.engine.plan_release import PlanRelease
from leastnoise.engine.question import (
    Count,
    Groups,
    Mean,
    Question,
    Sum,
    measurement,
    reach,
    row_size,
)
from leastnoise.engine.table import Table
from leastnoise.ledger.ledger import Ledger
from leastnoise.privacy.guarantee import Guarantee, checked_guarantee
from leastnoise.randomness.source import Source, checked_source

_CONFIDENCE = Fraction(95, 100)
_MOST_IMPORTANCE = 10**12
KeysLike = Keys | Iterable[Key] | None


@dataclass(frozen=True)
class Plan:
    """A list of questions about a table; each method returns a longer plan.

    Nothing is read or spent until `release`. Make one with `plan`.

    Attributes:
        table: what is asked about.
        bounds: how much of one unit counts in each question.
        questions: what is asked.
    """

    table: Table
    bounds: Bounds
    questions: tuple[Question, ...] = ()

    def count(
        self,
        *,
        by: str | Iterable[str] = (),
        keys: KeysLike = None,
        where: Condition | None = None,
        importance: Exact = 1,
        name: str | None = None,
    ) -> "Plan":
        """How many rows, in all or in each group."""
        groups = _groups(by, keys, where)
        title = name or _title("count", groups)
        return self._with(Count(title, groups, False, _weight(importance)))

    def count_units(
        self,
        *,
        by: str | Iterable[str] = (),
        keys: KeysLike = None,
        where: Condition | None = None,
        importance: Exact = 1,
        name: str | None = None,
    ) -> "Plan":
        """How many units (people), in all or in each group."""
        groups = _groups(by, keys, where)
        title = name or _title("units", groups)
        return self._with(Count(title, groups, True, _weight(importance)))

    def sum(  # noqa: PLR0913 - each is part of the question
        self,
        column: str,
        *,
        lower: Exact,
        upper: Exact,
        by: str | Iterable[str] = (),
        keys: KeysLike = None,
        where: Condition | None = None,
        importance: Exact = 1,
        name: str | None = None,
    ) -> "Plan":
        """The sum of a column whose values are cut to lower..upper; missing ones count as 0."""
        groups = _groups(by, keys, where)
        title = name or _title(f"sum of {column}", groups)
        grid = Grid(lower=lower, upper=upper)
        return self._with(Sum(title, groups, col(column), grid, _weight(importance)))

    def mean(  # noqa: PLR0913 - each is part of the question
        self,
        column: str,
        *,
        lower: Exact,
        upper: Exact,
        by: str | Iterable[str] = (),
        keys: KeysLike = None,
        where: Condition | None = None,
        importance: Exact = 1,
        name: str | None = None,
    ) -> "Plan":
        """The mean of a column whose values are cut to lower..upper; missing ones do not count."""
        groups = _groups(by, keys, where)
        title = name or _title(f"mean of {column}", groups)
        grid = Grid(lower=lower, upper=upper)
        if grid.least == grid.most:
            raise _check.refuse(
                "the bounds of a mean must be told apart next to their size",
                "bounds too near to each other",
                "Widen them, or take a constant from the column first.",
            )
        return self._with(Mean(title, groups, col(column), grid, _weight(importance)))

    def _with(self, question: Question) -> "Plan":
        if any(question.name == other.name for other in self.questions):
            raise _check.refuse(
                "questions must have different names", repr(question.name), "Give `name=`."
            )
        return replace(self, questions=(*self.questions, question))

    def preview(self, budget: Guarantee) -> list[Forecast]:
        """The error of every answer, before any data is read or budget spent.

        The budget is divided for the least sum of errors, each weighed by its question's
        importance and measured in rows: an error of 500 in a sum of values up to 500 counts as
        much as an error of 1 in a count.
        """
        given = self._allotted(budget)
        pairs = zip(self.questions, given, strict=True)
        return [forecast(question, each, _CONFIDENCE) for question, each in pairs]

    def _allotted(self, budget: Guarantee) -> list[Allotment]:
        if not self.questions:
            raise _check.refuse("a plan must ask something", "no question", "Add .count() first.")
        needs = [
            Need(
                reach(question, self.table, self.bounds),
                question.importance / row_size(question),
            )
            for question in self.questions
        ]
        return allotted(needs, checked_guarantee(budget, "budget"))

    @property
    def digest(self) -> str:
        """A fingerprint of everything public about the plan."""
        return hashlib.sha256(repr(self).encode()).hexdigest()

    def release(
        self,
        budget: Guarantee,
        *,
        ledger: Ledger,
        labels: Mapping[str, str] | None = None,
        purpose: str = "release of a plan",
        source: Source | None = None,
    ) -> PlanRelease:
        """Answer all questions under one guarantee.

        The ledger is charged after the totals are known and before any noise is drawn. If the
        program dies in between, the charge stands.

        Raises:
            BudgetExceeded: the ledger has less left; nothing was charged or drawn.
            BackendError: the engine failed; nothing was charged or drawn.
        """
        given = self._allotted(budget)
        ledger.require(budget, labels=labels)
        secret_source = checked_source(source)
        asked = [measurement(question, self.bounds) for question in self.questions]
        secrets = measure(self.table, asked, source=secret_source)
        entry = ledger.charge(budget, purpose=purpose, labels=labels, digest=self.digest)
        tables = tuple(
            released(question, each, secret, _CONFIDENCE, secret_source)
            for question, each, secret in zip(self.questions, given, secrets, strict=True)
        )
        return PlanRelease(tables, budget, entry, self.digest)


def plan(table: Table, *, max_groups: int = 1, max_rows: int = 1) -> Plan:
    """An empty plan for a table.

    Args:
        table: made by `read`.
        max_groups: how many groups of one unit count in each question.
        max_rows: how many rows of one unit count in each group.
    """
    return Plan(table, Bounds(max_groups=max_groups, max_rows=max_rows))


def _groups(by: str | Iterable[str], keys: KeysLike, where: Condition | None) -> Groups:
    names = (by,) if isinstance(by, str) else tuple(by)
    columns = tuple(col(name) for name in names)
    if not columns:
        if keys is not None:
            raise _check.refuse("`keys` need `by`", "keys alone", "Name the columns they are of.")
        return Groups(where=where)
    return Groups(columns, _checked_keys(columns, keys), where)


def _checked_keys(columns: tuple[Column, ...], keys: KeysLike) -> Keys:
    names = tuple(column.name for column in columns)
    if keys is None:
        raise _check.refuse(
            "`keys` must be given with `by`",
            "none",
            "List the groups there are; a list taken from the data would betray who is in it.",
        )
    found = keys if isinstance(keys, Keys) else Keys(names, [(key,) for key in keys])
    if found.columns == names:
        return found
    raise _check.refuse("`keys` must be of the columns in `by`", "others", "Name the same ones.")


def _title(what: str, groups: Groups) -> str:
    by = " by " + ", ".join(column.name for column in groups.by) if groups.by else ""
    where = f" where {groups.where}" if groups.where is not None else ""
    return f"{what}{by}{where}"


def _weight(importance: Exact) -> Fraction:
    weight = _check.positive(importance, "importance")
    if Fraction(1, _MOST_IMPORTANCE) <= weight <= _MOST_IMPORTANCE:
        return weight
    raise _check.refuse(
        "`importance` must lie in 10^-12..10^12", "a number outside", "1 is that of the others."
    )
