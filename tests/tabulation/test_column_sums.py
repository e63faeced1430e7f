import math
import tracemalloc
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise.errors import InvalidParameter
from leastnoise.tabulation import ColumnSums, column_sums
from leastnoise.tabulation import bit_counts as counting
from leastnoise.tabulation.bit_table import bit_table
from tests.tabulation.arrow_stand_in import ArrowArray, ArrowTable, ChunkedArray

SECRET = 987654321
INTEGERS = ["i1", "u1", "<i2", ">i2", "u2", "<i4", ">u4", "i8", ">i8", "u8"]


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_counts_are_those_of_plain_integers(data: Any) -> None:
    rows = data.draw(st.sampled_from([0, 1, 2, 254, 255, 256, 511, 1000]))
    columns = data.draw(st.sampled_from([1, 2, 31, 32, 33, 200]))
    dtype = data.draw(st.sampled_from(["bool", *INTEGERS]))
    order = data.draw(st.sampled_from(["C", "F"]))
    seed = data.draw(st.integers(0, 2**32 - 1))
    bits = np.random.default_rng(seed).integers(0, 2, (rows, columns))
    table = np.array(bits, dtype=dtype, order=order)
    found = column_sums(table)
    assert found.ones.dtype == np.int64
    assert found.ones.tolist() == bits.sum(axis=0).tolist()
    assert (found.records, found.columns) == (rows, columns)
    assert column_sums(table[::-1, ::-1]).ones.tolist() == bits.sum(axis=0)[::-1].tolist()
    assert column_sums(table[::2]).ones.tolist() == bits[::2].sum(axis=0).tolist()
    if np.dtype(dtype).kind == "i":
        signs = np.array(2 * bits - 1, dtype=dtype, order=order)
        assert column_sums(signs, signs=True).ones.tolist() == bits.sum(axis=0).tolist()


def test_other_ways_to_write_a_table() -> None:
    assert column_sums([[1, 0], [1, 1]]).ones.tolist() == [2, 1]
    assert column_sums([[True, False]]).ones.tolist() == [1, 0]
    assert column_sums([[1, -1], [1, 1]], signs=True).ones.tolist() == [2, 1]
    assert column_sums(np.zeros((0, 3), dtype=bool)).ones.tolist() == [0, 0, 0]


@pytest.mark.parametrize("columns", [3, 500])
@pytest.mark.parametrize("value", [0, 1])
def test_no_sum_overflows_its_own_type(columns: int, value: int) -> None:
    for dtype in ("bool", "u1", "i1", "i2"):
        table = np.full((70_000, columns), value, dtype=dtype)
        assert set(column_sums(table).ones.tolist()) == {70_000 * value}
    signs = np.full((1000, columns), 2 * value - 1, dtype="i1")
    assert set(column_sums(signs, signs=True).ones.tolist()) == {1000 * value}


def test_wide_tables_are_read_in_stripes() -> None:
    bits = np.random.default_rng(5).integers(0, 2, (600, 9001)).astype("u1")
    assert column_sums(bits).ones.tolist() == bits.sum(axis=0, dtype=int).tolist()


@pytest.mark.parametrize("order", ["C", "F"])
def test_hardly_any_memory_is_needed(order: Literal["C", "F"]) -> None:
    table = np.zeros((200_000, 64), dtype="i1", order=order)
    for entries, signs in ((table, False), (table - 1, True)):
        tracemalloc.start()
        column_sums(entries, signs=signs)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 8e6  # a copy of the table has 13 MB, one in 64-bit integers 102 MB


# Refusals: nothing is shown

BAD = [
    np.array([[0, 1], [1, 2]]),
    np.array([[0, 1], [1, -1]]),
    np.array([[0, 1], [1, SECRET]]),
    np.array([[0, 255]], dtype="u1"),
    np.array([[0, -128]], dtype="i1"),
    np.array([[1, 3]], dtype="u1").view(bool),  # bytes that claim to be booleans
    np.array([[0.0, 1.0]]),
    np.array([[0.0, math.nan]]),
    np.array([[0, None]]),
    np.array([[0, 1]], dtype=object),
    np.array([["0", "1"]]),
    np.array([[0, 1]], dtype="m8[s]"),
    np.array([[0, 1]], dtype=complex),
    [[0, 1], [SECRET]],
    [[0, 1], [1, 10**30]],
    [0, 1],
    [[[0, 1]]],
    [],
    [[]],
    np.zeros((5, 0), dtype=bool),
    1,
    "0101",
    None,
    np.ma.masked_array([[0, 1]], mask=[[True, False]]),
]


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: type(bad).__name__)
@pytest.mark.parametrize("wide", [False, True])
def test_what_is_no_table_of_bits_is_refused(bad: Any, wide: bool) -> None:
    if wide and isinstance(bad, np.ndarray) and bad.ndim == 2 and bad.size:
        bad = np.concatenate([bad] * 40, axis=1)
    with pytest.raises(InvalidParameter) as caught:
        column_sums(bad)
    for secret in (str(SECRET), "255", "128", "nan", "None", "1000000"):
        assert secret not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    "bad",
    [
        np.array([[0, 1]]),
        np.array([[-1, 2]]),
        np.array([[-1, 3]], dtype="i1"),
        np.array([[-1, -3]], dtype="i1"),
        np.array([[1, 1]], dtype="u1"),
        np.array([[True, True]]),
    ],
)
def test_what_is_no_table_of_signs_is_refused(bad: Any) -> None:
    for table in (bad, np.concatenate([bad] * 40, axis=1)):
        with pytest.raises(InvalidParameter, match="-1 or 1"):
            column_sums(table, signs=True)


