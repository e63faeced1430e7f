"""Texts of whole columns are, byte for byte, those of the same tables written row by row."""

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise.release.ask.key_rows import KeyRows
from leastnoise.release.result import json_text, woven
from leastnoise.release.result.cut import Cut
from leastnoise.release.result.flag import Flag, FlagKind
from leastnoise.release.result.flagging import AnswerFacts, flagged
from leastnoise.release.result.release_text import _lines
from leastnoise.release.result.released_table import ReleasedTable
from tests.release.row_by_row import csv_by_rows, json_by_rows, stored_by_rows

HOSTILE: list[Any] = [
    "", " ", "Oslo", "a,b", 'say "hi"', '"', '""', ",", "a\nb", "a\r\nb", "\r", "\n",
    "\x01\x1f\x7f", "\x85", "\u2028", "\ufeff", "ø", "e\u0301", "😀", "\\", "\\n", "/", "</script>",
    "nan", "None", "=1+1", "+1", "-1", "@x", "\t=", "'=1", "''=1", "'", "x=1", "\uff1d1", "\uff0b",
    "\uff0d", "\uff20", "a\n=1", "\n=1", "],[", "}, {", "; ", "1.0", "true",
]  # fmt: skip
OTHERS: list[Any] = [
    None, True, False, 0, -1, 2**53 + 1, 2**63 - 1, -(2**63) + 1, 2**70, 0.0, -0.0, 0.1 + 0.2, 1e16,
    1e22, 5e-324, float("nan"), float("inf"), -float("inf"), date(1, 1, 1), date(9999, 12, 31),
]  # fmt: skip
FLOATS = [*(each for each in OTHERS if type(each) is float), 1.0, -7.0, 9999999999999998.0, -1e16]
CELLS = st.one_of(
    st.sampled_from([*HOSTILE, *OTHERS]),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=6),
    st.integers(),
    st.floats(),
    st.dates(),
    st.booleans(),
)
KINDS = (
    st.integers(-(2**63) + 1, 2**63 - 1),
    st.integers(0, 3),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=6) | st.sampled_from(HOSTILE),
    st.dates(),
    st.booleans(),
    CELLS,
)
NUMBERS = (
    st.sampled_from(FLOATS),
    st.floats(),
    st.integers(-5, 5).map(float),
    st.integers(-(10**17), 10**17).map(float),
)


def table(columns: list[list[Any]], count: int, **parts: Any) -> ReleasedTable:
    """Keys of some columns, and answers of which some come again and some do not."""
    names = ("city", "value", "=n,", "a\nb", "flags")[: len(columns)]
    rows = tuple(zip(*columns, strict=True)) if columns else ((),) * count
    floats = np.resize(np.array(FLOATS), count)
    usual = {
        "values": np.arange(count, dtype=np.int64) * 3 - 7,
        "standard_error": np.full(count, 0.25),
        "lower": floats,
        "upper": np.arange(count) + 0.5,
    }
    return ReleasedTable("q", names, rows, mechanism="noise", **usual | parts)


def assert_written(given: ReleasedTable) -> None:
    assert given.to_json() == json_by_rows(given)
    assert given.to_csv() == csv_by_rows(given, raw=False)
    assert given.to_csv(raw=True) == csv_by_rows(given, raw=True)
    assert stored(given) == stored_by_rows(given)


def stored(given: ReleasedTable) -> str:
    """What a stored release says of a table."""
    return "  {\n" + "".join(_lines(given)) + "\n  }"


def flagged_everywhere(given: ReleasedTable) -> ReleasedTable:
    """With flags of all, of some, that meet, and of what an interval says nothing about."""
    count = len(given)
    odd = tuple(range(1, count, 2))
    flags = (
        Flag(FlagKind.BOUND, 'of "all"'),
        Flag(FlagKind.CUT, "cut, some", odd),
        Flag(FlagKind.MOSTLY_NOISE, "noise\nø", tuple(range(0, count, 3))),
        Flag(FlagKind.WHOLE_RANGE, "=whole", tuple(range(0, count, 5))),
    )
    cut = Cut(
        "rows", (1.0, 2.5), None, (0.0, 1.0), tuple(np.resize(FLOATS, count).tolist()),
        surely_more=True, cap=None, most=3, beyond=None, advice='ø "x"',
    )  # fmt: skip
    return replace(given, flags=tuple(flag for flag in flags if flag.rows or count), cut=cut)


