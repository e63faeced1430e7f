"""Every relation over three fixed worlds, row by row, against the plain-Python reference."""

from random import Random
from typing import Any

import pytest

from leastnoise.tables.engines.duckdb import DuckDB
from tests.tables.tables import DATES, HOSTILE, TIMES
from tests.tables.test_relations import Data, engine_rows, every, reference_rows

UNITS = ["p", "p", "q", "P", "", None]
KEYS = [0, 1, 2, 3, 2**62, None]
TEXTS = ["a", "A", "b", "", None]


def world(seed: int) -> Data:
    """Rows that often match, with every kind of hostile value among them."""
    of = Random(seed).choice

    def rows(count: int, **columns: list[Any]) -> list[dict[str, Any]]:
        return [{name: of(values) for name, values in columns.items()} for _ in range(count)]

    return {
        "people": rows(14, u=UNITS, a=KEYS, ta=TEXTS, x=HOSTILE, d=DATES),
        "visits": rows(10, v=UNITS, b=KEYS, n=KEYS, t=TIMES),
        "children": rows(12, fk=KEYS, c=TEXTS, z=HOSTILE),
        "grandchildren": rows(8, gk=TEXTS, w=KEYS),
        "cities": rows(6, key=TEXTS, number=KEYS, place=TEXTS, size=HOSTILE),
    }


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_rows_are_those_of_the_reference(seed: int) -> None:
    with DuckDB([]) as engine:
        for name, relation, rows in every(world(seed)):
            assert engine_rows(relation, engine) == reference_rows(relation, rows), name
