"""What DuckDB's types mean, and that no value of theirs makes cleaning fail."""

import duckdb
import pytest

from leastnoise.tables.cleaning import cleaned, type_of, unit
from leastnoise.tables.dialect import DUCKDB, Fragment, fill
from leastnoise.tables.schema import Type

WORDS = {
    Type.BOOLEAN: ["BOOLEAN"],
    Type.INTEGER: ["TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "HUGEINT",
                   "UHUGEINT", "DECIMAL(9,0)"],
    Type.NUMBER: ["FLOAT", "DOUBLE", "DECIMAL(9,1)", "DECIMAL(20,10)"],
    Type.TEXT: ["VARCHAR", "ENUM('a')", "UUID"],
    Type.DATE: ["DATE"],
    Type.TIMESTAMP: ["TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"],
    Type.OTHER: ["BLOB", "TIME", "INTEGER[]", "VARCHAR[3]", "STRUCT(a DATE)", "TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS"],
}  # fmt: skip


def test_what_every_type_means() -> None:
    for kind, words in WORDS.items():
        assert {word: type_of(word, None) for word in words} == dict.fromkeys(words, kind)
    assert {type_of(word, "UTC") for word in WORDS[Type.OTHER][-2:]} == {Type.TIMESTAMP}


ENDS = {"TINYINT": 7, "SMALLINT": 15, "INTEGER": 31, "BIGINT": 63, "HUGEINT": 127}


@pytest.mark.parametrize("word", WORDS[Type.INTEGER][:-1])
def test_integers_of_every_width_are_numbers_and_units(word: str) -> None:
    bits = ENDS[word.removeprefix("U")]
    ends = (0, 2 ** (bits + 1) - 1) if word.startswith("U") else (-(2**bits), 2**bits - 1)
    for end in ends:
        raw = Fragment(f"'{end}'::{word}")
        texts = [cleaned(raw, word, kind, DUCKDB) for kind in (Type.INTEGER, Type.NUMBER)]
        texts.append(unit(raw, word, Type.INTEGER, DUCKDB))
        texts.append(unit(raw, word, Type.TEXT, DUCKDB))
        query = fill("SELECT {}, {}, {}, {}", *texts)
        found = duckdb.execute(query.text, list(query.values)).fetchone()
        whole = end if -(2**63) <= end < 2**63 else None
        wide = end if end < 2**127 else None
        text = str(end).encode() if word in ("UBIGINT", "HUGEINT", "UHUGEINT") else end
        assert found == (whole, float(end), wide, text)
