"""Several groupings in one statement: each counts as if it were asked alone."""

from collections import Counter
from collections.abc import Sequence
from itertools import product
from typing import Any

import psycopg
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import leastnoise as ln
from leastnoise.release.ask.bin import Bin
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.table import Table
from leastnoise.release.measure.measure import measure
from leastnoise.release.step.histograms import Grouping, Histograms
from tests.examples import examples

WORDS = ["a", "A", "b", "", "ä", "a "]
TYPES = {"who": pa.int64(), "n": pa.int64(), **{name: pa.string() for name in "pqr"}}
AGE = Bin(col("n"), Grid(lower=0, upper=4), 4)
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "who": st.sampled_from([None, 1, 2, 3]),
            "n": st.sampled_from([None, 0, 1, 3, 4]),
            **{name: st.sampled_from([None, *WORDS]) for name in "pqr"},
        }
    ),
    max_size=14,
)


def keys(*names: str, listed: Sequence[str] = WORDS[:4]) -> Keys:
    if len(names) == 1:
        return Keys.of(names[0], listed)
    return Keys(names, list(product(listed, repeat=len(names))))


EVERY = [
    Grouping((col("p"),), keys("p")),
    Grouping((col("q"),), keys("q", listed=["a", "ä"])),
    Grouping((col("r"),), keys("r", listed=["", "b", "none has it"])),
    Grouping((col("p"), col("q")), keys("p", "q")),
    Grouping((col("n"),), Keys.of("n", [0, 3])),
    Grouping((AGE,)),
    Grouping((col("r"), AGE), keys("r")),
    Grouping((col("q"), col("r"))),
    Grouping((col("p"), col("r")), keys("p", "r")),
]
GROUPINGS = st.lists(st.sampled_from(EVERY), min_size=2, max_size=9, unique=True)
LIMITS = st.sampled_from([1, 3])


def data(rows: list[dict[str, Any]]) -> pa.Table:
    return pa.table({n: pa.array([row[n] for row in rows], TYPES[n]) for n in TYPES})


def told(table: Table, asked: Sequence[Histograms]) -> list[Any]:
    """Of each grouping its cells that are not empty; private ones come in any order."""
    found = []
    for each in measure(table, asked):
        counts = each.totals[0].tolist()
        cells = each.rows if len(each.rows) == len(counts) else range(len(counts))
        found.append({cell: n for cell, n in zip(cells, counts, strict=True) if n})
    return found


def assert_each_counts_alone(table: Table, groupings: list[Grouping], most: int) -> None:
    alone = [Histograms((each,), most) for each in groupings]
    one_by_one = [cells for each in alone for cells in told(table, [each])]
    assert told(table, [Histograms(tuple(groupings), most)]) == one_by_one


@examples(25, 150)
@given(ROWS, GROUPINGS, LIMITS, st.sampled_from(["who", None]))
def test_groupings_count_as_if_asked_alone(
    rows: list[dict[str, Any]], groupings: list[Grouping], most: int, unit: str | None
) -> None:
    assert_each_counts_alone(ln.read(data(rows), unit=unit), groupings, most)


def test_a_text_that_is_a_key_of_several_groupings_counts_once_in_each() -> None:
    rows = [
        {"who": None, "n": 1, "p": p, "q": q, "r": r}
        for p, q, r in product(["a", None, "b"], ["a", "", None], ["a", "b", "", None])
    ]
    asked = Histograms(tuple(EVERY[:3]), 1)
    found = measure(ln.read(data(rows), unit=None), [asked])
    for name, grouping, cells in zip("pqr", EVERY[:3], found, strict=True):
        counted: Counter[Any] = Counter(row[name] for row in rows)
        assert grouping.keys is not None
        assert cells.totals[0].tolist() == [counted[key] for (key,) in grouping.keys.rows]


def test_all_groupings_at_once_count_as_if_asked_alone() -> None:
    rows = [
        {"who": turn % 3, "n": turn % 5, "p": p, "q": q, "r": r}
        for turn, (p, q, r) in enumerate(product(["a", None, "b"], ["a", "", None], ["b", "a"]))
    ]
    assert_each_counts_alone(ln.read(data(rows), unit="who"), EVERY, 2)


QUIET = (HealthCheck.function_scoped_fixture, HealthCheck.too_slow)


@pytest.fixture
def url(empty_postgres: str) -> str:
    return empty_postgres


def test_the_same_on_postgresql(url: str) -> None:
    @settings(max_examples=8, deadline=None, suppress_health_check=QUIET)
    @given(ROWS, GROUPINGS, LIMITS)
    def check(rows: list[dict[str, Any]], groupings: list[Grouping], most: int) -> None:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("DROP TABLE IF EXISTS joined_keys")
            kinds = 'who bigint, n bigint, p text COLLATE "C", q text, r varchar(9)'
            connection.execute(f"CREATE TABLE joined_keys ({kinds})")
            with connection.cursor() as cursor:
                cursor.executemany(
                    "INSERT INTO joined_keys VALUES (%s, %s, %s, %s, %s)",
                    [tuple(row[name] for name in TYPES) for row in rows],
                )
        table = ln.read(url, table="joined_keys", unit="who")
        assert_each_counts_alone(table, groupings, most)
        in_memory = ln.read(data(rows), unit="who")
        asked = [Histograms(tuple(groupings), most)]
        assert told(table, asked) == told(in_memory, asked)

    check()


@pytest.mark.parametrize("count", [3, 9])
def test_the_same_on_spark(spark: Any, count: int) -> None:
    rows = [
        {"who": turn % 4 or None, "n": turn % 6 or None, "p": p, "q": q, "r": r}
        for turn, (p, q, r) in enumerate(product([*WORDS[:3], None], WORDS[1:5], [None, "b", ""]))
    ]
    table = ln.read(spark.createDataFrame([tuple(row[n] for n in TYPES) for row in rows],
                                          "who long, n long, p string, q string, r string"),
                    unit="who")  # fmt: skip
    asked = [Histograms(tuple(EVERY[:count]), 3)]
    assert told(table, asked) == told(ln.read(data(rows), unit="who"), asked)
