"""`sql_plan`: a statement as a plan with a preview and a release."""

from collections.abc import Mapping, Sequence
from typing import Any

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise._display import visible
from leastnoise.ledger.ledger import Ledger
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.release.plan import Plan
from leastnoise.release.result.preview import Preview
from leastnoise.release.sql.bigquery import Said, said_by
from leastnoise.release.sql.outcome import Outcome
from leastnoise.release.sql.sources.asked_rows import rows_asked
from leastnoise.release.sql.sql_release import SqlRelease, sql_release
from leastnoise.release.sql.statement import compiled
from leastnoise.release.sql.text.parsed import statement_of
from leastnoise.release.sql.text.place import refused
from leastnoise.release.sql.text.tree import Stack
from leastnoise.release.sql.unit_form import needs_units_first, units_first

_LONGEST = 100  # letters of names of columns: a line of a ledger is to be read


@dataclass(frozen=True)
class SqlPlan:
    """A statement that can be previewed and released; nothing was read but names and types.

    Attributes:
        text: the statement.
        plan: the questions that it asks.
        outcome: how its result is made of their answers.
        said: what it says to spend; None if it does not.
        default: what the dataset says to spend; None if it does not.
        notes: what differs from SQL as engines have it.
    """

    text: str
    plan: Plan
    outcome: Outcome
    said: Guarantee | None
    default: Guarantee | None
    notes: tuple[str, ...]

    @property
    def budget(self) -> Guarantee | None:
        """What is spent if nothing else is given: as the statement says, or the dataset."""
        return self.said or self.default

    def preview(self, budget: Guarantee | None = None) -> Preview:
        """The error of every question, before any data is read or budget spent."""
        return self.plan.preview(self._spent(budget))

    def release(
        self, budget: Guarantee | None = None, *, ledger: Ledger, **options: Any
    ) -> SqlRelease:
        """The statement's result under one guarantee.

        Args:
            budget: what to spend; it may be left out if the statement or the dataset says it.
            ledger: where it is charged.
            options: as `Plan.release` has them.
        """
        options.setdefault("purpose", _purpose(self.outcome.columns))
        made = self.plan.release(self._spent(budget), ledger=ledger, **options)
        return self.result(made)

    def result(self, made: Any) -> SqlRelease:
        """The statement's result, from the answers to its questions."""
        return sql_release(made, self.outcome, self.notes)

    def _spent(self, budget: Guarantee | None) -> Guarantee:
        found = self.budget if budget is None else budget
        if found is not None:
            return found
        raise _check.refuse(
            "a budget must be given",
            "none",
            "Give ApproxDP(epsilon=1, delta='1e-8'), or say it in the dataset or the statement.",
        )


def sql_plan(text: str, dataset: Any, *, bounds: Mapping[str, Any] | None = None) -> SqlPlan:
    """The plan of a statement about the tables of a dataset.

    Args:
        text: one SELECT; see docs/sql.md.
        dataset: the tables: a `Dataset`, or what is like one.
        bounds: max_groups and such, in the place of the dataset's.

    Raises:
        InvalidParameter: it cannot be read, or asks for what cannot be answered privately; the
            message begins with the line and the column, and says what to write instead.
    """
    statement = statement_of(text)
    query = statement.query
    if isinstance(query, Stack):
        raise refused(
            query.at,
            "results of queries are not combined",
            "UNION ALL of results",
            "Put it inside FROM (…), or write one statement for each.",
        )
    by_units = needs_units_first(query)
    prepared, select = rows_asked(query, dataset, with_owners=by_units)
    said = said_by(statement.clause, prepared) if statement.clause is not None else Said()
    limits = {**dict(dataset.bounds), **dict(bounds or {}), **said.bounds}
    if by_units:
        prepared, select = units_first(select, prepared, limits.get("max_rows"))
        limits["max_rows"] = 1
    made = compiled(select, prepared, limits, said.at_least)
    return SqlPlan(
        text=text,
        plan=made.plan,
        outcome=made.outcome,
        said=said.budget,
        default=dataset.spend,
        notes=(*said.notes, *made.notes),
    )


def _purpose(columns: Sequence[str]) -> str:
    """What a ledger remembers of a statement: the names of its result's columns, or of the first.

    Example:
        >>> _purpose(["city", "n"])
        'a statement in SQL: city, n'
    """
    names = visible(", ".join(columns))
    return f"a statement in SQL: {names if len(names) <= _LONGEST else f'{names[:_LONGEST]}…'}"
