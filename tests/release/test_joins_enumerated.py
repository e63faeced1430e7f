"""Over all small databases: no allowed join moves another's rows, and every wrong one does."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from leastnoise.release.ask.location import ParquetFiles
from tests.release.join_shapes import (
    WRONG,
    databases,
    named,
    shapes,
    shapes_by_name,
    without,
    without_named,
)
from tests.release.joined_reference import Database, Found, OwnedRow, counted, evaluated


def somewhere(name: str) -> ParquetFiles:
    return ParquetFiles((name,), partitioned=False)


SHAPES, BY_NAME = shapes(somewhere), shapes_by_name(somewhere)


Without = Callable[[Database, int], Iterator[Database]]


@cache
def all_databases(less: Without = without) -> list[tuple[Database, set[tuple[int, Any]]]]:
    """Each with the names of its neighbours, and which unit they are without."""
    return [
        (each, {(unit, named(other)) for unit in (0, 1) for other in less(each, unit)})
        for each in databases()
    ]


def failures(evaluate: Callable[[Database], list[OwnedRow]], less: Without = without) -> int:
    """In how many databases somebody else's rows move when a unit goes."""
    found = {named(each): counted(evaluate(each)) for each, _ in all_databases(less)}
    assert len({len(each) for each in found.values()}) > 1, "rows that are never there stay"
    others = [{name: _of_others(rows, unit) for name, rows in found.items()} for unit in (0, 1)]
    return sum(
        any(others[unit][name] != others[unit][other] for unit, other in neighbours)
        for name, (_, neighbours) in zip(found, all_databases(less), strict=True)
    )


def _of_others(found: Found, unit: int) -> dict[tuple[Any, ...], int]:
    return {row: times for row, times in found.items() if row[0] != unit}


def test_all_databases_are_there() -> None:
    assert len({named(each) for each, _ in all_databases()}) == len(all_databases()) == 6160


@pytest.mark.parametrize("name", SHAPES)
def test_what_is_allowed_is_local(name: str) -> None:
    assert failures(lambda database: evaluated(SHAPES[name], database)) == 0


@pytest.mark.parametrize("name", BY_NAME)
def test_a_key_that_names_the_unit_is_local(name: str) -> None:
    assert failures(lambda database: evaluated(BY_NAME[name], database), without_named) == 0


def test_such_a_key_among_rows_of_nobody_would_not_be() -> None:
    """So it is the rows that name a unit that come and go with it."""
    assert failures(lambda database: evaluated(BY_NAME["named"], database), without) > 0


# In how many of the 6160 what is wrong shows.
GOLDEN = {
    "keys_alone": 260,
    "columns_alone": 560,
    "existing_keys": 260,
    "not_in": 2312,
    "repeated_keys_dropped": 234,
    "least_owner": 260,
    "first_parent": 260,
    "ranked": 2016,
    "by_a_computed_key": 2068,
}


@pytest.mark.parametrize("wrong", WRONG, ids=lambda each: each.__name__)
def test_what_is_refused_is_not(wrong: Callable[[Database], list[OwnedRow]]) -> None:
    assert failures(wrong) == GOLDEN[wrong.__name__]


def test_the_page_says_so() -> None:
    page = (Path(__file__).parents[2] / "docs" / "proofs" / "joins.md").read_text("utf-8")
    told = [int(found) for found in re.findall(r"\| (\d+) \|$", page, re.MULTILINE)]
    assert told == list(GOLDEN.values())
    assert f"Of the {len(all_databases())} databases" in page
