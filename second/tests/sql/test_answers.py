"""Statements give what DuckDB gives for the same text, when no limit bites and the noise is tiny.

How far a unit moves them is tested in `test_neighbours`.
"""

from datetime import date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import leastnoise as ln
from tests.sql.clinic import CITIES, MOST, PATIENTS, clinic, plain

CLINIC = clinic()
PRICE = 10**13  # so that the noise is far below one row

ONE = [  # without groups
    "SELECT COUNT(*) AS n, COUNT(cost) AS c, COUNT(DISTINCT patient_id) AS u FROM visits",
    "SELECT COUNT_IF(smoker) AS a, SUM(smoker) AS b, AVG(n > 2) AS c, AVG(CASE WHEN n > 2 THEN 1 ELSE 0 END) AS d FROM visits",
    "SELECT SUM(cost) AS s, AVG(cost) AS m, STDDEV_POP(cost) AS d, VAR_POP(cost) AS v FROM visits",
    "SELECT SUM(clip(n, 0, 4)) / SUM(cost) AS r, 2 * COUNT(*) - COUNT(cost) / 4 AS l, -COUNT(*) AS m FROM visits",
    "SELECT SUM(clip(cost * n, 0, 4000)) / NULLIF(SUM(clip(n, 0, 10)), 0) AS w, CAST(COUNT(*) AS DOUBLE) / COUNT(DISTINCT patient_id) AS p FROM visits",
    "SELECT COUNT(*) FILTER (WHERE smoker) AS a, AVG(cost) FILTER (WHERE n < 5) AS b, COUNT(DISTINCT patient_id) FILTER (WHERE NOT smoker) AS c FROM visits",
    "SELECT AVG(LEAST(GREATEST(cost, 5), 100)) AS m FROM visits",
    # joins
    "SELECT COUNT(*) AS n FROM visits v JOIN patients p ON v.patient_id = p.id WHERE p.sex = 'F'",
    "SELECT COUNT(*) AS n, SUM(cost) AS s FROM patients, visits, cities WHERE patient_id = patients.id AND city = name AND pop > 10",
    "SELECT COUNT(*) AS n FROM cities JOIN patients ON city = name JOIN visits ON patient_id = patients.id",
    "SELECT COUNT(*) AS n, COUNT(DISTINCT patients.id) AS u FROM patients LEFT JOIN visits ON patient_id = patients.id AND cost > 15",
    "SELECT COUNT(*) AS n, COUNT(sex) AS s FROM visits LEFT JOIN patients ON patient_id = patients.id",
    "SELECT COUNT(*) AS n, COUNT(v.id) AS s FROM visits v RIGHT JOIN patients p ON patient_id = p.id",
    "SELECT COUNT(*) AS n FROM visits a JOIN visits b USING (patient_id) WHERE a.id < b.id",
    "SELECT COUNT(*) AS n FROM visits JOIN (SELECT id AS patient_id, sex FROM patients) AS p USING (patient_id) WHERE patient_id <> 'p2'",
    "SELECT COUNT(*) AS n, COUNT(pop) AS m FROM patients LEFT JOIN cities ON city = name AND pop > 1",
    "SELECT COUNT(*) AS n FROM patients CROSS JOIN cities WHERE pop > 100 AND sex = 'M'",
    "SELECT COUNT(*) AS n FROM patients JOIN cities ON lower(city) = lower(name)",
    # child tables
    "SELECT COUNT(*) AS n, SUM(clip(value, 0, 10)) AS s FROM lab",
    "SELECT COUNT(*) AS n, SUM(lab.cost) AS s FROM lab JOIN visits ON visit_id = id WHERE visits.cost < 15".replace("SUM(lab.cost)", "SUM(clip(lab.cost, 0, 9))"),
    "SELECT COUNT(*) AS n, COUNT(value) AS c FROM visits v LEFT JOIN lab l ON l.visit_id = v.id",
    "SELECT COUNT(*) AS n FROM lab a JOIN lab b ON a.visit_id = b.visit_id",
    "SELECT COUNT(*) AS n FROM lab JOIN visits ON visit_id = visits.id JOIN patients ON patients.id = patient_id WHERE sex = 'F'",
    "SELECT COUNT(*) AS n FROM visits v WHERE EXISTS (SELECT 1 FROM lab l WHERE l.visit_id = v.id AND value > 1)",
    # subqueries and WITH
    "SELECT COUNT(*) AS n, AVG(clip(k, 0, 9)) AS m FROM (SELECT patient_id, COUNT(*) AS k FROM visits GROUP BY patient_id) AS p WHERE k > 0",
    "WITH p AS (SELECT patient_id AS who, ward, COUNT(*) AS k, SUM(cost) AS s, MIN(day) AS first, MAX(n) AS top, COUNT(DISTINCT smoker) AS d FROM visits GROUP BY 1, 2) SELECT COUNT(*) AS n, AVG(clip(s, 0, 999)) AS s, COUNT(first) AS f, SUM(clip(top, 0, 9)) AS t, SUM(d) AS d FROM p".replace("SUM(d)", "SUM(clip(d, 0, 9))"),
    "SELECT COUNT(*) AS n FROM (SELECT patient_id FROM visits GROUP BY patient_id HAVING COUNT(*) > 1 AND AVG(n) < 2) AS p",
    "SELECT COUNT(*) AS n, SUM(clip(x, 0, 500)) AS s FROM (SELECT patient_id, SUM(n) / COUNT(*) + 1 AS x FROM visits GROUP BY patient_id, smoker HAVING smoker) AS p",
    "SELECT COUNT(*) AS n FROM (SELECT upper(ward) AS w FROM visits GROUP BY upper(ward), patient_id HAVING w <> 'B') AS q",
    "SELECT COUNT(*) AS n FROM (SELECT DISTINCT patient_id, upper(ward) AS w FROM visits) AS d WHERE w IS NOT NULL",
    "SELECT COUNT(*) AS n, AVG(clip(x, 0, 9)) AS m FROM (SELECT id AS p, 1 AS x FROM patients UNION ALL SELECT patient_id, n FROM visits UNION ALL SELECT patient_id, 0 FROM visits) AS b",
    "WITH v AS (SELECT patient_id, cost FROM visits WHERE cost > 6), w AS (SELECT patient_id, SUM(cost) AS s FROM v GROUP BY patient_id) SELECT COUNT(*) AS n, SUM(s) AS s FROM v JOIN w USING (patient_id)".replace("SUM(s)", "SUM(clip(s, 0, 600))"),
    "WITH visits AS (SELECT * EXCLUDE (n) FROM visits) SELECT COUNT(*) AS n FROM visits".replace("* EXCLUDE (n)", "id, patient_id"),
    "SELECT COUNT(*) AS n FROM (WITH patients AS (SELECT patient_id AS id FROM visits) SELECT id FROM patients) AS v JOIN patients ON v.id = patients.id",
    "SELECT COUNT(*) AS n FROM patients p LEFT JOIN (SELECT patient_id, MAX(cost) AS top FROM visits GROUP BY patient_id) v ON v.patient_id = p.id WHERE COALESCE(top, 0) < 100",
    "SELECT COUNT(*) AS n FROM patients JOIN (SELECT county, name FROM cities WHERE pop > 10) AS c ON city = c.name",
    # EXISTS and IN
    "SELECT COUNT(*) AS n FROM visits WHERE patient_id IN (SELECT id FROM patients WHERE sex = 'F')",
    "SELECT COUNT(*) AS n FROM visits v WHERE EXISTS (SELECT 1 FROM patients p WHERE p.id = v.patient_id AND p.born < v.day) AND n < 5",
    "SELECT COUNT(*) AS n FROM visits v WHERE NOT EXISTS (SELECT 1 FROM patients p WHERE p.id = v.patient_id)",
    "SELECT COUNT(*) AS n FROM visits v WHERE NOT EXISTS (SELECT 1 FROM visits w WHERE w.patient_id = v.patient_id AND w.id <> v.id)",
    "SELECT COUNT(*) AS n FROM visits WHERE patient_id IN (SELECT patient_id FROM visits GROUP BY patient_id HAVING COUNT(*) > 1)",
    "SELECT COUNT(*) AS n FROM visits WHERE patient_id IN (SELECT id FROM patients UNION ALL SELECT patient_id FROM visits WHERE n = 6)",
    "SELECT COUNT(*) AS n FROM patients WHERE city IN (SELECT name FROM cities WHERE pop > 100)",
    "SELECT COUNT(*) AS n FROM patients WHERE NOT EXISTS (SELECT 1 FROM cities WHERE name = city)",
    "SELECT COUNT(*) AS n FROM patients JOIN visits ON patients.id = patient_id WHERE EXISTS (SELECT 1 FROM patients WHERE patients.id = visits.patient_id AND sex = 'F')",
    "SELECT COUNT(*) AS n FROM patients WHERE EXISTS (SELECT 1 FROM visits WHERE patient_id = patients.id AND EXISTS (SELECT 1 FROM lab WHERE visit_id = visits.id))",
    # conditions and functions
    "SELECT COUNT(*) AS n FROM visits WHERE day BETWEEN '2020-01-15' AND DATE '2020-12-31' OR day IS NULL",
    "SELECT COUNT(*) AS n FROM visits WHERE seen >= '2020-01-31' AND seen < TIMESTAMP '2020-06-01 12:00:01' AND day <> seen",
    "SELECT COUNT(*) AS n FROM visits WHERE extract(month FROM day) = 2 OR year(seen) = 2021 OR hour(seen) = 12 OR isodow(day) = 5",
    "SELECT COUNT(*) AS n FROM visits WHERE date_trunc('month', day) = DATE '2020-01-01' AND date_diff('day', day, '2020-02-02') > 1 AND day - DATE '2020-01-01' < 400",
    "SELECT COUNT(*) AS n FROM visits WHERE CAST(seen AS DATE) = day AND least(day, '2020-06-01') < '2020-05-05'",
    "SELECT COUNT(*) AS n FROM visits WHERE starts_with(upper(ward), 'A') OR contains(ward, 'C') OR length(trim(ward)) = 2 OR substring(ward, 1, 1) || 'x' = 'Bx' OR concat(ward, 'y') = 'y'",
    "SELECT COUNT(*) AS n FROM visits WHERE n % 2 = 1 AND abs(n - 4) >= 1 AND floor(n / 2) < 3 AND ceil(cost) > 0 AND round(cost) <> 21 OR n IN (2, 6) AND NOT smoker",
    "SELECT COUNT(*) AS n FROM visits WHERE smoker IS NOT TRUE AND (cost > 5 OR cost IS NULL) AND NOT (n = 2 AND ward = 'B')",
    "SELECT COUNT(*) AS n FROM visits WHERE CASE ward WHEN 'A' THEN n WHEN 'B' THEN 10 * n END > 1 AND COALESCE(cost, 0) < 300 AND NULLIF(n, 6) IS NOT NULL OR IF(smoker, 1, 0) = 1 AND CAST(smoker AS INT) = 1",
    'SELECT COUNT(*) AS n FROM "VISITS" AS "V w" WHERE "odd NAME" = \'x\' AND "V w"."COST" > 1',
    "SELECT COUNT(*) AS n -- all of them;\nFROM visits /* of 2020; */ WHERE n > 1;",
]  # fmt: skip

