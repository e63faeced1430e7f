"""What a ledger is made of on a PostgreSQL server, and who may do what with it.

Everything is in one schema with a fixed name, made once by its owner, so that everybody who names
the database means the same ledger, whatever their search path is.
"""

from typing import Any

from leastnoise.ledger.store import Kind

_TABLES = {
    "header": "one integer PRIMARY KEY CHECK (one = 1), text text NOT NULL",
    "line": "number bigint PRIMARY KEY, text text NOT NULL, hash text NOT NULL UNIQUE",
    "release": "digest text PRIMARY KEY, content text NOT NULL",
    # Whoever charges locks its only row. It is ours: nobody without a grant can hold it.
    "turn": "one integer PRIMARY KEY CHECK (one = 1)",
}
# Beside the chain: what each role last added the lines up to. A role believes its own row and the
# owner's, and can write no other: who may add lines cannot make others believe a smaller sum.
_TOTALS = (
    "CREATE TABLE leastnoise.totals"
    " (who text PRIMARY KEY, number bigint NOT NULL, text text NOT NULL)",
    "CREATE FUNCTION leastnoise.own_row() RETURNS trigger LANGUAGE plpgsql"
    " SET search_path = pg_catalog, pg_temp AS '"
    "BEGIN IF NEW.who <> session_user OR TG_OP = ''UPDATE'' AND OLD.who <> session_user"
    " THEN RAISE EXCEPTION ''a row of another role''; END IF; RETURN NEW; END'",
    "CREATE TRIGGER own BEFORE INSERT OR UPDATE ON leastnoise.totals"
    " FOR EACH ROW EXECUTE FUNCTION leastnoise.own_row()",
    "ALTER TABLE leastnoise.totals ENABLE ALWAYS TRIGGER own",
    "REVOKE ALL ON leastnoise.totals FROM PUBLIC",
    "REVOKE ALL ON FUNCTION leastnoise.own_row() FROM PUBLIC",
)
# By these lines are found. What is no JSON cannot be added.
_KEYS: dict[Kind, str] = {
    "answers": "coalesce(text::jsonb ->> 'name', text::jsonb ->> 'answers')",
    "plan": "nullif(text::jsonb ->> 'digest', '')",
}
_INDEXES = tuple(
    f"CREATE INDEX IF NOT EXISTS line_by_{kind} ON leastnoise.line (({key}))"
    f" WHERE {key} IS NOT NULL"
    for kind, key in _KEYS.items()
)
FOUND_BY = _KEYS | {"seal": "hash"}  # which is unique, and so has an index
_GRANTS = {"header": "SELECT", "line": "SELECT, INSERT", "release": "SELECT, INSERT",
           "turn": "SELECT, UPDATE", "totals": "SELECT, INSERT, UPDATE"}  # fmt: skip
TURN = """
SELECT pg_catalog.has_table_privilege(totals, 'SELECT')
   AND pg_catalog.has_table_privilege(totals, 'INSERT')
   AND pg_catalog.has_table_privilege(totals, 'UPDATE')
FROM leastnoise.turn, LATERAL (SELECT pg_catalog.to_regclass('leastnoise.totals') AS totals) AS t
FOR UPDATE OF turn
"""
"""Waits until nobody else is writing, or until the lock's time is over.

Says whether there is a place for running totals that this role may write.
"""
_HAS_TOTALS = "SELECT pg_catalog.to_regclass('leastnoise.totals') IS NOT NULL"
_OLD = ("header", "line", "release")


def create(connection: Any) -> None:
    """Make the schema; only its owner can do anything with it then."""
    connection.execute("CREATE SCHEMA leastnoise")
    connection.execute(
        "CREATE FUNCTION leastnoise.refuse() RETURNS trigger LANGUAGE plpgsql"
        " SET search_path = pg_catalog, pg_temp AS 'BEGIN RAISE EXCEPTION ''append only''; END'"
    )
    for table, columns in _TABLES.items():
        connection.execute(f"CREATE TABLE leastnoise.{table} ({columns})")
    _make_totals(connection)
    _make_indexes(connection)
    connection.execute("INSERT INTO leastnoise.turn VALUES (1)")
    for table in _TABLES:
        connection.execute(
            f"CREATE TRIGGER stays BEFORE UPDATE OR DELETE OR TRUNCATE ON leastnoise.{table}"
            " FOR EACH STATEMENT EXECUTE FUNCTION leastnoise.refuse()"
        )
        # Always: a session that plays a replica would pass by it otherwise.
        connection.execute(f"ALTER TABLE leastnoise.{table} ENABLE ALWAYS TRIGGER stays")
    connection.execute("REVOKE ALL ON SCHEMA leastnoise FROM PUBLIC")
    connection.execute("REVOKE ALL ON ALL TABLES IN SCHEMA leastnoise FROM PUBLIC")
    connection.execute("REVOKE ALL ON ALL FUNCTIONS IN SCHEMA leastnoise FROM PUBLIC")


def grant(connection: Any, role: str) -> None:
    """Let a role read and add lines, and nothing else."""
    from psycopg.sql import SQL, Identifier  # noqa: PLC0415 - an extra

    who = Identifier(role)
    if not connection.execute(_HAS_TOTALS).fetchone()[0]:  # ledgers of earlier versions
        _make_totals(connection)
    _make_indexes(connection)
    connection.execute(SQL("GRANT USAGE ON SCHEMA leastnoise TO {}").format(who))
    for table, rights in _GRANTS.items():
        words = SQL(f"GRANT {rights} ON leastnoise.{table} TO {{}}")
        connection.execute(words.format(who))


def _make_totals(connection: Any) -> None:
    for statement in _TOTALS:
        connection.execute(statement)


def _make_indexes(connection: Any) -> None:
    for statement in _INDEXES:
        connection.execute(statement)


def is_there(connection: Any) -> bool:
    """Whether anything of a ledger is in the schema."""
    rows = connection.execute(
        "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = 'leastnoise'"
    ).fetchall()
    return bool(rows)


def old_schemas(connection: Any) -> list[str]:
    """Where earlier versions made ledgers: wherever their search path led."""
    rows = connection.execute(
        "SELECT n.nspname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n"
        " ON n.oid = c.relnamespace WHERE c.relname = 'leastnoise_header' AND c.relkind = 'r'"
        " ORDER BY 1"
    )
    return [str(name) for (name,) in rows]


def move(connection: Any, schema: str) -> None:
    """Copy a ledger of an earlier version, and put its tables where nobody charges them again."""
    from psycopg.sql import SQL, Identifier  # noqa: PLC0415 - an extra

    for table in _OLD:
        old, moved = f"leastnoise_{table}", f"leastnoise_{table}_moved"
        # Renamed first: that waits for whoever is writing, and keeps out whoever comes later.
        rename = SQL("ALTER TABLE {} RENAME TO {}")
        connection.execute(rename.format(Identifier(schema, old), Identifier(moved)))
        copy = SQL(f"INSERT INTO leastnoise.{table} SELECT * FROM {{}}")
        connection.execute(copy.format(Identifier(schema, moved)))
