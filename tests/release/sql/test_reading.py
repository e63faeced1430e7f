"""The fence around the parser: limits, places, silence; and a tree that is ours alone."""

import logging
import sys
import threading
from typing import Any

import pytest

from leastnoise.errors import InvalidParameter
from leastnoise.release.sql.text.fence import DEEPEST, MOST_LETTERS, MOST_TOKENS
from leastnoise.release.sql.text.parsed import expression_of, statement_of
from leastnoise.release.sql.text.place import Place, PlacedRefusal, Places
from leastnoise.release.sql.text.to_tree import MOST_OPERATIONS
from leastnoise.release.sql.text.tree import Call, Chain, Compared, Literal, Name, Select


def test_places_are_lines_and_columns() -> None:
    places = Places("ab\ncd\n\ne")
    assert [places.of(n) for n in (0, 1, 3, 6, 7)] == [
        Place(1, 1),
        Place(1, 2),
        Place(2, 1),
        Place(3, 1),
        Place(4, 1),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT " + "(" * DEEPEST + "1" + ")" * DEEPEST + " FROM t",
        "SELECT COUNT(*) FROM t WHERE " + "NOT " * DEEPEST + "a",
        "SELECT " + "- " * DEEPEST + "1 FROM t",
        "SELECT " + "CASE WHEN a THEN " * DEEPEST + "1" + " END" * DEEPEST + " FROM t",
        "SELECT COUNT(*) FROM t WHERE " + " AND ".join(["a = 1"] * 1000),
        "SELECT COUNT(*) FROM t WHERE a IN (" + ", ".join(["1"] * 2000) + ")",
        "SELECT " + " + ".join(["a"] * (MOST_OPERATIONS + 1)) + " FROM t",
        "SELECT " + "f(" * DEEPEST + "1" + ")" * DEEPEST + " FROM t",
    ],
)
def test_what_is_within_the_limits_is_read_however_deep_the_caller_is(text: str) -> None:
    def below(frames: int) -> object:
        return statement_of(text) if not frames else below(frames - 1)

    assert below(0) is not None
    room = sys.getrecursionlimit() // 2
    assert below(room) is not None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("SELECT " + "(" * (DEEPEST + 1) + "1", "deep"),
        ("SELECT " + "NOT " * (DEEPEST + 1) + "a", "deep"),
        ("SELECT " + "CASE WHEN a THEN " * (DEEPEST + 1) + "1", "deep"),
        ("SELECT '" + "a" * MOST_LETTERS + "'", "letters"),
        ("SELECT " + "a," * MOST_TOKENS + "a", "words and signs"),
        ("SELECT 'a", "closed"),
        ('SELECT "a', "closed"),
        ("SELECT /* a", None),
        ("SELECT a\x00b FROM t", "U+0000"),
        ("SELECT '\ud800' FROM t", "U+D800"),
        ("SELECT a\u202e FROM t", "U+202E"),
        ("\ufeffSELECT a FROM t", "U+FEFF"),
        ("", "say something"),
        (" ;; ", "say something"),
        ("SELECT " + "9" * 5000 + " FROM t", None),
        ("SELECT a b c FROM t", "does not fit"),
        ("SELECT " + " + ".join(["a"] * (MOST_OPERATIONS + 2)) + " FROM t", "signs"),
    ],
)
def test_beyond_the_limits_is_refused_with_a_place(text: str, words: str | None) -> None:
    with pytest.raises(PlacedRefusal) as caught:
        statement_of(text)
    assert words is None or words in str(caught.value)


def test_no_text() -> None:
    with pytest.raises(InvalidParameter, match="SQL must be text"):
        statement_of(b"SELECT 1")  # type: ignore[arg-type]


def test_nothing_is_logged_and_others_still_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "sqlglot"):
        with pytest.raises(InvalidParameter):
            statement_of("WITH x AS (ALTER FOO secret) SELECT 1 FROM x")
        assert not caplog.records
        logging.getLogger("sqlglot").warning("somebody else's")
    assert [each.getMessage() for each in caplog.records] == ["somebody else's"]
    assert not logging.getLogger("sqlglot").filters


def test_no_thread_stays() -> None:
    before = threading.active_count()
    statement_of("SELECT a FROM t")
    assert threading.active_count() == before


def test_a_condition_is_one_condition() -> None:
    found = expression_of("age >= 18 and city in ('Oslo') and not smoker")
    assert isinstance(found, Chain)
    assert len(found.parts) == 3
    for text in (
        "age >= 18; drop table t",
        "age >= 18 group by x",
        "a) or (b",
        "1 union all select 2",
        "age >= 18 --\n; select 1",
    ):
        with pytest.raises(PlacedRefusal):
            expression_of(text)


def test_the_tree_is_ours() -> None:
    query = statement_of("SELECT COUNT(*) n FROM t WHERE a = 1 AND b < 'x'").query
    assert isinstance(query, Select)
    rest: list[Any] = [query]
    while rest:
        each = rest.pop()
        assert "sqlglot" not in type(each).__module__
        rest += list(vars(each).values()) if hasattr(each, "__dataclass_fields__") else []
        rest += list(each) if isinstance(each, tuple) else []
    where = query.where
    assert isinstance(where, Chain)
    assert isinstance(where.parts[0], Compared)
    assert where.parts[0].other == Literal(Place(1, 36), 1)


def test_the_clause_of_bigquery_is_cut_and_places_stay() -> None:
    text = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1, delta = .01)\n  city FROM t"
    found = statement_of(text)
    assert found.clause is not None
    assert {name: each.value for name, each in found.clause.options.items()} == {
        "epsilon": 1,
        "delta": pytest.approx(0.01),
    }
    assert isinstance(found.query, Select)
    assert found.query.items[0].at == Place(2, 3)


def test_calls_keep_what_stands_behind_them() -> None:
    query = statement_of(
        "SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x DESC) FILTER (WHERE a) FROM t"
    ).query
    assert isinstance(query, Select)
    call = query.items[0].what
    assert isinstance(call, Call)
    assert call.within is not None
    assert call.within.falling
    assert isinstance(call.where, Name)
