"""PostgreSQL: nothing that others made, and no setting, changes what our queries mean."""

import re
from collections.abc import Iterator
from datetime import date, datetime
from typing import Any
from urllib.parse import quote

import psycopg
import pytest

from leastnoise.release.ask.bin import Bin
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.clip import Clip
from leastnoise.release.ask.expression import Condition, col
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.location import PostgresTable
from leastnoise.release.measure.backends.postgres import PostgresSession
from leastnoise.release.measure.backends.postgres_connection import PINNED
from leastnoise.release.measure.measure import measure
from leastnoise.release.measure.sql.fragment import Fragment
from leastnoise.release.read import read
from leastnoise.release.step.aggregate import (
    Aggregate,
    CountPresent,
    CountRows,
    CountUnits,
    DistanceAbove,
    DistanceBelow,
    SumFromCentre,
    SumOf,
    SumOfSquares,
)
from leastnoise.release.step.histograms import Grouping, Histograms
from leastnoise.release.step.measurement import Measurement
from tests.attacks.seeded import SeededSource
from tests.ledger.postgres import server

SCHEMAS = ("public", "mallory")
NUMBERS = ("smallint", "integer", "bigint", "numeric", "double precision")
ALIKE = ("boolean", "text", "name", "oid", '"char"', "date", "timestamp", "regclass", "real")
SETTINGS = {
    "search_path": "public, mallory, pg_catalog",
    "client_encoding": "LATIN1",
    "TimeZone": "'Pacific/Auckland'",
    "DateStyle": "'SQL, DMY'",
    "IntervalStyle": "sql_standard",
    "extra_float_digits": "-15",
    "bytea_output": "escape",
    "standard_conforming_strings": "off",
    "transform_null_equals": "on",
    "array_nulls": "off",
    "row_security": "off",
    "default_transaction_isolation": "'read committed'",
}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with server() as found:
        if found is None:
            pytest.skip("this machine has no PostgreSQL to start")
        run(
            found,
            "CREATE TABLE public.t AS SELECT i AS who, i % 7 AS many, CAST(i % 3 AS text) AS city, "
            "i % 2 = 0 AS smoker, CAST(i AS double precision) / 4 AS cost, "
            "CAST(i AS numeric(9, 2)) AS paid, CAST(i AS smallint) AS small, "
            "DATE '2024-01-31' + i AS day, TIMESTAMP '2024-01-31 23:30' + i * INTERVAL '1 hour' "
            "AS at, '日本' AS place FROM generate_series(1, 50) AS i",
            "ALTER TABLE public.t ENABLE ROW LEVEL SECURITY",
            "CREATE POLICY everything ON public.t USING (true)",
            "CREATE TABLE public.plain AS TABLE public.t",
            "CREATE ROLE mallory LOGIN",
            "CREATE SCHEMA mallory AUTHORIZATION mallory",
            "GRANT ALL ON SCHEMA public TO mallory",
            "GRANT SELECT ON public.t, public.plain TO mallory",
        )
        yield found.replace("tester@", "mallory@")


