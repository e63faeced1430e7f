"""Keys that are held in columns say, refuse and prove just what tuples of tuples do."""

from collections.abc import Callable
from datetime import date, datetime
from enum import IntEnum
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import leastnoise as ln
from leastnoise.errors import InvalidParameter
from leastnoise.ledger import Ledger
from leastnoise.release.ask import tuple_field
from leastnoise.release.ask.key_rows import KeyRows
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.terms import Column
from leastnoise.release.over_time.fingerprint import fingerprint
from leastnoise.release.step.histograms import Grouping
from leastnoise.release.step.step_price import _is_complete
from tests.release.keys_as_tuples import is_complete, rows_of_keys


class Size(IntEnum):
    """Integers of a kind of their own."""

    SMALL = 1
    LARGE = 2


class Text(str):
    """Texts of a kind of their own."""

    __slots__ = ()


PARTS = st.one_of(
    st.integers(-3, 3),
    st.sampled_from([2**63 - 1, 2**63, -(2**63), -(2**63) + 1, 2**70, *Size, None, 1.0, b"a"]),
    st.sampled_from(["", "a", "b", Text("a"), "x" * 1000, "x" * 1001, "\x00", "\ud83d", "\ude00"]),
    st.booleans(),
    st.dates(date(2024, 1, 1), date(2024, 1, 4)),
    st.sampled_from([datetime(2024, 1, 1), np.int64(1), np.str_("a"), np.bool_(True)]),
)
ALIKE = [
    st.integers(-3, 3),
    st.integers(-(2**63) + 1, 2**63 - 1),
    st.text(st.sampled_from('ab"ø😀'), max_size=3),
    st.booleans(),
    st.dates(date(2024, 1, 1), date(2024, 1, 4)),
    st.sampled_from(Size),
    st.sampled_from([Text("a"), Text("b")]),
    PARTS,
]


def said(make: Callable[[], Any]) -> Any:
    """What comes of it, or the words of a refusal."""
    try:
        return make()
    except InvalidParameter as refusal:
        return str(refusal)


def rows_of(make: Callable[[], Keys]) -> Any:
    """The same of keys: their rows, with the types of their parts."""
    found = said(make)
    return found if isinstance(found, str) else _typed(found.rows)


def _typed(rows: Any) -> Any:
    return rows if isinstance(rows, str) else [[(type(each), each) for each in row] for row in rows]


@settings(max_examples=150)
@given(st.data())
def test_rows_are_taken_and_refused_alike(data: st.DataObject) -> None:
    width = data.draw(st.integers(0, 3))
    names = list("abc"[:width]) if data.draw(st.integers(0, 9)) else ["a"] * width
    kinds = [data.draw(st.sampled_from([*ALIKE[:3], *ALIKE])) for _ in range(width)]
    shapes: list[Any] = [tuple, list]
    row = st.tuples(*kinds) if width else st.just(())
    rows = data.draw(st.lists(row, max_size=4, unique=data.draw(st.booleans())))
    make = data.draw(st.sampled_from(shapes))
    given = [make(each) for each in rows]
    wanted = _typed(said(lambda: rows_of_keys(names, given)))
    event("refused" if isinstance(wanted, str) else "taken")
    assert rows_of(lambda: Keys(names, given)) == wanted
    assert rows_of(lambda: Keys(names, iter(given))) == wanted


@settings(max_examples=100)
@given(st.data())
def test_columns_are_taken_and_refused_alike(data: st.DataObject) -> None:
    lists = [
        data.draw(st.lists(data.draw(st.sampled_from(ALIKE)), max_size=4))
        for _ in range(data.draw(st.integers(0, 3)))
    ]
    named = {f"c{place}": values for place, values in enumerate(lists)}
    wanted = said(lambda: rows_of_keys(list(named), product(*lists)))
    assert rows_of(lambda: Keys.cross(named)) == _typed(wanted)
    for name, values in named.items():
        wanted = said(lambda: rows_of_keys([name], [(each,) for each in values]))  # noqa: B023
        assert rows_of(lambda: Keys.of(name, values)) == _typed(wanted)  # noqa: B023


@given(st.data())
def test_keys_are_equal_where_their_tuples_are(data: st.DataObject) -> None:
    kinds = [data.draw(st.sampled_from(ALIKE[:-1])) for _ in range(2)]
    rows = st.lists(st.tuples(*kinds), min_size=1, max_size=4, unique=True)
    one, other = data.draw(rows), data.draw(rows)
    for pair in ((one, other), (one, one), (one, [*reversed(one)])):
        keys = [Keys(["a", "b"], each) for each in pair]
        assert (keys[0] == keys[1]) == (pair[0] == pair[1])
        assert pair[0] != pair[1] or hash(keys[0]) == hash(keys[1])
        assert (keys[0].listed == tuple(pair[1])) == (pair[0] == pair[1])
    # Equal by Python's rules, and so they were.
    assert Keys.of("a", [0, 1]) == Keys.of("a", [False, True])
    assert hash(Keys.of("a", [0, 1])) == hash(Keys.of("a", [False, True]))


