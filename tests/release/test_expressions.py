"""Expressions in questions: as keys, in conditions, summed; and what is refused."""

from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import leastnoise as ln
from leastnoise.errors import InvalidParameter
from leastnoise.release.ask.bounds import ONE_ROW, Bounds
from leastnoise.release.ask.choices import Case, Indicator, when
from leastnoise.release.ask.column_facts import ColumnFacts
from leastnoise.release.ask.conditions import Condition
from leastnoise.release.ask.defaults import declared_keys
from leastnoise.release.ask.expression import false_where, true_where
from leastnoise.release.ask.functions import FUNCTIONS
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.table import Table
from leastnoise.release.ask.terms import Called, Term, called, coalesce, col, greatest, least
from leastnoise.release.file.plan_file import plan_file
from leastnoise.release.measure.answerable import refuse_impossible
from leastnoise.release.measure.measure import measure
from leastnoise.release.read import read
from leastnoise.release.step.aggregate import CountRows, CountValues, SumOf
from leastnoise.release.step.measurement import Measurement
from tests.release.evaluated import evaluated
from tests.release.evaluated import holds as holds_in_python

AGES = [3, 17, 18, 29, 30, 41, None, 85]
CITIES = ["Oslo", "OSLO", " oslo ", "Bergen", None, "bergen", "Ålesund", "ålesund"]
PAID = [0.5, -1.5, float("nan"), 2.0, 0.0, None, 9.75, float("inf")]
DATA = pa.table(
    {
        "id": list(range(8)),
        "age": pa.array(AGES, pa.int64()),
        "city": CITIES,
        "paid": pa.array(PAID, pa.float64(), from_pandas=False),
        "late": [True, False, None, True, False, None, True, False],
        "day": [date(2020, 1, each + 1) for each in range(8)],
    }
)
TABLE = read(DATA, unit="id")
AGE, CITY, PAY, LATE = map(col, ["age", "city", "paid", "late"])


def counts(by: Term, keys: Keys | None = None, where: Condition | None = None) -> dict[Any, int]:
    asked = Measurement((CountRows(),), Bounds(max_groups=1, max_rows=1), (by,), keys, where)
    (found,) = measure(TABLE, [asked])
    return {key: int(n) for (key,), n in zip(found.rows, found.totals[0], strict=True)}


def count(where: Condition) -> int:
    (found,) = measure(TABLE, [Measurement((CountRows(),), ONE_ROW, where=where)])
    return int(found.totals[0][0])


def test_whole_numbers_make_groups() -> None:
    decade = (AGE / 10).floor() * 10
    assert counts(decade) == {0: 1, 10: 2, 20: 1, 30: 1, 40: 1, 80: 1}
    assert counts(decade, Keys.of(decade.name, [10, 50])) == {10: 2, 50: 0}
    assert counts(AGE.mod(2)) == {1: 5, 0: 2}
    assert counts(PAY.round()) == {1: 1, -1: 1, 2: 1, 0: 1, 10: 1}  # ∞ is no integer


def test_texts_make_groups() -> None:
    assert counts(CITY.trim().lower()) == {"oslo": 3, "bergen": 2, "Ålesund": 1, "ålesund": 1}
    assert counts(CITY.substring(1, 1).upper().fill_null("?")) == {
        "O": 2, " ": 1, "B": 2, "?": 1, "Å": 1, "å": 1,
    }  # fmt: skip


def test_choices_and_truth_values_make_groups() -> None:
    stage = when(AGE < 18, "child").when(AGE >= 18, "adult").otherwise("unknown")
    assert counts(stage) == {"child": 2, "adult": 5, "unknown": 1}
    assert counts(Indicator(AGE >= 18)) == {True: 5, False: 3}
    assert counts(when(AGE < 18, 1).otherwise(0)) == {1: 2, 0: 6}
    assert counts(AGE.fill_null(-1)) == dict.fromkeys((3, 17, 18, 29, 30, 41, -1, 85), 1)