def run(url: str, *statements: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET search_path TO pg_catalog")
        for each in statements:
            text: Any = each
            connection.execute(text)


def questions() -> list[Measurement | Histograms]:
    """Every kind of question, so that every word of our SQL is used."""
    grid = Grid(lower=-2, upper=9, bits=2)
    kinds: list[Any] = [
        SumOf,
        DistanceBelow,
        DistanceAbove,
        CountPresent,
        SumFromCentre,
        SumOfSquares,
    ]
    terms = [col("cost"), col("paid"), col("small"), col("smoker"), col("cost") * col("paid") - 1]
    sums: tuple[Aggregate, ...] = tuple(kind(term, grid) for kind in kinds for term in terms)
    tight, loose = Bounds(max_groups=1, max_rows=2), Bounds(max_groups=9, max_rows=2)
    keys = Keys.cross(city=["0", "1", "x"], smoker=[True, False])
    cut = Grouping((col("city"), Bin(col("cost"), grid, 4)), Keys.of("city", ["1", "2"]))
    groupings = (cut, Grouping((col("place"), col("small"))), Grouping(()))
    return [
        *(Measurement((CountRows(), CountUnits(), *sums), b) for b in (tight, loose)),
        *(
            Measurement((CountRows(), *sums), Clip(**{kind: 3}))
            for kind in ("max_total", "max_norm")
        ),
        *(Measurement((CountUnits(),), tight, where=where) for where in conditions()),
        Measurement((CountUnits(), *sums), tight, (col("city"), col("smoker")), keys),
        Measurement((CountUnits(),), tight, (col("place"), col("small"), col("smoker"))),
        *(Histograms(groupings, rows) for rows in (1, 9)),
    ]


def conditions() -> list[Condition]:
    return [
        (col("city") == "1") | ~(col("city") > "0") | col("city").isin(["2", "x"]),
        (col("day") < date(2024, 2, 3)) & (col("at") >= datetime(2024, 2, 1, 1)),
        (col("day").year() == 2024) & (col("at").hour() != 5) & (col("day").month() <= 2),
        (col("cost") >= 1) & (col("many") < 6) & ~col("paid").is_null() & (col("smoker") == True),  # noqa: E712
        col("place") == "日本",
    ]


def answers(url: str) -> list[Any]:
    found: list[Any] = []
    for table, unit in (("t", "many"), ("plain", "many"), ("plain", "who"), ("plain", None)):
        asked = questions() if unit is not None else questions()[4:]
        read_table = read(url, unit=unit, table=table)
        for each in measure(read_table, asked, source=SeededSource(3)):
            rows = zip(each.rows, *(t.tolist() for t in each.totals), strict=False)
            found.append(sorted(rows, key=repr))
        if unit is not None:
            with PostgresSession(PostgresTable(url, (table,))) as session:
                assert session.rereads is (table == "plain")
                session.refuse_changed()
    return found


def shadow(url: str, texts: set[str]) -> int:
    """Makes all functions and operators that the texts use anew, so that they fail; how many."""
    words = {word.lower() for text in texts for word in re.findall(r"\b(\w+)\(", text)}
    signs = {sign for text in texts for sign in re.findall(r"(?<= )[-+*/<>=]+(?= )", text)}
    pairs = [(a, b) for a in NUMBERS for b in NUMBERS] + [(a, a) for a in ALIKE]
    pairs += [("oid", "bigint"), ("oid", "regclass"), ("numeric", "real")]
    made = 0
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET search_path TO pg_catalog")
        found = connection.execute(
            "SELECT DISTINCT proname, pg_get_function_identity_arguments(oid) FROM pg_proc "
            "WHERE pronamespace = 'pg_catalog'::regnamespace AND proname = ANY(%s)",
            (sorted(words),),
        ).fetchall()
        found += [
            ("concat_ws", "text, bigint, " + rest) for rest in ("integer, text", "text, text")
        ]
        for schema in SCHEMAS:
            for name, arguments in found:
                made += attempt(connection, schema, name, arguments)
            for a, b in pairs:
                for sign in sorted(signs):
                    made += attempt_operator(connection, schema, sign, a, b)
    assert {"sum", "count", "floor", "abs", "div", "md5", "sqrt", "to_regclass"} <= words
    assert {"+", "-", "*", "/", "<", "<=", "=", ">=", "<>"} <= signs
    return made


def attempt(connection: Any, schema: str, name: str, arguments: str) -> int:
    plain = arguments.replace("ORDER BY", ",").strip(", ")
    body = "AS $$ BEGIN RAISE EXCEPTION 'shadowed'; END $$"
    try:
        connection.execute(
            f'CREATE FUNCTION {schema}."{name}"({plain}) RETURNS {RETURNED.get(name, "numeric")} '
            f"LANGUAGE plpgsql {body}"
        )
    except psycopg.Error:  # some arguments cannot be written
        return 0
    return 1


RETURNED = {
    "length": "integer", "octet_length": "integer", "md5": "text", "concat_ws": "text",
    "count": "bigint", "to_regclass": "regclass", "row_security_active": "boolean",
    "has_column_privilege": "boolean", "set_config": "text", "current_setting": "text",
    "floor": "double precision", "abs": "double precision", "current_database": "name",
}  # fmt: skip


def attempt_operator(connection: Any, schema: str, sign: str, a: str, b: str) -> int:
    truth = sign in {"<", "<=", "=", ">=", ">", "<>"}
    named = f"{schema}.x{'c' if truth else 'a'}"
    result = "boolean" if truth else ("numeric" if "numeric" in (a, b) else a)
    connection.execute(
        f"CREATE OR REPLACE FUNCTION {named}({a}, {b}) RETURNS {result} LANGUAGE plpgsql "
        "AS $$ BEGIN RAISE EXCEPTION 'shadowed'; END $$"
    )
    connection.execute(
        f"CREATE OPERATOR {schema}.{sign} (LEFTARG = {a}, RIGHTARG = {b}, FUNCTION = {named})"
    )
    return 1


def test_what_others_made_is_never_used(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    texts: set[str] = set()
    plain = psycopg.Connection.execute

    def execute(self: Any, query: Any, *arguments: Any, **named: Any) -> Any:
        texts.add(str(query))
        return plain(self, query, *arguments, **named)

    with monkeypatch.context() as watched:
        watched.setattr(psycopg.Connection, "execute", execute)
        wanted = answers(url)
    assert shadow(url, texts) > 500
    assert answers(url) == wanted, "the path as it is by default"
    relations = {word for text in texts for word in re.findall(r"\bpg_[a-z]+\b", text)}
    with psycopg.connect(url) as connection:
        catalogues = "SELECT relname FROM pg_catalog.pg_class WHERE relname = ANY(%s)"
        names = [n for (n,) in connection.execute(catalogues, (sorted(relations),)).fetchall()]
    assert {"pg_class", "pg_attribute", "pg_type"} <= set(names)
    for schema in SCHEMAS:
        run(
            url,
            *(f"CREATE TABLE {schema}.{name} (nothing integer)" for name in names),
            *(f"CREATE DOMAIN {schema}.{t} AS pg_catalog.{t} CHECK (false)"
              for t in ("text", "date", "oid")),
            f"CREATE COLLATION {schema}.\"C\" "
            "(provider = icu, locale = 'und-u-ks-level1', deterministic = false)",
        )  # fmt: skip
    superior = url.replace("mallory@", "tester@")
    run(superior, *(f"ALTER ROLE mallory SET {name} TO {v}" for name, v in SETTINGS.items()))
    with psycopg.connect(url) as connection, pytest.raises(psycopg.Error):
        connection.execute("SELECT CAST(1 AS numeric) * CAST(1 AS bigint)")
    assert answers(url) == wanted, "with a path on which ours are last"
    asked = (f"-c{name}={v}".replace("'", "").replace(" ", "\\ ") for name, v in SETTINGS.items())
    address = f"{url}?options={quote(' '.join(asked))}"
    assert answers(address) == wanted, "asked for in the address"


def test_settings_are_pinned(url: str) -> None:
    with PostgresSession(PostgresTable(url, ("t",))) as session:
        for name, value in PINNED:
            shown = session._run(Fragment(f"SHOW {name}"))
            assert shown == [(value.strip("'"),)]
        assert session._run(Fragment("SHOW transaction_isolation")) == [("repeatable read",)]
        assert session._run(Fragment("SHOW transaction_read_only")) == [("on",)]
