"""Derived columns: arithmetic that never fails, and parts of dates."""

from dataclasses import replace
from datetime import date, datetime
from fractions import Fraction
from typing import Any

import psycopg
import pyarrow as pa
import pytest

from leastnoise.errors import InvalidParameter
from leastnoise.release.ask.bin import Bin
from leastnoise.release.ask.bounds import ONE_ROW, Bounds
from leastnoise.release.ask.expression import Column, Term, col
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.table import Table
from leastnoise.release.measure.measure import measure
from leastnoise.release.read import read
from leastnoise.release.step.aggregate import CountPresent, CountRows, SumOf
from leastnoise.release.step.histograms import Grouping, Histograms
from leastnoise.release.step.measurement import Measurement
from tests.release.fuzz import FLOATS
from tests.release.reference import is_missing, place, value_of
from tests.release.test_hostile import HOSTILE

EDGES = [*FLOATS, float("nan"), float("inf"), float("-inf"), 1e61, 1e-61, -1e-300, 3.7, None]
PAIRS = [(a, b) for a in EDGES for b in EDGES]
DAYS = [date(2024, 2, 29), date(1, 1, 1), date(9999, 12, 31), None, date(1969, 12, 31)]
MOMENTS = [datetime(2024, 2, 29, 23, 59, 59), datetime(1, 1, 1), None, datetime(9999, 12, 31, 23),
           datetime(1969, 12, 31, 7)]  # fmt: skip


@pytest.fixture(scope="module")
def url(empty_postgres: str) -> str:
    with psycopg.connect(empty_postgres, autocommit=True) as connection:
        connection.execute("CREATE TABLE pairs (a float8, b float8)")
        connection.execute("CREATE TABLE dates (day date, at timestamp)")
        with connection.cursor() as cursor:
            cursor.executemany("INSERT INTO pairs VALUES (%s, %s)", PAIRS)
            cursor.executemany(
                "INSERT INTO dates VALUES (%s, %s)", list(zip(DAYS, MOMENTS, strict=True))
            )
            cursor.execute("INSERT INTO dates VALUES ('infinity', '-infinity')")
            cursor.execute("INSERT INTO dates VALUES ('0044-03-15 BC', '0044-03-15 BC')")
    return empty_postgres


A, B = col("a"), col("b")
TERMS: list[Term] = [
    A + B,
    A - B,
    A * B,
    2 - A * B,
    (A + B) * (A - B) * (B - Fraction(1, 3)) * A,
    (A - A) * 10**90 + B * Fraction(1, 10**90),
    A * A * A * A + B * B * B * B,
]
GRID = Grid(lower=-1000, upper=1000)


def totals(table: Table, term: Term) -> list[int]:
    asked = (SumOf(term, GRID), CountPresent(term, GRID))
    kept = Measurement((CountRows(),), ONE_ROW, where=(term > 0) & (term <= Fraction(7, 2)))
    answers = measure(table, [Measurement(asked, ONE_ROW), kept])
    return [int(total[0]) for answer in answers for total in answer.totals]


def wanted(term: Term) -> list[int]:
    values = [value_of(term, {"a": a, "b": b}) for a, b in PAIRS]
    places = [place(v, GRID) for v in values if not is_missing(v)]
    kept = [v for v in values if not is_missing(v) and 0 < v <= Fraction(7, 2)]
    return [sum(places), len(places), len(kept)]


@pytest.mark.parametrize("term", TERMS, ids=str)
def test_arithmetic_at_the_edges(term: Term, url: str) -> None:
    columns = {n: pa.array(v, pa.float64()) for n, v in zip("ab", zip(*PAIRS, strict=True),
                                                             strict=True)}  # fmt: skip
    assert totals(read(pa.table(columns), unit=None), term) == wanted(term)
    assert totals(read(url, unit=None, table="pairs"), term) == wanted(term)


def counts(table: Table, *keys: Any) -> list[dict[Any, int]]:
    answers = measure(table, [Histograms(tuple(Grouping((key,)) for key in keys), 1)])
    return [dict(zip(a.rows, a.totals[0].tolist(), strict=True)) for a in answers]


