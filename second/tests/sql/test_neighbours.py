"""No unit moves a total further than its sensitivity, for every shape that SQL can build.

A generator writes statements over small tables of hostile rows; those that are not refused are
measured, with every unit left out. Then some readers are broken on purpose, and the same test sees it.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date, datetime
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import leastnoise as ln
from leastnoise.release.measurement import Limit, Measurement
from leastnoise.tables import relation_sql
from leastnoise.tables.contributions import Norm
from leastnoise.tables.groups import Groups
from leastnoise.tables.relations import OnUnit, WithPublic
from tests.oracle import check_measurement
from tests.sql.clinic import LAB, PATIENTS, VISITS, clinic
from tests.sql.test_answers import GROUPED, ONE

IDS = ["p", "P", "p ", "q", "", "NULL", None]
DATES = [date(1, 1, 1), date(2020, 2, 29), date(9999, 12, 31), None]
NUMBERS = [
    0.0,
    -0.0,
    1.5,
    1e308,
    -1e308,
    5e-324,
    float("inf"),
    -float("inf"),
    float("nan"),
    601.0,
    None,
]
CITY_NAMES = ["Oslo", "oslo", "Voss", "Bergen", "", None]

patients = st.fixed_dictionaries({
    "id": st.sampled_from(IDS), "sex": st.sampled_from(["F", "M", None]), "city": st.sampled_from(CITY_NAMES),
    "born": st.sampled_from(DATES),
})  # fmt: skip
visits = st.fixed_dictionaries({
    "id": st.sampled_from([1, 2, 2, 3, None]), "patient_id": st.sampled_from(IDS), "cost": st.sampled_from(NUMBERS),
    "n": st.sampled_from([0, 1, -1, 7, 2**62, -(2**63), None]), "smoker": st.sampled_from([True, False, None]),
    "day": st.sampled_from(DATES), "seen": st.sampled_from([datetime(1, 1, 1), datetime(9999, 12, 31, 23), None]),
    "ward": st.sampled_from(["A", "a", " A", "B", "", None]), "Odd name": st.sampled_from(["x", None]),
    "noted": st.sampled_from(["2020-01-01", "x", None]),
})  # fmt: skip
lab = st.fixed_dictionaries({
    "visit_id": st.sampled_from([1, 2, 3, 9, None]), "value": st.sampled_from(NUMBERS), "Cost": st.sampled_from([1, None]),
})  # fmt: skip
tables = st.tuples(
    st.lists(patients, max_size=6), st.lists(visits, max_size=8), st.lists(lab, max_size=5)
)

SOURCES = {  # FROM, and the columns it offers: one that names the unit, a number, a truth value
    "visits": ("visits.patient_id", "visits.cost", "visits.smoker"),
    "patients": ("patients.id", "length(patients.city)", "patients.sex = 'F'"),
    "lab": (None, "value", "lab.cost = 1"),
    "visits v JOIN patients p ON p.id = v.patient_id": ("v.patient_id", "v.cost", "p.sex = 'F'"),
    "patients p LEFT JOIN visits v ON p.id = v.patient_id AND v.n > 0": ("p.id", "v.cost", "v.smoker"),
    "visits v RIGHT JOIN patients p ON p.id = v.patient_id": ("p.id", "v.n", "v.smoker"),
    "visits a JOIN visits b USING (patient_id)": ("a.patient_id", "a.cost + b.cost", "a.smoker"),
    "visits a, visits b WHERE a.patient_id = b.patient_id AND a.id < b.id": ("a.patient_id", "b.n", "b.smoker"),
    "visits v JOIN lab ON lab.visit_id = v.id": ("v.patient_id", "value * v.cost", "v.smoker"),
    "visits v LEFT JOIN lab ON lab.visit_id = v.id": ("v.patient_id", "value", "v.smoker"),
    "lab a JOIN lab b ON a.visit_id = b.visit_id": (None, "a.value", "b.value > 1"),
    "patients JOIN cities ON city = name": ("patients.id", "cities.pop", "cities.county = 'Voss'"),
    "patients LEFT JOIN cities ON pop > 10 AND sex = 'F'": ("patients.id", "cities.pop", "cities.name IS NULL"),
    "cities, visits": ("visits.patient_id", "cities.pop * visits.n", "visits.smoker"),
    "(SELECT patient_id AS u, ward, SUM(cost) AS x, COUNT(*) > 1 AS ok FROM visits GROUP BY 1, 2) AS s": ("s.u", "s.x", "s.ok"),
    "(SELECT patient_id AS u, AVG(cost) AS x, MIN(seen) < MAX(day) AS ok FROM visits GROUP BY u HAVING COUNT(DISTINCT n) > 0) AS s": ("s.u", "s.x", "s.ok"),
    "(SELECT DISTINCT patient_id, ward, n FROM visits WHERE n > -5) AS d": ("d.patient_id", "d.n", "d.ward = 'A'"),
    "(SELECT id, 1 AS x FROM patients UNION ALL SELECT patient_id, n FROM visits) AS b": ("b.id", "b.x", "b.x > 0"),
    "(SELECT v.patient_id, k.top, v.n FROM visits v JOIN (SELECT patient_id, MAX(n) AS top FROM visits GROUP BY 1) k ON k.patient_id = v.patient_id) AS t": ("t.patient_id", "t.top", "t.n = t.top"),
}  # fmt: skip
CONDITIONS = [
    "{ok}", "NOT ({ok})", "{x} > 1 OR {ok} IS NULL", "{x} / 2 BETWEEN 0 AND 5",
    "{u} IN (SELECT id FROM patients WHERE sex = 'F')", "{u} IN (SELECT patient_id FROM visits GROUP BY 1 HAVING COUNT(*) > 1)",
    "EXISTS (SELECT 1 FROM visits w WHERE w.patient_id = {u} AND w.n > {x})",
    "NOT EXISTS (SELECT 1 FROM patients w WHERE w.id = {u} AND w.born < '2000-01-01')",
    "NOT EXISTS (SELECT 1 FROM cities w WHERE w.pop > {x})", "'Voss' IN (SELECT name FROM cities)",
]  # fmt: skip
ASKED = ["COUNT(*)", "COUNT(DISTINCT {u})", "COUNT({x})", "SUM(clip({x}, -5, 9))", "AVG(clip({x}, 0, 600))", "AVG({ok})",
         "COUNT(*) FILTER (WHERE {ok})", "SUM(clip({x}, 1, 2)) / COUNT(*)"]  # fmt: skip
KEYS = {
    "": None,
    "{ok}": None,
    "CASE WHEN {x} > 1 THEN 'a' WHEN {ok} THEN 'b' ELSE 'c' END": None,
    "{u}": ["p", "q", None],
}


@st.composite
def statements(draw: st.DrawFn) -> tuple[str, Any]:
    source = draw(st.sampled_from(sorted(SOURCES)))
    unit, x, ok = SOURCES[source]
    names = {"u": unit or "nobody", "x": f"({x})", "ok": f"({ok})"}
    asked = draw(
        st.lists(
            st.sampled_from([a for a in ASKED if unit or "{u}" not in a]), min_size=1, max_size=3
        )
    )
    tests = draw(
        st.lists(st.sampled_from([c for c in CONDITIONS if unit or "{u}" not in c]), max_size=2)
    )
    key = draw(st.sampled_from([k for k in KEYS if unit or "{u}" not in k]))
    text = f"SELECT {', '.join(f'{each} AS a{i}' for i, each in enumerate(asked))} FROM {source}"
    if tests:
        text += (" AND " if "WHERE a." in source else " WHERE ") + " AND ".join(
            f"({each})" for each in tests
        )
    return (text + (f" GROUP BY {key}" if key else "")).format(**names), KEYS[key]


def measurements(
    text: str, groups: Any, data: ln.Data, rows: int = 2
) -> Iterator[tuple[Measurement, Norm]]:
    query = data.sql(text, groups=groups)
    if query.limit is not None:
        query = replace(query, limit=Limit(rows))
    norm: Norm
    for family, norm in (("laplace", "l1"), ("gaussian", "l2")):
        for measurement, _ in query.measurements(family, over_limit=False):  # type: ignore[arg-type]
            yield measurement, norm


def data_of(rows: Any) -> ln.Data:
    pairs = zip(rows, (PATIENTS, VISITS, LAB), strict=True)
    return clinic(*(pa.Table.from_pylist(each, schema=table.schema) for each, table in pairs))


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(statements(), tables)
def test_no_unit_moves_a_total_too_far(statement: tuple[str, Any], rows: Any) -> None:
    for measurement, norm in measurements(*statement, data_of(rows)):
        check_measurement(measurement, norm)


@pytest.mark.parametrize("source", sorted(SOURCES))
def test_every_source_with_every_condition_is_read(source: str) -> None:
    """Or the test above would test less than it says."""
    unit, x, ok = SOURCES[source]
    data = clinic()
    for each in CONDITIONS:
        if unit or "{u}" not in each:
            word = " AND " if "WHERE a." in source else " WHERE "
            condition = each.format(u=unit, x=f"({x})", ok=f"({ok})")
            data.sql(f"SELECT COUNT(*) FROM {source}{word}({condition})")


def test_every_statement_of_the_answers_is_unit_local() -> None:
    data = clinic()
    for text, groups in [*((text, None) for text in ONE), *GROUPED][::9]:
        for measurement, norm in measurements(text, groups, data):
            check_measurement(measurement, norm)


MANY: Any = (
    [{"id": f"p{i}", "sex": "F", "city": "Oslo", "born": None} for i in range(4)],
    [{"id": i, "patient_id": f"p{i % 4}", "cost": 1.0, "n": i % 4, "smoker": True, "day": None, "seen": None,
      "ward": "A", "Odd name": "x", "noted": None} for i in range(12)],
    [],
)  # fmt: skip
SIGNED = "SUM(clip(CASE WHEN {} THEN -9 ELSE 9 END, -1, 1))"
PLANTED: dict[str, tuple[str, int, Callable[[str], str]]] = {  # a statement, a limit, and what is changed in its text
    "the tie of the units is dropped in a join": (
        "SELECT COUNT(*) FROM visits a JOIN visits b ON a.patient_id = b.patient_id AND a.id = b.id + 1", 3,
        lambda text: text.replace('a." u" = b." u"', "TRUE").replace('("patient_id" = "b.patient_id")', "TRUE")),
    "the tie of the units is dropped in EXISTS": (
        "SELECT COUNT(*) FROM patients WHERE EXISTS (SELECT 1 FROM visits v WHERE patient_id = patients.id AND v.id = 1)", 1,
        lambda text: text.replace('a." u" = b." u"', "TRUE").replace('("patient_id" = "id")', "TRUE")),
    "a limit inside a subquery": (
        f"SELECT {SIGNED.format('n = 3')} FROM (SELECT patient_id, MIN(n) AS n FROM visits GROUP BY 1) AS q", 1,
        lambda text: re.sub(r"GROUP BY 1\)$", "GROUP BY 1 ORDER BY 1 DESC LIMIT 2)", text)),
    "groups of all units in a subquery": (
        f"SELECT {SIGNED.format('k < 12')} FROM (SELECT patient_id, ward, COUNT(*) AS k FROM visits GROUP BY 1, 2) AS q", 1,
        lambda text: re.sub(r'^\(SELECT " u"(.*) GROUP BY 1, 2\)$', r'(SELECT min(" u") AS " u"\1 GROUP BY 2)', text)),
    "a window over all rows": (
        f"SELECT {SIGNED.format('n = 3')} FROM (SELECT patient_id, n, n + 1 AS r FROM visits) AS q WHERE r < 4", 3,
        lambda text: re.sub(r'TRY_CAST\(CAST\("n" AS HUGEINT\) \+ (.*) AS BIGINT\) AS "r"',
                            r'row_number() OVER (ORDER BY " u" DESC) + 0 * \1 AS "r"', text)),
}  # fmt: skip


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_violation_is_seen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text of the relation is changed behind the constructors, as a broken writer would."""
    text, limit, change = PLANTED[name]
    found = measurements(text, None, data_of(MANY), limit)
    ((measurement, norm),) = [each for each in found if each[1] == "l1"]
    check_measurement(measurement, norm)
    written = relation_sql._Writer.select

    def select(writer: Any, relation: Any, names: Any) -> Any:
        found = written(writer, relation, names)
        changed.append(change(found.text) != found.text)
        return replace(found, text=change(found.text))

    changed: list[bool] = []
    monkeypatch.setattr(relation_sql._Writer, "select", select)
    with pytest.raises(AssertionError, match="moves too far"):
        check_measurement(measurement, norm)
    assert any(changed)


def test_joins_and_subqueries_carry_the_hidden_unit() -> None:
    """What the reader builds for a join on something else, if it did not refuse it, is tied anyway."""
    data = data_of(MANY)
    left, right = data.tables["patients"], data.tables["lab"]
    renamed = clinic().sql("SELECT COUNT(*) FROM (SELECT n, patient_id FROM visits) AS v").relation
    assert 'a." u" = b." u"' in str(_text(OnUnit(left, renamed, "inner", None)))
    with pytest.raises(ln.InvalidInput, match="is not public"):
        WithPublic(left, right, "semi", None)


def _text(relation: Any) -> str:
    from leastnoise.tables.engines.duckdb import DuckDB

    with DuckDB(relation.tables) as engine:
        return relation_sql.relation_sql(relation, [], engine.scan, engine.dialect).text


def test_groups_are_known_before_rows_are_read() -> None:
    query = clinic().sql("SELECT COUNT(*) FROM visits GROUP BY smoker")
    assert isinstance(query.groups, Groups)
    assert query.groups.keys == ((False,), (True,))