GROUPED: list[tuple[str, Any]] = [
    ("SELECT ward, COUNT(*) AS n, SUM(cost) AS s FROM visits GROUP BY ward", ["A", "a", " A", "B", "C"]),
    ("SELECT upper(trim(ward)) AS w, COUNT(*) AS n FROM visits GROUP BY w", ["A", "B", "C"]),
    ("SELECT VISITS.ward AS w, COUNT(*) AS n FROM visits GROUP BY Ward", ["A", "B"]),
    ("SELECT COUNT(*) AS n, ward FROM visits GROUP BY 2 ORDER BY 1 DESC", ["A", "B"]),
    ("SELECT ward, smoker, COUNT(*) AS n FROM visits GROUP BY ward, 2", {"ward": ["A", "B", "C"]}),
    ("SELECT smoker, COUNT(*) / SUM(COUNT(*)) OVER () AS p, 100.0 * COUNT(*) / SUM(COUNT(*)) OVER () AS q FROM visits WHERE smoker IS NOT NULL GROUP BY smoker", None),
    ("SELECT CASE WHEN n < 3 THEN 'low' WHEN n < 6 THEN 'mid' ELSE 'high' END AS band, COUNT(*) AS n FROM visits GROUP BY 1", None),
    ("SELECT CASE WHEN ward IN ('A', 'B') THEN ward ELSE 'other' END AS w, AVG(cost) AS m, COUNT(cost) AS n FROM visits GROUP BY 1 HAVING COUNT(cost) > 0.5", None),
    ("SELECT date_trunc('month', day) AS m, COUNT(*) AS n FROM visits WHERE day < '2022-01-01' GROUP BY m", None),
    ("SELECT day, COUNT(*) AS n FROM visits GROUP BY day", None),
    ("SELECT year(day) AS y, quarter(day) AS q, COUNT(*) AS n FROM visits GROUP BY y, q", None),
    ("SELECT month(seen) AS m, COUNT(*) AS n FROM visits GROUP BY m", None),
    ("SELECT county, COUNT(*) AS n FROM patients JOIN cities ON city = name GROUP BY county", None),
    ("SELECT upper(c.county) AS k, COUNT(*) AS n FROM patients LEFT JOIN cities c ON city = c.name GROUP BY 1", None),
    ("SELECT COALESCE(county, 'nowhere') AS k, COUNT(*) AS n FROM patients LEFT JOIN cities ON city = name GROUP BY 1", None),
    ("SELECT CASE WHEN pop > 100000 THEN county ELSE concat(county, '?') END AS k, COUNT(*) AS n FROM patients JOIN cities ON city = name GROUP BY k", None),
    ("SELECT sex, COUNT(*) AS n FROM patients GROUP BY sex HAVING COUNT(*) BETWEEN 1.5 AND 9 AND AVG(born < '1985-01-01') < 0.9", ["F", "M", None]),
    ("SELECT ward, COUNT(*) AS n FROM visits WHERE ward IN ('A', 'B', 'C') GROUP BY ward ORDER BY SUM(cost) DESC, ward LIMIT 2", ["A", "B", "C"]),
    ("SELECT k, COUNT(*) AS n FROM (SELECT patient_id, COUNT(*) AS k FROM visits GROUP BY patient_id) AS p GROUP BY k", [1, 2]),
    ("SELECT county, COUNT(*) AS n FROM (SELECT id, county FROM patients JOIN cities ON city = name) AS p GROUP BY county", None),
]  # fmt: skip