def test_integers_that_are_chosen_stay_exact() -> None:
    data = pa.table({"n": pa.array([2**53, 2**53 + 1, 2**63 - 1, None], pa.int64())})
    asked = Measurement((CountRows(),), ONE_ROW, (coalesce(col("n"), 0),))
    (found,) = measure(read(data, unit=None), [asked])
    assert {key for (key,) in found.rows} == {2**53, 2**53 + 1, 2**63 - 1, 0}
    computed = Measurement((CountRows(),), ONE_ROW, (col("n") + 0,))
    (found,) = measure(read(data, unit=None), [computed])
    assert found.rows == ()  # doubles from 2^53 on may stand for several integers


def test_different_values_of_an_expression() -> None:
    asked = Measurement((CountValues(CITY.trim().lower()),), Bounds(max_groups=1, max_rows=1))
    (found,) = measure(TABLE, [asked])
    assert found.totals[0].tolist() == [4]


def test_sums_of_expressions() -> None:
    grid = Grid(lower=-10, upper=10)
    terms = [PAY / 2, PAY.abs(), least(greatest(PAY, 0), 3), Indicator(AGE > 20), LATE * 2]
    wanted = [
        0.25 - 0.75 + 1 + 0 + 4.875 + 10,
        0.5 + 1.5 + 2 + 0 + 9.75 + 10,
        0.5 + 0 + 0 + 2 + 0 + 0 + 3 + 3,  # what is missing is left out: 0 remains
        4,
        6,
    ]
    for term, total in zip(terms, wanted, strict=True):
        (found,) = measure(TABLE, [Measurement((SumOf(term, grid),), ONE_ROW)])
        assert found.totals[0].tolist() == [total * 2**grid.bits], str(term)


def test_conditions_between_terms() -> None:
    assert count(PAY < AGE) == 4
    assert count(CITY.lower().equals(CITY)) == 4
    assert count(CITY.lower().differs(CITY)) == 3
    assert count(CITY.like("%slo%")) == 2
    assert count(CITY.contains("slo")) == 2
    assert count(CITY.starts_with("Å")) == 1


# Python's ~ and SQL's NOT


def test_not_in_python_keeps_rows_without_a_value() -> None:
    adult = AGE >= 18
    assert count(adult) == 5
    assert count(~adult) == 3
    assert count(false_where(adult)) == 2
    assert count(true_where(~adult)) == 2


X, Y, S = col("x"), col("y"), col("s")
small = st.sampled_from([None, 0.0, 1.0, 2.0])
atoms = st.sampled_from(
    [X < 1, X >= Y, X.equals(Y), Y.isin([0, 2]), S.like("a%"), S == "b", X.is_null(), Y != 1]
)
conditions = st.recursive(
    atoms,
    lambda inner: st.one_of(
        inner.map(lambda c: ~c),
        st.tuples(inner, inner).map(lambda p: p[0] & p[1]),
        st.tuples(inner, inner).map(lambda p: p[0] | p[1]),
    ),
    max_leaves=8,
)


def kleene(condition: Any, row: dict[str, Any]) -> bool | None:
    """What SQL finds: true, false or unknown."""
    match type(condition).__name__:
        case "Not":
            inner = kleene(condition.condition, row)
            return None if inner is None else not inner
        case "Both" | "Either" as word:
            sides = [kleene(condition.one, row), kleene(condition.other, row)]
            settled = word == "Either"
            return settled if settled in sides else None if None in sides else not settled
        case "Missing":
            return evaluated(condition.column, row) is None
        case "ComparedTerms":
            read = [evaluated(condition.one, row), evaluated(condition.other, row)]
        case _:
            read = [evaluated(condition.column, row)]
    return None if None in read else holds_in_python(condition, row)


