"""The limiting statement on one table: every shape that it takes, against the plain-Python reference."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import duckdb
import pyarrow as pa
import pytest

import leastnoise as ln
from leastnoise.release.measurement import Limit, Measurement
from leastnoise.tables.contributions import (
    FULL,
    MOST_ROWS,
    ONE,
    PART,
    Norm,
    totals_sql,
    weights_sql,
)
from leastnoise.tables.dialect import DUCKDB, Fragment, fill, joined
from leastnoise.tables.engines.duckdb import DuckDB
from leastnoise.tables.expressions import Column
from leastnoise.tables.groups import Groups
from leastnoise.tables.schema import Type
from leastnoise.tables.totals import Squared
from tests import reference
from tests.tables.tables import measure, nonzero

NORMS: list[Norm] = ["l1", "l2"]
SCHEMA = pa.schema({"u": pa.string(), "g": pa.string(), "n": pa.int64(), "x": pa.float64(), "ok": pa.bool_()})  # fmt: skip


def row(u: str | None, g: str | None, n: int | None, x: float | None, ok: bool | None) -> Any:
    return {"u": u, "g": g, "n": n, "x": x, "ok": ok}


ROWS = [
    row("once", "a", 1, 0.5, True),
    row("none used", "a", None, None, None),
    row("many", "d", 9, None, None),
    row("elsewhere", "z", 1, 1.0, True),
    row("nowhere", None, 2, 2.0, False),
    row("p", "a", 2, -3.5, False),
    row("P", "b", 2, 3.5, True),
    *(row("two", "b", n, 2.5, n > 0) for n in (0, 1)),
    *(row("both", g, 1 + (g == "a"), 1.5, True) for g in "abcd"),  # one group of n <> 1
    *(row("each", g, 1, 1.5, True) for g in "abcd"),  # as much in each group as "once" has
    *(row("many", "a", n, float(n), n % 3 > 0) for n in range(9)),
    *(row("wide", g, n, n - 3.0, n % 2 == 0) for g in "abd" for n in range(1, 4)),
    *(row("part", "c", n, None if n else 4.0, [True, None][n % 2]) for n in range(5)),
    *(row(None, g, 1, 1.0, True) for g in "aabbb"),
]
ASKED: list[dict[str, Any]] = [
    {"n": ln.count()},
    {"n": ln.count("ok"), "m": ln.count("n > 1")},
    {"n": ln.count("ok"), "s": ln.sum("n", lower=0, upper=8, where="ok")},
    {"m": ln.mean("x", lower=-2, upper=3), "n": ln.count()},
    {"people": ln.count_units()},
    {"people": ln.count_units("ok"), "others": ln.count_units("n > 1")},
    {"n": ln.count("ok"), "people": ln.count_units("n <> 1")},
    {"n": ln.count("ok"), "people": ln.count_units("ok"), "s": ln.share("n > 1")},
]
GROUPS: list[list[Any] | None] = [None, list("abcd"), ["d", None, "a"], ["c"]]
LIMITS = [(2, None), (3, 1), (100, None)]


def measurements(
    groups: list[Any] | None, unit: Any = "u", rows: list[Any] = ROWS
) -> Iterator[Measurement]:
    data: Any = ln.read(pa.Table.from_pylist(rows, schema=SCHEMA), privacy_unit=unit)
    data = data if groups is None else data.group_by("g", groups=groups)
    limit: dict[str, Any] = {} if unit == ln.ROW else {"max_contributions": 1}
    for asked in ASKED:
        measured = data.agg(**asked, **limit).measurements("gaussian", over_limit=unit != ln.ROW)
        yield from (each for each, _ in measured)


def limited(measurement: Measurement) -> Iterator[Measurement]:
    parts = vars(measurement)
    for rows, per_group in LIMITS:
        yield Measurement(**parts | {"limit": Limit(rows, per_group)})


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("groups", GROUPS)
def test_every_shape_gives_what_the_reference_gives(
    engine: DuckDB, groups: Any, norm: Norm
) -> None:
    for first in measurements(groups):
        (table,) = first.relation.tables
        for each in limited(first):
            found = measure(each, norm, engine=engine)
            assert nonzero(found) == nonzero(reference.totals(each, norm, {table: ROWS}))


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("groups", GROUPS[1:3])
def test_rows_of_groups_that_are_not_shown_use_up_limits(
    engine: DuckDB, groups: Any, norm: Norm
) -> None:
    for first in measurements(groups):
        (table,) = first.relation.tables
        assert isinstance(first.groups, Groups)
        for each, shown in product(limited(first), range(1, len(first.groups))):
            statement = totals_sql(each.relation, first.groups, each.totals, norm,
                                   each.limits(norm), engine.scan, engine.dialect, shown=shown)  # fmt: skip
            found = {code: totals for code, *totals in engine.integers(statement)}
            expected = reference.totals(each, norm, {table: ROWS}, shown)
            of_units = {FULL, PART}
            expected = {k: line for k, line in expected.items() if k not in of_units}
            assert nonzero(found) == nonzero(expected)


def test_where_every_row_is_a_unit_no_limit_is_needed(engine: DuckDB) -> None:
    for each in measurements(["a", None, "d"], ln.ROW):
        (table,) = each.relation.tables
        expected = reference.totals(each, "l1", {table: ROWS})
        assert nonzero(measure(each, "l1", engine=engine)) == nonzero(expected)


@pytest.mark.parametrize("norm", NORMS)
def test_a_guess_is_believed_only_by_integers(engine: DuckDB, norm: Norm) -> None:
    """Norms so large that doubles round up to the next whole weight, and guesses that are worse."""
    power, whole = (1, ONE) if norm == "l1" else (2, ONE**2)

    def found(q: int, rest: int, wrong: int, *, used_up: bool) -> int:
        source = fill("norms AS (SELECT 1 AS u, {} AS q, {} AS p)", DUCKDB.whole(q), DUCKDB.whole(0))  # fmt: skip
        squared = (rest // whole) ** (2 // power)
        steps = weights_sql("weights", "norms", norm, squared, DUCKDB, used_up=used_up)
        text = fill("WITH {} SELECT w FROM weights", joined(", ", [source, *steps]))
        guess = text.text.replace("THEN 1048576 ELSE CAST(", f"THEN 1048576 ELSE {wrong} + CAST(")
        ((weight,),) = engine.integers(Fragment(guess, text.values))
        return weight

    for weight, used_up in product((3, 4095, 99_999, ONE - 1), (False, True)):
        q = pow(weight**power, -1, whole) + (whole << (40 // power))
        rest = weight**power * q - 1  # one more, and the weight would be allowed
        assert rest % whole == 0 and (rest / q) ** (1 / power) >= weight
        for wrong, expected in (
            (-2, weight - 2),
            (-1, weight - 1),
            (0, weight - 1),
            (1, 0),
            (9, 0),
        ):
            assert found(q, rest, wrong, used_up=used_up) == expected
        for wrong, expected in ((-1, weight - 1), (0, weight), (1, weight), (2, 0)):
            assert found(whole, weight**power * whole, wrong, used_up=used_up) == expected


def test_the_sum_of_a_unit_in_a_group_may_be_wider_than_64_bits(engine: DuckDB) -> None:
    rows = 8_400_000
    data = duckdb.connect().sql(f"SELECT 1 AS u, 1e6::DOUBLE AS x FROM range({rows})")
    relation = ln.read(data, privacy_unit="u").agg(n=ln.count(), max_contributions=1).relation
    squared = Squared(None, Column("x", Type.NUMBER), Fraction(0), Fraction(10**6))
    measured = Measurement(relation, Groups(), (squared,), Limit(MOST_ROWS))
    total = reference.weight("l2", MOST_ROWS**2, [rows]) * rows * squared.bound
    assert rows * squared.bound > 2**63
    assert measure(measured, "l2", engine=engine) == {0: [total]}
