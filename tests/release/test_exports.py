"""Released tables in other forms: numbers are numbers, texts no formulas, and no file is lost."""

import csv
import io
import json
import math
import os
import sys
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import leastnoise as ln
from leastnoise.errors import InvalidParameter
from leastnoise.release.result.new_file import write_new_file
from leastnoise.release.result.plan_release import PlanRelease
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.release.result.workbook import workbook
from tests.cli.plans import write_visits
from tests.cli.run import run

HEAD = ["value", "standard_error", "lower", "upper", "grade", "flags"]


def table(keys: list[Any], name: str = "t") -> ReleasedTable:
    ones = np.ones(len(keys))
    return ReleasedTable(
        name=name,
        columns=("key",),
        rows=tuple((key,) for key in keys),
        values=np.arange(len(keys)),
        standard_error=ones,
        lower=-ones,
        upper=ones * 2.5,
        mechanism="noise",
    )


def cells(content: bytes | Path, sheet: str) -> list[list[Any]]:
    source = io.BytesIO(content) if isinstance(content, bytes) else content
    found = openpyxl.load_workbook(source)[sheet]
    assert all(cell.data_type != "f" for row in found.iter_rows() for cell in row)
    return [[cell.value for cell in row] for row in found.iter_rows()]


HOSTILE = [
    "=1+1",
    "@SUM(A1)",
    "+1",
    "-1",
    "'=1",
    "{=A1}",
    "http://x.y",
    "1",
    "TRUE",
    "\t=1",
    "a\nb",
]


def test_texts_are_texts_and_numbers_numbers(tmp_path: Path) -> None:
    keys = [*HOSTILE, 7, True, 2**60, date(2024, 2, 29), datetime(2024, 2, 29, 5), date(1800, 1, 1)]
    path = tmp_path / "t.xlsx"
    table(keys).to_excel(path)
    head, *rows = cells(path, "t")
    assert head == ["key", *HEAD]
    expected = [*HOSTILE, 7, True, str(2**60), datetime(2024, 2, 29), datetime(2024, 2, 29, 5),
                "1800-01-01"]  # fmt: skip
    assert [row[0] for row in rows] == expected
    assert [row[1:5] for row in rows] == [[i, 1, -1, 2.5] for i in range(len(keys))]
    about = dict(row[:2] for row in cells(path, "About") if row[0])
    assert about["question"] == "t"
    assert about["noise"] == "noise"


@settings(deadline=None, max_examples=40)
@given(st.lists(st.text(st.characters(blacklist_categories=["Cs", "Cc"]), max_size=8), max_size=6))
def test_every_text_comes_back(texts: list[str]) -> None:
    found = cells(workbook({"t": {"x": texts, "n": [0.5] * len(texts)}}, []), "t")
    assert [row[0] or "" for row in found[1:]] == texts


def test_what_is_no_number_is_no_number() -> None:
    values = [math.nan, math.inf, -math.inf, None, 1e308, -0.5]
    found = cells(workbook({"t": {"x": values, "y": [1] * 6}}, []), "t")
    assert [row[0] for row in found[1:]] == [None, "inf", "-inf", None, 1e308, -0.5]


def test_names_of_sheets_are_what_excel_allows() -> None:
    names = ["a/b", "a:b", "A_B", "About", "history", "", "'", "x" * 40, "x" * 41, "[=1]*?\\"]
    book = openpyxl.load_workbook(
        io.BytesIO(workbook({name: {"x": [1]} for name in names}, [("a", "=1")]))
    )
    assert len(book.sheetnames) == len(names) + 1
    assert len({name.casefold() for name in book.sheetnames}) == len(names) + 1
    assert book.sheetnames[-1] == "About"
    assert all(0 < len(name) <= 31 for name in book.sheetnames)


def test_too_many_rows_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="at most 1048575 rows"):
        workbook({"t": {"x": range(1_048_576)}}, [])


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.xlsx"])
def test_no_file_is_lost(name: str, tmp_path: Path) -> None:
    path, made = tmp_path / name, table(["a", "b"])
    writers: dict[str, Any]
    writers = {"csv": made.to_csv, "parquet": made.to_parquet, "xlsx": made.to_excel}
    write = writers[path.suffix[1:]]
    path.write_text("mine", "utf-8")
    with pytest.raises(InvalidParameter, match="replace=True"):
        write(path)
    assert path.read_text("utf-8") == "mine"
    write(path, replace=True)
    assert path.read_bytes()[:4] != b"mine"
    with pytest.raises(InvalidParameter, match="must be writable"):
        write(tmp_path / "nowhere" / name)
    assert os.listdir(tmp_path) == [name]


