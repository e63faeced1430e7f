"""What statements mean: with next to no noise and bounds that do not bind, results are DuckDB's."""

import json
import math
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.release.sql.clinic import released, truth

# Groups without rows are shown here and not there, so statements name groups that have rows.
ONE_TABLE = [
    "SELECT COUNT(*), COUNT(cost), COUNT(DISTINCT patient_id) FROM visits",
    "SELECT COUNT(*) FROM visits WHERE NOT (cost > 100)",
    "SELECT COUNT(*) FROM visits WHERE NOT (cost > 100 AND minutes < 30) OR city = 'Oslo'",
    "SELECT COUNT(*) FROM visits WHERE cost NOT BETWEEN 100 AND 300",
    "SELECT COUNT(*) FROM visits WHERE cost > minutes OR cost IS NULL",
    "SELECT COUNT(*) FROM visits WHERE (cost > 100) IS NOT TRUE",
    "SELECT COUNT(*) FROM visits WHERE city NOT IN ('Oslo') AND city LIKE 'B%'",
    "SELECT COUNT(*) FROM visits WHERE city NOT LIKE '%s%'",
    "SELECT COUNT(*) FROM visits WHERE city LIKE '%s!_!!%' ESCAPE '!'"
    " OR city LIKE '_s%' ESCAPE '~'",
    "SELECT COUNT(*) FROM visits WHERE city NOT LIKE '%s!%' ESCAPE '!'",
    "SELECT COUNT(*) FROM visits WHERE 1 = 1 AND TRUE AND day >= DATE '2024-03-01'",
    "SELECT COUNT(*) FROM visits WHERE day < '2024-06-15'",
    "SELECT COUNT(*) FROM patients WHERE smoker AND NOT age < 50",
    "SELECT COUNT(*) FROM visits WHERE CASE WHEN cost > 100 THEN minutes ELSE 0 END > 20",
    "SELECT COUNT(*) FROM visits WHERE coalesce(cost, 0) * 2 + minutes / 4 < 300",
    "SELECT COUNT(*) FROM visits WHERE length(city) = 4 AND lower(substring(city, 1, 1)) = 'o'",
    "SELECT COUNT(*) FROM visits WHERE month(day) IN (2, 3) AND minutes % 2 = 1",
    "SELECT SUM(cost), AVG(cost), SUM(minutes), AVG(minutes) FROM visits",
    "SELECT SUM(cost), COUNT(cost), AVG(cost) FROM visits",
    "SELECT SUM(cost * 2 - minutes), AVG(least(cost, 100)) FROM visits",
    "SELECT SUM(CASE WHEN city = 'Oslo' THEN cost ELSE 0 END) / SUM(cost) FROM visits",
    "SELECT SUM(CASE WHEN cost > 100 THEN 1 ELSE 0 END), COUNT_IF(cost IS NULL) FROM visits",
    "SELECT COUNT(*) FILTER (WHERE cost > 100), SUM(minutes) FILTER (WHERE cost > 99) FROM visits",
    "SELECT VAR_POP(minutes), VAR_SAMP(minutes), VARIANCE(cost) FROM visits",
    "SELECT STDDEV_POP(minutes), STDDEV_SAMP(minutes), STDDEV(cost) FROM visits",
    "SELECT COUNT(DISTINCT city) FROM visits",
    "SELECT ROUND(AVG(cost), 1), ABS(0 - COUNT(*)), COALESCE(NULLIF(COUNT(*), -1), 0) FROM visits",
    "SELECT COUNT(*) - 5, 100 * COUNT(cost) / COUNT(*), SQRT(COUNT(*)) FROM visits",
    "SELECT city, COUNT(*) AS n FROM visits GROUP BY city ORDER BY n DESC, city",
    "SELECT city, AVG(minutes) AS minutes FROM visits GROUP BY city ORDER BY minutes",
    'SELECT "city" AS "k0", COUNT(*) AS "t0", SUM("%s""?".minutes) AS "a""b" FROM visits AS "%s""?"'
    ' GROUP BY 1 ORDER BY "t0"',
    "SELECT city, COUNT(*) FROM visits GROUP BY 1 HAVING COUNT(*) > 45 ORDER BY city",
    "SELECT city c, AVG(minutes) FROM visits GROUP BY c ORDER BY AVG(cost) DESC LIMIT 2",
    "SELECT COUNT(*) n, city FROM visits GROUP BY city ORDER BY 1 LIMIT 1 OFFSET 1",
    "SELECT city, COUNT(*) FILTER (WHERE cost > 100) FROM visits GROUP BY city ORDER BY 1",
    "SELECT city, SUM(cost) FILTER (WHERE minutes > 20) FROM visits GROUP BY city ORDER BY 1",
    "SELECT city, COUNT(DISTINCT patient_id) FILTER (WHERE cost > 200), COUNT(*) FROM visits"
    " WHERE minutes > 10 GROUP BY city ORDER BY 1",
    "SELECT sex, COUNT(*), COUNT(age), AVG(age) FROM patients GROUP BY sex ORDER BY sex",
    "SELECT sex, smoker, COUNT(*) FROM patients GROUP BY 1, 2 ORDER BY 1, 2",
    "SELECT CASE WHEN minutes < 20 THEN 'short' WHEN minutes < 40 THEN 'usual' ELSE 'long' END k,"
    " COUNT(*) FROM visits GROUP BY k ORDER BY k",
    "SELECT floor(minutes / 10) * 10 AS tens, COUNT(*) FROM visits GROUP BY 1"
    " HAVING COUNT(*) > 0 ORDER BY 1",
    "SELECT minutes > 30 AS long, COUNT(*) FROM visits GROUP BY long ORDER BY long",
    "SELECT upper(city), COUNT(*) FROM visits GROUP BY upper(city) ORDER BY 1",
    "SELECT quarter(day) q, COUNT(*) FROM visits WHERE day < '2024-10-01' GROUP BY q"
    " HAVING COUNT(*) > 0 ORDER BY q",
    "SELECT coalesce(city, 'none') c, COUNT(*) FROM visits GROUP BY c ORDER BY c",
    "SELECT city, COUNT(DISTINCT patient_id) FROM visits GROUP BY city ORDER BY 2 DESC, 1 LIMIT 2",
    "SELECT CASE WHEN COUNT(*) > 50 THEN 'many' ELSE 'few' END FROM visits GROUP BY city"
    " ORDER BY 1",
    'SELECT "City", COUNT(*) FROM (SELECT city AS "City" FROM visits) GROUP BY 1 ORDER BY 1',
]
SEVERAL = [
    "SELECT COUNT(*), SUM(level) FROM labs",
    'SELECT "u""1".city, COUNT(*) FROM visits AS "u""1" JOIN patients AS "%s"'
    ' ON patient_id = "%s".id WHERE "%s".age > 30 GROUP BY 1 ORDER BY 1',
    "SELECT p.sex, COUNT(*), SUM(v.cost) FROM visits v JOIN patients p ON v.patient_id = p.id"
    " GROUP BY p.sex ORDER BY 1",
    "SELECT sex, COUNT(*), COUNT(v.id) FROM patients p LEFT JOIN visits v ON v.patient_id = p.id"
    " AND v.cost > 450 WHERE age > 20 GROUP BY sex ORDER BY 1",
    "SELECT COUNT(DISTINCT v.patient_id), COUNT(DISTINCT p.id) FROM patients p"
    " LEFT JOIN visits v ON v.patient_id = p.id",
    "SELECT region, COUNT(*) FROM visits v JOIN cities c ON v.city = c.name GROUP BY region"
    " HAVING COUNT(*) > 0 ORDER BY 1",
    "SELECT COUNT(*) FROM cities c JOIN visits v ON v.city = c.name AND c.size > 300",
    "SELECT COUNT(*), COUNT(size) FROM visits v LEFT JOIN cities c ON v.city = c.name",
    "SELECT COUNT(*) FROM visits v, patients p, cities c WHERE v.patient_id = p.id"
    " AND c.name = v.city AND p.age > 50 AND c.size > 100",
    "SELECT COUNT(*) FROM labs l JOIN visits v ON l.visit_id = v.id"
    " JOIN patients p ON v.patient_id = p.id WHERE p.age < 40 AND level > cost / 1000",
    "SELECT COUNT(*) FROM patients p WHERE EXISTS"
    " (SELECT 1 FROM visits v WHERE v.patient_id = p.id AND v.cost > 300)",
    "SELECT COUNT(*) FROM patients p WHERE NOT EXISTS"
    " (SELECT 1 FROM visits v WHERE v.patient_id = p.id)",
    "SELECT COUNT(*) FROM visits v WHERE EXISTS (SELECT * FROM labs WHERE visit_id = v.id)",
    "SELECT COUNT(*) FROM visits WHERE city IN (SELECT name FROM cities WHERE size > 500)",
    "SELECT COUNT(*) FROM visits WHERE city NOT IN (SELECT name FROM cities)",
    "SELECT COUNT(*) FROM patients WHERE id IN (SELECT patient_id FROM visits WHERE cost > 300)",
    "SELECT AVG(top), AVG(low), COUNT(*) FROM (SELECT patient_id, MAX(cost) AS top, MIN(minutes)"
    " AS low FROM visits GROUP BY patient_id HAVING MAX(cost) > 20) t",
    "SELECT AVG(least(n, 10)) FROM"
    " (SELECT patient_id, COUNT(*) AS n FROM visits GROUP BY patient_id) t",
    "WITH t AS (SELECT patient_id, COUNT(*) AS n, SUM(cost) AS total, AVG(minutes) AS a FROM visits"
    " GROUP BY patient_id HAVING COUNT(*) > 2) SELECT COUNT(*), COUNT(DISTINCT patient_id), AVG(a)"
    " FROM t WHERE total > 500",
    "SELECT least(n, 4) AS n, COUNT(*) FROM (SELECT patient_id, COUNT(*) AS n FROM visits"
    " GROUP BY patient_id) t GROUP BY 1 HAVING COUNT(*) > 0 ORDER BY 1",
    "SELECT AVG(least(total, 900)) FROM (SELECT patient_id, SUM(cost) AS total FROM visits"
    " GROUP BY patient_id) t",
    "SELECT COUNT(*) FROM (SELECT patient_id AS p, cost * 2 AS c FROM visits UNION ALL"
    " SELECT patient_id, cost FROM visits) q WHERE c > 400",
    "SELECT COUNT(*), SUM(n) FROM visits a JOIN (SELECT patient_id, least(COUNT(*), 9) n"
    " FROM visits GROUP BY patient_id) b USING (patient_id) WHERE n > 2",
    "SELECT COUNT(DISTINCT patient_id) FROM (SELECT patient_id % 10 AS patient_id FROM visits) t",
    "SELECT COUNT(*) FROM (SELECT DISTINCT patient_id, city FROM visits) t",
    "WITH a AS (SELECT * FROM visits WHERE cost > 50), b AS (SELECT id, minutes FROM a)"
    " SELECT COUNT(*), SUM(minutes) FROM b",
    "SELECT v.city, AVG(level) FROM (SELECT id, city FROM visits) v JOIN labs l"
    " ON l.visit_id = v.id GROUP BY v.city ORDER BY 1",
]


