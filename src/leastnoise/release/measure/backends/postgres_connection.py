"""A connection to PostgreSQL on which nothing but our words decides what a query means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leastnoise import _check

if TYPE_CHECKING:
    from psycopg import Connection

_OF_SYNTAX_AND_RIGHTS = "42"
"""How the codes of such errors begin."""

# The address, the role, the database and the environment may have set any of these. The path is
# first: names of functions, operators and types are looked up nowhere but in the system's schema
# (among temporary things, which come last, functions and operators are never looked up).
PINNED = (
    ("search_path", "pg_catalog, pg_temp"),
    ("client_encoding", "'UTF8'"),
    ("TimeZone", "'UTC'"),
    ("DateStyle", "'ISO, YMD'"),
    ("IntervalStyle", "'postgres'"),
    ("extra_float_digits", "1"),
    ("bytea_output", "'hex'"),
    ("standard_conforming_strings", "on"),
    ("transform_null_equals", "off"),
    ("array_nulls", "on"),
    ("row_security", "on"),
)


def connected(url: str) -> Connection[Any]:
    """One read-only transaction, all of whose queries see the same data."""
    import psycopg  # noqa: PLC0415 - an extra

    connection = psycopg.connect(url, connect_timeout=30)
    connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    connection.read_only = True
    # A program around us may have told psycopg to make doubles of decimals, which would round sums.
    connection.adapters.register_loader("numeric", psycopg.types.numeric.NumericLoader)
    pin(connection)
    return connection


def pin(connection: Connection[Any]) -> None:
    """Settles, for the transaction, what settings could change."""
    text: Any = "; ".join(f"SET LOCAL {name} TO {value}" for name, value in PINNED)
    connection.execute(text)
    # With the usual 4 MB every sum per unit is sorted on disk, at twice the time.
    connection.execute(
        "SELECT set_config('work_mem', '64MB', true) "
        "WHERE pg_size_bytes(current_setting('work_mem')) < 67108864"
    )


def said_of_schema(error: Exception) -> str:
    """What the server's parser says of names and rights, before any row is read.

    What a function of the database says has a context: it may have read rows by itself.
    """
    import psycopg  # noqa: PLC0415 - an extra

    if not isinstance(error, psycopg.Error) or error.diag.context is not None:
        return ""
    about = (error.sqlstate or "").startswith(_OF_SYNTAX_AND_RIGHTS)
    return (error.diag.message_primary or "") if about else ""


def refuse_encoding(found: str | None) -> None:
    """Refuses databases in which a text can be stored that is no Unicode.

    Raises:
        InvalidParameter: another encoding than UTF8, which the server tells before any row.
    """
    if found != "UTF8":
        raise _check.refuse(
            "a database must store text as UTF8, or one row's text could make queries fail",
            f"{found}",
            "Copy the table into a database made with ENCODING 'UTF8'.",
        )
