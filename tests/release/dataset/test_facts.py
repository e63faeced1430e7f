"""Questions take from the facts of a table what they are not told."""

from datetime import date
from fractions import Fraction
from typing import Any

import pandas as pd
import pytest

import leastnoise as ln
from leastnoise.errors import InvalidParameter
from leastnoise.release.ask.column_facts import ColumnFacts
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.expression import Column, col
from leastnoise.release.ask.location import Frame
from leastnoise.release.ask.schema import Schema
from leastnoise.release.ask.table import Table
from leastnoise.release.file.question_kinds import KINDS

COLUMNS = (
    ("person", ColumnType.INTEGER),
    ("age", ColumnType.INTEGER),
    ("cost", ColumnType.NUMBER),
    ("weight", ColumnType.NUMBER),
    ("bare", ColumnType.NUMBER),
    ("city", ColumnType.TEXT),
    ("smoker", ColumnType.TRUTH),
    ("day", ColumnType.DATE),
)
FACTS = (
    ("age", ColumnFacts(lower=0, upper=110)),
    ("cost", ColumnFacts(lower=-5, upper=500)),
    ("weight", ColumnFacts(lower=1, upper=20)),
    ("city", ColumnFacts(values=["Oslo", "Bergen"])),
    ("day", ColumnFacts(lower=date(2020, 1, 1), upper=date(2022, 12, 31))),
)


def table(facts: tuple[tuple[str, ColumnFacts], ...] = FACTS) -> Table:
    return Table(
        schema=Schema(COLUMNS),
        unit="person",
        neighbours="add_remove",
        location=Frame(pd.DataFrame()),
        facts=facts,
    )


def asked(facts: tuple[tuple[str, ColumnFacts], ...] = FACTS) -> Any:
    return ln.plan(table(facts), max_groups=2, max_rows=3)


# Each kind with what it must be told, and what it may take from the facts.
RANGED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "sum": ({"column": "cost"}, {"lower": -5, "upper": 500}),
    "mean": ({"column": "cost"}, {"lower": -5, "upper": 500}),
    "outside": ({"column": "cost"}, {"lower": -5, "upper": 500}),
    "variance": ({"column": "cost"}, {"lower": -5, "upper": 500}),
    "std": ({"column": "cost"}, {"lower": -5, "upper": 500}),
    "covariance": (
        {"column": "cost", "other": "age"},
        {"lower": -5, "upper": 500, "other_lower": 0, "other_upper": 110},
    ),
    "correlation": (
        {"column": "cost", "other": "age"},
        {"lower": -5, "upper": 500, "other_lower": 0, "other_upper": 110},
    ),
    "regression": (
        {"column": "cost", "on": ["age", "smoker"]},
        {"lower": -5, "upper": 500, "on_lower": [0, 0], "on_upper": [110, 1]},
    ),
    "ratio": (
        {"column": "cost", "over": "age"},
        {"lower": -5, "upper": 500, "over_lower": 0, "over_upper": 110},
    ),
    "weighted_mean": (
        {"column": "cost", "weight": "weight"},
        {"lower": -5, "upper": 500, "most_weight": 20},
    ),
    "histogram": ({"column": "cost", "parts": 5}, {"lower": -5, "upper": 500}),
    "cumulative": ({"column": "cost", "parts": 5}, {"lower": -5, "upper": 500}),
    "quantiles": ({"column": "cost", "levels": ["1/4"]}, {"lower": -5, "upper": 500}),
    "median": ({"column": "cost"}, {"lower": -5, "upper": 500}),
}


@pytest.mark.parametrize("kind", RANGED)
def test_a_declared_range_is_the_one_that_would_be_typed(kind: str) -> None:
    needed, declared = RANGED[kind]
    assert (
        getattr(asked(), kind)(**needed).questions
        == getattr(asked(()), kind)(**needed, **declared).questions
    )


def _other(name: str, end: Any) -> Any:
    """Another end than the declared one."""
    if isinstance(end, list):
        return [_other(name, each) for each in end]
    return 3 if name.endswith("upper") or name == "most_weight" else 1


