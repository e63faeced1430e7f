"""Keys are held column by column, and read and refused as if each were a tuple of its own."""

import pickle
import re
from datetime import date, datetime
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leastnoise.errors import InvalidParameter
from leastnoise.release.ask.key_rows import KeyRows, checked_column, crossed
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.values import is_storable

TEXTS = st.text(st.characters(codec=None, exclude_categories=()), max_size=4)
COLUMNS = st.one_of(
    st.lists(st.integers(-(2**63) + 1, 2**63 - 1), min_size=1, max_size=6),
    st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\x00")), min_size=1),
    st.lists(st.booleans(), min_size=1, max_size=6),
    st.lists(st.dates(), min_size=1, max_size=6),
)


@given(COLUMNS)
def test_one_column_reads_as_its_tuples(values: list[Any]) -> None:
    values = list(dict.fromkeys(values))
    plain = tuple((value,) for value in values)
    for keys in (Keys.of("a", values), Keys(["a"], plain), Keys(["a"], map(list, plain))):
        held = keys.listed
        assert type(keys.rows) is tuple
        assert keys.rows == held == plain
        assert [type(row[0]) for row in held] == [type(value) for value in values]
        assert repr(keys) == f"Keys(columns=('a',), rows={plain!r})"
        assert hash(held) == hash(plain)
        assert (len(keys), len(held)) == (len(plain), len(plain))
        assert [held[place] for place in range(-len(plain), len(plain))] == [*plain, *plain]
        for part in (slice(None), slice(1, None), slice(None, None, -2)):
            assert held[part] == plain[part]
        assert pickle.loads(pickle.dumps(keys)) == keys


@given(st.lists(COLUMNS.map(lambda values: list(dict.fromkeys(values))[:3]), max_size=3))
def test_combinations_are_those_of_a_product(lists: list[list[Any]]) -> None:
    named = {f"c{place}": values for place, values in enumerate(lists)}
    if not named:
        with pytest.raises(InvalidParameter, match="keys need columns"):
            Keys.cross(named)
        return
    rows: list[tuple[Any, ...]] = [()]
    for values in lists:
        rows = [(*row, value) for row in rows for value in values]
    keys = Keys.cross(named)
    assert keys.rows == tuple(rows)
    assert keys == Keys(list(named), rows)
    assert hash(keys) == hash(Keys(list(named), rows))
    assert repr(keys.listed) == repr(tuple(rows))


@given(st.lists(TEXTS, min_size=1, max_size=5))
def test_texts_are_checked_together_as_each_alone(values: list[str]) -> None:
    assert (checked_column(values) is not None) == all(map(is_storable, values))


def test_halves_of_a_pair_stay_halves_side_by_side() -> None:
    assert checked_column(["\ud83d", "\ude00"]) is None
    assert checked_column(["x" * 1001]) is None
    assert checked_column(["x" * 1000] * 5) is not None


REFUSED = [
    ([(1, 2)], "a key must have 1 value, each an int, text, truth value or date; got (int, int)"),
    ([2**63], "a key must have 1 value, each an int, text, truth value or date; got (int)"),
    ([-(2**63)], "a key must have 1 value, each an int, text, truth value or date; got (int)"),
    ([1.5], "a key must have 1 value, each an int, text, truth value or date; got (float)"),
    ([None], "Missing values cannot be keys"),
    ([datetime(2024, 1, 31)], "Of moments take the dates: moment.date()."),
    ([], "`keys` must name at least one group; got an empty list"),
    ([1, "1"], "the keys of 'a' must be of one type; got int and str"),
    ([1, True], "the keys of 'a' must be of one type; got bool and int"),
    ([3, 1, 3, 3], "`keys` must not name a group twice; got 4 keys of 2 groups"),
    (["b", "a", "b"], "`keys` must not name a group twice; got 3 keys of 2 groups"),
    ([date(2024, 1, 31)] * 2, "`keys` must not name a group twice; got 2 keys of 1 groups"),
]


@pytest.mark.parametrize(("values", "words"), REFUSED)
def test_what_is_no_key_is_refused(values: list[Any], words: str) -> None:
    with pytest.raises(InvalidParameter, match=re.escape(words)):
        Keys(["a"], [value if isinstance(value, tuple) else (value,) for value in values])
    with pytest.raises(InvalidParameter, match=re.escape(words.replace("(int, int)", "(tuple)"))):
        Keys.of("a", values)


def test_groups_of_several_columns_are_compared_whole() -> None:
    assert Keys(["a", "b"], [(1, "x"), (1, "y"), (2, "x")]).listed.distinct == 3
    with pytest.raises(InvalidParameter, match="4 keys of 3 groups"):
        Keys(["a", "b"], [(1, "x"), (1, "y"), (2, "x"), (1, "y")])
    wide = KeyRows([np.arange(200) % 100] * 10, 200)
    assert wide.distinct == 100  # more combinations than a number of 64 bits has room for


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 2)), max_size=9))
def test_different_keys_are_counted(rows: list[tuple[int, int]]) -> None:
    columns = np.array(rows, np.int64).reshape(len(rows), 2).T
    assert KeyRows(columns, len(rows)).distinct == len(set(rows))
    assert KeyRows(columns[:1], len(rows)).distinct == len({row[0] for row in rows})


def test_more_combinations_than_may_be_listed_are_never_made() -> None:
    with pytest.raises(InvalidParameter, match="must be at most 10000000; got 1000000000000"):
        Keys.cross(a=range(10**6), b=range(10**6))


def test_texts_become_dates_in_their_columns_alone() -> None:
    keys = Keys.cross(a=["2024-01-31", "2024-02-01"], b=["2024-01-31"], n=[1])
    told = keys.with_dates({"a", "n"})
    assert told.rows == ((date(2024, 1, 31), "2024-01-31", 1), (date(2024, 2, 1), "2024-01-31", 1))
    assert keys.with_dates(set()) is keys


def test_keys_are_equal_by_what_they_name() -> None:
    keys = Keys.of("a", [1, 2, 3])
    assert keys != Keys.of("b", [1, 2, 3])
    assert keys != Keys.of("a", [1, 4, 3])
    assert keys != Keys.of("a", [1, 2])
    assert keys != Keys.of("a", ["1", "2", "3"])
    assert keys != keys.rows
    assert keys.listed != KeyRows([np.array([1, 2, 3])] * 2, 3)
    assert keys.listed != [(1,), (2,), (3,)]
    assert crossed([np.array([1, 2, 3])]) == keys.listed
    with pytest.raises(IndexError):
        keys.listed[3]
    with pytest.raises(ValueError, match="read-only"):
        keys.listed.columns[0][0] = 7  # type: ignore[index]
