"""All 22 TPC-H queries are answered, or refused with a rewrite that is answered; docs/tpch.md says which."""

import re
from pathlib import Path
from typing import Any

import duckdb
import pytest

import leastnoise as ln
from tests.sql.tpch import PRIVATE, PUBLIC, QUERIES, tpch

PAGE = (Path(__file__).parents[2] / "docs" / "tpch.md").read_text("utf-8")
DATA = tpch()


def plain(text: str) -> list[dict[str, Any]]:
    connection = duckdb.connect()
    for name, table in (PRIVATE | PUBLIC).items():
        connection.register(name, table)
    connection.execute(
        "CREATE MACRO clip(x, low, high) AS CASE WHEN x IS NOT NULL THEN greatest(low, least(high, x)) END"
    )
    found = connection.execute(text)
    names = [each[0] for each in found.description]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


@pytest.mark.parametrize("number", QUERIES)
def test_each_query_is_answered_or_refused_with_the_reason(number: int) -> None:
    text, refused, rewritten, _ = QUERIES[number]
    row = next(line for line in PAGE.splitlines() if re.match(rf"\| {number} \|", line))
    assert ("answered" in row) is (not refused)
    if not refused:
        DATA.sql(text)
        return
    with pytest.raises(ln.InvalidInput) as error:
        DATA.sql(text)
    assert refused in str(error.value)
    assert rewritten or "public" in row


@pytest.mark.parametrize("number", [number for number, query in QUERIES.items() if query[2]])
def test_what_is_answered_is_what_duckdb_says(number: int, tmp_path: Path) -> None:
    _, _, text, groups = QUERIES[number]
    query = DATA.sql(text, groups=groups)
    if query.limit is not None:
        query = DATA.sql(text, groups=groups, max_contributions=20)
    ledger = ln.Ledger.create(tmp_path / "x.ledger", privacy_unit="customer", rho=10**14)
    rows = query.release(ledger, rho=10**14).rows
    assert rows
    if "bins(" in text:
        assert [round(row["customers"]) for row in rows[:3]] == [3, 1, 0]
        return
    keys = [key.name for key in query.keys]
    by_key = {tuple(row[key] for key in keys): row for row in rows}
    for wanted in plain(text):
        own = by_key[tuple(wanted[key] for key in keys)]
        for name, value in wanted.items():
            if name not in keys and value is not None:
                assert own[name] == pytest.approx(float(value), rel=1e-2, abs=0.5), name