@pytest.mark.parametrize("kind", RANGED)
def test_what_is_typed_wins(kind: str) -> None:
    needed, declared = RANGED[kind]
    typed = {name: _other(name, end) for name, end in declared.items()}
    assert (
        getattr(asked(), kind)(**needed, **typed).questions
        == getattr(asked(()), kind)(**needed, **typed).questions
    )


def test_every_kind_with_a_range_is_tried() -> None:
    ranged = {name for name, kind in KINDS.items() if "lower" in kind.parameters}
    assert ranged == set(RANGED)


@pytest.mark.parametrize("kind", RANGED)
def test_without_facts_the_refusal_names_both_ways(kind: str) -> None:
    with pytest.raises(InvalidParameter, match=r"range that values can have.*`range` in a dataset"):
        getattr(asked(()), kind)(**RANGED[kind][0])


def test_one_end_may_be_typed() -> None:
    question = asked().sum("cost", upper=100).questions[0]
    assert (question.grid.lower, question.grid.upper) == (Fraction(-5), Fraction(100))


def test_an_end_may_be_chosen_beside_a_declared_one() -> None:
    question = asked().sum("cost", upper="auto").questions[0]
    assert question.ends.names == ("upper",)
    assert question.grid.lower == Fraction(-5)


def test_a_range_of_dates_is_no_range_of_numbers() -> None:
    with pytest.raises(InvalidParameter):
        asked().mean("day")


def test_declared_values_are_public_keys() -> None:
    groups = asked().count(by="city").questions[0].groups
    assert groups.keys.rows == (("Oslo",), ("Bergen",))
    assert asked().count(by="city", keys=["Tromsø"]).questions[0].groups.keys.rows == (("Tromsø",),)
    assert asked().count(by="city", keys="private").questions[0].groups.are_private


def test_several_columns_make_all_combinations() -> None:
    groups = asked().count(by=["city", "smoker"]).questions[0].groups
    assert groups.keys.rows == (
        ("Oslo", False),
        ("Oslo", True),
        ("Bergen", False),
        ("Bergen", True),
    )


def test_one_column_without_values_needs_keys_for_all() -> None:
    with pytest.raises(InvalidParameter, match="`values` in a dataset"):
        asked().count(by=["city", "age"])


def test_parts_of_dates_have_the_keys_of_the_calendar() -> None:
    day = Column("day")
    assert len(asked().count(by=day.month()).questions[0].groups.keys.rows) == 12
    assert asked().count(by=day.year()).questions[0].groups.keys.rows == ((2020,), (2021,), (2022,))
    with pytest.raises(InvalidParameter, match="`keys` must be given"):
        asked(()).count(by=day.year())


def test_truth_values_are_keys_without_facts() -> None:
    assert asked(()).count(by="smoker").questions[0].groups.keys.rows == ((False,), (True,))
    assert asked(()).mean("smoker").questions[0].grid.upper == 1


def test_the_most_common_of_declared_values() -> None:
    assert asked().most_common("city", count=1).questions[0].groups.keys.rows[0] == ("Oslo",)


def test_marginals_take_declared_values() -> None:
    listed = asked().marginals(["city", "smoker"]).questions[0]
    given = asked(()).marginals(["city", "smoker"], keys={"city": ["Oslo", "Bergen"]}).questions[0]
    assert listed == given
    with pytest.raises(InvalidParameter, match=r"at least one group|at least two keys"):
        asked().marginals(["city", "smoker"], keys={"city": []})


def test_facts_are_in_the_fingerprint_where_there_are_some() -> None:
    assert "facts" not in repr(table(()))
    assert "facts" in repr(table())
    plain = asked(()).count(where=col("age") > 3)
    assert plain.digest != asked().count(where=col("age") > 3).digest


def test_facts_are_about_columns_that_are_there() -> None:
    with pytest.raises(InvalidParameter, match="must be in the table"):
        table((("agee", ColumnFacts(lower=0, upper=1)),))
    assert table().fact("agee") == ColumnFacts()
