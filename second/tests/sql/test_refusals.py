"""Every rule refuses with its own words: where, what is wrong, and what to write instead.

The statements and their whole messages stand in refusals.txt, for people to read;
`python -m tests.sql.test_refusals` writes the messages anew.
"""

import re
from pathlib import Path

import pyarrow as pa
import pytest

import leastnoise as ln
from tests.sql.clinic import CITIES, PATIENTS, clinic

FILE = Path(__file__).with_name("refusals.txt")
BLOCK = re.compile(r"^(R\d+|names|text): (.*?)\n((?:    .*\n|\n)*)", re.MULTILINE)
CLINIC = clinic()
ROWS = ln.read(
    {"patients": PATIENTS, "visits": pa.table({"id": ["a"]})},
    privacy_unit=ln.ROW,
    public={"cities": CITIES},
)


def said(rule: str, statement: str) -> str:
    data = ROWS if rule == "R9" else CLINIC
    try:
        data.sql(statement.replace("\\n", "\n"), groups=None)
    except ln.InvalidInput as refused:
        return f"{type(refused).__name__}: {refused}"
    return "answered"


def blocks() -> list[tuple[str, str, str]]:
    found = [(rule, text, re.sub(r"^    ", "", body, flags=re.MULTILINE).strip("\n"))
             for rule, text, body in BLOCK.findall(FILE.read_text("utf-8"))]  # fmt: skip
    assert len(found) > 70
    return found


@pytest.mark.parametrize(("rule", "statement", "message"), blocks())
def test_a_refusal_reads_as_written(rule: str, statement: str, message: str) -> None:
    assert said(rule, statement) == message


def test_every_rule_has_its_refusals() -> None:
    rules = {rule for rule, _, _ in blocks()}
    assert rules == {*(f"R{i}" for i in range(1, 13)), "names", "text"}


def test_refusals_say_where() -> None:
    """Unless the statement as a whole is wrong, or groups are missing."""
    for rule, statement, message in blocks():
        whole = (
            "which values of",
            "SQL ",
            "Write one SELECT",
            "Nothing is asked",
            "Two columns of the answer",
        )
        first = message.partition(": ")[2]
        assert first.startswith(("line ", *whole)), (rule, statement)


@pytest.mark.parametrize(
    "name",
    [
        "lower",
        "sum",
        "count",
        "select",
        "unit",
        "u",
        "k",
        "r",
        "a.b",
        "%s",
        "?",
        "${x}",
        '"q"',
        "key 1",
        "aggregate 0",
    ],
)
def test_columns_may_be_called_anything(name: str, tmp_path: Path) -> None:
    """Also like functions, words of SQL, and the names that our own statements use."""
    table = pa.table({"who": ["a", "a", "b"], name: [1, 2, 3]})
    quoted = '"' + name.replace('"', '""') + '"'
    text = f"""SELECT {quoted} AS g, COUNT(*) AS n, SUM(clip({quoted}, 0, 9)) AS s
               FROM (SELECT who, {quoted}, COUNT(*) AS rows FROM data GROUP BY who, {quoted}) AS d
               WHERE {quoted} > 1 GROUP BY {quoted}"""
    ledger = ln.Ledger.create(tmp_path / "x.ledger", privacy_unit="who", rho=10**9)
    query = ln.read(table, privacy_unit="who").sql(text, groups=[1, 2, 3], max_contributions=3)
    assert [round(row["s"]) for row in query.release(ledger, rho=10**9).rows] == [0, 2, 3]


def test_macros_and_views_of_the_user_do_not_change_our_statement(tmp_path: Path) -> None:
    import duckdb

    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT i % 5 AS who, i AS x FROM range(20) r(i)")
    connection.execute("CREATE VIEW v AS SELECT who, x FROM t WHERE x < 10")
    for macro in (
        "count(x) AS 99",
        "greatest(a, b) AS 99",
        "least(a, b) AS 99",
        "round(x) AS 99",
        "encode(x) AS 'z'",
    ):
        connection.execute(f"CREATE MACRO {macro}")
    data = ln.read({"v": connection.table("v")}, privacy_unit={"who": "who"})
    ledger = ln.Ledger.create(tmp_path / "x.ledger", privacy_unit="who", rho=10**9)
    query = data.sql(
        "SELECT COUNT(x) AS n, SUM(clip(x, 0, 5)) AS s, COUNT(DISTINCT who) AS u FROM v",
        max_contributions=9,
    )
    (row,) = query.release(ledger, rho=10**9).rows
    assert (round(row["n"]), round(row["s"]), round(row["u"])) == (10, 35, 5)


def main() -> None:
    """Writes every message anew."""

    def block(rule: str, text: str) -> str:
        return (
            f"{rule}: {text}\n"
            + "".join(f"    {line}\n" for line in said(rule, text).split("\n"))
            + "\n"
        )

    found = BLOCK.findall(FILE.read_text("utf-8"))
    FILE.write_text("".join(block(rule, text) for rule, text, _ in found), "utf-8")


if __name__ == "__main__":
    main()
