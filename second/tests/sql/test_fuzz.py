"""Whatever text is typed, either it is a query or a LeastNoiseError says why not, soon."""

import logging
import random
import re

import pytest
from sqlglot.dialects import DuckDB

import leastnoise as ln
from tests.sql.clinic import clinic
from tests.sql.test_answers import GROUPED, ONE

CLINIC = clinic()
SETS = "SELECT smoker, month(day) AS m, COUNT(*) AS n FROM visits GROUP BY GROUPING SETS ((smoker, m), m, ())"
TEXTS = [*ONE, *(text for text, _ in GROUPED), SETS]
TOKEN = r"'[^']*'|\"[^\"]*\"|--[^\n]*\n|/[*].*[*]/|[\w.]+|<=|>=|<>|[|][|]|\S"
WORDS = sorted({each.text for text in TEXTS for each in DuckDB().tokenize(text)} | {
    "LATERAL", "UNNEST", "VALUES", "OVER", "PARTITION", "WINDOW", "QUALIFY", "INTERVAL", "1e400", "1_000", "0x1F", ".5",
    "NULL", "*", "::", "[", "]", "{", "}", "->", "$1", "?", "@v", ":p", "ROWS", "GROUPING", "SETS", "CUBE", "USING",
    "NATURAL", "ASOF", "POSITIONAL", "FULL", "SEMI", "ANTI", "ANY", "ALL", "SOME", "TABLESAMPLE", "PIVOT", "OFFSET", "ILIKE",
    "GLOB", "SIMILAR", "COLLATE", "AT", "TIME", "ZONE", "ESCAPE", "RECURSIVE", "EXCEPT", "INTERSECT", "UNION", "BY", "NAME",
    "read_parquet", "random", "now", "bins", "QUANTILE", "MODE", "LISTAGG", "rowid", "filename", "EXCLUDE", "REPLACE", "FOR",
    "LAMBDA", "STRUCT", "MAP", "CAST", "TRY_CAST", "DECIMAL", "TIMESTAMPTZ", "DISTINCT", "ON", "WITHIN", "FILTER", "IGNORE",
})  # fmt: skip


def kind(token: str) -> str:
    """Tokens of one kind can often stand in each other's place."""
    if token[0].isalpha():
        return "word" if token.isupper() else "name"
    return "number" if token[0].isdigit() else token[0] if token[0] in "'\"()" else "sign"


def read(text: str) -> None:
    """Reads a statement; anything but a refusal in our own words is an error of the test."""
    try:
        CLINIC.sql(text, groups="auto")
    except ln.LeastNoiseError as refused:
        said = str(refused)
        assert len(said) < 2_000, said
        assert not re.search(
            r"sqlglot|duckdb\.|Binder|Traceback|Expression\(|object at 0x|\bNone\b(?! )", said
        ), said
        assert refused.__cause__ is None


@pytest.mark.parametrize("seed", range(8))
def test_mutated_statements_are_read_or_refused(seed: int) -> None:
    chosen = random.Random(seed)
    for _ in range(250):
        text = chosen.choice(TEXTS)
        tokens = re.findall(TOKEN, text)
        for _ in range(chosen.choice([1, 1, 1, 2, 3])):
            at = chosen.randrange(len(tokens))
            match chosen.randrange(8):
                case 0:
                    del tokens[at : at + chosen.randint(1, 3)]
                    tokens = tokens or ["SELECT"]
                case 1:
                    tokens.insert(at, chosen.choice(WORDS))
                case 2 | 5 | 6 | 7:
                    same = [each for each in WORDS if kind(each) == kind(tokens[at])]
                    tokens[at] = chosen.choice(same or WORDS)
                case 3:
                    other = chosen.randrange(len(tokens))
                    tokens[at], tokens[other] = tokens[other], tokens[at]
                case _:
                    part = re.findall(TOKEN, chosen.choice(TEXTS))
                    begin = chosen.randrange(len(part))
                    tokens[at:at] = part[begin : begin + 6]
        read(" ".join(tokens))


def test_random_words_are_read_or_refused() -> None:
    chosen = random.Random(0)
    for _ in range(500):
        rest = " ".join(chosen.choice(WORDS) for _ in range(chosen.randint(1, 12)))
        read(
            chosen.choice(
                ["SELECT ", "SELECT COUNT(*) FROM visits WHERE ", "SELECT COUNT(*) FROM ", ""]
            )
            + rest
        )


