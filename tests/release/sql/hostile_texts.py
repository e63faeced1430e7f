"""Texts that somebody might send: deep, long, broken, of other dialects, full of tricks."""

import random
from collections.abc import Iterator

GOOD = [
    "SELECT city, COUNT(*) AS n, AVG(cost) FROM visits WHERE minutes >= 18 GROUP BY city",
    "SELECT p.sex, SUM(v.cost) FROM visits v JOIN patients p ON v.patient_id = p.id GROUP BY p.sex",
    "WITH t AS (SELECT patient_id, COUNT(*) AS n FROM visits GROUP BY patient_id)"
    " SELECT COUNT(*) FROM t WHERE n > 2",
    "SELECT COUNT(*) FROM patients p WHERE NOT EXISTS"
    " (SELECT 1 FROM visits v WHERE v.patient_id = p.id)",
    "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1, delta = 1e-8)"
    " city, SUM(cost, contribution_bounds_per_group => (0, 100)) FROM visits GROUP BY city",
    "SELECT CASE WHEN minutes < 20 THEN 'a' ELSE 'b' END k, MEDIAN(cost), COUNT(*) FILTER"
    " (WHERE cost > 3) FROM visits GROUP BY k HAVING COUNT(*) > 5 ORDER BY 2 DESC LIMIT 3",
]
_WORDS = [
    "SELECT",
    "FROM",
    "WHERE",
    "GROUP",
    "BY",
    "HAVING",
    "ORDER",
    "LIMIT",
    "OFFSET",
    "JOIN",
    "LEFT",
    "RIGHT",
    "FULL",
    "CROSS",
    "ON",
    "USING",
    "WITH",
    "AS",
    "UNION",
    "ALL",
    "INTERSECT",
    "EXCEPT",
    "DISTINCT",
    "CASE",
    "WHEN",
    "THEN",
    "ELSE",
    "END",
    "NOT",
    "AND",
    "OR",
    "IN",
    "IS",
    "NULL",
    "TRUE",
    "BETWEEN",
    "LIKE",
    "ESCAPE",
    "EXISTS",
    "FILTER",
    "WITHIN",
    "OVER",
    "PARTITION",
    "ROWS",
    "QUALIFY",
    "WINDOW",
    "LATERAL",
    "VALUES",
    "TABLESAMPLE",
    "CAST",
    "::",
    "INTERVAL",
    "DATE",
    "TIMESTAMP",
    "CURRENT_DATE",
    "(",
    ")",
    "(",
    ")",
    ",",
    ",",
    ";",
    ".",
    "*",
    "*",
    "+",
    "-",
    "/",
    "%",
    "=",
    "<>",
    "<",
    ">",
    "=>",
    "||",
    "1",
    "0",
    "-1",
    "2.5",
    "1e400",
    ".5",
    "0x1",
    "1_000",
    "'a'",
    "''",
    '"u"',
    '"k0"',
    '"t0"',
    '"n"',
    '"%s"',
    '"?"',
    '"${x}"',
    '"a""b"',
    "E'\\x00'",
    "$$a$$",
    "{{x}}",
    "@v",
    ":p",
    "?",
    "$1",
    "[",
    "]",
    "{",
    "}",
    "city",
    "cost",
    "minutes",
    "day",
    "patient_id",
    "id",
    "visits",
    "patients",
    "labs",
    "cities",
    "COUNT",
    "SUM",
    "AVG",
    "MEDIAN",
    "PERCENTILE_CONT",
    "COUNT_IF",
    "MIN",
    "OPTIONS",
    "DIFFERENTIAL_PRIVACY",
    "epsilon",
    "ROLLUP",
    "CUBE",
    "GROUPING",
    "SETS",
    "RECURSIVE",
    "PIVOT",
    "UNNEST",
    "EXCLUDE",
    "REPLACE",
    "INTO",
    "FOR",
    "UPDATE",
]
_STATEMENTS = [
    "DROP TABLE visits",
    "COPY visits TO '/tmp/x'",
    "ATTACH 'x' AS y",
    "PRAGMA database_list",
    "SHOW TABLES",
    "DESCRIBE visits",
    "EXPLAIN SELECT COUNT(*) FROM visits",
    "CALL f()",
    "LOAD httpfs",
    "INSTALL httpfs",
    "USE x",
    "GRANT ALL ON visits TO x",
    "VACUUM",
    "BEGIN; SELECT 1; COMMIT",
    "DECLARE @x INT = 1",
    "EXEC sp_who",
    "MERGE INTO visits USING labs ON 1 = 1 WHEN MATCHED THEN DELETE",
    "FROM visits SELECT COUNT(*)",
    "FROM visits",
    "TABLE visits",
    "VALUES (1)",
    "KILL 1",
    "SELECT COUNT(*) FROM 'x.parquet'",
    "SELECT COUNT(*) FROM read_csv('x')",
    "SELECT COUNT(*) FROM information_schema.tables",
    "SELECT pg_sleep(10)",
    "SELECT COUNT(*) INTO x FROM visits",
    "SELECT COUNT(*) FROM visits -- comment",
    "SELECT COUNT(*) FROM visits /* a */ WHERE /* b */ cost > 1",
    "SELECT COUNT(*) FROM visits WHERE city = 'O''Brien'' OR 1 = 1 --'",
    "SELECT COUNT(*) FROM visits WHERE city = '; DROP TABLE visits; --'",
    "SELECT COUNT(*) FROM visits WHERE cost < 1e400 AND cost > -1e400",
    "SELECT COUNT(*) FROM visits WHERE cost < .5 OR minutes > 99999999999999999999999999",
    "SELECT COUNT(*) FROM visits LIMIT 1000000000",
    "SELECT COUNT(*) FROM visits LIMIT 0",
    'SELECT COUNT(*) AS "k0", SUM(cost) AS "t0" FROM visits',
    "SELECT COUNT(*) AS patient_id FROM visits",
    'SELECT COUNT(*) AS "owner of the row" FROM visits',
    'SELECT COUNT(*) FROM (SELECT city AS "owner of the row" FROM visits) t',
    'SELECT "owner of the row", COUNT(*) FROM labs GROUP BY 1',
    'SELECT COUNT(*) FROM labs WHERE "owner of the row" = 1',
    'SELECT COUNT(*) FROM visits AS "%s" WHERE "%s".cost > 1',
    "SELECT COUNT(*) FROM visits WHERE сity = 'Oslo'",  # a Cyrillic letter
    "SELECT 'a' 'b', COUNT(*) FROM visits",
    "SELECT COUNT(*) / 0, COUNT(*) / (COUNT(*) - COUNT(*)) FROM visits",
    "SELECT ROUND(COUNT(*), 400), ROUND(COUNT(*), -400) FROM visits",
    "SELECT COUNT(*) * 1e308 * 1e308 FROM visits",
]
_CLAUSES = [
    "epsilon = 0",
    "epsilon = -1",
    "epsilon = NaN",
    "epsilon = 1e20",
    "epsilon = '1'",
    "epsilon = 1, epsilon = 1",
    "delta = 1",
    "epsilon = 1, delta = 1",
    "epsilon = 1, delta = 2",
    "unknown = 1",
    "epsilon",
    "",
    ",",
    "epsilon = (1",
    "privacy_unit_column = receiver",
    "privacy_unit_column = patients.id",
    "privacy_unit_column = NULL",
    "max_groups_contributed = NULL",
    "max_groups_contributed = 0",
    "max_groups_contributed = 1.5",
    "min_privacy_units_per_group = -1",
    "group_selection_strategy = MINE",
]


