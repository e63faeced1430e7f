"""What DuckDB's types mean."""

from leastnoise.release.ask.column_type import ColumnType


def column_type(name: object) -> ColumnType:
    """What DuckDB's name of a type means; only the word before any parenthesis is looked at."""
    text = str(name)
    if text.endswith("]"):
        return ColumnType.OTHER
    if text.startswith("DECIMAL("):
        whole = text.endswith(",0)")
        return ColumnType.WIDE_INTEGER if whole else ColumnType.NUMBER
    return _TYPES.get(text.partition("(")[0], ColumnType.OTHER)


_TYPES = {
    **dict.fromkeys(("BOOLEAN",), ColumnType.TRUTH),
    **dict.fromkeys(
        ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"),
        ColumnType.INTEGER,
    ),
    **dict.fromkeys(("UBIGINT", "HUGEINT"), ColumnType.WIDE_INTEGER),
    **dict.fromkeys(("FLOAT", "DOUBLE"), ColumnType.NUMBER),
    **dict.fromkeys(("VARCHAR", "ENUM", "UUID"), ColumnType.TEXT),
    **dict.fromkeys(("DATE",), ColumnType.DATE),
    **dict.fromkeys(("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS"), ColumnType.INSTANT),
    **dict.fromkeys(
        ("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"), ColumnType.MOMENT
    ),
}