def test_one_bad_entry_anywhere_is_found() -> None:
    rng = np.random.default_rng(3)
    for columns in (5, 40, 5000):
        for _ in range(20):
            table = rng.integers(0, 2, (777, columns)).astype("u1")
            table[rng.integers(777), rng.integers(columns)] = 2
            assert counting.count_ones(table, counting.BitCode.BITS) is None


def test_flags_are_flags() -> None:
    with pytest.raises(InvalidParameter, match="signs"):
        column_sums([[1]], signs=1)  # type: ignore[arg-type]


def test_an_object_that_raises_with_data_in_its_words() -> None:
    class Loud:
        def __array__(self, *_args: object, **_kwargs: object) -> np.ndarray:
            raise RuntimeError(f"cannot convert {SECRET}")

    with pytest.raises(InvalidParameter) as caught:
        column_sums(Loud())
    assert str(SECRET) not in str(caught.value)


# Arrow


def test_arrow_tables_and_batches() -> None:
    one, two = [True, False, True, True], [0, 1, 1, 0]
    chunked = ArrowTable(
        {
            "smoker": ChunkedArray([ArrowArray(one[:1]), ArrowArray([]), ArrowArray(one[1:])]),
            "insured": ChunkedArray([ArrowArray(two, "int32")]),
        },
        num_rows=4,
    )
    batch = ArrowTable({"smoker": ArrowArray(one), "insured": ArrowArray(two, "uint8")}, num_rows=4)
    for table in (chunked, batch):
        found = column_sums(table)
        assert found.ones.tolist() == [3, 2]
        assert found.names == ("smoker", "insured")
        assert found.records == 4
    signs = ArrowTable({"a": ArrowArray([-1, 1, 1], "int8")}, num_rows=3)
    assert column_sums(signs, signs=True).ones.tolist() == [2]


def test_long_arrow_columns_are_read_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leastnoise.tabulation.arrow_columns._MOST_ENTRIES", 7)
    values = [bool(k % 3) for k in range(100)]
    assert column_sums(ArrowTable({"a": ArrowArray(values)}, 100)).ones.tolist() == [sum(values)]


@pytest.mark.parametrize(
    "column",
    [
        ArrowArray([True, None, False]),
        ArrowArray([0, 1, SECRET], "int64"),
        ArrowArray([0.0, 1.0, 1.0], "float64"),
        ArrowArray([0, 1, 1], "list"),
        ArrowArray(["0", "1", "1"], "str"),
    ],
)
def test_bad_arrow_columns_are_refused(column: ArrowArray) -> None:
    with pytest.raises(InvalidParameter) as caught:
        column_sums(ArrowTable({"fine": ArrowArray([True] * 3), "bad": column}, 3))
    assert str(SECRET) not in str(caught.value)


def test_an_arrow_table_without_columns_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="at least one column"):
        column_sums(ArrowTable({}, 3))


# Sums from elsewhere


def test_sums_from_elsewhere_are_taken_as_they_are() -> None:
    sums = ColumnSums([3, 0], records=5, names=("a", "b"))
    assert column_sums(sums) is sums
    assert bit_table(sums, signs=False).columns == 2
    assert not sums.ones.flags.writeable


def test_nothing_shows_the_sums() -> None:
    sums = ColumnSums([SECRET, 0], records=SECRET)
    assert str(SECRET) not in f"{sums!r} {sums} {bit_table(sums, signs=False)!r}"


@pytest.mark.parametrize(
    "bad",
    [
        {"ones": [1, 6], "records": 5},
        {"ones": [-1, 2], "records": 5},
        {"ones": [], "records": 5},
        {"ones": [[1]], "records": 5},
        {"ones": [0.5], "records": 5},
        {"ones": [True], "records": 5},
        {"ones": [None], "records": 5},
        {"ones": [[1], [1, 2]], "records": 5},
        {"ones": "12", "records": 5},
        {"ones": [1], "records": -SECRET},
        {"ones": [1], "records": 5.0},
        {"ones": [1], "records": None},
        {"ones": [2**70], "records": 2**80},
        {"ones": [1], "records": 5, "names": ("a", "b")},
    ],
)
def test_bad_sums_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter) as caught:
        ColumnSums(**bad)
    assert str(SECRET) not in str(caught.value)
