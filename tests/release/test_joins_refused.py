"""Rows cannot be made in any other way, and what is refused is refused with a reason."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from leastnoise import col
from leastnoise.errors import InvalidParameter
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.functions import FUNCTIONS
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.location import Joined, ParquetFiles, RowsOfTables
from leastnoise.release.ask.schema import Schema
from leastnoise.release.measure.backends.joined import JoinedSession
from leastnoise.release.measure.rows.changed import Changed
from leastnoise.release.measure.rows.row_words import words_of_rows
from leastnoise.release.measure.sources import (
    OWNER,
    CountOf,
    PublicRows,
    Rows,
    Stored,
    SumOf,
    filtered,
    mapped,
    owned,
    per_unit,
    public,
    public_filtered,
    public_mapped,
    referring,
    stacked,
    tied,
    with_public,
)

KINDS = {"i": ColumnType.INTEGER, "t": ColumnType.TEXT, "x": ColumnType.NUMBER}


def leaf(name: str, /, **columns: str) -> Stored:
    schema = Schema((column, KINDS[kind]) for column, kind in columns.items())
    return Stored(name, ParquetFiles((f"{name}.parquet",), partitioned=False), schema)


PATIENTS = leaf("patients", id="i", city="t", weight="x")
VISITS = leaf("visits", visit="i", patient="i", doctor="i", cost="x")
SAMPLES = leaf("samples", of="i", level="x")
CITIES = leaf("cities", name="t", land="t")
P = owned(PATIENTS, "id", called="patients.id")
V = referring(VISITS, "patient", P, "id")
S = referring(SAMPLES, "of", V, "visit")
C = public(CITIES)
TRANSFERS = leaf("transfers", sender="i", receiver="i", amount="x")

REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "two ways": (
        lambda: stacked(
            mapped(referring(TRANSFERS, "sender", P, "id"), {"a": col("amount")}),
            mapped(referring(TRANSFERS, "receiver", P, "id"), {"a": col("amount")}),
        ),
        "must have one owner throughout; got owners found by 'sender' and by 'receiver'",
    ),
    "public and private": (
        lambda: with_public(
            P, public_mapped(public(PATIENTS), {"other": col("id")}), on=[("id", "other")]
        ),
        "one owner throughout",
    ),
    "computed key": (
        lambda: referring(
            SAMPLES, "of", per_unit(V, by={"k": FUNCTIONS["mod"].make(col("visit"), 10)}), "k"
        ),
        "must refer to a stored column",
    ),
    "key of stacked rows": (
        lambda: referring(SAMPLES, "of", stacked(V, V), "visit"),
        "must refer to a stored column",
    ),
    "both repeat": (
        lambda: tied(mapped(V, {"a": col("cost")}), mapped(V, {"b": col("cost")})),
        "one side must have one match at most",
    ),
    "siblings": (
        lambda: tied(S, mapped(S, {"k": col("of"), "l": col("level")}), on=[("of", "k")]),
        "one side must have one match at most",
    ),
    "a key that repeats by then": (
        lambda: tied(
            tied(S, V, on=[("of", "visit")]),
            mapped(S, {"k": col("of"), "l": col("level")}),
            on=[("visit", "k")],
        ),
        "one side must have one match at most",
    ),
    "another unit": (lambda: tied(P, owned(VISITS, "doctor"), how="semi"), "of one unit"),
    "stacked units": (
        lambda: stacked(
            mapped(P, {"c": col("city")}), mapped(owned(CITIES, "name"), {"c": col("land")})
        ),
        "of one unit",
    ),
    "other columns": (lambda: stacked(P, V), "the same columns"),
    "full join": (
        lambda: with_public(P, C, on=[("city", "name")], how="full"),
        "'inner', 'left', 'semi' or 'anti'",
    ),
    "right join": (lambda: tied(P, V, on=[("id", "patient")], how="right"), "would be nobody's"),
    "no columns": (lambda: with_public(P, C, on=[]), "which columns are equal"),
    "types": (lambda: with_public(P, C, on=[("id", "name")]), "must hold the same"),
    "numbers": (
        lambda: tied(P, per_unit(V, by={"w": col("cost")}), on=[("weight", "w")]),
        "grouped by integers",
    ),
    "on numbers": (
        lambda: with_public(P, public(leaf("x", w="x")), on=[("weight", "w")]),
        "must hold the same",
    ),
    "shared names": (
        lambda: tied(P, mapped(V, {"id": col("patient")}), on=[("id", "id")]),
        "different names for their columns",
    ),
    "names that differ by case": (
        lambda: with_public(P, public_mapped(C, {"CITY": col("name")}), on=[("city", "CITY")]),
        "different names for their columns",
    ),
    "the owner's name": (lambda: mapped(P, {OWNER.upper(): col("city")}), "begin with"),
    "a leaf with the owner's name": (lambda: leaf("a", **{OWNER: "i"}), "begin with"),
    "an unknown column": (lambda: filtered(P, col("age") >= 18), "must be in the table"),
    "the owner in a condition": (lambda: filtered(P, col(OWNER) == 1), "must be in the table"),
    "a condition on another type": (lambda: filtered(P, col("city") >= 18), "compared with"),
    "text for a condition": (lambda: filtered(P, "1 = 1"), "must be a condition"),  # type: ignore[arg-type]
    "text for a term": (lambda: mapped(P, {"a": "id"}), "computed by a term"),  # type: ignore[dict-item]
    "sums of text": (
        lambda: per_unit(P, totals={"a": SumOf(col("city"), Grid(lower=0, upper=1))}),
        "must be numbers",
    ),
    "a sum without a grid": (
        lambda: per_unit(P, totals={"a": SumOf(col("id"), None)}),  # type: ignore[arg-type]
        "with a grid",
    ),
    "nothing": (lambda: per_unit(P), "must have columns"),
    "no parts": (stacked, "something must be stacked"),
    "a number as unit": (lambda: owned(PATIENTS, "weight"), "named by integers or text"),
    "public rows as private": (lambda: filtered(C, col("land") == "N"), "have an owner"),  # type: ignore[arg-type]
    "private rows as public": (
        lambda: with_public(P, V, on=[("id", "patient")]),  # type: ignore[arg-type]
        "must be public rows",
    ),
    "a stored table as rows": (lambda: filtered(PATIENTS, col("id") == 1), "have an owner"),  # type: ignore[arg-type]
    "joined rows as a table": (
        lambda: Stored("a", Joined(P), P.schema),  # type: ignore[arg-type]
        "must lie in one place",
    ),
    "a change afterwards": (lambda: replace(V, foreign_key="cost"), "must hold the same"),  # type: ignore[type-var]
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    make, words = REFUSED[name]
    with pytest.raises(InvalidParameter, match=words):
        make()


def test_too_many_steps() -> None:
    rows = P
    for _ in range(99):
        rows = filtered(rows, col("id") == 1)
    with pytest.raises(InvalidParameter, match="100 steps"):
        filtered(rows, col("id") == 1)


def test_rows_have_no_other_constructors() -> None:
    for kind in (Rows, PublicRows, Changed):
        with pytest.raises(TypeError, match="alone"):
            type("Mine", (kind,), {})
    with pytest.raises(TypeError):
        Rows()  # type: ignore[abstract]


def test_other_rows_than_these_are_not_read() -> None:
    class Mine(RowsOfTables):
        @property
        def locations(self) -> Any:
            return (PATIENTS.location,)

    for rows in (Mine(), C):
        with pytest.raises(InvalidParameter, match="must have owners"):
            JoinedSession(Joined(rows))


def test_rows_do_not_change() -> None:
    with pytest.raises(AttributeError):
        V.foreign_key = "doctor"  # type: ignore[attr-defined]


def test_joins_along_the_key_are_allowed() -> None:
    assert tied(V, P, on=[("patient", "id")]).grain == VISITS.location
    assert tied(P, V, on=[("id", "patient")], how="left").grain == VISITS.location
    seen = tied(S, V, on=[("of", "visit")])
    assert tied(seen, P, on=[("patient", "id")]).grain == SAMPLES.location
    renamed = mapped(V, {"number": col("visit"), "price": col("cost")})
    assert tied(S, renamed, on=[("of", "number")]).schema.names == (
        "of",
        "level",
        "number",
        "price",
    )


def test_totals_per_unit_are_unique() -> None:
    totals = per_unit(V, by={"doctor": col("doctor")}, totals={"n": CountOf()})
    assert totals.unique == frozenset({"doctor"})
    assert mapped(totals, {"d": col("doctor")}).unique == frozenset({"d"})
    assert mapped(totals, {"n": col("n")}).unique is None
    one = mapped(totals, {"d": col("doctor"), "n": col("n")})
    assert tied(V, one, on=[("doctor", "d")], how="left").grain == VISITS.location
    with pytest.raises(InvalidParameter, match="one match"):
        tied(V, mapped(one, {"n": col("n")}))


def test_public_rows_are_checked_as_others_are() -> None:
    with pytest.raises(InvalidParameter):
        public("cities")  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match="nobody"):
        public_filtered(C, col("nobody") == "x")
    assert public_filtered(C, col("land") == "NO").schema == C.schema


def test_a_total_cannot_take_the_owners_name() -> None:
    with pytest.raises(InvalidParameter, match="may begin with"):
        _ = per_unit(V, by={}, totals={OWNER: CountOf()}).schema


def test_steps_of_all_that_is_stacked_count() -> None:
    rows = mapped(P, {"a": col("city")})
    assert stacked(rows, rows).steps == 1 + 2 * rows.steps


def test_rows_beside_public_ones_are_unique_if_none_can_become_several() -> None:
    one = per_unit(P, by={"city": col("city")}, totals={"n": CountOf()})
    assert one.unique
    on = [("city", "name")]
    assert with_public(one, C, on=on, how="semi").unique == one.unique
    assert with_public(one, C, on=on, how="left").unique is None


def test_words_of_rows_stay_if_tables_move() -> None:
    places = (ParquetFiles((f"{folder}/v.parquet",), partitioned=False) for folder in "ab")
    here, there = (
        referring(Stored("visits", each, VISITS.schema), "patient", P, "id") for each in places
    )
    assert words_of_rows(Joined(here)) == words_of_rows(Joined(there))
    other = filtered(there, col("cost") > 1)
    assert words_of_rows(Joined(here)) != words_of_rows(Joined(other))


def test_fields_that_name_nobody_are_none_that_could_not_be_read() -> None:
    """A row whose unit or foreign key is no such text counts nowhere, and not as unread."""
    read_as = (("id", ColumnType.INTEGER), ("weight", ColumnType.NUMBER))
    place = ParquetFiles(("p.parquet",), partitioned=False, declared=read_as)
    table = replace(PATIENTS, location=place)
    assert owned(table, "id").declared == read_as[1:]
    assert owned(table, "city").declared == read_as
    parent = owned(leaf("others", id="i"), "id")
    assert referring(table, "id", parent, "id").declared == read_as[1:]