@pytest.mark.parametrize("values", [HOSTILE, OTHERS, [*HOSTILE, *OTHERS], HOSTILE[:1], OTHERS[:1]])
def test_hostile_cells(values: list[Any]) -> None:
    assert_written(table([values], len(values)))
    assert_written(table([values, values[::-1], values], len(values)))
    assert_written(flagged_everywhere(table([values, values[::-1]] * 2, len(values))))


@pytest.mark.parametrize("value", [*HOSTILE, *OTHERS])
def test_each_hostile_cell_alone(value: Any) -> None:
    """Not beside others, which would have all of them looked at one by one."""
    assert_written(table([[value, "x"], ["x", value]], 2))
    assert_written(table([[f"a{value}b"] * 2], 2))


@pytest.mark.parametrize("kind", [int, str, bool, date, float])
@pytest.mark.parametrize("count", [0, 1, 2, 9])
def test_cells_of_one_kind(kind: type, count: int) -> None:
    values = [each for each in [*HOSTILE, *OTHERS] if type(each) is kind]
    columns = [(values * count)[:count], (values[::-1] * count)[:count]]
    assert_written(flagged_everywhere(table(columns, count)))
    assert_written(table([], count))


@settings(max_examples=100)
@given(st.data())
def test_any_columns(data: st.DataObject) -> None:
    count = data.draw(st.integers(0, 12))
    kinds = data.draw(st.lists(st.sampled_from(KINDS), max_size=5))
    columns = [data.draw(st.lists(each, min_size=count, max_size=count)) for each in kinds]
    measures = {
        name: np.array(
            data.draw(
                st.lists(data.draw(st.sampled_from(NUMBERS)), min_size=count, max_size=count)
            ),
            np.float64,
        )
        for name in ("values", "standard_error", "lower", "upper")
    }
    found = table(columns, count, **measures)
    assert_written(found)
    assert_written(flagged_everywhere(found))


@settings(max_examples=100)
@given(st.data(), st.integers(1, 5))
def test_pieces_of_any_length(data: st.DataObject, length: int) -> None:
    count = data.draw(st.integers(0, 12))
    kinds = data.draw(st.lists(st.sampled_from(KINDS), max_size=3))
    columns = [data.draw(st.lists(each, min_size=count, max_size=count)) for each in kinds]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(woven, "_AT_ONCE", length)
        patch.setattr(json_text, "_AT_ONCE", length)
        assert_written(flagged_everywhere(table(columns, count)))


@pytest.mark.parametrize("kind", [np.float32, np.int32, np.uint8, np.bool_, ">f8"])
def test_numbers_of_other_widths(kind: Any) -> None:
    values = np.array([1, 0, 1, 1], kind)
    assert_written(table([["a"] * 4], 4, values=values, upper=values.copy()))


@pytest.mark.parametrize("count", [65_536, 65_537])
def test_tables_as_long_as_the_pieces_and_longer(count: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(count)
    texts = [HOSTILE[place] for place in rng.integers(0, len(HOSTILE), count)]
    numbers = np.arange(count) * 7 - 2**62
    plain = table(
        [numbers.tolist(), texts],
        count,
        values=rng.integers(-9, 99, count),
        lower=np.round(rng.normal(size=count), 2),
        upper=rng.normal(size=count),
    )
    held = replace(plain, rows=KeyRows([numbers, tuple(texts)], count))
    told = flagged(held, AnswerFacts((-9.0, 99.0)))
    assert told.to_json() == json_by_rows(told)
    assert stored(told) == stored(replace(told, rows=plain.rows)) == stored_by_rows(told)
    told.to_csv(tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_bytes() == csv_by_rows(told, raw=False).encode()


@pytest.mark.parametrize("count", [1, 5])
def test_days(count: int) -> None:
    values = np.array([19753.0, 19000.5, float("nan"), float("inf"), -(10.0**9)])[:count]
    days = [date(2024, 1, 31 - place) for place in range(count)]
    assert_written(flagged_everywhere(table([days], count, values=values, dated=True)))


def test_half_of_a_pair_of_surrogates_is_told_as_it_is_and_leaves_no_file(tmp_path: Path) -> None:
    half = table([["\ud83d", "\ude00"]], 2)
    assert_written(half)
    with pytest.raises(UnicodeEncodeError):
        half.to_csv(tmp_path / "t.csv")
    assert list(tmp_path.iterdir()) == []