@given(conditions, small, small, st.sampled_from([None, "a", "b"]))
def test_three_values_as_two(condition: Condition, x: Any, y: Any, s: Any) -> None:
    row = {"x": x, "y": y, "s": s}
    found = kleene(condition, row)
    assert holds_in_python(true_where(condition), row) is (found is True)
    assert holds_in_python(false_where(condition), row) is (found is False)


def test_long_chains_have_three_values_too() -> None:
    long: Condition = X < 0
    for _ in range(5000):
        long = long | (X < 0)
    assert str(false_where(X < 0)) == "x >= 0"
    assert hash(true_where(long)) == hash(long)
    false_where(long)


# What cannot be said


@pytest.mark.parametrize(
    ("term", "words"),
    [
        (CITY / 2, "`x` of `divide` must hold numbers"),
        (AGE.lower(), "`s` of `lower` must hold text"),
        (PAY.mod(2), "`x` of `mod` must hold integers"),
        (coalesce(CITY, 1), "must hold values of one type"),
        (when(AGE > 1, "a").otherwise(1), "must hold values of one type"),
        (col("nobody").floor(), "must be in the table"),
        (CITY.length() + CITY, "must be numbers"),
        (Indicator(AGE < CITY), "must hold values of one type"),
        (when(AGE > 1, None), "must be a value somewhere"),
        (Case(()), "must be a value somewhere"),
        (Indicator(col("late") > LATE), "truth values have no order"),
        (Indicator(AGE.contains("1")), "must be text"),
    ],
    ids=str,
)
def test_types_are_checked_before_any_data(term: Term, words: str) -> None:
    asked = Measurement((SumOf(term, Grid(lower=0, upper=1)),), ONE_ROW)
    with pytest.raises(InvalidParameter, match=words):
        refuse_impossible(asked, TABLE.schema)


@pytest.mark.parametrize("key", [PAY, PAY / 2, AGE / 2, PAY.fill_null(0), AGE * PAY], ids=str)
def test_numbers_with_decimals_make_no_groups(key: Term) -> None:
    with pytest.raises(InvalidParameter, match="`by` must hold integers"):
        counts(key)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: called("sqrt", AGE), "must be one of those there are"),
        (lambda: called("floor", AGE, PAY), "must have the arguments floor"),
        (lambda: called("least", AGE), "must have the arguments least"),
        (lambda: AGE.mod(1), "`m` of `mod` must be a constant"),
        (lambda: called("mod", AGE, PAY), "`m` of `mod` must be a constant"),
        (lambda: PAY.round(16), "`k` of `round`"),
        (lambda: CITY.substring(0, 3), "`start` of `substring`"),
        (lambda: CITY.substring(1, -1), "`count` of `substring`"),
        (lambda: CITY.like("x" * 1001), "at most 1000"),
        (lambda: CITY.like(3), "must be a constant text"),  # type: ignore[arg-type]
        (lambda: FUNCTIONS["like"].make(CITY), "must have a term and a constant text"),
        (lambda: FUNCTIONS["contains"].make(CITY, CITY), "must be a constant text"),
        (lambda: when(AGE, 1), "must be a condition"),  # type: ignore[arg-type]
        (lambda: AGE.fill_null(float("nan")), "value"),
    ],
)
def test_arguments_are_checked_at_once(make: Any, words: str) -> None:
    with pytest.raises(InvalidParameter, match=words):
        make()


def test_large_expressions_are_refused() -> None:
    deep: Term = AGE
    for _ in range(27):
        deep = deep.abs()
    with pytest.raises(InvalidParameter, match="28 deep"):
        deep.abs()
    wide: Term = AGE
    for _ in range(7):
        wide = greatest(wide, wide)
    with pytest.raises(InvalidParameter, match="300 parts"):
        greatest(wide, wide)


