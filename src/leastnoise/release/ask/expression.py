r"""Filters and derived columns: a small language that cannot fail and cannot look around.

An expression reads one row, never raises, and gives the same answer every time: no casts, no
functions that can fail, no sub-queries, no randomness. So a filter bounds nothing and leaks nothing
by itself. Users write Python operators; nobody writes SQL.

What it is made of is in `values`, `conditions`, `terms`, `choices` and `three_values`.
"""

from leastnoise.release.ask.choices import Case, Indicator, when
from leastnoise.release.ask.conditions import (
    Both,
    Compared,
    ComparedTerms,
    Condition,
    Conditional,
    Either,
    Match,
    Missing,
    Not,
    OneOf,
    Readable,
    TextTest,
    checked_condition,
)
from leastnoise.release.ask.terms import (
    MOST_FACTORS,
    MOST_LEAVES,
    Arithmetic,
    Called,
    Column,
    Constant,
    Cut,
    DatePart,
    Operation,
    Part,
    Term,
    as_term,
    called,
    coalesce,
    col,
    columns_of,
    degree,
    greatest,
    least,
    leaves,
)
from leastnoise.release.ask.three_values import (
    false_where,
    true_where,
)
from leastnoise.release.ask.values import (
    MOST_TEXT,
    Relation,
    Value,
    checked_value,
    is_storable,
)

__all__ = [
    "MOST_FACTORS",
    "MOST_LEAVES",
    "MOST_TEXT",
    "Arithmetic",
    "Both",
    "Called",
    "Case",
    "Column",
    "Compared",
    "ComparedTerms",
    "Condition",
    "Conditional",
    "Constant",
    "Cut",
    "DatePart",
    "Either",
    "Indicator",
    "Match",
    "Missing",
    "Not",
    "OneOf",
    "Operation",
    "Part",
    "Readable",
    "Relation",
    "Term",
    "TextTest",
    "Value",
    "as_term",
    "called",
    "checked_condition",
    "checked_value",
    "coalesce",
    "col",
    "columns_of",
    "degree",
    "false_where",
    "greatest",
    "is_storable",
    "least",
    "leaves",
    "true_where",
    "when",
]
