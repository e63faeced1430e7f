"""Text files as they come: forms, encodings, and fields that are not what was declared."""

import csv
import gzip
import io
import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leastnoise.errors import InvalidParameter
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.csv_form import CsvForm, checked_form
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.location import CsvFiles
from leastnoise.release.ask.table import Table
from leastnoise.release.ask.unparsed import flag_of
from leastnoise.release.file.plan_file import plan_file
from leastnoise.release.measure.backends.duckdb import DuckDBSession
from leastnoise.release.measure.csv_clean import Form
from leastnoise.release.measure.csv_lines import records_of
from leastnoise.release.measure.measure import measure
from leastnoise.release.measure.sql.dialect import DUCKDB
from leastnoise.release.measure.sql.fragment import fill, joined
from leastnoise.release.plan import plan
from leastnoise.release.read import read
from leastnoise.release.step.aggregate import CountRows
from leastnoise.release.step.measurement import Measurement
from tests.examples import examples

MANY = settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
# Beginning an engine takes 20 ms and a field next to nothing: few files, and much in each.
FEW = examples(6, 60, suppressed=[HealthCheck.function_scoped_fixture])


def rows(table: Table, names: Sequence[str] | None = None) -> list[tuple[Any, ...]]:
    """What the engine sees of a table, in the order of the file."""
    assert isinstance(table.location, CsvFiles)
    with DuckDBSession(table.location) as session:
        wanted = joined(", ", map(DUCKDB.identifier, names or table.schema.names))
        query = fill("SELECT {} FROM {}", wanted, session.scan(table.schema.names))
        found: list[tuple[Any, ...]] = session._run(query).fetchall()
        return found


def written(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.write_bytes(text.encode(encoding))
    return path


def field_texts(fields: Sequence[str]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([["x", "i"], *([each, ""] for each in fields)])
    return text.getvalue()


def parsed(
    tmp_path: Path, fields: Sequence[str], kind: str, form: Mapping[str, Any]
) -> list[tuple[Any, bool]]:
    """The value of each field, and whether it is counted as unparsed."""
    path = written(tmp_path / "f.csv", field_texts(fields))
    return rows(read(path, unit=None, types={"x": kind}, csv=form), ["x", flag_of("x")])


def much(each: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    """Nothing, a little, or much of it: 30 in the mean, where `lists` would make 5."""
    return st.lists(each, max_size=2) | st.lists(each, min_size=20, max_size=50)


LETTERS = st.characters(blacklist_categories=["Cs"], blacklist_characters="\r\n\x00\x1a")
FORMS = [
    ({"delimiter": ";"}, "utf-8"),
    ({"delimiter": "\t", "quote": "'"}, "utf-8"),
    ({"encoding": "utf-16"}, "utf-16"),
    ({"delimiter": ";", "encoding": "latin-1"}, "latin-1"),
    ({"delimiter": "|", "encoding": "windows-1252", "header": ["a", "b", "c"]}, "cp1252"),
]


@pytest.mark.parametrize(("form", "encoding"), FORMS)
@pytest.mark.parametrize("packed", [False, True])
@FEW
@given(data=st.data())
def test_well_formed_files_are_read_as_pythons_module_reads_them(
    data: st.DataObject, form: dict[str, Any], encoding: str, packed: bool, tmp_path: Path
) -> None:
    text = st.text(LETTERS, max_size=6).filter(lambda t: _can_be_written(t, encoding))
    wanted = data.draw(much(st.tuples(text, text, text)))
    file = io.StringIO()
    writer = csv.writer(
        file,
        delimiter=form.get("delimiter", ","),
        quotechar=form.get("quote", '"'),
        lineterminator=data.draw(st.sampled_from(["\n", "\r\n"])),
        quoting=data.draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])),
    )
    writer.writerows(wanted if "header" in form else [("a", "b", "c"), *wanted])
    path = tmp_path / ("f.csv.gz" if packed else "f.csv")
    content = file.getvalue().encode(encoding)
    path.write_bytes(gzip.compress(content) if packed else content)
    found = rows(read(path, unit=None, csv=form))
    assert found == [tuple(field or None for field in row) for row in wanted]


