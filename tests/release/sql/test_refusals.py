"""What cannot be answered privately is refused at its place, with what to write instead."""

import re
from dataclasses import replace

import pytest

from leastnoise.errors import InvalidParameter, LeastNoiseError
from tests.release.sql.clinic import clinic

CLINIC = clinic()

# A statement with ¶ where the refusal stands, which may be inside what is refused, and a few words
# of what it says.
REFUSED = [
    ("SELECT ¶* FROM visits", "rows are not shown"),
    ("SELECT ¶city FROM visits", "rows are not shown"),
    ("SELECT ¶city, COUNT(*) FROM visits", "GROUP BY it"),
    ("SELECT DISTINCT ¶city FROM visits", "Use GROUP BY"),
    ("SELECT ¶MIN(cost) FROM visits", "PERCENTILE_CONT(0.01)"),
    ("SELECT city, ¶MAX(cost) FROM visits GROUP BY city", "PERCENTILE_CONT"),
    ("SELECT ¶AVG(city) FROM visits", "holds values of type 'text'"),
    ("SELECT ¶SUM(DISTINCT cost) FROM visits", "Leave out DISTINCT"),
    ("SELECT ¶COUNT(*) OVER () FROM visits", "window functions"),
    ("SELECT ¶ROW_NUMBER() OVER (ORDER BY cost) FROM visits", "window functions"),
    ("SELECT COUNT(*) FROM visits QUALIFY ¶COUNT(*) > 1", "window functions"),
    ("SELECT COUNT(*) FROM visits WHERE cost > (SELECT ¶AVG(cost) FROM visits)", "Ask it first"),
    ("SELECT COUNT(*) FROM visits WHERE ¶city IN (SELECT city FROM visits)", "Join on"),
    (
        "SELECT COUNT(*) FROM patients WHERE ¶id NOT IN (SELECT patient_id FROM visits)",
        "Write NOT EXISTS",
    ),
    ("SELECT city, COUNT(*) FROM visits GROUP BY ROLLUP (¶city)", "one statement for each"),
    ("SELECT COUNT(*) FROM visits GROUP BY CUBE (¶city)", "one statement for each"),
    ("SELECT COUNT(*) FROM visits GROUP BY GROUPING SETS ((¶city))", "one statement for each"),
    ("SELECT ¶COUNT(*) FROM visits UNION ALL SELECT COUNT(*) FROM labs", "one statement for each"),
    ("SELECT ¶COUNT(*) FROM visits UNION SELECT COUNT(*) FROM labs", "UNION ALL"),
    ("SELECT ¶COUNT(*) FROM visits INTERSECT SELECT 1", "one statement for each"),
    ("SELECT ¶COUNT(*) FROM visits EXCEPT SELECT 1", "one statement for each"),
    ("SELECT COUNT(*) FROM visits v, LATERAL (SELECT ¶1) x", "Write a JOIN"),
    ("SELECT COUNT(*) FROM visits TABLESAMPLE (¶10 PERCENT)", "Leave it out"),
    ("WITH RECURSIVE ¶t AS (SELECT 1) SELECT COUNT(*) FROM t", "must not call itself"),
    ("SELECT COUNT(*) FROM (VALUES (¶1)) t", "public table"),
    ("SELECT COUNT(*) FROM ¶generate_series(1, 3)", "known parts"),
    ("SELECT COUNT(*) FROM visits WHERE ¶random() < 0.5", "known one"),
    ("SELECT COUNT(*) FROM visits WHERE day < ¶now()", "known one"),
    ("SELECT COUNT(*) FROM visits WHERE day < ¶CURRENT_DATE", "Write the date"),
    ("SELECT COUNT(*) FROM visits WHERE cost > ¶?", "no parameters"),
    ("SELECT COUNT(*) FROM visits WHERE cost > :¶limit", "no parameters"),
    ("SELECT COUNT(*) FROM visits WHERE CAST(¶city AS INT) > 1", "Declare the type"),
    ("SELECT COUNT(*) FROM visits WHERE ¶city::int > 1", "Declare the type"),
    ("SELECT COUNT(*) FROM visits WHERE ¶city ILIKE 'o%'", "got ILIKE. Write lower(x) LIKE"),
    ("SELECT COUNT(*) FROM visits WHERE ¶city || 'x' = 'Oslox'", "got ||. "),
    ("SELECT COUNT(*) FROM (SELECT city FROM visits LIMIT ¶5) t", "Leave it out"),
    ("SELECT COUNT(*) FROM (SELECT city FROM visits ORDER BY ¶cost) t", "Leave it out"),
    ("SELECT COUNT(¶cost ORDER BY cost) FROM visits", "no ORDER BY"),
    ("SELECT ¶SUM(id) FROM visits", "least(greatest(x, 0), 500)"),
    ("SELECT ¶AVG(patient_id) FROM visits", "Give `range`"),
    ("¶INSERT INTO visits VALUES (1)", "only SELECT"),
    ("¶COPY visits TO 'x'", "only SELECT"),
    ("¶ATTACH 'x'", "only SELECT"),
    ("¶SET x = 1", "only SELECT"),
    ("¶PRAGMA x", "only SELECT"),
    ("SELECT COUNT(*) FROM visits¶; DROP TABLE visits", "one statement"),
    # Joins.
    ("SELECT COUNT(*) FROM visits a JOIN ¶visits b ON a.city = b.city", "rows of two units"),
    ("SELECT COUNT(*) FROM visits a CROSS JOIN ¶patients b", "rows of two units"),
    ("SELECT COUNT(*) FROM visits a, ¶visits b", "rows of two units"),
    (
        "SELECT COUNT(*) FROM visits a JOIN ¶visits b ON lower(a.city) = lower(b.city)",
        "rows of two units",
    ),
    (
        "SELECT COUNT(*) FROM visits a JOIN ¶visits b ON 1 = 1 OR a.patient_id = b.patient_id",
        "rows of two units",
    ),
    (
        "SELECT COUNT(*) FROM visits a JOIN ¶visits b ON a.patient_id = b.patient_id",
        "one match at most",
    ),
    ("SELECT COUNT(*) FROM visits RIGHT JOIN ¶labs ON visit_id = id", "LEFT JOIN"),
    ("SELECT COUNT(*) FROM visits FULL JOIN ¶patients p ON patient_id = p.id", "LEFT JOIN"),
    ("SELECT ¶COUNT(*) FROM visits RIGHT JOIN cities ON city = name", "grouped by their columns"),
    ("SELECT COUNT(*) FROM visits JOIN ¶cities ON city > name", "which columns are equal"),
    ("SELECT COUNT(*) FROM visits v LEFT JOIN cities ON city = name AND ¶cost > 1", "WHERE"),
    ("SELECT COUNT(*) FROM visits JOIN ¶visits ON 1 = 1", "called differently"),
    ("SELECT COUNT(*) FROM visits a JOIN visits b USING (¶nothing)", None),
    ("SELECT COUNT(*) FROM ¶cities", "public"),
    ("SELECT COUNT(*) FROM (SELECT ¶city, COUNT(*) FROM visits GROUP BY city) t", "Add patient_id"),
    ("SELECT COUNT(*) FROM (SELECT DISTINCT ¶city FROM visits) t", "Add patient_id"),
    (
        "SELECT COUNT(*) FROM (SELECT patient_id, ¶MEDIAN(cost) FROM visits GROUP BY 1) t",
        "for each unit",
    ),
    (
        "SELECT COUNT(*) FROM (SELECT ¶patient_id % 10 AS patient_id, COUNT(*) AS n FROM visits"
        " GROUP BY patient_id % 10) t",
        "Add patient_id",
    ),
    ("SELECT COUNT(*) FROM visits WHERE city = 'Oslo' OR EXISTS (SELECT ¶1 FROM labs)", "AND"),
    ("SELECT COUNT(*) FROM visits WHERE EXISTS (SELECT ¶1 FROM labs)", "tied"),
    ("SELECT COUNT(*) FROM (SELECT city c, cost ¶c FROM visits) t", None),
    # Names, values and places.
    ("SELECT COUNT(*) FROM ¶vists", "There are: patients, visits, labs, cities"),
    ("SELECT COUNT(*) FROM visits WHERE ¶ctiy = 'Oslo'", "There are: id, patient_id, city"),
    ('SELECT COUNT(*) FROM visits WHERE city = ¶"Oslo"', "single quotes"),
    ("SELECT COUNT(*) FROM visits v WHERE ¶w.city = 'Oslo'", "named in FROM"),
    (
        "SELECT COUNT(*) FROM visits v JOIN patients p ON patient_id = p.id WHERE ¶id = 1",
        "v.id, p.id",
    ),
    ("SELECT COUNT(*) FROM visits WHERE city IN ('Oslo', ¶NULL)", "NULL"),
    ("SELECT COUNT(*) FROM visits WHERE city = ¶NULL", "IS NULL"),
    ("SELECT COUNT(*) FROM visits WHERE ¶cost", "Compare it"),
    ("SELECT COUNT(*) FROM visits WHERE ¶city > 1", None),
    ("SELECT COUNT(*) FROM visits WHERE day > ¶'soon'", "DATE '2026-01-31'"),
    ("SELECT COUNT(*) FROM visits WHERE ¶1 = 2", "never true"),
    ("SELECT COUNT(*) FROM visits WHERE ¶patient_id IS NULL", "without_unit"),
    ("SELECT COUNT(*) FROM visits WHERE ¶cost > 1 AND patient_id IS NULL", "without_unit"),
    ("SELECT COUNT(*) FILTER (WHERE ¶patient_id IS NULL) FROM visits", "without_unit"),
    ("SELECT COUNT(*) FROM visits GROUP BY ¶0", "from 1 to 1"),
    ("SELECT COUNT(*) FROM visits GROUP BY ¶99", "from 1 to 1"),
    ("SELECT COUNT(*) FROM visits GROUP BY ¶COUNT(*)", "HAVING"),
    ("SELECT ¶patient_id, COUNT(*) FROM visits GROUP BY 1", "several units"),
    ("SELECT COUNT(*) FROM visits HAVING ¶cost > 1", "rows are not shown"),
    ("SELECT city, COUNT(*) FROM visits GROUP BY city ORDER BY ¶minutes", "rows are not shown"),
    ("SELECT COUNT(*) FROM visits LIMIT -¶1", "whole number"),
    ("SELECT COUNT(*) FROM visits LIMIT ¶1.5", "whole number"),
    ("SELECT ¶PERCENTILE_CONT(0.5) FROM visits", "WITHIN GROUP"),
    ("SELECT PERCENTILE_CONT(¶2) WITHIN GROUP (ORDER BY cost) FROM visits", "between 0 and 1"),
    ("SELECT ¶MEDIAN(city) FROM visits", "holds values of type 'text'"),
    ("SELECT COUNT(*) FROM visits WHERE minutes > 2 AND ¶cost = 'x'", "of type 'number'"),
    ("SELECT COUNT(*), SUM(cost) FILTER (WHERE ¶city > 3) FROM visits", "of type 'text'"),
    ("SELECT COUNT(*) FROM visits WHERE ¶cost IN ('x', 'y')", "of type 'number'"),
    ("SELECT COUNT(*) FROM visits WHERE ¶cost LIKE 'x'", "must be text"),
    ("SELECT COUNT(*) FROM visits WHERE city LIKE 'a!b' ESCAPE ¶'!'", "before %, _ or itself"),
    ("SELECT COUNT(*) FROM visits WHERE city LIKE 'a!' ESCAPE ¶'!'", "nothing behind it"),
    ("SELECT COUNT(*) FROM visits WHERE city LIKE 'a' ESCAPE ¶'!!'", "one sign"),
    ("SELECT COUNT(*) FROM visits WHERE city LIKE 'a' ESCAPE ¶'%'", "one sign"),
    ("SELECT COUNT(*) FROM visits WHERE city LIKE 'a' ESCAPE ¶city", "readable"),
    ("SELECT ¶HACK(cost) FROM visits", "known one"),
    ("SELECT ¶COUNT(*, bounds => (0, 1)) FROM visits", None),
    ("SELECT ¶APPROX_TOP_COUNT(city, 3), COUNT(*) FROM visits", "statement of its own"),
    ("SELECT\n  COUNT(*),\n  ¶MAX(cost)\nFROM visits", "PERCENTILE_CONT"),
]