def test_files_hold_what_the_table_holds(tmp_path: Path) -> None:
    made = table(["=a", "b"])
    made.to_csv(tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_bytes().decode() == made.to_csv()
    made.to_csv(tmp_path / "raw.csv", raw=True)
    rows = list(csv.reader(io.StringIO((tmp_path / "raw.csv").read_text("utf-8"))))
    assert [row[0] for row in rows] == ["key", "=a", "b"]
    made.to_parquet(tmp_path / "t.parquet")
    assert pq.read_table(tmp_path / "t.parquet").equals(made.to_arrow())
    frame = made.to_pandas()
    assert list(frame.columns) == ["key", *HEAD]
    assert frame["value"].dtype.kind == "i"
    pd.testing.assert_series_equal(
        frame["upper"], made.to_polars().to_pandas()["upper"], check_names=False
    )


def test_without_the_package_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    with pytest.raises(InvalidParameter, match=r"pip install 'leastnoise\[excel\]'"):
        table(["a"]).to_excel("x.xlsx")


def with_formats(folder: Path) -> Path:
    place = write_visits(folder)
    text = place.read_text("utf-8").replace(
        'folder = "out"', 'folder = "out"\nformats = ["csv", "xlsx"]'
    )
    place.write_text(text, "utf-8")
    return place


def test_a_plan_writes_one_workbook(tmp_path: Path) -> None:
    outcome = run("release", with_formats(tmp_path))
    assert outcome.status == 0, outcome.errors
    out = tmp_path / "out"
    assert sorted(each.suffix for each in out.iterdir()).count(".xlsx") == 1
    made = PlanRelease.from_json((out / "release.json").read_text("utf-8"))
    book = out / "release.xlsx"
    for each, sheet in zip(made.tables, openpyxl.load_workbook(book).sheetnames, strict=False):
        values = [row[len(each.columns)] for row in cells(book, sheet)[1:]]
        assert values == pytest.approx(each.values.tolist(), rel=1e-14)  # Excel has 15 digits
    about = cells(book, "About")
    assert ["guarantee", str(made.guarantee)] in [row[:2] for row in about]
    assert any(made.entry.seal in str(row[1]) for row in about)
    listed = json.loads((out / "manifest.json").read_text("utf-8"))
    assert "release.xlsx" in json.dumps(listed)
    made.to_excel(tmp_path / "again.xlsx")
    assert cells(tmp_path / "again.xlsx", "About") == about


def test_a_release_is_written_as_its_text_and_takes_no_files_place(tmp_path: Path) -> None:
    outcome = run("release", with_formats(tmp_path))
    assert outcome.status == 0, outcome.errors
    out = tmp_path / "out"
    made = PlanRelease.from_json((out / "release.json").read_text("utf-8"))
    made.to_json(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == made.to_json().encode()
    assert (tmp_path / "again.json").read_bytes() == (out / "release.json").read_bytes()
    with pytest.raises(InvalidParameter, match="replace=True"):
        made.to_json(out / "release.json")
    made.to_json(out / "release.json", replace=True)


@pytest.mark.parametrize("path", ["", ".", "a\0b", b"release.json", 5])
def test_a_path_that_names_no_file_is_refused(path: Any) -> None:
    with pytest.raises(InvalidParameter, match="a path must name a file"):
        write_new_file(path, b"", replace=True)


def test_a_workbook_that_cannot_be_written_costs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = with_formats(tmp_path)
    monkeypatch.setattr("leastnoise.cli.outputs.find_spec", lambda _: None)
    outcome = run("release", place)
    assert outcome.status != 0
    assert "leastnoise[excel]" in outcome.errors
    assert ln.Ledger(tmp_path / "budget.db").spent == ln.ApproxDP(epsilon=0, delta=0)


def test_a_workbook_of_somebody_else_stays(tmp_path: Path) -> None:
    place = with_formats(tmp_path)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "release.xlsx").write_text("mine", "utf-8")
    outcome = run("release", place)
    assert outcome.status != 0
    assert "release.xlsx" in outcome.errors
    assert (tmp_path / "out" / "release.xlsx").read_text("utf-8") == "mine"
