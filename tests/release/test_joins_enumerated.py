"""Over all small databases: no allowed join moves another's rows, and every wrong one does."""

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from leastnoise.release.ask.location import ParquetFiles
from tests.release.join_shapes import WRONG, databases, named, shapes, without
from tests.release.joined_reference import Database, Found, OwnedRow, counted, evaluated

SHAPES = shapes(lambda name: ParquetFiles((name,), partitioned=False))


@cache
def all_databases() -> list[tuple[Database, tuple[tuple[int, tuple[Any, ...]], ...]]]:
    """Each with the names of its neighbours, and which unit they are without."""
    return [
        (each, tuple({(unit, named(other)) for unit in (0, 1) for other in without(each, unit)}))
        for each in databases()
    ]


def failures(evaluate: Callable[[Database], list[OwnedRow]]) -> int:
    """In how many databases somebody else's rows move when a unit goes."""
    found = {named(each): counted(evaluate(each)) for each, _ in all_databases()}
    assert len({len(each) for each in found.values()}) > 1, "rows that are never there stay"
    return sum(
        any(
            _of_others(found[named(each)], unit) != _of_others(found[other], unit)
            for unit, other in neighbours
        )
        for each, neighbours in all_databases()
    )


def _of_others(found: Found, unit: int) -> dict[tuple[Any, ...], int]:
    return {row: times for row, times in found.items() if row[0] != unit}


def test_all_databases_are_there() -> None:
    assert len({named(each) for each, _ in all_databases()}) == len(all_databases()) == 6160


@pytest.mark.parametrize("name", SHAPES)
def test_what_is_allowed_is_local(name: str) -> None:
    assert failures(lambda database: evaluated(SHAPES[name], database)) == 0


@pytest.mark.parametrize("wrong", WRONG, ids=lambda each: each.__name__)
def test_what_is_refused_is_not(wrong: Callable[[Database], list[OwnedRow]]) -> None:
    assert failures(wrong) > 0