def is_near(one: Any, other: Any) -> bool:
    """Noise is far below these; sums are of values on a fine grid."""
    if isinstance(one, bool) or isinstance(other, bool | str) or other is None or one is None:
        return bool(one == other)
    if isinstance(other, int | float):
        return math.isclose(float(one), float(other), rel_tol=2e-4, abs_tol=0.02)
    return str(one) == str(other)[: len(str(one))]


@pytest.mark.parametrize("text", ONE_TABLE + SEVERAL)
def test_results_are_those_of_a_plain_engine(text: str, tmp_path: Path) -> None:
    found, expected = released(text, tmp_path).rows, truth(text)
    assert len(found) == len(expected), (found, expected)
    for row, true in zip(found, expected, strict=True):
        assert len(row) == len(true)
        assert all(map(is_near, row, true)), (row, true)


def test_dates_make_groups(tmp_path: Path) -> None:
    text = "SELECT date_trunc('month', day) m, COUNT(*) n FROM visits GROUP BY m ORDER BY m"
    found = {str(month): n for month, n in released(text, tmp_path).rows if n != 0}
    assert found == {str(month)[:10]: n for month, n in truth(text)}
    other = text.replace("date_trunc('month', day)", "DATE_TRUNC(day, MONTH)")
    assert released(other, tmp_path / "..").columns == ("m", "n")