VALUES: st.SearchStrategy[list[Any]] = st.one_of(
    st.lists(st.integers(0, 3), min_size=1, max_size=3, unique=True),
    st.lists(st.sampled_from("abc"), min_size=1, max_size=3, unique=True),
    st.lists(st.booleans(), min_size=1, max_size=2, unique=True),
)


@settings(max_examples=150)
@given(st.data())
def test_complete_tables_are_the_same(data: st.DataObject) -> None:
    lists: list[list[Any]] = data.draw(st.lists(VALUES, min_size=1, max_size=3))
    every = list(product(*lists))
    rows = every if data.draw(st.booleans()) else data.draw(
        st.lists(st.sampled_from(every), min_size=1, unique=True)
    )  # fmt: skip
    columns = [Column(f"c{place}") for place in range(len(lists))]
    grouping = Grouping(tuple(columns), Keys([each.name for each in columns], rows))
    tests: dict[Any, set[object]] = {}
    sizes: dict[str, int] = {}
    for column, values in zip(columns, lists, strict=True):
        if data.draw(st.integers(0, 9)):
            more = data.draw(st.sets(st.sampled_from([*values, 0, "a", True]), max_size=3))
            tests[column] = set(values) if data.draw(st.booleans()) else more
        if data.draw(st.integers(0, 9)):
            sizes[column.name] = len(values) + (not data.draw(st.integers(0, 9)))
    wanted = is_complete(grouping, tests, sizes)
    event("complete" if wanted else "not")
    assert _is_complete(grouping, tests, sizes) is wanted


def test_a_table_that_lacks_a_cell_is_not_complete() -> None:
    columns, every = (Column("a"), Column("b")), [(1, "x"), (1, "y"), (2, "x"), (2, "y")]
    tests: dict[Any, set[object]] = {columns[0]: {1, 2}, columns[1]: {"x", "y"}}
    for rows in (every, every[:3]):
        grouping = Grouping(columns, Keys(["a", "b"], rows))
        wanted = is_complete(grouping, tests, {"a": 2, "b": 2})
        assert _is_complete(grouping, tests, {"a": 2, "b": 2}) is wanted is (rows == every)
        assert not _is_complete(grouping, {columns[0]: {1, 2}}, {"a": 2, "b": 2})
        assert not _is_complete(grouping, tests | {columns[1]: {"z"}}, {"a": 2, "b": 2})


def test_keys_that_name_more_columns_are_judged_as_before() -> None:
    grouping = Grouping((Column("a"),), Keys(["a", "b"], [(1, "x"), (2, "x")]))
    tests: dict[Any, set[object]] = {Column("a"): {1, 2}}
    for size in (2, 3):
        wanted = is_complete(grouping, tests, {"a": size})
        assert _is_complete(grouping, tests, {"a": size}) is wanted is (size == 2)


def test_a_field_of_keys_is_a_tuple_that_is_made_once() -> None:
    keys = Keys.of("a", range(3))
    assert keys.rows is keys.rows
    assert type(keys.rows) is tuple
    assert fingerprint(keys) == fingerprint(Keys(["a"], [(0,), (1,), (2,)]))


def test_no_tuple_is_made_for_each_of_many_groups(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the keys to the files: nobody reads the rows one by one."""
    count = 5_000
    data = pa.table({"person": range(200), "n": [place * 20 for place in range(200)]})
    read: list[str] = []
    one_by_one, as_tuple = KeyRows.__iter__, tuple_field.TupleField.__get__

    def iterated(self: KeyRows) -> Any:
        if len(self) == count:
            read.append("iterated")
        return one_by_one(self)

    def field(self: tuple_field.TupleField, owner: Any, kind: type | None = None) -> Any:
        if owner is not None and len(tuple_field.held(owner, self._name)) == count:
            read.append(f"{type(owner).__name__}.{self._name}")
        return as_tuple(self, owner, kind)

    monkeypatch.setattr(KeyRows, "__iter__", iterated)
    monkeypatch.setattr(tuple_field.TupleField, "__get__", field)
    table = ln.read(data, unit="person", dataset="d")
    asked = ln.plan(table, max_groups=2, max_rows="auto")
    asked = asked.count(by="n", keys=range(count), name="rows")
    asked = asked.count_units(by="n", keys=range(count), name="people")
    ledger = Ledger(tmp_path / "l.db", total=ln.ZCDP(rho=1), dataset="d", begin=True)
    made = asked.release(ln.ZCDP(rho=1), ledger=ledger)
    assert repr(made)
    for answers in made.tables:
        assert len(answers) == count
        assert repr(answers)
        assert answers.non_negative().rounded().to_csv()
        answers.to_csv(tmp_path / f"{answers.name}.csv")
    stored = made.to_json()
    assert read == []
    assert made.tables[0].rows[-1] == (count - 1,)  # whoever reads them gets them, and is counted
    assert read
    assert len(type(made).from_json(stored).tables[1].rows) == count