def _deep() -> Iterator[str]:
    for depth in (25, 50, 1000, 4000):
        yield "SELECT " + "(" * depth + "1" + ")" * depth + " FROM visits"
        yield "SELECT COUNT(*) FROM visits WHERE " + "NOT " * depth + "cost > 1"
        yield "SELECT " + "- " * depth + "COUNT(*) FROM visits"
        yield "SELECT " + "CASE WHEN 1 = 1 THEN " * depth + "1" + " END" * depth + " FROM visits"
        yield "SELECT " + "abs(" * depth + "COUNT(*)" + ")" * depth + " FROM visits"
        yield "SELECT COUNT(*) FROM " + "(SELECT * FROM " * depth + "visits" + ") t" * depth
        exists = "visits WHERE EXISTS (SELECT 1 FROM "
        yield "SELECT COUNT(*) FROM " + exists * depth + "visits" + ")" * depth
        yield "SELECT COUNT(*) FROM visits WHERE " + " AND ".join(["cost > 1"] * depth)
        yield "SELECT COUNT(*) FROM visits WHERE " + " OR ".join(["cost > 1"] * depth)
        yield "SELECT COUNT(*) FROM visits WHERE minutes IN (" + ", ".join("1" * depth) + ")"
        yield "SELECT COUNT(*) FROM visits" + ", visits" * depth
        yield " UNION ALL ".join(["SELECT city FROM visits"] * depth)
        yield "SELECT SUM(" + " + ".join(["cost"] * depth) + ") FROM visits"
        yield "SELECT " + ", ".join(["COUNT(*)"] * depth) + " FROM visits"
        yield "SELECT COUNT(*) FROM visits GROUP BY " + ", ".join(["city"] * depth)
        names = ", ".join(f"t{i + 1} AS (SELECT * FROM t{i})" for i in range(min(depth, 200)))
        yield f"WITH t0 AS (SELECT * FROM visits), {names} SELECT COUNT(*) FROM t20"
        twice = ", ".join(
            f"t{i + 1} AS (SELECT * FROM t{i} UNION ALL SELECT * FROM t{i})" for i in range(40)
        )
        yield f"WITH t0 AS (SELECT * FROM visits), {twice} SELECT COUNT(*) FROM t40"
    yield "SELECT " + "9" * 10_000 + " FROM visits"
    yield "x" * 1_000_000


