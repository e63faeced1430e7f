"""`condition_of`: a condition on rows from a text, as in where = "age >= 18"."""

from collections.abc import Mapping

from leastnoise import _check
from leastnoise.release.ask.expression import Condition, Term
from leastnoise.release.ask.schema import Schema
from leastnoise.release.sql.rows.scope import Known, Scope
from leastnoise.release.sql.rows.to_condition import condition_on
from leastnoise.release.sql.text.parsed import expression_of


def condition_of(text: str, schema: Schema, derived: Mapping[str, Term] | None = None) -> Condition:
    """The condition that a text of SQL stands for: rows for which SQL would say TRUE.

    Args:
        text: one condition, such as "age >= 18 and city in ('Oslo')"; no query.
        schema: the columns that it may name.
        derived: further terms that it may name.

    Raises:
        InvalidParameter: anything else; the message begins with the line and the column.
    """
    plain = Scope.of_table(schema)
    more = tuple(Known("", name, term) for name, term in (derived or {}).items())
    found = condition_on(expression_of(text), Scope((*plain.known, *more), schema))
    if found is not None:
        return found
    raise _check.refuse(
        "a condition must leave some rows out", "one that is always true", "Leave it out."
    )
