"""Statements about units: how many are above each limit, and which groups have many of them.

Trusted.
"""

from collections.abc import Sequence

from leastnoise.tables.contributions import ONE, Norm, any_used, rows_sql, weights_sql
from leastnoise.tables.dialect import Dialect, Fragment, fill, joined
from leastnoise.tables.expressions import Call, Expression, Literal, columns_of
from leastnoise.tables.groups import Groups, Unlisted
from leastnoise.tables.relation_sql import UNIT, Scan, relation_sql
from leastnoise.tables.relations import Relation
from leastnoise.tables.totals import Total

STEPS = 1 << 10
"""What a unit in one group adds to it; in m groups it adds STEPS / sqrt(m), rounded down, to each.

A unit in more than STEPS groups adds nothing.
"""


def above_sql(
    relation: Relation,
    groups: Groups,
    totals: Sequence[Total],
    norm: Norm,
    levels: int,
    scan: Scan,
    dialect: Dialect,
) -> Fragment:
    """One row: how many units have a vector r of squared norm above 1, 2, 4, ... 2^(levels - 1).

    r is what a limit is put on: a unit's used rows per group; where only units are counted, its
    presence in groups.
    """
    of_rows = [each for each in totals if not each.counts_units]
    rows = rows_sql(relation, groups, of_rows or totals, scan, dialect)
    wide, per = dialect.wide, "r" if of_rows else "1"
    if of_rows and norm == "l1":
        norms = f"SELECT u, CAST(COUNT(*) AS {wide}) * COUNT(*) AS q FROM rows GROUP BY u"
    else:
        power = "SUM({0}) * SUM({0})" if norm == "l1" else "SUM({0} * {0})"
        cells = f"SELECT u, k, CAST(COUNT(*) AS {wide}) AS r FROM rows GROUP BY u, k"
        norms = f"SELECT u, {power.format(per)} AS q FROM ({cells}) AS cells GROUP BY u"
    counts = joined(", ", (
        fill("COUNT(*) FILTER (WHERE q > {})", dialect.whole(1 << level)) for level in range(levels)
    ))  # fmt: skip
    return fill(f"WITH rows AS ({{}}), norms AS ({norms}) SELECT {{}} FROM norms", rows, counts)


def candidates_sql(
    relation: Relation,
    groups: Unlisted,
    totals: Sequence[Total],
    min_units: int,
    scan: Scan,
    dialect: Dialect,
) -> Fragment:
    """(key, key, ..., x) of every group with x > 0: the sum of what its units add, in `STEPS`.

    With min_units, x counts only what goes beyond min_units - 1 units that are in no other group.
    Only unknown keys are looked at, in rows whose known keys have a known value.
    """
    used = any_used(totals)
    tests: list[Expression] = [] if used is None else [used]
    for by, known in zip(groups.by, groups.known, strict=True):
        if known is not None:
            tests.append(_is_one_of(by, known))
    tests += [Call("not", (Call("is null", (by,)),)) for by in groups.unknown]
    names = [column.name for each in (*groups.unknown, *tests) for column in columns_of(each)]
    keys = [f"e{place}" for place in range(len(groups.unknown))]
    columns = [fill(f"{{}} AS {key}", by.sql(dialect))
               for key, by in zip(keys, groups.unknown, strict=True)]  # fmt: skip
    where = joined(" AND ", (each.sql(dialect) for each in tests))
    listed, least = ", ".join(keys), dialect.whole((min_units - 1) * STEPS)
    found = relation_sql(relation, names, scan, dialect)
    if relation.unit is not None:
        unit = dialect.name(UNIT)
        columns.append(fill("{} AS u", unit))
        where = fill("{} IS NOT NULL AND {}", unit, where)
    rows = fill(
        "rows AS MATERIALIZED (SELECT {} FROM {} AS r WHERE {})",
        joined(", ", columns),
        found,
        where,
    )
    if relation.one_row_each:
        steps, source, sums = [rows], "rows", f"COUNT(*) * {STEPS}"
    else:
        presence = f"presence AS MATERIALIZED (SELECT DISTINCT u, {listed} FROM rows)"
        spread = (
            f"spread AS (SELECT u, CAST(COUNT(*) AS {dialect.wide}) AS q FROM presence GROUP BY u "
            f"HAVING COUNT(*) <= {STEPS})"
        )
        weights = weights_sql("weights", "spread", "l2", 1, dialect)
        steps = [rows, Fragment(presence), Fragment(spread), *weights]
        source = "presence JOIN weights USING (u)"
        sums = f"SUM(w >> {(ONE // STEPS).bit_length() - 1})"
    return fill(
        f"WITH {{}}, sums AS (SELECT {listed}, CAST({sums} AS {dialect.wide}) - {{}} AS x "
        f"FROM {source} GROUP BY {listed}) SELECT {listed}, x FROM sums WHERE x > 0",
        joined(", ", steps),
        least,
    )


def _is_one_of(by: Expression, known: Sequence[object]) -> Expression:
    listed = [Call("=", (by, Literal(value))) for value in known if value is not None]  # type: ignore[arg-type]
    tests: list[Expression] = [*listed]
    if None in known:
        tests.append(Call("is null", (by,)))
    return tests[0] if len(tests) == 1 else Call("or", tuple(tests))