@pytest.fixture(autouse=True)
def _every_release_is_checked() -> None:
    """Not here: `test_neighbours` does it for all shapes at once."""


def released(text: str, folder: Path, groups: Any = None) -> list[dict[str, Any]]:
    query = CLINIC.sql(text, groups=groups)
    if query.limit is not None:
        query = CLINIC.sql(text, groups=groups, max_contributions=MOST)
    ledger = ln.Ledger.create(folder / "x.ledger", privacy_unit="patient", rho=PRICE)
    return query.release(ledger, rho=PRICE).rows


def rows_of(text: str) -> list[dict[str, Any]]:
    text = text.replace("AVG(n > 2)", "AVG(CAST(n > 2 AS INT))")
    text = text.replace("AVG(born < '1985-01-01')", "AVG(CAST(born < '1985-01-01' AS INT))")
    found = plain().execute(text)
    names = [each[0] for each in found.description]
    return [dict(zip(names, map(_day, row), strict=True)) for row in found.fetchall()]


def _day(value: Any) -> Any:
    """date_trunc gives a date here, and a moment in DuckDB."""
    return value.date() if isinstance(value, datetime) and not value.hour else value


@pytest.mark.parametrize("text", ONE)
def test_a_statement_gives_what_duckdb_gives(text: str, tmp_path: Path) -> None:
    (own,), (wanted,) = released(text, tmp_path), rows_of(text)
    for name, value in wanted.items():
        assert own[name] == pytest.approx(float(value), rel=2e-3, abs=0.03), name