HOSTILE = [
    "", " ", ";", "\ufeffSELECT 1", "SELECT \u202eCOUNT(*) FROM visits", "SELECT '\ud800'", "SELECT 'a\0b'", "SELECT '",
    "SELECT /*", "SELECT (", "SELECT COUNT(*) FROM visits WHERE x = $$a$$", "SELECT E'\\x00' FROM visits", "{{x}}",
    "SELECT COUNT(*) FROM visits LIMIT 1e99999999", "SELECT COUNT(*) FROM visits WHERE n < 1e99999999",
    "SELECT COUNT(*) FROM visits WHERE n < " + "9" * 10_000, "SELECT COUNT(*) * 1e300 * 1e300 FROM visits",
    "SELECT COUNT(*) * 1e59 * 1e59 FROM visits", "SELECT COUNT(*) FROM visits GROUP BY 1e400", "SELECT COUNT(*) FROM visits GROUP BY 1.5",
    "SELECT 1 FROM visits", "SELECT NULL FROM visits", "SELECT COUNT() FROM visits", "SELECT COUNT(*, 1) FROM visits",
    "SELECT AVG() FROM visits", "SELECT QUANTILE(n) FROM visits", "SELECT QUANTILE(clip(n, 0, 1), n) FROM visits",
    "SELECT MEDIAN(DISTINCT n) FROM visits", "SELECT AVG(DISTINCT clip(n, 0, 1)) FROM visits", "SELECT bins() AS b, COUNT(*) FROM visits GROUP BY b",
    "SELECT bins(n, 1) AS b, COUNT(*) FROM visits GROUP BY b", "SELECT bins(n, 9, 1, 1) AS b, COUNT(*) FROM visits GROUP BY b",
    "SELECT bins(n, 0, 1e30, 1e-30) AS b, COUNT(*) FROM visits GROUP BY b", "SELECT clip(n, 5) FROM visits", "SELECT COUNT(*) AS \" u\" FROM visits",
    "SELECT COUNT(*) AS \"\" FROM visits", "SELECT COUNT(*) AS groups FROM visits", "SELECT COUNT(*) FROM visits AS \" x\" JOIN visits AS \"%s\" USING (patient_id)",
    "SELECT COUNT(*) FROM visits v JOIN visits V USING (patient_id)", "SELECT COUNT(*) AS n, COUNT(*) AS n FROM visits",
    "SELECT COUNT(*) FROM (SELECT n AS a, cost AS A, patient_id FROM visits) AS q", "SELECT COUNT(*) FROM (SELECT n, n, patient_id FROM visits) AS q",
]  # fmt: skip
NESTED = [
    lambda n: "SELECT " + "(" * n + "COUNT(*)" + ")" * n + " FROM visits",
    lambda n: "SELECT COUNT(*) FROM visits WHERE " + "NOT " * n + "smoker",
    lambda n: "SELECT COUNT(*) FROM visits WHERE n > " + "- " * n + "1",
    lambda n: "SELECT COUNT(*) FROM visits WHERE " + "CASE WHEN smoker THEN " * n + "smoker" + " END" * n,
    lambda n: "SELECT COUNT(*) FROM visits WHERE " + "abs(" * n + "n" + ")" * n + " > 1",
    lambda n: "SELECT COUNT(*) FROM " + "(SELECT patient_id, id, n, ward FROM " * n + "visits" + ") AS q" * n,
    lambda n: "SELECT COUNT(*) FROM " + "(SELECT patient_id FROM " * n + "visits" + ") AS q" * n,
    lambda n: "SELECT COUNT(*) FROM visits v WHERE " + "EXISTS (SELECT 1 FROM visits w WHERE w.patient_id = v.patient_id AND " * n + "TRUE" + ")" * n,
    lambda n: "SELECT COUNT(*) FROM visits WHERE " + " AND ".join(["n = 1"] * n),
    lambda n: "SELECT COUNT(*) FROM visits WHERE " + " OR ".join(["n = 1"] * n),
    lambda n: "SELECT COUNT(*) FROM visits WHERE n IN (" + ", ".join(map(str, range(n))) + ")",
    lambda n: "SELECT COUNT(*) FROM visits WHERE n = " + " + ".join(["n"] * n),
    lambda n: "SELECT " + " + ".join(["COUNT(*)"] * n) + " FROM visits",
    lambda n: "SELECT " + ", ".join(f"COUNT(*) AS a{i}" for i in range(n)) + " FROM visits",
    lambda n: "SELECT COUNT(*) FROM visits" + " JOIN cities USING (name)" * n,
    lambda n: "SELECT COUNT(*) FROM visits AS v0, " + ", ".join(f"visits AS v{i}" for i in range(1, n)),
    lambda n: "SELECT COUNT(*) FROM (" + " UNION ALL ".join(["SELECT patient_id FROM visits"] * n) + ") AS q",
    lambda n: "WITH a0 AS (SELECT patient_id FROM visits), " + ", ".join(
        f"a{i} AS (SELECT x.patient_id FROM a{i - 1} AS x JOIN a{i - 1} AS y USING (patient_id))" for i in range(1, n)
    ) + f" SELECT COUNT(*) FROM a{n - 1}",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_texts_are_refused(text: str) -> None:
    read(text)


@pytest.mark.parametrize("make", NESTED, ids=range(len(NESTED)))
def test_long_and_deep_statements_end_soon(make: object) -> None:
    """A reader that is exponential in the depth would never end."""
    for n in (3, 25, 50, 1_000, 10_000):
        text = make(n)  # type: ignore[operator]
        if len(text) <= 100_000 or n == 1_000:
            read(text)


def test_nothing_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        for text in (
            "ATTACH 'x'",
            "SELECT 1; VACUUM",
            "SELECT COUNT(*) FROM visits SETTINGS x = 1",
            "CALL f()",
        ):
            read(text)
    assert not caplog.records