def test_parts_of_dates(url: str) -> None:
    parts = (col("day").year(), col("day").month(), col("at").day(), col("at").hour())
    found = [
        {(2024,): 1, (1,): 1, (9999,): 1, (1969,): 1},
        {(2,): 1, (1,): 1, (12,): 2},
        {(29,): 1, (1,): 1, (31,): 2},
        {(23,): 2, (0,): 1, (7,): 1},
    ]
    here = pa.table(
        {"day": pa.array(DAYS, pa.date32()), "at": pa.array(MOMENTS, pa.timestamp("us"))}
    )
    for table in (read(here, unit=None), read(url, unit=None, table="dates")):
        assert counts(table, *parts) == found
        ages = Measurement((SumOf(2026 - col("day").year(), Grid(lower=0, upper=100, bits=0)),),
                           ONE_ROW)  # fmt: skip
        (answer,) = measure(table, [ages])
        assert answer.totals[0].tolist() == [2 + 100 + 0 + 57]
        late = Measurement((CountRows(),), ONE_ROW, where=col("at").hour() >= 20)
        assert measure(table, [late])[0].totals[0].tolist() == [2]


def test_derived_keys_of_a_bounded_measurement() -> None:
    data = pa.table({"id": [1, 1, 1, 2], "day": [date(2023, 5, 1), date(2023, 6, 1),
                    date(2024, 5, 1), None], "v": [1.0, 5.0, 9.0, 9.0]})  # fmt: skip
    year, part = col("day").year(), Bin(col("v") * 2, Grid(lower=0, upper=20), 4)
    keys = Keys(["year of day", part.name], [(2023, 0), (2023, 2), (2024, 3), (2025, 0)])
    asked = Measurement((CountRows(),), Bounds(max_groups=3, max_rows=1), (year, part), keys)
    (answer,) = measure(read(data, unit="id"), [asked])
    assert answer.totals[0].tolist() == [1, 1, 1, 0]
    with pytest.raises(InvalidParameter, match="parts of a range need keys"):
        measure(read(data, unit="id"), [replace(asked, keys=None)])


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names(name: str) -> None:
    table = read(pa.table({name: [1, 2, 3]}), unit=None)
    term = Column(name) * 2 + 1
    asked = Measurement((SumOf(term, Grid(lower=0, upper=9, bits=0)),), ONE_ROW, where=term < 7)
    assert measure(table, [asked])[0].totals[0].tolist() == [8]


def test_terms_are_values() -> None:
    assert col("a") + col("b") == A + B
    assert A + B != B + A
    assert hash(A * 2) == hash(col("a") * 2)
    assert (A + 1 > 2) == (col("a") + 1 > 2)
    assert len({A, col("a"), A + B, A.year(), A.month(), A.year()}) == 4
    assert str((A + 1) * B) == ((A + 1) * B).name == "((a + 1) * b)"
    assert (A + B * A).columns == (A, B)


REFUSED = [
    (col("text") + 1, "must be numbers"),
    (col("day") - 1, "must be numbers"),
    (col("n").year(), "dates or time stamps"),
    (col("day").hour(), "time stamps"),
    (col("nothing") + 1, "must be in the table"),
]


@pytest.mark.parametrize(("term", "words"), REFUSED, ids=str)
def test_refused(term: Term, words: str) -> None:
    table = read(pa.table({"text": ["a"], "n": [1], "day": [date(2020, 1, 1)]}), unit=None)
    with pytest.raises(InvalidParameter, match=words):
        measure(table, [Measurement((SumOf(term, GRID),), ONE_ROW)])


@pytest.mark.parametrize("other", ["x", True, None, date(2020, 1, 1), float("nan"), float("inf")])
def test_other_operands_are_refused(other: object) -> None:
    with pytest.raises(InvalidParameter):
        _ = A + other
    with pytest.raises(InvalidParameter):
        _ = other * A


def test_large_expressions_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="products of 4"):
        _ = A * A * A * A * A
    long: Term = A
    for _ in range(15):
        long = long + B
    with pytest.raises(InvalidParameter, match="16 columns"):
        _ = long + A