@pytest.mark.parametrize(("text", "groups"), GROUPED)
def test_groups_are_those_of_duckdb(text: str, groups: Any, tmp_path: Path) -> None:
    own, wanted = released(text, tmp_path, groups), rows_of(text)
    keys = [name for name in wanted[0] if f"{name}_low" not in own[0]]
    values = [name for name in wanted[0] if name not in keys]
    by_key = {tuple(row[key] for key in keys): row for row in own}
    compared = 0
    for row in wanted:
        key = tuple(row[key] for key in keys)
        if key not in by_key:  # not listed, or missing
            assert groups is not None or None in key or "HAVING" in text
            continue
        compared += 1
        ours = by_key.pop(key)
        for name in values:
            assert ours[name] == pytest.approx(float(row[name] or 0), rel=2e-3, abs=0.03), (
                key,
                name,
            )
    assert compared, (own, wanted)
    for row in by_key.values():
        assert "n" not in row or abs(row["n"]) < 0.03, row
    if "ORDER BY" in text:
        order = [tuple(row[key] for key in keys) for row in wanted]
        shown = [tuple(row[key] for key in keys) for row in own]
        assert shown == [key for key in order if key in shown]


def test_bins_are_half_open_and_the_last_one_is_closed(tmp_path: Path) -> None:
    for text in ("bins(n, 1, 5, 2)", "bins(n, [1, 3, 5])"):
        (tmp_path / text[:6]).mkdir(exist_ok=True)
        rows = released(f"SELECT {text} AS b, COUNT(*) AS n FROM visits GROUP BY b ORDER BY b DESC", tmp_path / text[:6])  # fmt: skip
        assert [(row["b"], round(row["n"])) for row in rows] == [("[3, 5]", 2), ("[1, 3)", 3)]
        (tmp_path / text[:6] / "x.ledger").unlink()