def test_expressions_that_are_long_in_sql_are_refused_before_any_data() -> None:
    nested: Term = PAY
    for _ in range(9):
        nested = (nested / 3).round(1)
    asked = Measurement((SumOf(nested, Grid(lower=0, upper=1)),), ONE_ROW)
    with pytest.raises(InvalidParameter, match="letters of SQL"):
        refuse_impossible(asked, TABLE.schema)


# Words


def test_terms_say_what_they_are() -> None:
    assert str((AGE / 10).floor() * 10) == "(floor((age / 10)) * 10)"
    assert str(CITY.fill_null("?")) == "coalesce(city, '?')"
    assert str(when(AGE > 1, None).otherwise(2)) == "case when age > 1 then nothing else 2 end"
    assert str(-AGE) == "(-1 * age)"
    assert (AGE / 10).floor() == (col("age") / 10).floor()
    assert hash(AGE.floor()) == hash(col("age").floor())
    assert AGE.floor() != AGE.ceil()
    assert when(AGE > PAY, CITY).columns == (CITY, AGE, PAY)
    assert isinstance(abs(AGE), Called)


def test_public_names() -> None:
    term = ln.when(ln.col("a") > 1, ln.least(ln.col("a"), 3)).otherwise(
        ln.coalesce(ln.greatest(ln.col("a"), ln.col("b")), 0)
    )
    assert str(term) == ("case when a > 1 then least(a, 3) else coalesce(greatest(a, b), 0) end")


def test_groups_that_follow_from_what_is_declared() -> None:
    facts = [("city", ColumnFacts(values=["Oslo", "Bergen"]))]
    table = Table(schema=TABLE.schema, unit="id", neighbours="add_remove",
                  location=TABLE.location, facts=facts)  # fmt: skip
    for term, values in [
        (CITY.fill_null("?"), ["Oslo", "Bergen", "?"]),
        (when(AGE > 1, "a").when(AGE > 0, "b").otherwise("a"), ["a", "b"]),
        (Indicator(AGE > 1), [False, True]),
    ]:
        found = declared_keys([term], table)
        assert found is not None
        assert [value for (value,) in found.rows] == values
    assert declared_keys([CITY.lower()], table) is None


def test_a_plan_in_a_file(tmp_path: Path) -> None:
    pq.write_table(DATA, tmp_path / "visits.parquet")
    (tmp_path / "plan.toml").write_text(
        """
[data]
path = "visits.parquet"
unit = "id"
[derive]
decade = "floor(age / 10) * 10"
place = "coalesce(lower(trim(city)), 'unknown')"
stage = "'child' if age < 18 else 'adult'"
rate = "least(greatest(paid / age, 0), 1)"
[bounds]
max_groups = 1
max_rows = 1
[[question]]
ask = "count"
by = ["decade"]
keys = [0, 10, 20]
[[question]]
ask = "count"
by = ["place", "stage"]
keys = [["oslo", "child"], ["unknown", "adult"]]
[[question]]
ask = "mean"
column = "rate"
lower = 0
upper = 1
[budget]
spend = {epsilon = 1}
ledger = "spent.ledger"
"""
    )
    plan = plan_file((tmp_path / "plan.toml").read_text(), tmp_path).plan
    told = [each.question for each in plan.preview(ln.PureDP(epsilon=1))]
    assert told == [
        "count by (floor((age / 10)) * 10)",
        "count by coalesce(lower(trim(city)), 'unknown'), "
        "case when age < 18 then 'child' else 'adult' end",
        "mean of least(greatest((paid / age), 0), 1)",
    ]


def docs_table() -> str:
    rows = [f"| `{each.spelled}` | {each.words} |" for each in FUNCTIONS.values()]
    return "\n".join(["| function | what it gives |", "|---|---|", *rows])


def test_the_page_lists_every_function() -> None:
    page = Path(__file__).parents[2] / "docs" / "expressions.md"
    assert docs_table() in page.read_text("utf-8"), f"docs/expressions.md must say:\n{docs_table()}"