def test_quantiles_are_near(tmp_path: Path) -> None:
    text = (
        "SELECT MEDIAN(minutes), PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY minutes),"
        " PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY minutes DESC) FROM visits"
    )
    (found,), (expected,) = released(text, tmp_path).rows, truth(text)
    assert all(abs(float(a) - float(b)) <= 1 for a, b in zip(found, expected, strict=True))  # type: ignore[arg-type]


@pytest.mark.parametrize("where", ["", " FILTER (WHERE cost > 100)"])
@pytest.mark.parametrize("by", ["city", "minutes > 30"])
def test_quantiles_of_groups_are_near_and_those_of_dates_are_dates(
    by: str, where: str, tmp_path: Path
) -> None:
    """By city groups are found in the data, by truth values they are public."""
    text = (
        f"SELECT {by} AS k, MEDIAN(minutes){where}, MEDIAN(day){where},"
        f" PERCENTILE_CONT(day, 0.9){where} FROM visits GROUP BY k ORDER BY k"
    )
    ninth = "quantile_disc(day, 0.9)"
    found = released(text, tmp_path)
    expected = truth(text.replace("PERCENTILE_CONT(day, 0.9)", ninth))
    assert [row[0] for row in found.rows] == [row[0] for row in expected]
    for row, ends, true in zip(found.rows, found.ends, expected, strict=True):
        assert abs(float(row[1]) - float(true[1])) <= 1  # type: ignore[arg-type]
        assert [type(each) for each in row[2:]] == [date, date]
        for (low, high), day in zip(ends[2:], true[2:], strict=True):  # type: ignore[misc]
            assert low <= day.date() <= high, "of an even number of rows there are two medians"
    assert str(found.rows[0][2]) in str(found)
    json.loads(found.to_json())


def test_results_of_dates_are_compared_and_sorted(tmp_path: Path) -> None:
    text = (
        "SELECT city, LEAST(MEDIAN(day), 5), GREATEST(MEDIAN(day), TIMESTAMP '2024-01-01 10:00:00')"
        " FROM visits GROUP BY city HAVING MEDIAN(day) > DATE '2024-01-02'"
        " ORDER BY CASE WHEN city = 'Oslo' THEN MEDIAN(day) ELSE 0 END, MEDIAN(day) + 1"
    )
    found = released(text, tmp_path).rows
    assert len(found) == 3
    assert [row[1] for row in found] == [None] * 3
    assert found[-1][0] == "Oslo"


def test_the_most_common_are_found(tmp_path: Path) -> None:
    found = released("SELECT APPROX_TOP_COUNT(city, 2) FROM visits", tmp_path)
    expected = truth(
        "SELECT city, COUNT(DISTINCT patient_id) n FROM visits GROUP BY city"
        " ORDER BY n DESC LIMIT 2"
    )
    assert found.columns == ("city", "count")
    assert [row[1] for row in found.rows] == [row[1] for row in expected]
