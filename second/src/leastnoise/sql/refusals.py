"""What the SQL reader refuses, and what to write instead: one message for each rule."""

from leastnoise.numbers.errors import InvalidInput, UnsupportedSQL


def inner_limit() -> UnsupportedSQL:
    """R12: which rows come first depends on everybody's rows."""
    return UnsupportedSQL(
        "LIMIT and ORDER BY are not supported in a subquery: which rows come first depends on rows "
        "of others. Leave them out."
    )


def public_alone(name: str) -> InvalidInput:
    """R3."""
    return InvalidInput(f"{name} is public, so it needs no noise. Query it directly.")


def public_side(name: str) -> UnsupportedSQL:
    """R5."""
    return UnsupportedSQL(
        f"Rows of {name} without a match belong to nobody. Write JOIN, or group by a column of "
        f"{name} to see empty groups."
    )


def not_tied(unit: str, tie: str | None, alias: str) -> UnsupportedSQL:
    """R6."""
    if tie is None:
        return UnsupportedSQL(
            f"{alias} has no column that names the {unit}. Add one to its SELECT, or join the table "
            "between them first."
        )
    return UnsupportedSQL(
        f"Each row of both tables belongs to one {unit}. Join them on it:\n  ON {tie}"
    )


def not_correlated(unit: str, inner: str, outer: str) -> UnsupportedSQL:
    """R7."""
    if inner == outer:
        inner = f"other.{inner.rpartition('.')[2]}"
    return UnsupportedSQL(
        f"Whether a row counts would depend on rows of another {unit}. Tie it to the same one:\n"
        f"  ... AND {inner} = {outer}"
    )


def not_in() -> UnsupportedSQL:
    """R7: NOT IN is unknown as soon as one value is missing."""
    return UnsupportedSQL("NOT IN (SELECT ...) fails where a value is missing. Write NOT EXISTS.")


def query_in_condition() -> UnsupportedSQL:
    """R7: the rule is for whole conditions."""
    return UnsupportedSQL(
        "EXISTS and IN (SELECT ...) are conditions of their own, connected by AND. Elsewhere, LEFT "
        "JOIN the subquery and test a column of it."
    )


def mixes(unit: str, column: str, where: str = "GROUP BY") -> UnsupportedSQL:
    """R8."""
    return UnsupportedSQL(f"This would mix rows of more than one {unit}. Add {column} to {where}.")


def no_units() -> UnsupportedSQL:
    """R8: of public rows, or of rows that are units of their own."""
    return UnsupportedSQL(
        "A subquery can group only rows that belong to a privacy unit. Make a table of the groups, "
        "and name it in ln.read."
    )


def union(word: str) -> UnsupportedSQL:
    """R8."""
    return UnsupportedSQL(f"{word} compares rows of different people. Write UNION ALL.")


def rows_repeat(table: str) -> UnsupportedSQL:
    """R9."""
    return UnsupportedSQL(
        "These rows have no privacy unit, so a join could count one row several times. Give a "
        f"privacy unit, or join one column to one of {table} that has the same type and no value "
        f"twice:\n  JOIN {table} ON column = {table}.key"
    )


def window(unit: str, column: str) -> UnsupportedSQL:
    """R10."""
    return UnsupportedSQL(
        f"A window over all rows mixes more than one {unit}. GROUP BY {column} in a subquery."
    )


def rows_shown() -> UnsupportedSQL:
    """R11."""
    return UnsupportedSQL("Rows are not shown. Aggregate it, or GROUP BY it.")


def aggregate_here() -> UnsupportedSQL:
    """R11."""
    return UnsupportedSQL(
        "An aggregate cannot stand here. Compute it in a subquery, or use HAVING."
    )


def grouping_sets() -> UnsupportedSQL:
    """R11."""
    return UnsupportedSQL(
        "CUBE and ROLLUP are not supported, nor are keys beside GROUPING SETS. Write all groupings:\n"
        "  GROUP BY GROUPING SETS ((a, b), (a), ())"
    )


def rows_of_grouping_sets() -> UnsupportedSQL:
    """R11."""
    return UnsupportedSQL(
        "Tables of GROUPING SETS are shown whole. Leave HAVING, ORDER BY and LIMIT out."
    )


def star() -> UnsupportedSQL:
    """R12."""
    return UnsupportedSQL("* is not supported. Name the columns.")


def not_a_table(name: str) -> UnsupportedSQL:
    """R12."""
    return UnsupportedSQL(f"{name} is not supported in FROM. Name the table in ln.read.")


def renamed_columns() -> UnsupportedSQL:
    """R12."""
    return UnsupportedSQL("Columns behind a table's name are not supported. Write SELECT x AS y.")


def scalar_subquery() -> UnsupportedSQL:
    """R12."""
    return UnsupportedSQL(
        "A subquery cannot stand for a value. Join to it, or write EXISTS in WHERE; of public "
        "tables, write the value itself."
    )
