r"""Where a term's values lie, found from the ranges that columns are declared to have."""

from dataclasses import dataclass
from typing import Protocol

from leastnoise.release.ask.column_facts import ColumnFacts, End
from leastnoise.release.ask.conditions import Readable
from leastnoise.release.ask.schema import Schema
from leastnoise.release.ask.terms import Column


@dataclass(frozen=True)
class ValueRange:
    """Between which ends all values of a term lie.

    Attributes:
        lower: the lower end: a number, or a date.
        upper: the upper end.
        whole: whether only whole numbers occur.
        may_be_null: whether a row may have no value.
    """

    lower: End
    upper: End
    whole: bool = False
    may_be_null: bool = True


class Declared(Protocol):
    """What ranges are found from: a table does."""

    @property
    def schema(self) -> Schema:
        """The columns and their types."""

    def fact(self, name: str) -> ColumnFacts:
        """What is declared about a column."""


def range_of(term: Readable, table: Declared) -> ValueRange | None:
    """Where a term's values lie; None if nothing follows from what is declared."""
    if not isinstance(term, Column):
        return None
    facts = table.fact(term.name)
    if facts.lower is None or facts.upper is None:
        return None
    return ValueRange(facts.lower, facts.upper, may_be_null=not facts.never_null)
