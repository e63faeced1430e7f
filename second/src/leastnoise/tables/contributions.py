r"""The limiting statement: one SQL statement that takes all totals, each unit within its limit.

Let r be a unit's vector of used rows per group. The unit gets the weight w = min(1, L / |r|), as an
integer of at most 2^20 = `ONE`, with |.| the l1 norm (for Laplace noise) or the l2 norm (for
Gaussian noise). The totals are sums of w*y over all rows.

Theorem (fan-out does not matter). Let rows be unit-local, g a function from rows to groups, and
0 <= w*|r| <= L*2^20 for every unit. Then for every total with |y| <= b, adding or removing one unit
moves the vector of the total over all groups by at most b*L*2^20 in that norm, however many rows
the unit has. Proof page: docs/proofs/unit_locality.md.

The weight is guessed with a double and accepted only by an integer test: only that test is proved.
A unit within its limit has the weight 2^20 exactly. Counts of units are limited in the same way,
with the vector that is 1 in every group in which the unit has a row.

Where totals are given of the first groups only (`shown`), rows of the others use up the limit: with
p the norm there, the unit gets the greatest w with w*|r| <= L - p (l1), w^2*|r|^2 <= L^2 - p^2 (l2),
and 0 if there is none. Proof page: docs/proofs/schedules.md.

Trusted.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Literal

from leastnoise.tables.dialect import Dialect, Fragment, fill, joined
from leastnoise.tables.expressions import Call, Expression, columns_of
from leastnoise.tables.groups import Groups
from leastnoise.tables.relation_sql import UNIT, Scan, relation_sql
from leastnoise.tables.relations import Relation
from leastnoise.tables.schema import Type
from leastnoise.tables.totals import STEPS, Total

ONE = 1 << 20
"""The weight of a unit within its limit."""

MOST_ROWS = 1 << 20
"""The greatest limit, so that all totals of 2^40 units stay below 2^126."""

FULL, PART = -1, -2
"""Codes in the result: how many units count in full, and how many in part."""

Norm = Literal["l1", "l2"]


@dataclass(frozen=True)
class Limits:
    """L^2 of the two vectors of a unit: its rows per group, and its presence in groups."""

    rows: int
    units: int


def totals_sql(
    relation: Relation,
    groups: Groups,
    totals: Sequence[Total],
    norm: Norm,
    limits: Limits | None,
    scan: Scan,
    dialect: Dialect,
    *,
    count_units: bool = False,
    shown: int | None = None,
) -> Fragment:
    """A statement with one row (code, total, total, ...) for each group that has rows.

    Args:
        relation: the rows.
        groups: their known groups.
        totals: what is added up.
        norm: the norm of the limits.
        limits: how much one unit may add; None where every row is a unit.
        scan: how the engine reads a table.
        dialect: how the engine is spelled.
        count_units: whether to add the number of units that count in full (code -1) and in part
            (code -2), times `ONE`, in the column of the first total; not with `shown`.
        shown: of how many groups totals are given, if not of all.
    """
    of_rows = [i for i, each in enumerate(totals) if not each.counts_units]
    of_units = [i for i, each in enumerate(totals) if each.counts_units]
    rows = rows_sql(relation, groups, totals, scan, dialect, flags=bool(of_rows and of_units))
    y = _names(totals)
    now = None if shown is None else f"k < {shown:d}"
    if limits is None:
        sums = [f"SUM({name}) * {ONE}" for name in y]
        source = "rows" if now is None else f"rows WHERE {now}"
        return _counted(fill("WITH rows AS ({})", rows), source, sums, dialect)
    steps, branches = [fill("rows AS MATERIALIZED ({})", rows)], list[Fragment]()
    if of_rows:
        which = "(SELECT * FROM rows WHERE in_rows)" if of_units else "(SELECT * FROM rows)"
        make = _weighted_rows if norm == "l1" else _weighted_cells
        steps.append(Fragment(f"counted AS {which}"))
        steps += make({i: y[i] for i in of_rows}, limits.rows, totals, branches, dialect, now)
    if of_units:
        which = "rows WHERE in_units" if of_rows else "rows"
        names = {i: y[i] for i in of_units}
        steps += _weighted_units(names, which, norm, limits.units, totals, branches, dialect, now)
    if count_units:
        branches += _units_in_full_and_in_part(bool(of_rows), norm, len(totals))
    steps.append(fill("parts AS ({})", joined(" UNION ALL ", branches)))
    sums = [f"SUM(t{i})" for i in range(len(totals))]
    return _counted(fill("WITH {}", joined(", ", steps)), "parts", sums, dialect)


def _counted(before: Fragment, source: str, sums: Iterable[str], dialect: Dialect) -> Fragment:
    wide = ", ".join(f"CAST({each} AS {dialect.wide})" for each in sums)
    return fill(f"{{}} SELECT k, {wide} FROM {source} GROUP BY k", before)


def any_used(totals: Iterable[Total]) -> Expression | None:
    """The condition of the rows that some total uses; None if there is one that uses all."""
    used = dict.fromkeys(each.used for each in totals)
    if None in used:
        return None
    conditions = tuple(each for each in used if each is not None)
    return conditions[0] if len(conditions) == 1 else Call("or", conditions)


def _names(totals: Sequence[Total]) -> list[str]:
    """The column with y of each total; 1 where it counts all rows that are used by any."""
    used = any_used(totals)
    return [
        "1" if each.is_count and each.used == used else f"y{i}" for i, each in enumerate(totals)
    ]


def rows_sql(
    relation: Relation,
    groups: Groups,
    totals: Sequence[Total],
    scan: Scan,
    dialect: Dialect,
    *,
    flags: bool = False,
) -> Fragment:
    """(u, k, y0, y1, ...) of every row that has a unit and a group and is used: the only read.

    With flags also in_rows and in_units: whether totals of rows, and counts of units, use the row.
    """
    expressions = [*groups.by, *(each for total in totals for each in total.expressions)]
    names = [column.name for each in expressions for column in columns_of(each)]
    columns = {f"e{i}": each.sql(dialect) for i, each in enumerate(groups.by)}
    if not groups.by:
        columns["k"] = fill(f"CAST(0 AS {dialect.types[Type.INTEGER]})")
    used = any_used(totals)
    y = [(name, each) for name, each in zip(_names(totals), totals, strict=True) if name != "1"]
    columns |= {name: each.sql(dialect, used) for name, each in y}
    kept, tests = ["k", *(name for name, _ in y)], list[str]()
    if used is not None:
        columns["used"] = used.sql(dialect)
        tests.append("used")
    if flags:
        for name, kind in (("in_rows", False), ("in_units", True)):
            own = any_used(each for each in totals if each.counts_units is kind)
            columns[name] = Fragment("TRUE") if own is None else own.sql(dialect)
            kept.append(name)
    if relation.unit is not None:
        columns["u"] = dialect.name(UNIT)
        kept.append("u")
        tests.append("u IS NOT NULL")
    inner = fill(
        "(SELECT {} FROM {} AS rel) AS r",
        joined(", ", (fill(f"{{}} AS {name}", each) for name, each in columns.items())),
        relation_sql(relation, names, scan, dialect),
    )
    if groups.by:
        inner = fill("{} JOIN {} ON {}", inner, groups.table(dialect), groups.matches())
    where = f" WHERE {' AND '.join(tests)}" if tests else ""
    return fill(f"SELECT {', '.join(kept)} FROM {{}}{where}", inner)


def weights_sql(
    name: str, source: str, norm: Norm, squared: int, dialect: Dialect, *, used_up: bool = False
) -> list[Fragment]:
    """Steps that give every unit of `source` (u, q) its weight w, with q the (squared) norm.

    The greatest w up to `ONE` with w*q <= limit (l1) or w*w*q <= limit (l2), and 0 if the guess was
    off by more than one. If part of the limit is used up, the source has p too, the (squared) norm
    of that part; q is then above 0.
    """
    if norm == "l1":
        whole, limit, power = ONE, isqrt(squared * ONE**2), "{w}"
        guess = "CAST(rest AS DOUBLE PRECISION) / CAST(q AS DOUBLE PRECISION)"
    else:
        whole, limit, power = ONE**2, squared * ONE**2, "{w} * {w}"
        guess = "sqrt(CAST(rest AS DOUBLE PRECISION) / CAST(q AS DOUBLE PRECISION))"
    rest = f"GREATEST({{}} - p * {whole}, 0)" if used_up else "{}"
    one_less, integer = power.format(w="(w - 1)"), dialect.types[Type.INTEGER]
    return [
        fill(
            f"{name}_rest AS (SELECT u, q, {rest} AS rest FROM {source})",
            dialect.whole(limit),
        ),
        Fragment(
            f"{name}_guess AS (SELECT u, q, rest, CASE WHEN {whole} * q <= rest THEN {ONE} "
            f"ELSE CAST(floor({guess}) AS {dialect.wide}) END AS w FROM {name}_rest)"
        ),
        Fragment(
            f"{name} AS MATERIALIZED (SELECT u, CAST(CASE WHEN {power.format(w='w')} * q <= rest "
            f"THEN w WHEN w > 0 AND {one_less} * q <= rest THEN w - 1 "
            f"ELSE 0 END AS {integer}) AS w FROM {name}_guess)"
        ),
    ]


def _branch(names: Mapping[int, str], sums: str, source: str, count: int) -> Fragment:
    """(k, t0, t1, ...) of some totals, and 0 for the others.

    In `sums`, {y} stands for the column of a total, and {i} for its number.
    """
    shown = [
        f"{sums.format(i=i, y=names[i])} AS t{i}" if i in names else f"0 AS t{i}"
        for i in range(count)
    ]
    return Fragment(f"SELECT k, {', '.join(shown)} FROM {source} GROUP BY k")


def _weighted_rows(
    names: Mapping[int, str],
    squared: int,
    totals: Sequence[Total],
    branches: list[Fragment],
    dialect: Dialect,
    now: str | None,
) -> list[Fragment]:
    """The l1 norm of a unit is the number of its rows."""
    source = _where("counted JOIN weights USING (u)", now)
    branches.append(_branch(names, "SUM({y} * w)", source, len(totals)))
    return [
        _norms("units", "COUNT(*)", "counted", now, dialect),
        *weights_sql("weights", "units", "l1", squared, dialect, used_up=now is not None),
    ]


def _norms(name: str, norm: str, source: str, now: str | None, dialect: Dialect) -> Fragment:
    """(u, q), or (u, q, p) with q of the rows that meet `now` and p of all others."""
    if now is None:
        columns, end = f"CAST({norm} AS {dialect.wide}) AS q", ""
    else:
        q, p = (f"COALESCE({norm} FILTER (WHERE {test}), 0)" for test in (now, f"NOT ({now})"))
        columns = f"CAST({q} AS {dialect.wide}) AS q, CAST({p} AS {dialect.wide}) AS p"
        end = f" HAVING COUNT(*) FILTER (WHERE {now}) > 0"
    return Fragment(f"{name} AS (SELECT u, {columns} FROM {source} GROUP BY u{end})")


def _where(source: str, *tests: str | None) -> str:
    kept = " AND ".join(test for test in tests if test is not None)
    return f"{source} WHERE {kept}" if kept else source


def _weighted_cells(
    names: Mapping[int, str],
    squared: int,
    totals: Sequence[Total],
    branches: list[Fragment],
    dialect: Dialect,
    now: str | None,
) -> list[Fragment]:
    """The l2 norm is at most the number of rows: only units with many are looked at by group."""
    many = "(SELECT 1 FROM units WHERE units.u = counted.u AND many)"
    sums = ", ".join(
        f"CAST(SUM({name}) AS {_sum_type(totals[i], dialect)}) AS s{i}" for i, name in names.items()
    )
    in_full = _where("counted", f"NOT EXISTS {many}", now)
    in_part = _where("cells JOIN weights USING (u)", now)
    branches += [
        _branch(names, f"SUM({{y}}) * {ONE}", in_full, len(totals)),
        _branch(names, "SUM(s{i} * w)", in_part, len(totals)),
    ]
    return [
        fill(
            f"units AS MATERIALIZED (SELECT u, CAST(COUNT(*) AS {dialect.wide}) * COUNT(*) > {{}} "
            "AS many FROM counted GROUP BY u)",
            dialect.whole(squared),
        ),
        Fragment(
            f"cells AS MATERIALIZED (SELECT u, k, COUNT(*) AS r, {sums} FROM counted "
            f"WHERE EXISTS {many} GROUP BY u, k)"
        ),
        _norms("norms", f"SUM(CAST(r AS {dialect.wide}) * r)", "cells", now, dialect),
        *weights_sql("weights", "norms", "l2", squared, dialect, used_up=now is not None),
    ]


def _sum_type(total: Total, dialect: Dialect) -> str:
    """64 bits hold the sum of a unit in a group up to 2^42 rows; times its weight it is below 2^60."""
    return dialect.types[Type.INTEGER] if total.bound <= STEPS else dialect.wide


def _weighted_units(
    names: Mapping[int, str],
    rows: str,
    norm: Norm,
    squared: int,
    totals: Sequence[Total],
    branches: list[Fragment],
    dialect: Dialect,
    now: str | None,
) -> list[Fragment]:
    """The number of a unit's groups is both the l1 norm and the squared l2 norm of its vector."""
    source = _where("presence JOIN unit_weights USING (u)", now)
    branches.append(_branch(names, "SUM(s{i} * w)", source, len(totals)))
    marks = ", ".join(f"MAX({name}) AS s{i}" for i, name in names.items())
    return [
        Fragment(f"presence AS MATERIALIZED (SELECT u, k, {marks} FROM {rows} GROUP BY u, k)"),
        _norms("spread", "COUNT(*)", "presence", now, dialect),
        *weights_sql("unit_weights", "spread", norm, squared, dialect, used_up=now is not None),
    ]


def _units_in_full_and_in_part(has_rows: bool, norm: Norm, count: int) -> list[Fragment]:
    rest = "".join(f", 0 AS t{i}" for i in range(1, count))
    weights = "weights" if has_rows else "unit_weights"
    code = f"CASE WHEN w = {ONE} THEN {FULL} ELSE {PART} END"
    parts = [
        Fragment(f"SELECT {code} AS k, COUNT(*) * {ONE} AS t0{rest} FROM {weights} GROUP BY 1")
    ]
    if has_rows and norm == "l2":
        parts.append(
            Fragment(f"SELECT {FULL} AS k, COUNT(*) * {ONE} AS t0{rest} FROM units WHERE NOT many")
        )
    return parts
