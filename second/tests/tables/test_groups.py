"""Known groups and groups that are to be found: what they refuse, and which rows they are."""

from datetime import date
from typing import Any

import pyarrow as pa
import pytest

from leastnoise.numbers.errors import InvalidInput
from leastnoise.tables import groups
from leastnoise.tables.dialect import DUCKDB, fill
from leastnoise.tables.engines.duckdb import DuckDB
from leastnoise.tables.expressions import Call, Column
from leastnoise.tables.groups import MOST, Groups, Unlisted
from leastnoise.tables.schema import Column as Declared
from leastnoise.tables.schema import Schema, Type

G, N, D = Column("g", Type.TEXT), Column("n", Type.INTEGER), Column("d", Type.DATE)
KEYS = (("a", 1), ("b", None), (None, 1), ("", -(2**63)))


def test_a_row_has_the_code_of_the_key_that_it_equals_to_the_byte() -> None:
    rows = [*KEYS, ("A", 1), ("a ", 1), ("b", 1), ("a", None), (None, None), ("a", 1)]
    data = pa.table({"e0": pa.array([g for g, _ in rows]), "e1": pa.array([n for _, n in rows]),
                     "i": [*range(len(rows))]})  # fmt: skip
    known = Groups((G, N), KEYS)
    with DuckDB([]) as engine:
        engine._register("r", data)
        query = fill("SELECT i, k FROM r JOIN {} ON {}", known.table(DUCKDB), known.matches())
        assert sorted(engine.integers(query)) == [(0, 0), (1, 1), (2, 2), (3, 3), (9, 0)]
    assert known.matches().text == "e0 IS NOT DISTINCT FROM c0 AND e1 IS NOT DISTINCT FROM c1"
    assert Groups((G,), (("a",),)).matches().text == "e0 = c0"
    assert (len(known), len(Groups())) == (4, 1)


WRONG: list[tuple[Any, str]] = [
    (lambda: Groups((G,), (("a",), ("a",))), "listed twice"),
    (lambda: Groups((G, N), (("a", 1), ("b",))), "one value for each of 2 columns"),
    (lambda: Groups((G,), ((1,),)), "1 is no value of type text"),
    (lambda: Groups((N,), ((1,), (2**63,))), "is no value of type integer"),
    (lambda: Groups((Column("x", Type.NUMBER),), ((1,),)), "x is of type number, which is no key"),
    (lambda: Unlisted((Column("x", Type.NUMBER),), (None,)), "x is of type number, which is no key"),
    (lambda: Unlisted((G, N), (None, ("a",))), "'a' is no value of type integer"),
    (lambda: Unlisted((G, N), (("a",), (1,))), "known already"),
    (lambda: Unlisted((G, N), (None,)), "known already"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "words"), WRONG)
def test_what_is_no_key_is_refused(make: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        make()


def test_keys_are_columns_of_the_rows() -> None:
    schema = Schema([Declared("g", Type.TEXT)])
    for each in (Groups((G,), ()), Unlisted((G,), (None,))):
        each.check(schema)
    for other in (Groups((G, N), ()), Unlisted((Call("is null", (N,)),), (None,))):
        with pytest.raises(InvalidInput, match="no column"):
            other.check(schema)


def test_there_are_a_million_groups_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST == 10**6
    monkeypatch.setattr(groups, "MOST", 6)
    Groups((N,), tuple((i,) for i in range(6)))
    with pytest.raises(InvalidInput, match="There are 7 groups; 6 are the most"):
        Groups((N,), tuple((i,) for i in range(7)))
    found = [("x",), ("y",), ("z",), ("more",)]
    both = Unlisted((N, G), ((1, None), None)).with_found(found)
    assert both == Groups(
        (N, G), ((1, "x"), (None, "x"), (1, "y"), (None, "y"), (1, "z"), (None, "z"))
    )
    assert Unlisted((G,), (None,)).with_found(found).keys == tuple(found)
    six = [(f"g{i}",) for i in range(7)]
    assert len(Unlisted((N, G), ((1,), None)).with_found(six)) == 6
    assert Unlisted((G, N), (None, ())).with_found(found).keys == ()


def test_what_was_found_stands_where_it_was_unknown() -> None:
    day, other = date(2020, 1, 1), date(2020, 1, 2)
    asked = Unlisted((G, N, D), (None, (1, 2), None))
    assert asked.unknown == (G, D)
    assert asked.with_found([("a", day), ("b", other)]).keys == (
        ("a", 1, day), ("a", 2, day), ("b", 1, other), ("b", 2, other))  # fmt: skip
