"""One row, however strange, neither stops a release nor changes what other rows mean."""

import gzip
import random
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.expression import Condition, col
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.table import Table
from leastnoise.release.measure import csv_lines
from leastnoise.release.measure.csv_clean import Form, is_clean
from leastnoise.release.measure.csv_lines import records_of
from leastnoise.release.measure.measure import measure
from leastnoise.release.read import read
from leastnoise.release.step.aggregate import CountRows, CountUnits, SumOf
from leastnoise.release.step.measurement import Measurement

BOUNDS = Bounds(max_groups=9, max_rows=9)
GRID = Grid(lower=0, upper=10, bits=0)
GOOD = [b"1,Oslo,3", b'2,"Oslo, N",4', b'3,"a ""b""",5', b"4,,", b'"5",\xc3\x85s,1e0']
BAD = {
    "bytes that are no text": b"6,\xff,1",
    "half a surrogate pair": b"6,\xed\xa0\x80,1",
    "too few fields": b"6,x",
    "too many fields": b"6,x,1,2",
    "an empty line": b"",
    "a quote that never closes": b'6,"x,1',
    "a quote that closes early": b'6,"x"y,1',
    "a quote inside": b'6,x"y,1',
    "two quotes inside": b'6,x"y"z,1',
    "a quote after a space": b'6, "x",1',
    "a quote at the end": b'6,x,"',
    "three quotes": b'6,""",1',
    "a carriage return": b"6,x\ry,1",
    "a long field": b"6," + b"x" * 3_000_000 + b",1",
}
LONGER = b"6," + b"x" * 40_000_000 + b",1"
ODD = {  # rows that count; those fields are missing, or text like any other
    "a number that is too long": b"6,x," + b"9" * 5000,
    "a huge number": b"6,x,1e999",
    "a word": b"6,x,abc",
    "NUL": b"6,x\x00y,",
    "a mark": b"\xef\xbb\xbf6,x,",
    "a comment": b"#6,x,",
    "a backslash": b"6,x\\,",
    "a line end in quotes": b'6,"x\ny",',
    "rows in quotes": b'6,"x\n\n1,Oslo,3\n2,Oslo,3\n",',
    "rows and fields in quotes": b'"6\n1,Oslo,3\n","\n1,Oslo,3",""',
}


def asked() -> list[Measurement]:
    sums = (CountRows(), CountUnits(), SumOf(col("n"), GRID))
    keys = Keys.of("k", ["Oslo", "Oslo, N", 'a "b"', "Ås"])
    return [
        Measurement(sums, BOUNDS),
        Measurement(sums, BOUNDS, (col("k"),), keys),
        Measurement((CountUnits(),), BOUNDS, (col("k"),)),
        Measurement((CountRows(),), BOUNDS, where=col("k") == "Oslo"),
        Measurement((CountRows(),), BOUNDS, where=col("n") >= 0),
    ]


def answers(table: Table) -> list[Any]:
    return [
        sorted(zip(map(repr, each.rows), *(t.tolist() for t in each.totals), strict=True))
        for each in measure(table, asked())
    ]


def csv_table(path: Path, lines: list[bytes], unit: str | None, end: bytes = b"\n") -> Table:
    data = end.join([b"id,k,n", *lines, b""])
    path.write_bytes(data if path.suffix != ".gz" else gzip.compress(data))
    return read(path, unit=unit, types={"n": "number"})


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> dict[str | None, list[Any]]:
    """The answers where all lines are good, by whose they are."""
    path = tmp_path_factory.mktemp("good") / "a.csv"
    return {unit: answers(csv_table(path, GOOD, unit)) for unit in ("id", None)}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_line_is_left_out_and_no_other(
    what: str, tmp_path: Path, good: dict[str | None, list[Any]]
) -> None:
    """At every place, in every kind of file, and whoever the rows belong to."""
    path, end = tmp_path / "a.csv", len(GOOD)
    for place, unit in ((0, "id"), (2, None), (end, "id")):
        lines = [*GOOD[:place], BAD[what], *GOOD[place:]]
        assert answers(csv_table(path, lines, unit)) == good[unit]
    assert answers(csv_table(path, lines, "id", b"\r\n")) == good["id"]
    assert answers(csv_table(tmp_path / "a.csv.gz", lines, None)) == good[None]


