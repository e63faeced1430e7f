"""Seven queries of TPC-H, nearly as they are written: the same results where nothing binds."""

import math
from pathlib import Path

import duckdb
import pytest

from tests.release.sql.clinic import HUGE, ledger
from tests.release.sql.tpch import QUERIES, shop, tables


@pytest.mark.parametrize("number", QUERIES)
def test_the_result_is_that_of_a_plain_engine(number: int, tmp_path: Path) -> None:
    made = shop().sql(QUERIES[number]).release(HUGE, ledger=ledger(tmp_path))
    with duckdb.connect() as connection:
        for name, frame in tables().items():
            connection.register(name, frame)
        expected = connection.execute(QUERIES[number]).fetchall()
    assert expected
    assert len(made.rows) == len(expected), (made.rows, expected)
    for row, true in zip(made.rows, expected, strict=True):
        for cell, other in zip(row, true, strict=True):
            if isinstance(other, str):
                assert cell == other
            else:
                assert math.isclose(float(cell), float(other), rel_tol=1e-3), (row, true)


def test_query_1_asks_six_questions() -> None:
    assert len(shop().sql(QUERIES[1]).plan.questions) == 6