@pytest.mark.parametrize(("marked", "words"), REFUSED)
def test_it_is_refused_at_its_place(marked: str, words: str | None) -> None:
    before, _, after = marked.partition("¶")
    line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
    with pytest.raises(InvalidParameter) as caught:
        CLINIC.sql(before + after)
    told = str(caught.value)
    where = re.match(r"line (\d+), column (\d+): ", told)
    assert where is not None, told
    if words is not None:
        assert words in told
        assert (int(where[1]), int(where[2])) == (line, column), told
    assert "\x1b" not in told
    assert "; got " in told


def test_what_is_missing_is_said() -> None:
    bare = replace(CLINIC, bounds={})
    with pytest.raises(LeastNoiseError, match=r"line 1, column 8: `max_rows` must be given"):
        bare.sql("SELECT COUNT(*) FROM visits")
    with pytest.raises(LeastNoiseError, match="a budget must be given"):
        CLINIC.sql("SELECT COUNT(*) FROM visits").preview()


@pytest.mark.parametrize(
    ("where", "like"),
    [
        ("patient_id IS NULL OR cost > 1", "cost > 1"),
        ("patient_id IS NOT NULL AND cost > 1", "patient_id IS NOT NULL AND cost > 1"),
    ],
)
def test_rows_of_nobody_may_be_named_beside_others(where: str, like: str) -> None:
    """Rows that count have a unit: what is said of others changes nothing."""
    one, other = (
        CLINIC.sql(f"SELECT COUNT(*) FROM visits WHERE {text}", max_rows=3)
        for text in (where, like)
    )
    assert one.plan.questions[0].groups.where == other.plan.questions[0].groups.where