def test_a_very_long_line_is_left_out(tmp_path: Path, good: dict[str | None, list[Any]]) -> None:
    assert (
        answers(csv_table(tmp_path / "a.csv", [*GOOD[:2], LONGER, *GOOD[2:]], "id")) == good["id"]
    )


@pytest.mark.slow
def test_a_very_long_line_is_left_out_everywhere(
    tmp_path: Path, good: dict[str | None, list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(BAD, "a longer one", LONGER)
    test_a_bad_line_is_left_out_and_no_other("a longer one", tmp_path, good)


@pytest.mark.parametrize("what", ODD)
def test_an_odd_line_is_one_row(
    what: str, tmp_path: Path, good: dict[str | None, list[Any]]
) -> None:
    expected = good["id"]
    found = answers(csv_table(tmp_path / "a.csv", [*GOOD, ODD[what]], "id"))
    assert found[0][0][1:3] == tuple(n + 1 for n in expected[0][0][1:3])
    assert found[1] == expected[1]


def test_line_ends_may_differ(tmp_path: Path, good: dict[str | None, list[Any]]) -> None:
    for end in (b"\n", b"\r\n"):
        lines = [GOOD[0] + b"\r", *GOOD[1:]] if end == b"\n" else [GOOD[0] + b"\n" + GOOD[1],
                                                                   *GOOD[2:]]  # fmt: skip
        assert answers(csv_table(tmp_path / "a.csv", lines, "id", end)) == good["id"]


ALPHABET = [b"a", b'"', b'""', b",", b"\n", b"\r\n", b"\r", b"\xff", "é".encode(), b" ", b"\\"]


def fields_of(record: bytes) -> int | None:
    """How many fields, letter by letter; 0 if a quote stays open, None if one is out of place."""
    fields, rest = 1, record
    while rest:
        if rest.startswith(b'"'):
            inner = rest[1:].replace(b'""', b"xx")
            if b'"' not in inner:
                return 0
            rest = rest[inner.index(b'"') + 2 :]
        else:
            field = rest.partition(b",")[0]
            if b'"' in field:
                return None
            rest = rest[len(field) :]
        if rest and not rest.startswith(b","):
            return None
        fields, rest = fields + bool(rest), rest[1:]
    return fields


def reference(lines: list[bytes], fields: int) -> list[bytes]:
    found, first = [], 0
    while first < len(lines):
        last = first
        while last < len(lines) and fields_of(b"\n".join(lines[first : last + 1])) == 0:
            last += 1
        record = b"\n".join(lines[first : last + 1])
        if last == len(lines) or fields_of(record) != fields:
            first += 1
            continue
        if b"\r" not in record and record.decode(errors="replace").encode() == record:
            found.append(record.replace(b"\n", b" "))
        first = last + 1
    return found


@pytest.mark.parametrize("times", [120, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("block", [1, 7, 2**20])
def test_lines_are_judged_one_by_one(
    block: int, times: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_lines, "_BLOCK", block)
    dice = random.Random(block)
    path = tmp_path / "a.csv"
    for _ in range(times):
        body = b"".join(dice.choice(ALPHABET) for _ in range(dice.randrange(60)))
        body += b"\n" * body.endswith(b"\r")
        path.write_bytes(b"a,b\n" + body)
        lines = body.replace(b"\r\n", b"\n").split(b"\n")
        expected = reference(lines if lines[-1] else lines[:-1], 2)
        found = Path(records_of(str(path), Form(",", 2), tmp_path / "copy").path).read_bytes()
        assert found.replace(b"\r\n", b"\n").removesuffix(b"\n") == b"\n".join([b"a,b", *expected])


FIELDS = [
    b"",
    b"x",
    b'""',
    b'"x,y"',
    b'"x ""y"""',
    b"x" * 62,
    b'"' + b"," * 63 + b'"',
    "é".encode(),
]


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_clean_lines_are_seen_as_they_are_judged(end: bytes) -> None:
    dice = random.Random(len(end))
    seen = []
    for _ in range(300):
        rows = [b",".join(dice.choices(FIELDS, k=3)) for _ in range(dice.randrange(1, 9))]
        lines = end.join([*rows, b""])
        assert is_clean(lines, Form(",", 3), end)
        place = dice.randrange(len(lines) - len(end))
        lines = lines[:place] + dice.choice(ALPHABET) + lines[place + dice.randrange(2) :]
        plain = lines.replace(end, b"\n")
        alike = end == b"\n" or lines.count(b"\n") == lines.count(end)
        expected = reference(plain[:-1].split(b"\n"), 3) == plain[:-1].split(b"\n") and alike
        assert is_clean(lines, Form(",", 3), end) == expected
        seen.append(expected)
    assert 20 < sum(seen) < 280


class Stubborn:
    """What cannot be written."""

    def __str__(self) -> str:
        raise ValueError


OBJECTS = ["\ud800", "x\udcff", Stubborn(), None, float("nan"), pd.NA, pd.NaT]


@pytest.mark.parametrize("value", OBJECTS, ids=range(len(OBJECTS)))
@pytest.mark.parametrize("kind", ["object", "category"])
def test_objects_that_cannot_be_written_are_missing(value: Any, kind: str) -> None:
    words = pd.Series(["Oslo", "Oslo", value, 7], dtype=object).astype(kind)
    frame = pd.DataFrame({"id": [1, 2, 3, 4], "k": words, "n": [1.0, 2.0, 3.0, 4.0]})
    found = answers(read(frame, unit="id", types={"k": "text"}))
    assert found[0] == [("()", 4, 4, 10)]
    assert found[2] == [("('7',)", 1), ("('Oslo',)", 2)]
    types = {"id": "text", "k": "text"}
    as_unit = answers(read(frame.assign(id=words, k=words), unit="id", types=types))
    assert as_unit[0] == [("()", 3, 2, 7)]


def test_arrow_bytes_that_are_no_text_are_no_keys() -> None:
    places = np.array([0, 4, 6, 10, 11], np.int32).tobytes()
    buffers = [None, pa.py_buffer(places), pa.py_buffer(b"Oslo\xffbOslo\xc3")]
    words = pa.Array.from_buffers(pa.string(), 4, buffers)
    found = answers(read(pa.table({"id": [1, 2, 3, 4], "k": words, "n": [1.0] * 4}), unit="id"))
    assert found[0] == [("()", 4, 4, 4)]
    assert found[2] == [("('Oslo',)", 2)]


EXTREMES = [0, 2**62, -(2**62), 2**63 - 1, 1 - 2**63, None, 1_600_000_000]


@pytest.mark.parametrize("kind", ["s", "ms", "us", "ns", "date32", "date64"])
def test_times_that_do_not_fit_are_missing(kind: str) -> None:
    days = [0, 2**31 - 1, -(2**31), 5, None, 1, 18_000]
    if kind == "date32":
        times = pa.array(days, pa.int32()).cast(pa.date32())
    elif kind == "date64":
        times = pa.array([d and d * 86_400_000 for d in days], pa.int64()).cast(pa.date64())
    else:
        times = pa.array(EXTREMES, pa.int64()).cast(pa.timestamp(kind))
    table = read(pa.table({"id": list(range(7)), "t": times}), unit="id")
    bound = date(2015, 1, 1) if kind.startswith("date") else datetime(2015, 1, 1)
    conditions: list[Condition] = [col("t") >= bound, col("t").year() == 1970, col("t").is_null()]
    for condition in conditions:
        (found,) = measure(table, [Measurement((CountUnits(),), BOUNDS, where=condition)])
        assert 0 <= found.totals[0][0] <= 7


def test_wide_numbers_never_overflow() -> None:
    ends = [10**38 - 1, 1 - 10**38, 0, None]
    table = read(pa.table({"id": pa.array(ends, pa.decimal128(38, 0)),
                           "n": pa.array(ends, pa.decimal128(38, 0))}), unit="id")  # fmt: skip
    (found,) = measure(table, [Measurement((CountUnits(), SumOf(col("n"), GRID)), BOUNDS)])
    assert [t.tolist() for t in found.totals] == [[3], [10]]


@pytest.mark.parametrize("column", ["who", "word"])
def test_a_number_that_cannot_be_compared_is_missing(column: str) -> None:
    """Decimal's signalling NaN raises wherever one asks whether it is NaN."""
    values = {"who": ["1", "2", "3"], "word": ["Oslo", "Oslo", "Bergen"]}
    values[column][2] = Decimal("sNaN")  # type: ignore[call-overload]
    frame = pd.DataFrame({name: pd.Series(each, dtype=object) for name, each in values.items()})
    asked = Measurement((CountUnits(),), BOUNDS, (col("word"),), Keys.of("word", ["Oslo"]))
    (found,) = measure(read(frame, unit="who", types=dict.fromkeys(values, "text")), [asked])
    assert found.totals[0].tolist() == [2]