def test_quantiles_lie_near_the_values_of_rows(tmp_path: Path) -> None:
    text = """SELECT MEDIAN(n) AS a, QUANTILE(n, 0.5) AS b, PERCENTILE_CONT(0.99) WITHIN GROUP (ORDER BY n) AS c
              FROM (SELECT patient_id, clip(n, 0, 8) AS n FROM visits WHERE n <> 2) AS v"""
    text = text.replace("(n)", "(clip(n, 0, 8))").replace("(n,", "(clip(n, 0, 8),")
    text = text.replace("ORDER BY n", "ORDER BY clip(n, 0, 8)")
    (row,) = released(text, tmp_path)
    assert row["a"] == pytest.approx(3, abs=0.1)
    assert row["b"] == pytest.approx(3, abs=0.1)
    assert row["c"] == pytest.approx(6, abs=0.1)


def test_rows_that_are_units_meet_public_rows_once(tmp_path: Path) -> None:
    sexes = pa.table({"sex": ["F", "M", None], "word": ["woman", "man", "?"]})
    data = ln.read(
        {"patients": PATIENTS}, privacy_unit=ln.ROW, public={"cities": CITIES, "sexes": sexes}
    )
    ledger = ln.Ledger.create(tmp_path / "x.ledger", privacy_unit=ln.ROW, rho=PRICE)
    with pytest.raises(ln.UnsupportedSQL, match="could count one row several times"):
        data.sql("SELECT COUNT(*) FROM patients JOIN cities ON city = name")  # Voss stands twice
    text = "SELECT word, COUNT(*) AS n FROM patients LEFT JOIN sexes ON patients.sex = sexes.sex GROUP BY 1"
    rows = data.sql(text).release(ledger, rho=PRICE / 2).rows
    assert [(row["word"], round(row["n"])) for row in rows] == [("?", 0), ("man", 2), ("woman", 3)]
    semi = "SELECT COUNT(*) AS n FROM patients WHERE city IN (SELECT name FROM cities)"
    (row,) = data.sql(semi).release(ledger, rho=PRICE / 4).rows
    assert round(row["n"]) == 4


def test_a_day_that_is_typed_with_a_time_is_a_moment() -> None:
    with pytest.raises(ln.InvalidInput, match="is no date"):
        CLINIC.sql("SELECT COUNT(*) FROM visits WHERE day > '1 May 2020'")
    relation = CLINIC.sql("SELECT COUNT(*) FROM visits WHERE day > '2020-05-01 12:00'").relation
    assert "TIMESTAMP '2020-05-01 12:00:00'" in str(relation.condition)  # type: ignore[union-attr]
    relation = CLINIC.sql("SELECT COUNT(*) FROM visits WHERE day > '2020-05-01'").relation
    assert relation.condition.arguments[1].value == date(2020, 5, 1)  # type: ignore[union-attr]
