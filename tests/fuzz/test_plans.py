"""Plans, conditions and tables that nobody meant: an answer or a refusal, and no data in it."""

import csv
import io
import json
import math
import string
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import leastnoise as ln
from leastnoise.errors import LeastNoiseError
from leastnoise.ledger import Ledger
from leastnoise.privacy import PureDP
from leastnoise.release.ask.expression import col
from leastnoise.release.file.plan_file import plan_file
from leastnoise.release.read import read
from tests.fuzz.inputs import tried

SECRET = "ZZSECRETZZ"  # in every field of every table here
HONEST = """
[data]
path = "visits.csv"
unit = "patient"
types = {age = "integer", cost = "number"}
[bounds]
max_groups = 2
max_rows = 3
[budget]
ledger = "budget.db"
total = {epsilon = 3, delta = "1e-6"}
spend = {epsilon = 1, delta = "1e-7"}
[[question]]
ask = "count"
by = "city"
keys = ["Oslo", "Bergen"]
[[question]]
ask = "mean"
column = "age"
lower = 0
upper = 110
where = [{column = "cost", above = 10}, {column = "city", in = ["Oslo", "Bergen"]}]
[output]
folder = "out"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("plans")
    rows = [["patient", "city", "age", "cost"], *([SECRET + str(k)] * 4 for k in range(9))]
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    (made / "visits.csv").write_text(text.getvalue(), "utf-8")
    return made


def understood(text: str, folder: Path) -> None:
    """Reads and previews a plan; only refusals may be raised, and none of them quotes data."""
    try:
        asked = plan_file(text, folder)
        asked.plan.preview(asked.spend)
    except LeastNoiseError as refusal:
        if SECRET in str(refusal):
            raise AssertionError("a refusal quotes the data") from refusal


@tried(8)
@given(st.integers(0, len(HONEST) - 1), st.text(string.printable, max_size=4), st.integers(0, 6))
def test_plans_with_changed_characters(folder: Path, place: int, put: str, cut: int) -> None:
    understood(HONEST[:place] + put + HONEST[place + cut :], folder)


WORDS = """
    data path unit types delimiter table neighbours name bounds max_groups max_rows budget
    ledger spend total mode envelopes labels epsilon delta rho question ask by keys where column
    lower upper importance count units sum mean histogram quantile median variance output folder
    report private in is is_not below at_most above at_least patient city age cost visits.csv
    row 1e-7 csv quote decimal thousands dates moments encoding null header unparsed columns
    utf-16 latin-1 %d.%m.%Y formats xlsx
"""
words = st.sampled_from(WORDS.split())
values = st.recursive(
    st.one_of(
        words,
        st.text(max_size=5),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.sampled_from([0, 1, 2, -1, 10**30, "1e400", "nan", "inf", "1/0", math.pi]),
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)


def toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else "0.0"
    return json.dumps(value)


questions = st.lists(st.dictionaries(words, values, max_size=5), max_size=3)
changes = st.tuples(words, words, values)
ORDINARY: dict[str, dict[str, Any]] = {
    "data": {"path": "visits.csv", "unit": "patient"},
    "budget": {"ledger": "budget.db", "spend": {"epsilon": 1}, "total": {"epsilon": 3}},
}


@tried(8)
@given(questions, st.dictionaries(words, values, max_size=2), changes)
def test_plans_of_the_right_words_in_the_wrong_places(
    folder: Path, questions: Any, more: Any, change: tuple[str, str, Any]
) -> None:
    part, name, value = change
    plan: dict[str, Any] = {key: dict(inner) for key, inner in ORDINARY.items()}
    plan.update(more)
    if isinstance(plan.get(part), dict):
        plan[part][name] = value
    plan["question"] = [{"ask": "count", **question} for question in questions] or value
    understood("\n".join(f"{json.dumps(k)} = {toml(v)}" for k, v in plan.items()), folder)


@tried(32)
@given(st.text(max_size=200))
def test_plans_of_any_text(folder: Path, text: str) -> None:
    understood(text, folder)


constants = st.one_of(
    st.none(),
    st.booleans() | st.integers() | st.floats() | st.decimals() | st.fractions(),
    st.text(max_size=6) | st.binary(max_size=3),
    st.dates() | st.datetimes(),
    st.lists(st.integers(), max_size=3),
)
COMPARISONS: list[Callable[[Any, Any], Any]] = [
    lambda column, value: column == value,
    lambda column, value: column != value,
    lambda column, value: column < value,
    lambda column, value: column <= value,
    lambda column, value: column > value,
    lambda column, value: column >= value,
    lambda column, value: column.isin([value]),
    lambda column, value: column.isin(value),
    lambda column, value: (column == value) & ~(column != value) | (column < value),
]


@tried(6)
@given(st.text(max_size=5) | st.sampled_from(["age", "city"]), constants, st.integers(0, 8))
def test_conditions_on_anything(folder: Path, name: Any, value: Any, which: int) -> None:
    table = read(folder / "visits.csv", unit="patient", types={"age": "integer"})
    with suppress(LeastNoiseError):
        condition = COMPARISONS[which](col(name), value)
        repr(condition)
        ln.plan(table, max_groups=1, max_rows=1).count(where=condition).preview(PureDP(epsilon=1))


fields = st.one_of(
    st.text(max_size=6),
    st.sampled_from(["", "1", "-5", "1e309", "NaN", "inf", "2024-02-30", '"', "a\nb", "\x00"]),
    st.just(SECRET),
)


def released(content: bytes) -> None:
    """A whole release from a strange file; only refusals, without data."""
    with TemporaryDirectory() as place:
        (Path(place) / "table.csv").write_bytes(content)
        ledger = Ledger(Path(place) / "budget.db", total=PureDP(epsilon=1), begin=True)
        try:
            table = read(Path(place) / "table.csv", unit="who", types={"age": "number"})
            asked = (
                ln.plan(table, max_groups=1, max_rows=1)
                .count(by="city", keys=["Oslo", ""])
                .sum("age", lower=0, upper=9)
            )
            asked.release(PureDP(epsilon="0.5"), ledger=ledger)
        except LeastNoiseError as refusal:
            if SECRET in str(refusal) or SECRET in repr(refusal.__context__):
                raise AssertionError("a refusal quotes the data") from refusal
            assert ledger.spent == PureDP(epsilon=0)


@tried(0.5)
@given(st.lists(st.lists(fields, min_size=3, max_size=3), max_size=6), st.sampled_from("\n\r"))
def test_tables_of_strange_fields(rows: list[list[str]], end: str) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator=end)
    writer.writerows([["who", "city", "age"], *rows])
    released(text.getvalue().encode("utf-8", "surrogatepass"))


@tried(0.5)
@given(st.binary(max_size=60))
def test_tables_of_any_bytes(content: bytes) -> None:
    released(f"who,city,age\n{SECRET},{SECRET},{SECRET}\n".encode() + content)
