"""Filters and functions of rows: Theorem 2(b). Proof: docs/proofs/joins.md."""

from functools import cached_property
from typing import TypeAlias

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.release.ask.expression import Column, Condition, Term, checked_condition
from leastnoise.release.ask.kinds import kind_of
from leastnoise.release.ask.location import Declared
from leastnoise.release.ask.schema import Schema
from leastnoise.release.measure.rows.changed import Changed, PublicChanged
from leastnoise.release.measure.rows.stored import Origin, refuse_reserved
from leastnoise.release.measure.sql.dialect import DUCKDB
from leastnoise.release.measure.sql.sql_condition import condition_sql

Terms: TypeAlias = tuple[tuple[str, Term], ...]
"""Names of columns, and what they hold."""


@dataclass(frozen=True)
class Filtered(Changed):
    """The rows that meet a condition.

    Raises:
        InvalidParameter: no condition, or one that the columns cannot meet.
    """

    condition: Condition

    def __post_init__(self) -> None:
        super().__post_init__()
        _refuse_condition(self.condition, self.rows.schema)

    @property
    def declared(self) -> Declared:
        """As before."""
        return self.rows.declared


@dataclass(frozen=True)
class Mapped(Changed):
    """Of each row, new columns computed from its own; the owner stays, whatever they are called.

    Raises:
        InvalidParameter: a term that the columns cannot give, a name twice, or the owner's name.
    """

    terms: Terms

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.schema

    @cached_property
    def schema(self) -> Schema:
        """The new columns."""
        return _mapped_schema(self.terms, self.rows.schema)

    @cached_property
    def unique(self) -> frozenset[str] | None:
        """The new names of what was unique, if all of it is still there."""
        new = {term.name: name for name, term in self.terms if isinstance(term, Column)}
        old = self.rows.unique
        return None if old is None or not old <= set(new) else frozenset(map(new.__getitem__, old))

    def traced(self, name: str) -> Origin | None:
        """What a renamed column showed before."""
        self.schema.type_of(Column(name))
        term = dict(self.terms)[name]
        return self.rows.traced(term.name) if isinstance(term, Column) else None


@dataclass(frozen=True)
class PublicFiltered(PublicChanged):
    """The public rows that meet a condition."""

    condition: Condition

    def __post_init__(self) -> None:
        super().__post_init__()
        _refuse_condition(self.condition, self.rows.schema)


@dataclass(frozen=True)
class PublicMapped(PublicChanged):
    """Of each public row, new columns computed from its own."""

    terms: Terms

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.schema

    @cached_property
    def schema(self) -> Schema:
        """The new columns."""
        return _mapped_schema(self.terms, self.rows.schema)


def _mapped_schema(terms: Terms, schema: Schema) -> Schema:
    refuse_reserved(name for name, _ in terms)
    return Schema((name, kind_of(checked_term(term), schema)) for name, term in terms)


def checked_term(value: object) -> Term:
    """What a row has a value of.

    Raises:
        InvalidParameter: something else.
    """
    if isinstance(value, Term):
        return value
    raise _check.refuse(
        "a column must be computed by a term", f"a {type(value).__name__}", "Write col('age')."
    )


def _refuse_condition(condition: object, schema: Schema) -> None:
    condition_sql(checked_condition(condition, "condition"), schema, DUCKDB)
