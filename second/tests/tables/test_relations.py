"""The unit-local algebra: every constructor against plain Python, and without every unit.

Planted beside it are the shapes that are not unit-local, built past the constructors: the same
comparison sees them.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import leastnoise as ln
from leastnoise.numbers.errors import InvalidInput
from leastnoise.release.measurement import Limit, Measurement
from leastnoise.sql import expression_of
from leastnoise.tables.contributions import Norm
from leastnoise.tables.dialect import Fragment, fill, joined
from leastnoise.tables.engines.duckdb import DuckDB
from leastnoise.tables.expressions import Call, Column, Expression, Literal
from leastnoise.tables.groups import Groups
from leastnoise.tables.per_unit import PerUnitAggregate
from leastnoise.tables.relation_sql import UNIT, relation_sql
from leastnoise.tables.relations import (
    Filtered,
    LookedUp,
    Mapped,
    OfUnit,
    OnUnit,
    PerUnit,
    Public,
    Referring,
    Relation,
    Stacked,
    WithPublic,
    only_grows,
    over_tables,
)
from leastnoise.tables.schema import Frame, Schema, Table, Type, Value
from leastnoise.tables.sources import find_table
from leastnoise.tables.totals import Centred, Rows, Total, Units
from tests import reference
from tests.tables.tables import (
    DATES,
    EXAMPLES,
    HOSTILE,
    TIMES,
    check_sensitivity,
    difference,
    measure,
    nonzero,
)

Data = dict[str, list[dict[str, Any]]]
UNSHRUNK = (Phase.explicit, Phase.reuse, Phase.generate)  # a world is large, and so is a minute

PEOPLE = pa.schema(
    {"u": pa.string(), "a": pa.int64(), "ta": pa.string(), "x": pa.float64(), "d": pa.date32()}
)
VISITS = pa.schema({"v": pa.string(), "b": pa.int64(), "n": pa.int64(), "t": pa.timestamp("us")})
CHILDREN = pa.schema({"fk": pa.int64(), "c": pa.string(), "z": pa.float64()})
GRANDCHILDREN = pa.schema({"gk": pa.string(), "w": pa.int64()})
CITIES = pa.schema(
    {"key": pa.string(), "number": pa.int64(), "place": pa.string(), "size": pa.float64()}
)
SCHEMAS = {"people": PEOPLE, "visits": VISITS, "children": CHILDREN, "grandchildren": GRANDCHILDREN, "cities": CITIES}  # fmt: skip
UNITS = {"people": "u", "visits": "v"}

ids = st.sampled_from(["p", "P", "p ", " p", "q", "", "é", "é", "1", "01", None])
numbers = st.sampled_from([0, 1, 2, 3, -1, 2**63 - 1, -(2**63), None])
texts = st.sampled_from(["a", "A", "a ", " a", "", "ß", "b", None])


def of(most: int, **columns: Any) -> Any:
    return st.lists(st.fixed_dictionaries(columns), max_size=most)


worlds = st.fixed_dictionaries({
    "people": of(10, u=ids, a=numbers, ta=texts, x=st.sampled_from(HOSTILE), d=st.sampled_from(DATES)),
    "visits": of(8, v=ids, b=numbers, n=numbers, t=st.sampled_from(TIMES)),
    "children": of(8, fk=numbers, c=texts, z=st.sampled_from(HOSTILE)),
    "grandchildren": of(6, gk=texts, w=numbers),
    "cities": of(6, key=texts, number=numbers, place=texts, size=st.sampled_from(HOSTILE)),
})  # fmt: skip


def table(name: str, rows: list[dict[str, Any]]) -> Table:
    found = find_table(pa.Table.from_pylist(rows, schema=SCHEMAS[name]), name=name)
    return replace(found, unit=UNITS.get(name), public=name == "cities")


def tables_of(data: Data) -> dict[str, Table]:
    return {name: table(name, rows) for name, rows in data.items()}


EMPTY = tables_of({name: [] for name in SCHEMAS})
PERSON, VISIT, CITY = OfUnit(EMPTY["people"]), OfUnit(EMPTY["visits"]), Public(EMPTY["cities"])
CHILD = Referring(EMPTY["children"], "fk", PERSON, "a")
GRANDCHILD = Referring(EMPTY["grandchildren"], "gk", CHILD, "c")


def e(text: str, *schemas: Schema) -> Expression:
    columns = [column for schema in schemas for column in schema.values()]
    return expression_of(text, Schema(columns), "a test")


def where(source: Relation, text: str) -> Relation:
    return Filtered(source, e(text, source.schema))


def mapped(source: Relation, **columns: str) -> Relation:
    return Mapped(source, tuple((name, e(text, source.schema)) for name, text in columns.items()))


def joined_to(
    kind: Any, left: Relation, right: Relation, make: Any, on: str | None = None
) -> Relation:
    found: Relation = make(
        left, right, kind, None if on is None else e(on, left.schema, right.schema)
    )
    return found


def per_unit(source: Relation, keys: dict[str, str], **aggregates: tuple[Any, ...]) -> Relation:
    made = {
        name: PerUnitAggregate(
            function, *(None if text is None else e(text, source.schema) for text in rest)
        )
        for name, (function, *rest) in aggregates.items()
    }
    return PerUnit(
        source, tuple((k, e(t, source.schema)) for k, t in keys.items()), tuple(made.items())
    )


ALL_AGGREGATES: dict[str, tuple[Any, ...]] = {
    "rows": ("count",), "some": ("count", None, "x > 1"), "xs": ("count", "x", "a > 0"),
    "kinds": ("count distinct", "ta"), "least": ("min", "x"), "first": ("min", "ta"), "last": ("max", "d"),
    "whole": ("sum", "a"), "mean": ("avg", "a % 7"), "part": ("sum", "clip(x, -2, 3)", "a IS NOT NULL"),
    "parts": ("avg", "clip(x * 2, 0, 0.1)"), "most": ("max", "x * x * x"),
}  # fmt: skip
RENAMED = mapped(PERSON, a2="a", x2="x", t2="lower(ta)")
INTERVAL = "number BETWEEN a AND a + 1 OR size > x"

RELATIONS: dict[str, Relation] = {
    "of unit": PERSON,
    "referring": CHILD,
    "referring twice": GRANDCHILD,
    "filtered": where(PERSON, "x > 1 OR NOT (a = 1)"),
    "mapped": mapped(PERSON, one="1", big="x * x * x", same="ta", year="year(d)", root="x / a"),
    **{f"with public {kind}": joined_to(kind, PERSON, CITY, WithPublic, "ta = key") for kind in ("inner", "left", "semi", "anti")},
    "with public, by an interval": joined_to("inner", PERSON, CITY, WithPublic, INTERVAL),
    "with public, without a condition": joined_to("inner", PERSON, CITY, WithPublic),
    "with public, by none that matches": joined_to("left", PERSON, where(CITY, "number = 1"), WithPublic, "place IS NULL"),
    "looked up": LookedUp(PERSON, CITY, "inner", None, "ta", "key"),
    "looked up left": LookedUp(PERSON, CITY, "left", None, "a", "number"),
    **{f"on unit {kind}": joined_to(kind, PERSON, VISIT, OnUnit, "a <= b OR n = 1") for kind in ("inner", "left", "semi", "anti")},
    **{f"on unit {kind}, without a condition": joined_to(kind, PERSON, VISIT, OnUnit) for kind in ("inner", "anti")},
    "on unit with itself": joined_to("inner", PERSON, RENAMED, OnUnit, "a < a2"),
    "per unit": per_unit(PERSON, {}, **ALL_AGGREGATES),
    "per unit and key": per_unit(PERSON, {"month": "date_trunc('month', d)", "x2": "x"}, **ALL_AGGREGATES),
    "per unit, keys alone": per_unit(PERSON, {"key": "ta"}),
    "stacked": Stacked((mapped(PERSON, k="a", s="ta"), mapped(CHILD, k="fk", s="c"), mapped(VISIT, k="n", s="upper(v)"))),
    "a filter on counts": where(per_unit(PERSON, {}, rows=("count",), least=("min", "x")), "rows > 1"),
    "public joins of children": joined_to("left", where(GRANDCHILD, "w > 0"), CITY, WithPublic, "w = number"),
    "counts on unit": joined_to("left", PERSON, per_unit(VISIT, {}, visits=("count",), m=("max", "n")), OnUnit, "visits > 1"),
    "twice per unit": per_unit(per_unit(PERSON, {"k": "ta"}, rows=("count",)), {"rows2": "rows"}, groups=("count",)),
    "without a visit, looked up": joined_to("anti", LookedUp(PERSON, CITY, "left", None, "ta", "key"), VISIT, OnUnit, "n = number"),
    "children without parents' visits": joined_to("semi", CHILD, joined_to("inner", VISIT, CITY, WithPublic, "n = number"), OnUnit, "size > z"),
    "large in a subquery": mapped(mapped(PERSON, y="a / 1 * a * a * a", a="a"), z="y * y * y * y * a * a - y * y * y * y * a * a"),
    "small in a subquery": mapped(mapped(PERSON, y="1 / (a / 1 * a * a * a)"), z="1 / y"),
    "stacked on unit": joined_to("inner", Stacked((mapped(PERSON, k="a"), mapped(VISIT, k="b"))), mapped(VISIT, n2="n"), OnUnit, "k = n2"),
}  # fmt: skip


def every(data: Data) -> Iterator[tuple[str, Relation, Any]]:
    """Every relation over the tables of a world, and their rows."""
    found = tables_of(data)
    new, rows = (
        {EMPTY[name]: found[name] for name in found},
        {found[name]: data[name] for name in found},
    )
    for name, relation in RELATIONS.items():
        yield name, over_tables(relation, new), rows


def over(relation: Relation, data: Data) -> tuple[Relation, dict[Table, list[dict[str, Any]]]]:
    found = tables_of(data)
    new = {EMPTY[name]: each for name, each in found.items()}
    return over_tables(relation, new), {found[name]: rows for name, rows in data.items()}


def engine_rows(relation: Relation, engine: DuckDB, change: Any = str) -> Counter[str]:
    """All rows of a relation, with the hidden unit, as the engine gives them."""
    names = list(relation.schema)
    source = relation_sql(relation, names, engine.scan, engine.dialect)
    shown = joined(", ", (engine.dialect.name(each) for each in (UNIT, *names)))
    query = fill("SELECT {}, 1 FROM {} AS r", shown, Fragment(change(source.text), source.values))
    rows: list[tuple[Any, ...]] = engine.candidates(query)
    return Counter(repr(_plain(*row[:-1])) for row in rows if row[0] is not None)


def _plain(unit: Any, *values: Any) -> Any:
    unit = unit.decode() if isinstance(unit, bytes) else unit
    return unit, [each + 0.0 if isinstance(each, float) else each for each in values]


def reference_rows(relation: Relation, rows: Any) -> Counter[str]:
    return Counter(repr(_plain(unit, *(row[name] for name in relation.schema)))
                   for unit, row in reference.rows_of(relation, rows) if unit is not None)  # fmt: skip


def units_of(data: Data) -> set[str]:
    return ({row["u"] for row in data["people"]} | {row["v"] for row in data["visits"]}) - {None}


def without(data: Data, unit: str) -> Data:
    """The neighbour: own rows are left out, and child rows that no other unit is behind."""
    rest = {name: [row for row in rows if row.get(UNITS.get(name, "")) != unit or name not in UNITS]
            for name, rows in data.items()}  # fmt: skip
    parents = {row["a"] for row in rest["people"]}
    gone = {row["a"] for row in data["people"]} - parents - {None}
    rest["children"] = [row for row in data["children"] if row["fk"] not in gone]
    return rest


@settings(EXAMPLES, max_examples=6, phases=UNSHRUNK)
@given(data=worlds)
def test_rows_are_those_of_the_reference_and_each_unit_has_its_own(data: Data) -> None:
    everybody = {}
    with DuckDB([]) as engine:
        for name, relation, rows in every(data):
            everybody[name] = reference_rows(relation, rows)
            assert engine_rows(relation, engine) == everybody[name], name
    for unit in units_of(data):
        for name, relation, rows in every(without(data, unit)):
            others = {
                row: n for row, n in everybody[name].items() if not row.startswith(f"({unit!r},")
            }
            assert reference_rows(relation, rows) == others, name


def measurements(relation: Relation) -> Measurement:
    """A count and a sum by the first column that can be a key, with small limits."""
    keys = [c for c in relation.schema.values() if c.type in (Type.INTEGER, Type.TEXT)]
    numeric = [c for c in relation.schema.values() if c.type.is_numeric]
    totals: list[Total] = [Rows(), Units()]
    if numeric:
        totals.append(
            Centred(None, Column(numeric[-1].name, numeric[-1].type), Fraction(-2), Fraction(3))
        )
    groups = Groups()
    if keys:
        values: list[Value] = (
            [0, 1, 2, None] if keys[0].type is Type.INTEGER else ["a", "A", "", None]
        )
        groups = Groups((Column(keys[0].name, keys[0].type),), tuple((v,) for v in values))
    alone = relation.one_row_each
    return Measurement(
        relation, groups, tuple(totals), None if alone else Limit(2), over_limit=not alone
    )


@pytest.mark.parametrize("norm", ["l1", "l2"])
@settings(EXAMPLES, max_examples=3, phases=UNSHRUNK)
@given(data=worlds)
def test_totals_are_those_of_the_reference_and_no_unit_moves_them_too_far(
    norm: Norm, data: Data
) -> None:
    everybody = {}
    with DuckDB([]) as engine:
        for name, relation, rows in every(data):
            measurement = measurements(relation)
            found = reference.totals(measurement, norm, rows)
            everybody[name] = found
            assert nonzero(measure(measurement, norm, engine=engine)) == nonzero(found), name
    for unit in units_of(data):
        for name, relation, rows in every(without(data, unit)):
            measurement = measurements(relation)
            moved = difference(everybody[name], reference.totals(measurement, norm, rows))
            check_sensitivity(measurement, norm, moved)


SOME: Data = {
    "people": [{"u": "pq"[i % 2], "a": i % 3, "ta": "ab"[i % 2], "x": float(i), "d": date(2020, 1, 1 + i)} for i in range(6)]
    + [{"u": "r", "a": 7, "ta": None, "x": 9.0, "d": None}],
    "visits": [{"v": "p", "b": i, "n": i, "t": datetime(2020, 1, 1)} for i in range(3)]
    + [{"v": "r", "b": None, "n": 9, "t": None}],
    "children": [{"fk": i % 4, "c": "ab"[i % 2], "z": float(i)} for i in range(6)],
    "grandchildren": [{"gk": "a", "w": i} for i in range(3)],
    "cities": [{"key": "a", "number": 1, "place": "a", "size": 1.0}, {"key": "a", "number": 2, "place": "b", "size": 2.0}],
}  # fmt: skip


def rows_of_others(shape: str, data: Data) -> int:
    """How many rows of other units a shape changes when a unit leaves, at most over all units."""

    def found(data: Data) -> Counter[str]:
        with DuckDB([]) as engine:
            for name in ("people", "visits"):
                engine._connection.register(
                    name, pa.Table.from_pylist(data[name], schema=SCHEMAS[name])
                )
            return Counter(map(repr, engine._connection.sql(shape).fetchall()))

    everybody, worst = found(data), 0
    for unit in ("p", "q", "r"):
        others = found(without(data, unit))
        kept = Counter(
            {row: n for row, n in everybody.items() if not row.startswith(f"({unit!r},")}
        )
        worst = max(worst, ((kept - others) + (others - kept)).total())
    return worst


WRONG = {
    "a window over all rows": "SELECT u, row_number() OVER (ORDER BY x) AS k FROM people",
    "a join on a column that is no unit": "SELECT u, n FROM people JOIN visits ON a = b",
    "IN a column that is no unit": "SELECT u, x FROM people WHERE a IN (SELECT b FROM visits)",
    "LIMIT inside": "SELECT u, x FROM (SELECT * FROM people ORDER BY x LIMIT 3)",
    "the first unit of a group": "SELECT min(u) AS u, a FROM people GROUP BY a",
    "NOT IN": "SELECT u, x FROM people WHERE a NOT IN (SELECT b FROM visits)",
    "a comparison with a mean of all": "SELECT u, x FROM people WHERE x > (SELECT avg(x) FROM people)",
}


@pytest.mark.parametrize("name", WRONG)
def test_shapes_that_are_not_unit_local_are_seen(name: str) -> None:
    data = dict(SOME)
    if name == "NOT IN":  # one NULL of one unit decides about all others
        data["visits"] = [{"v": "r", "b": None, "n": 9, "t": None}]
    assert rows_of_others(WRONG[name], data) > 0
    assert rows_of_others("SELECT u, x FROM people WHERE x > 1", data) == 0


def test_each_planted_change_of_a_relation_is_seen() -> None:
    """The comparison with the reference notices a join without the unit, and a key that repeats."""
    planted = {
        "on unit inner": ('a." u" = b." u"', "TRUE"),
        "on unit anti": ('a." u" = b." u"', "TRUE"),
        "looked up": ("HAVING COUNT(*) = 1", ""),
        "per unit": ("GROUP BY 1", "GROUP BY ALL HAVING COUNT(*) > 1"),
        "with public left": ("LEFT JOIN", "JOIN"),
        "stacked": (" UNION ALL ", " UNION "),
    }
    for name, (old, new) in planted.items():
        relation, rows = over(RELATIONS[name], SOME)

        def change(text: str, old: str = old, new: str = new) -> str:
            assert old in text
            return text.replace(old, new)

        with DuckDB(relation.tables) as engine:
            assert engine_rows(relation, engine) == reference_rows(relation, rows)
            assert engine_rows(relation, engine, change) != reference_rows(relation, rows), name


def test_only_columns_that_are_used_are_read() -> None:
    for relation in (RELATIONS["mapped"], RELATIONS["per unit"], RELATIONS["stacked"]):
        with DuckDB(relation.tables) as engine:
            name = next(iter(relation.schema))
            text = relation_sql(relation, [name], engine.scan, engine.dialect).text
        others = [other for other in relation.schema if other != name]
        assert not [other for other in others if f'AS "{other}"' in text]


def test_whose_rows_there_may_be_one_of() -> None:
    """`one_row_each` decides whether a limit, and a threshold for many groups, is needed."""
    single = OfUnit(replace(EMPTY["people"], unit=None))
    counts = per_unit(PERSON, {}, rows=("count",))
    second = mapped(per_unit(VISIT, {}, rows=("count",)), other="rows")
    expected = [
        (PERSON, False), (single, True), (CHILD, False), (CITY, False), (where(single, "a = 1"), True),
        (mapped(single, one="1"), True), (counts, True), (per_unit(PERSON, {"k": "a"}), False),
        (WithPublic(single, CITY, "semi"), True), (WithPublic(single, CITY, "anti"), True),
        (WithPublic(counts, CITY, "inner"), False), (WithPublic(counts, CITY, "left"), False),
        (LookedUp(single, CITY, "inner", None, "ta", "key"), True), (LookedUp(PERSON, CITY, "left", None, "ta", "key"), False),
        (OnUnit(counts, second, "inner"), True), (OnUnit(counts, VISIT, "inner"), False), (OnUnit(counts, VISIT, "left"), False),
        (OnUnit(counts, VISIT, "semi"), True), (OnUnit(PERSON, second, "anti"), False), (Stacked((counts, counts)), False),
    ]  # fmt: skip
    for relation, alone in expected:
        assert relation.one_row_each is alone, relation
        assert relation.is_public is (relation is CITY)


REFUSED: list[tuple[Any, str]] = [
    (lambda: Public(EMPTY["people"]), "not declared as public"),
    (lambda: OfUnit(EMPTY["cities"]), "is public. Query it directly"),
    (lambda: OfUnit(replace(EMPTY["people"], unit="x")), "floats do"),
    (lambda: OfUnit(replace(EMPTY["people"], unit="d")), "named by integers or text"),
    (lambda: Referring(EMPTY["children"], "c", PERSON, "a"), "Both must be integers"),
    (lambda: Referring(EMPTY["children"], "z", PERSON, "x"), "Both must be integers"),
    (lambda: Referring(EMPTY["visits"], "b", PERSON, "a"), "cannot refer"),
    (lambda: Referring(EMPTY["cities"], "number", PERSON, "a"), "cannot refer"),
    (lambda: Referring(EMPTY["children"], "fk", OfUnit(replace(EMPTY["people"], unit=None)), "a"), "cannot refer"),
    (lambda: Filtered(PERSON, Column("a", Type.INTEGER)), "WHERE takes a condition"),
    (lambda: Filtered(PERSON, Call("is null", (Column("nothing", Type.TEXT),))), "no column"),
    (lambda: Filtered(PERSON, Call("is null", (Column("a", Type.TEXT),))), 'is of type integer'),
    (lambda: Mapped(PERSON, (("k", Column("a", Type.INTEGER)), ("k", Literal(1)))), "Two columns"),
    (lambda: Mapped(PERSON, ((" u", Literal(1)),)), "cannot be called"),
    (lambda: Mapped(PERSON, (("k", Column("nothing", Type.INTEGER)),)), "no column"),
    (lambda: WithPublic(PERSON, VISIT, "inner"), "is not public"),
    (lambda: WithPublic(PERSON, PERSON, "semi"), "Two columns"),
    (lambda: WithPublic(OfUnit(replace(EMPTY["people"], unit=None)), CITY, "left"), "no privacy unit"),
    (lambda: WithPublic(PERSON, CITY, "inner", Column("a", Type.INTEGER)), "ON takes a condition"),
    (lambda: LookedUp(PERSON, VISIT, "inner", None, "a", "b"), "Only public rows"),
    (lambda: LookedUp(PERSON, CITY, "semi", None, "a", "number"), "Only public rows"),
    (lambda: LookedUp(PERSON, CITY, "inner", Literal(True), "a", "number"), "Only public rows"),
    (lambda: LookedUp(PERSON, CITY, "inner", None, "a", "key"), "Both must be integers"),
    (lambda: LookedUp(PERSON, CITY, "inner", None, "x", "size"), "Both must be integers"),
    (lambda: OnUnit(PERSON, CITY, "inner"), "no privacy unit of one"),
    (lambda: OnUnit(PERSON, PERSON, "inner"), "Two columns"),
    (lambda: LookedUp(PERSON, mapped(CITY, a="number"), "inner", None, "a", "a"), "Two columns"),
    (lambda: OnUnit(CITY, PERSON, "semi"), "no privacy unit of one"),
    (lambda: OnUnit(PERSON, OfUnit(replace(EMPTY["visits"], unit="b")), "semi"), "no privacy unit of one"),
    (lambda: PerUnit(OfUnit(replace(EMPTY["people"], unit=None)), ()), "nothing to group"),
    (lambda: PerUnit(PERSON, (("k", Column("nothing", Type.INTEGER)),)), "no column"),
    (lambda: per_unit(PERSON, {"k": "a"}, k=("count",)), "Two columns"),
    (lambda: per_unit(PERSON, {}, k=("sum", "x")), "only within a range"),
    (lambda: per_unit(PERSON, {}, k=("sum", "abs(x)")), "only within a range"),
    (lambda: per_unit(PERSON, {}, k=("avg", "greatest(x, 0, 9)")), "only within a range"),
    (lambda: per_unit(PERSON, {}, k=("sum", "ta")), "Only numbers add up"),
    (lambda: per_unit(PERSON, {}, k=("max",)), "needs a value"),
    (lambda: per_unit(PERSON, {}, k=("count", "a", "a")), "is no condition"),
    (lambda: PerUnit(PERSON, (), (("k", PerUnitAggregate("count", Column("b", Type.INTEGER))),)), "no column"),
    (lambda: Stacked((PERSON, VISIT)), "same columns"),
    (lambda: Stacked((mapped(PERSON, k="a"), mapped(OfUnit(replace(EMPTY["visits"], unit="b")), k="n"))), "same privacy unit"),
    (lambda: Stacked((mapped(CITY, k="number"), mapped(CITY, k="number"))), "same privacy unit"),
    (lambda: Stacked((mapped(PERSON, k="a"), mapped(CITY, k="number"))), "same privacy unit"),
    (lambda: Measurement(CITY, Groups(), (Rows(),), Limit(1)), "are public"),
    (lambda: Measurement(PERSON, Groups(), (Rows(),), None), "just where"),
    (lambda: Measurement(per_unit(PERSON, {}), Groups(), (Rows(),), Limit(1)), "just where"),
    (lambda: Measurement(per_unit(PERSON, {}), Groups(), (Rows(),), None, over_limit=True), "Only a limit"),
    (lambda: Measurement(PERSON, Groups(), (Rows(Column("a", Type.INTEGER)),), Limit(1)), "no condition"),
    (lambda: Measurement(PERSON, Groups((Column("b", Type.INTEGER),), ((1,),)), (Rows(),), Limit(1)), "no column"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "words"), REFUSED)
def test_what_is_not_unit_local_cannot_be_built(make: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        make()


def test_whole_numbers_that_name_units_are_compared_as_numbers(tmp_path: Path) -> None:
    """Whatever their width, and also in text; text that is declared as text is compared as bytes."""
    (tmp_path / "t.csv").write_text("v,n\n01,7\n2 ,8\nx,9\n3e0,9\n")
    wide = pa.table({"v": pa.array([1, 2**64], pa.decimal128(20, 0)), "n": [7, 8]})
    csv = find_table(tmp_path / "t.csv", columns={"v": "integer", "n": "integer"})
    left = OfUnit(
        replace(find_table(pa.table({"u": [1, 2, 3], "x": [1, 2, 3]}), name="left"), unit="u")
    )
    for other, units in ((find_table(wide, name="wide"), (1,)), (csv, (1, 2))):
        right = OfUnit(replace(other, unit="v"))
        both = OnUnit(left, right, "inner")
        stacked = Stacked((mapped(left, k="x"), mapped(right, k="n")))
        with DuckDB(both.tables) as engine:
            found = engine_rows(mapped(both, x="x"), engine)
            assert found == Counter(repr((unit, [unit])) for unit in units)
            assert engine_rows(stacked, engine)[repr((1, [7]))] == 1


def test_what_is_declared_of_a_column_stays_with_it() -> None:
    declared = replace(EMPTY["people"].schema["x"], range=(Fraction(0), Fraction(9)))
    others = [c for c in EMPTY["people"].schema.values() if c.name != "x"]
    person = OfUnit(replace(EMPTY["people"], schema=Schema([*others, declared])))
    assert mapped(person, y="x").schema["y"].range == declared.range
    assert mapped(person, y="x + 0").schema["y"].range is None
    assert per_unit(person, {"y": "x"}).schema["y"].range == declared.range
    same = Stacked((mapped(person, y="x"), mapped(person, y="x")))
    assert same.schema["y"].range == declared.range
    assert Stacked((mapped(person, y="x"), mapped(PERSON, y="x"))).schema["y"].range is None


def test_a_public_table_that_ignores_case_repeats_no_row_of_a_unit() -> None:
    """Its keys are compared as bytes, whatever collation it had where it came from."""
    connection = duckdb.connect()
    connection.execute("CREATE TABLE p (key VARCHAR COLLATE NOCASE, name VARCHAR)")
    connection.execute("INSERT INTO p VALUES ('a', 'one'), ('A', 'two'), ('c', 'x')")
    rows = pa.table({"k": ["a", "A", "b", "á", None]})
    data = ln.read({"t": rows}, privacy_unit=ln.ROW, public={"p": connection.table("p")})
    query = data.sql("SELECT COUNT(*) AS n FROM t JOIN p ON t.k = p.key")
    measurement = query.measurements("laplace", over_limit=False)[0][0]
    assert measurement.relation.one_row_each
    assert measure(measurement, "l1")[0][0] == 2 << 20


def test_relations_that_only_grow_with_their_tables() -> None:
    grow = {"of unit", "referring", "referring twice", "filtered", "mapped", "stacked", "with public inner",
            "with public semi", "with public, by an interval", "with public, without a condition", "on unit inner",
            "on unit semi", "on unit inner, without a condition", "on unit with itself", "stacked on unit",
            "children without parents' visits", "large in a subquery", "small in a subquery"}  # fmt: skip
    assert {name for name, each in RELATIONS.items() if only_grows(each)} == grow
    counts = per_unit(VISIT, {}, rows=("count",))
    for both in ((PERSON, counts), (counts, mapped(PERSON, other="a"))):
        assert not only_grows(joined_to("inner", *both, OnUnit))
    assert only_grows(CITY) and not only_grows(Stacked((counts, counts, mapped(PERSON, rows="a"))))


def test_over_tables_replaces_every_table() -> None:
    new = {EMPTY[name]: replace(EMPTY[name], place=Frame(None)) for name in EMPTY}
    for relation in RELATIONS.values():
        assert {*over_tables(relation, new).tables} == {new[each] for each in relation.tables}