def _can_be_written(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return not text.startswith("\ufeff")


@pytest.mark.parametrize(
    ("encoding", "bad"),
    [
        ("windows-1252", b"\x81"),
        ("utf-16", "x".encode("utf-16-le") + b"\x00\xd8"),  # half a pair
        ("utf-16", b"\x00\xdc"),
    ],
)
def test_what_an_encoding_does_not_know_spoils_its_own_row_alone(
    encoding: str, bad: bytes, tmp_path: Path
) -> None:
    codec = "utf-16-le" if encoding == "utf-16" else "cp1252"
    before, after = ("a,b\n1,é\n2,".encode(codec), "\n3,€\n".encode(codec))
    path = tmp_path / "f.csv"
    path.write_bytes(before + bad + after)
    assert rows(read(path, unit=None, csv={"encoding": encoding})) == [("1", "é"), ("3", "€")]


def test_a_byte_too_much_spoils_the_last_row_alone(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_bytes("a,b\n1,x\n2,y".encode("utf-16") + b"\x00")
    assert rows(read(path, unit=None, csv={"encoding": "utf-16"})) == [("1", "x")]


SWAP = bytes.maketrans(b"\"'", b"'\"")
BYTES = [
    b"a",
    b",",
    b'"',
    b"'",
    b"\n",
    b"\r\n",
    b"\r",
    b'""',
    b'"a"',
    b"'a',",
    b"\xff",
    "é".encode(),
]
LINES = st.lists(st.sampled_from(BYTES), max_size=40).map(b"".join)


@MANY
@given(content=LINES)
def test_lines_are_judged_alike_under_another_quote(content: bytes, tmp_path: Path) -> None:
    def records(text: bytes, quote: str) -> bytes:
        (tmp_path / "f.csv").write_bytes(text)
        found = records_of(str(tmp_path / "f.csv"), Form(",", 2, quote), tmp_path / "copy")
        return Path(found.path).read_bytes()

    assert records(content.translate(SWAP), "'") == records(content, '"').translate(SWAP)


@MANY
@given(content=LINES)
def test_without_a_quote_a_line_is_what_is_between_line_ends(
    content: bytes, tmp_path: Path
) -> None:
    content += b"\n" * content.endswith(b"\r")  # else the end that is missing would make it CRLF
    (tmp_path / "f.csv").write_bytes(content)
    found = records_of(str(tmp_path / "f.csv"), Form(",", 2, ""), tmp_path / "copy")
    lines = content.replace(b"\r\n", b"\n").split(b"\n")
    lines = lines if lines[-1] else lines[:-1]
    good = [
        line
        for line in lines
        if line.count(b",") == 1 and b"\r" not in line and b"\xff" not in line
    ]
    kept = Path(found.path).read_bytes().replace(b"\r\n", b"\n").removesuffix(b"\n")
    assert kept.split(b"\n") == (good or [b""])
    assert found.left_out == len(lines) - len(good)


def test_without_quotes_a_quote_is_a_letter(tmp_path: Path) -> None:
    path = written(tmp_path / "f.csv", 'a,b"\n1,"x\n"2",y"z\n3,x,y\n')
    table = read(path, unit=None, csv={"quote": ""})
    assert table.schema.names == ("a", 'b"')
    assert rows(table) == [("1", '"x'), ('"2"', 'y"z')]


def test_files_without_a_first_line_of_names(tmp_path: Path) -> None:
    written(tmp_path / "1.csv", "\ufeff7,Oslo\n8,Ås\n")
    written(tmp_path / "2.csv", "9,Bergen\n1,2,3\n")
    written(tmp_path / "3.csv", "")
    form = {"header": ["id", "city"]}
    table = read(tmp_path, unit="id", types={"id": "integer"}, csv=form)
    assert rows(table) == [(7, "Oslo"), (8, "Ås"), (9, "Bergen")]


def test_words_for_nothing(tmp_path: Path) -> None:
    path = written(tmp_path / "f.csv", 'a,b\nNA,NA\n-99,-99\n"NA",1\n na,2\n,\n')
    form = {"null": ["NA", "-99"]}
    table = read(path, unit=None, types={"b": "integer"}, csv=form)
    assert rows(table) == [(None, None), (None, None), (None, 1), (" na", 2), (None, None)]
    assert rows(table, [flag_of("b")]) == [(False,)] * 5


NUMBERS = st.one_of(
    st.text("0123456789.,'_ +-eE", max_size=9),
    st.from_regex(r"[+-]?[0-9]{1,3}([.,' ][0-9]{3}){0,2}([.,][0-9]{0,3})?", fullmatch=True),
    st.sampled_from(["1_000", "0x10", "0b1", "inf", "-Infinity", "nan", "1e400", "-1e400", "٣"]),
)


def number(text: str, decimal: str, thousands: str) -> float | None:
    """What a text says, by other means than one pattern."""
    text = text.strip(" ")
    sign = -1.0 if text.startswith("-") else 1.0
    text = text[1:] if text[:1] in ("-", "+") else text
    mantissa, e, exponent = text.replace("E", "e").partition("e")
    whole, _, part = mantissa.partition(decimal)
    groups = whole.split(thousands) if thousands else [whole]
    short = 1 <= len(groups[0]) <= 3 and all(len(each) == 3 for each in groups[1:])
    if len(groups) > 1 and not short:
        return None
    digits = "".join(groups)
    signless = exponent[1:] if exponent[:1] in ("-", "+") else exponent
    if not (digits or part) or (e and not signless):
        return None
    if not all(each.isascii() and each.isdigit() for each in digits + part + signless):
        return None
    found = sign * float(f"{digits or 0}.{part or 0}e{exponent or 0}")
    return None if abs(found) == float("inf") else found


@pytest.mark.parametrize(
    ("decimal", "thousands"), [(".", ""), (",", ""), (",", "."), (".", ","), (",", " "), (".", "'")]
)
@FEW
@given(fields=much(NUMBERS))
def test_numbers_are_what_the_form_says_and_nothing_else(
    fields: list[str], decimal: str, thousands: str, tmp_path: Path
) -> None:
    form = {"decimal": decimal, "thousands": thousands}
    expected = [number(each, decimal, thousands) for each in fields]
    counted = [
        bool(each.strip(" ")) and e is None for each, e in zip(fields, expected, strict=True)
    ]
    assert parsed(tmp_path, fields, "number", form) == list(zip(expected, counted, strict=True))
    whole = [e if e is not None and _is_whole(each, decimal) else None
             for each, e in zip(fields, expected, strict=True)]  # fmt: skip
    assert [value for value, _ in parsed(tmp_path, fields, "integer", form)] == whole


def _is_whole(text: str, decimal: str) -> bool:
    head, _, part = text.strip(" ").partition(decimal)
    return "e" not in text.lower() and not part.strip("0") and bool(re.search("[0-9]", head))


TRAPS = {
    "number": ["1_000", "0x10", "inf", "nan", "1e400", "1,5", "1 000", "١", "--1", "1e", "$5"],
    "integer": ["1_000", "0x10", "1.5", "5e2", "99999999999999999999", "true", "1.0.0"],
    "date": ["24-01-05", "epoch", "infinity", "2024-1-5", "0000-01-01", "2024-02-30", "now",
             "2024-01-05 (BC)", "20240-01-05", "2024-01-05 00:00:00", "05.01.2024"],
    "moment": ["epoch", "2024-01-05 24:00:00", "2024-01-05T10:00:00Z", "2024-01-05 10:00+02",
               "2024-01-05 10", "2024-01-05 10:60", "today", "1704412800"],
    "truth": ["on", "2", "ja", "1.0", "T rue"],
}  # fmt: skip


@pytest.mark.parametrize("kind", TRAPS)
def test_what_engines_would_take_is_missing_and_counted(kind: str, tmp_path: Path) -> None:
    assert parsed(tmp_path, TRAPS[kind], kind, {}) == [(None, True)] * len(TRAPS[kind])


FINE = [
    ("number", " 1.50 ", 1.5),
    ("number", "-.5e3", -500.0),
    ("integer", "+007", 7),
    ("integer", "1.0", 1),
    ("integer", "9223372036854775807", 2**63 - 1),
    ("date", "2024-02-29", date(2024, 2, 29)),
    ("date", "0001-01-01", date.min),
    ("moment", "2024-02-29T23:59:59.5", datetime(2024, 2, 29, 23, 59, 59, 500_000)),
    ("moment", "2024-02-29 23:59", datetime(2024, 2, 29, 23, 59)),
    ("moment", "2024-02-29", datetime(2024, 2, 29)),
    ("truth", "Yes", True),
    ("truth", " f ", False),
]


@pytest.mark.parametrize(("kind", "text", "value"), FINE)
def test_what_is_declared_is_read(kind: str, text: str, value: object, tmp_path: Path) -> None:
    assert parsed(tmp_path, [text, "", " "], kind, {}) == [
        (value, False),
        (None, False),
        (None, False),
    ]


PATTERNS = ["%d.%m.%Y", "%m/%d/%y", "%Y%m%d", "%d %b %Y", "%B %d, %Y", "day %d of %m in %Y"]
DATE_TEXTS = st.text("0123456789./ -JanFebruy,", max_size=10)


@pytest.mark.parametrize("pattern", PATTERNS)
@FEW
@given(days=much(st.dates()), others=much(DATE_TEXTS))
def test_dates_are_read_by_their_pattern(
    days: list[date], others: list[str], pattern: str, tmp_path: Path
) -> None:
    fields = [f"{day:{pattern.replace('%Y', '~')}}".replace("~", f"{day.year:04}") for day in days]
    found = parsed(tmp_path, [*fields, *others], "date", {"dates": pattern})
    values = [value for value, _ in found]
    if "%y" not in pattern:
        assert values[: len(days)] == days
    for text, value in zip([*fields, *others], values, strict=True):
        if value is not None:
            assert datetime.strptime(text.strip(), pattern).date() == value


def test_moments_are_read_by_their_pattern(tmp_path: Path) -> None:
    form = {"moments": "%d.%m.%Y %I:%M:%S.%f %p"}
    fields = ["31.12.2024 11:59:58.25 PM", "31.12.2024 13:00:00.0 PM", "31.12.24 11:00:00.0 AM"]
    assert parsed(tmp_path, fields, "moment", form) == [
        (datetime(2024, 12, 31, 23, 59, 58, 250_000), False),
        (None, True),
        (None, True),
    ]


def test_moments_with_an_offset_are_read_by_their_pattern(tmp_path: Path) -> None:
    """The offset counts, and what has none is nothing; columns without a zone keep their form."""
    lines = ["31.12.2024 23:59 +02:00", "31.12.2024 23:59 -0930", "31.12.2024 23:59 +00"]
    bad = ["31.12.2024 23:59", "31.12.2024 23:59 Z", "31.12.2024 23:59 +99:00", "2024-12-31 23:59Z"]
    (tmp_path / "a.csv").write_text(
        "at,on\n" + "".join(f"{x},2024-12-31 10:00\n" for x in lines + bad)
    )
    table = read(
        tmp_path / "a.csv",
        unit=None,
        types={"at": "moment with a zone", "on": "moment"},
        csv={"moments": "%d.%m.%Y %H:%M %z"},
        zone="UTC",
    )
    days = Measurement(
        (CountRows(),), Bounds(max_groups=1, max_rows=1), (col("at").date_trunc("day"),)
    )
    hours = Measurement((CountRows(),), Bounds(max_groups=1, max_rows=1), (col("at").hour(),))
    on = Measurement((CountRows(),), Bounds(max_groups=1, max_rows=1), (col("on").hour(),))
    found = [dict(zip(e.rows, e.totals[0].tolist(), strict=True))
             for e in measure(table, [days, hours, on])]  # fmt: skip
    assert found[0] == {(date(2024, 12, 31),): 2, (date(2025, 1, 1),): 1}
    assert found[1] == {(21,): 1, (9,): 1, (23,): 1}
    assert found[2] == {(10,): len(lines + bad)}


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"delimiter": "||"}, "one character"),
    ({"delimiter": "'", "quote": "'"}, "not the delimiter"),
    ({"quote": "x"}, "`quote` must be"),
    ({"decimal": ";"}, "`decimal` must be one of"),
    ({"thousands": "x"}, "`thousands` must be one of"),
    ({"thousands": "."}, "must differ"),
    ({"dates": "%d.%m"}, "a year, a month and a day"),
    ({"dates": "%d.%m.%Y %H"}, "a year, a month and a day"),
    ({"dates": "%d.%m.%Y %Y"}, "each once"),
    ({"dates": "%s"}, "%d.%m.%Y"),
    ({"dates": 7}, "must be a pattern"),
    ({"moments": "%d.%m.%Y %I:%M"}, "must be a pattern"),
    ({"encoding": "ebcdic"}, "'windows-1252'"),
    ({"null": "NA"}, "must be a list"),
    ({"null": [1]}, "must be a list"),
    ({"header": "id"}, "must be a list"),
    ({"separator": ";"}, "It may name: delimiter"),
]


