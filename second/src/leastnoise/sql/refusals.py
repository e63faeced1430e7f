"""What the SQL reader refuses, and what to write instead: one message for each rule."""

from typing import Any

from leastnoise.numbers.errors import InvalidInput, UnsupportedSQL

_NAMES = {
    "offset": "OFFSET", "qualify": "QUALIFY", "windows": "WINDOW", "laterals": "LATERAL",
    "sample": "TABLESAMPLE", "pivots": "PIVOT", "locks": "FOR UPDATE", "sort": "SORT BY",
    "cluster": "CLUSTER BY", "distribute": "DISTRIBUTE BY", "into": "INTO", "connect": "CONNECT BY",
    "match": "MATCH_RECOGNIZE", "prewhere": "PREWHERE", "limit": "LIMIT", "order": "ORDER BY",
    "having": "HAVING", "group": "GROUP BY", "distinct": "DISTINCT", "with_": "WITH",
}  # fmt: skip


def only(node: Any, *allowed: str, where: str = "") -> None:
    """Refuses parts of a node that no rule names."""
    for name, value in node.args.items():
        if value and name not in allowed:
            word = _NAMES.get(name, name.strip("_").upper())
            raise UnsupportedSQL(f"{word} is not supported{where}. Leave it out.")


def inner_limit() -> UnsupportedSQL:
    """R12: which rows come first depends on everybody's rows."""
    return UnsupportedSQL(
        "LIMIT and ORDER BY are not supported in a subquery: which rows come first depends on rows "
        "of others. Leave them out."
    )


def public_alone(name: str) -> InvalidInput:
    """R3."""
    return InvalidInput(f"{name} is public. Query it directly.")


def public_side(name: str) -> UnsupportedSQL:
    """R5."""
    return UnsupportedSQL(
        f"Rows of {name} without a match belong to nobody. Write JOIN, or group by a column of "
        f"{name} to see empty groups."
    )


def not_tied(unit: str, left: str, right: str) -> UnsupportedSQL:
    """R6."""
    return UnsupportedSQL(
        f"Each row of both tables belongs to one {unit}. Join them on it:  ON {left} = {right}"
    )


def not_correlated(unit: str, inner: str, outer: str) -> UnsupportedSQL:
    """R7."""
    return UnsupportedSQL(
        f"Whether a row counts would depend on rows of another {unit}. Tie it to the same one:\n"
        f"  ... AND {inner} = {outer}"
    )


def not_in() -> UnsupportedSQL:
    """R7: NOT IN is unknown as soon as one value is missing."""
    return UnsupportedSQL("NOT IN (SELECT ...) fails where a value is missing. Write NOT EXISTS.")


def mixes(unit: str, column: str, where: str = "GROUP BY") -> UnsupportedSQL:
    """R8."""
    return UnsupportedSQL(f"This would mix rows of more than one {unit}. Add {column} to {where}.")


def union() -> UnsupportedSQL:
    """R8."""
    return UnsupportedSQL("Of UNION, INTERSECT and EXCEPT, only UNION ALL is supported.")


def rows_repeat() -> UnsupportedSQL:
    """R9."""
    return UnsupportedSQL(
        "These rows have no privacy unit, so a join could count one row several times. Give a "
        "privacy unit."
    )


def window(unit: str, column: str) -> UnsupportedSQL:
    """R10."""
    return UnsupportedSQL(
        f"A window over all rows mixes more than one {unit}. GROUP BY {column} in a subquery."
    )


def rows_shown() -> UnsupportedSQL:
    """R11."""
    return UnsupportedSQL("Rows are not shown. Aggregate it, or GROUP BY it.")


def star() -> UnsupportedSQL:
    """R12."""
    return UnsupportedSQL("* is not supported. Name the columns.")


def table_function(name: str) -> UnsupportedSQL:
    """R12."""
    return UnsupportedSQL(f"{name} is not supported in FROM. Name the file in ln.read.")


def scalar_subquery() -> UnsupportedSQL:
    """R12."""
    return UnsupportedSQL(
        "A subquery cannot stand for a value. Join to it, or write EXISTS in WHERE."
    )
