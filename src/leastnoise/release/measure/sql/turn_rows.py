r"""Rows of the steps in which their units count, in SQL.

Theorem: let no row of a schedule be removed, or given another unit or date, before it ends. A row
of step s is kept if fewer than m earlier steps hold rows of its unit that matter, and none of the
g − 1 steps before s does. Then the steps with kept rows of one unit are at most m, and any two of
them are at least g apart. Which rows are kept depends on the unit's own rows alone.
Proof: when the k-th kept step closes, the k − 1 kept ones before it hold rows, so k − 1 < m; a kept
step less than g before another would be one of its g − 1.
"""

from leastnoise.release.ask.expression import Column
from leastnoise.release.ask.schedule import Schedule, Turns
from leastnoise.release.ask.schema import Schema
from leastnoise.release.measure.sql.dialect import Dialect
from leastnoise.release.measure.sql.fragment import Fragment, fill, joined
from leastnoise.release.measure.sql.sql_condition import condition_sql
from leastnoise.release.measure.sql.sql_term import reading


def turn_rows(
    scan: Fragment, turns: Turns, unit: str | None, schema: Schema, dialect: Dialect
) -> Fragment:
    """What stands for the rows that count after FROM; all of the schedule's if rows are units."""
    schedule = turns.schedule
    tests = [condition_sql(schedule.within(1, schedule.steps), schema, dialect)]
    if turns.where is not None:
        tests.append(condition_sql(turns.where, schema, dialect))
    if unit is None:
        return fill("(SELECT * FROM {} WHERE {}) AS dated", scan, joined(" AND ", tests))
    owner = reading(Column(unit), schema, dialect)
    tests.append(fill("{} IS NOT NULL", owner))
    number = step_number(schedule, schema, dialect)
    turn, near = _new("turn", schema), _new("near", schema)
    window = fill("OVER (PARTITION BY {} ORDER BY {}", owner, number)
    added = [fill(f"DENSE_RANK() {{}}) AS {turn}", window)]
    kept = [fill(f"{turn} <= {{}}", dialect.value(schedule.contributes, dialect.integer))]
    if schedule.apart > 1:
        before = f"RANGE BETWEEN {schedule.apart - 1} PRECEDING AND 1 PRECEDING"
        added.append(fill(f"COUNT(*) {{}} {before}) AS {near}", window))
        kept.append(Fragment(f"{near} = 0"))
    return fill(
        "(SELECT * FROM (SELECT *, {} FROM {} WHERE {}) AS dated WHERE {}) AS counting",
        joined(", ", added),
        scan,
        joined(" AND ", tests),
        joined(" AND ", kept),
    )


def step_number(schedule: Schedule, schema: Schema, dialect: Dialect) -> Fragment:
    """The number of a row's step, from 0 on; NULL outside of the schedule, whatever the date is."""
    dated = Column(schedule.column)
    inside = condition_sql(schedule.within(1, schedule.steps), schema, dialect)
    if schedule.days is None:
        first = 12 * schedule.start.year + schedule.start.month
        year, month = (reading(part, schema, dialect) for part in (dated.year(), dated.month()))
        passed = fill("(12 * {} + {} - {})", year, month, dialect.value(first, dialect.integer))
    else:
        read = reading(dated, schema, dialect)
        passed = fill(dialect.days_after, dialect.value(schedule.start, dialect.date), read)
    length = dialect.value(schedule.days or schedule.months, dialect.integer)
    whole = dialect.short_quotient(dialect.cast(passed, dialect.integer), length)
    return fill("CASE WHEN {} THEN {} END", inside, whole)


def _new(name: str, schema: Schema) -> str:
    """A name that no column has, however it is written."""
    taken = {each.lower() for each in schema.names}
    while name in taken:
        name += "_"
    return name