@pytest.mark.parametrize(("parts", "words"), REFUSED)
def test_what_is_no_form_is_refused(parts: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidParameter, match=words):
        checked_form(parts, None)


def test_the_delimiter_is_said_once() -> None:
    assert (
        checked_form(None, ";") == CsvForm(delimiter=";") == checked_form({"delimiter": ";"}, None)
    )
    assert checked_form({"decimal": ","}, ";") == CsvForm(delimiter=";", decimal=",")
    for twice in ({"delimiter": ";"}, CsvForm(decimal=",")):
        with pytest.raises(InvalidParameter, match="in one place"):
            checked_form(twice, ";")
    with pytest.raises(InvalidParameter, match="a CsvForm, or its parts"):
        checked_form([], None)  # type: ignore[arg-type]


def test_a_form_is_part_of_the_fingerprint_where_it_says_something(tmp_path: Path) -> None:
    path = written(tmp_path / "f.csv", "x\n")
    digests = [
        plan(read(path, unit=None, csv=form)).count().digest
        for form in (None, {}, {"null": ["NA"]}, {"encoding": "latin-1"})
    ]
    assert digests[0] == digests[1]
    assert len(set(digests)) == 3
    assert "delimiter=';'" in repr(read(path, unit=None, delimiter=";").location)