def _broken(chance: random.Random) -> str:
    """A good statement with some words changed, left out, doubled or moved."""
    words = chance.choice(GOOD).replace("(", " ( ").replace(")", " ) ").split()
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(words))
        match chance.randrange(4):
            case 0:
                words[place] = chance.choice(_WORDS)
            case 1:
                del words[place]
                words = words or ["SELECT"]
            case 2:
                words.insert(place, chance.choice(_WORDS))
            case _:
                words[place], words[0] = words[0], words[place]
    return " ".join(words)


def _letters(chance: random.Random) -> str:
    """A good statement with some letters changed."""
    letters = list(chance.choice(GOOD))
    for _ in range(chance.randint(1, 5)):
        letters[chance.randrange(len(letters))] = chance.choice(
            "\"'`();,.*-+/%=<>[]{}$@#!?\\|&^~\x00\x07\u202e\ufeffİß\U0001f600 \n\t0aZ"
        )
    return "".join(letters)


def hostile_texts(count: int) -> Iterator[str]:
    """So many texts, always the same: written ones first, then mixed ones."""
    chance = random.Random(18)
    written = [*_STATEMENTS, *_deep()]
    written += [
        f"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS({each}) COUNT(*) FROM visits"
        for each in _CLAUSES
    ]
    written += [
        "SELECT WITH DIFFERENTIAL_PRIVACY COUNT(*) FROM visits",
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1",
        "SELECT COUNT(*) FROM (SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1) * FROM labs)",
        "SELECT 'a",
        "SELECT /* a",
        "SELECT (",
        "SELECT '\ud800' FROM visits",
        "",
        ";",
        "\x00",
    ]
    yield from written
    for _ in range(count - len(written)):
        match chance.randrange(3):
            case 0:
                yield _broken(chance)
            case 1:
                yield _letters(chance)
            case _:
                yield "SELECT " + " ".join(chance.choices(_WORDS, k=chance.randint(1, 40)))