def test_names_in_another_encoding(tmp_path: Path) -> None:
    path = written(tmp_path / "f.csv", "År;Ärztin\n2024;x\n", "latin-1")
    with pytest.raises(InvalidParameter, match="in UTF-8"):
        read(path, unit=None, delimiter=";")
    table = read(path, unit=None, csv={"delimiter": ";", "encoding": "latin1"})
    assert table.schema.names == ("År", "Ärztin")
    assert str(col("År") == "2024") == "År = '2024'"


PLAN = """
[data]
path = "f.csv"
unit = "id"
types = {id = "integer", cost = "number", day = "date"}
csv = {delimiter = ";", decimal = ",", thousands = ".", dates = "%d.%m.%Y", null = ["NA"]}

[budget]
ledger = "budget.db"
spend = {epsilon = 1}

[[question]]
ask = "unparsed"
columns = ["cost"]
max_rows = 1
"""


def test_a_plan_says_how_its_files_are_written(tmp_path: Path) -> None:
    written(tmp_path / "f.csv", "id;cost;day\n1;1.234,5;31.12.2024\n2;NA;x\n")
    found = plan_file(PLAN, tmp_path).plan
    assert rows(found.table) == [(1, 1234.5, date(2024, 12, 31)), (2, None, None)]
    assert found.questions[0].name == "unparsed rows"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('decimal = ","', 'decimals = ","', "Did you mean `decimal`"),
        ('decimal = ","', 'decimal = ";"', "must be one of"),
        ('null = ["NA"]', 'null = "NA"', "must be a list"),
        ('dates = "%d.%m.%Y"', 'dates = "dd.mm.yyyy"', "a year, a month and a day"),
        ("csv = {delimiter", 'delimiter = ";"\ncsv = {delimiter', "in one place"),
        ('columns = ["cost"]', 'columns = ["id"]', "Such are: 'cost', 'day'"),
        ('columns = ["cost"]', "columns = []", "must hold something"),
    ],
)
def test_a_mistake_in_a_form_is_told_where_it_is(
    old: str, new: str, words: str, tmp_path: Path
) -> None:
    written(tmp_path / "f.csv", "id;cost;day\n")
    assert old in PLAN
    with pytest.raises(InvalidParameter, match=re.escape(words)) as refused:
        plan_file(PLAN.replace(old, new), tmp_path)
    assert re.match(r"plan:\d+:\d+: ", str(refused.value))
