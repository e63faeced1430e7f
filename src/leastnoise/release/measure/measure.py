"""`measure`: exact totals of bounded contributions, computed where the data are."""

from collections.abc import Callable, Iterable
from itertools import count
from typing import SupportsIndex, TypeVar

import numpy as np

from leastnoise import _check
from leastnoise.errors import BackendError
from leastnoise.randomness.source import Source, checked_source
from leastnoise.release.ask.expression import Column
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.table import Table
from leastnoise.release.measure.answerable import refuse_impossible
from leastnoise.release.measure.backends.opened import opened
from leastnoise.release.measure.backends.session import Found, Session
from leastnoise.release.measure.histogram_totals import histogram_totals
from leastnoise.release.measure.one_pass import (
    Pass,
    columns_read,
    found_in,
    fused,
    fused_histograms,
)
from leastnoise.release.measure.one_row_units import OneRowUnits
from leastnoise.release.measure.sql.bounded_query import BoundedQuery
from leastnoise.release.step.histograms import Histograms
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.secret_totals import SecretTotals, placed

_LEAST_MEMORY = 2**26
_T = TypeVar("_T")


def measure(
    table: Table,
    measurements: Iterable[Measurement | Histograms],
    *,
    source: Source | None = None,
    memory: SupportsIndex | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[SecretTotals]:
    """The exact totals, in order: secret until noise is added.

    A measurement has one result; histograms have one for each grouping. Measurements that share
    groups, condition and bounds take one pass over the data, and so do histograms that share a
    condition and a bound. If a unit has more groups than may count, those that count are the same
    in all measurements that make their groups alike; another call chooses anew.

    Args:
        table: where the data are and whose rows they are.
        measurements: what to sum or count.
        source: randomness, for the choice of groups.
        memory: how many bytes the engine may use before it spills to disk, if it lets itself be
            told; at least 2^26.
        progress: called with the number of passes done and of all passes.

    Raises:
        InvalidParameter: a measurement does not fit the table; nothing was read.
        BackendError: the engine failed, and its message is withheld; or the data were changed
            while they were read.
    """
    asked = list(measurements)
    for each in asked:
        refuse_impossible(each, table.schema)
    limit = (
        None if memory is None else _check.integer_between(memory, "memory", _LEAST_MEMORY, 2**60)
    )
    salt = checked_source(source).bits(63)
    passes, numbers = fused(each for each in asked if isinstance(each, Measurement))
    counts = fused_histograms(each for each in asked if isinstance(each, Histograms))
    report = _reporter(progress, len(passes) + len(counts))
    with opened(table.location, memory=limit) as session:
        _refuse_other_columns(table, session)
        one_row = OneRowUnits(table, session)
        summed = [
            report(pass_totals(table, each, salt, session, unbounded=one_row.under(each.where)))
            for each in passes
        ]
        counted = [
            report(histogram_totals(table, each, session, unbounded=one_row.under(each.where)))
            for each in counts
        ]
        session.refuse_changed()
    rest = iter(numbers)
    found: list[SecretTotals] = []
    for each in asked:
        if isinstance(each, Histograms):
            places = [found_in(counts, grouping, each) for grouping in each.groupings]
            found += [counted[number][place] for number, place in places]
        else:
            number = next(rest)
            found.append(passes[number].part(each, summed[number]))
    return found


def _refuse_other_columns(table: Table, session: Session) -> None:
    """Checks that the data still have the columns that the measurements were made for."""
    if session.schema() != table.schema:
        raise BackendError(
            "the data must have the columns they had when they were read; they have others now, "
            "and nothing was charged. Read the table again."
        )


def _reporter(progress: Callable[[int, int], None] | None, of: int) -> Callable[[_T], _T]:
    """Passes on what it is given and tells that one more pass is done."""
    done = count(1)

    def report(result: _T) -> _T:
        if progress is not None:
            progress(next(done), of)
        return result

    return report


def pass_totals(
    table: Table, asked: Pass, salt: int, session: Session, *, unbounded: bool = False
) -> SecretTotals:
    """What one pass finds; `unbounded` if no unit has two rows."""
    query = pass_query(table, asked, salt, session, unbounded=unbounded).query()
    totals = len(asked.aggregates)
    if asked.keys is None:
        found = session.fetch(query, len(asked.by), totals)
        rows = zip(*found.keys, strict=True) if asked.by else [()]
        return SecretTotals(tuple(rows), found.totals)
    return _spread(session.fetch(query, 1, totals), asked.keys)


def pass_query(
    table: Table, asked: Pass, salt: int, session: Session, *, unbounded: bool = False
) -> BoundedQuery:
    """The query's parts; a query can be run once."""
    keys = None if asked.keys is None else session.key_table(asked.keys)
    terms = [*asked.by, *(each.column for each in asked.aggregates if hasattr(each, "column"))]
    scan = session.scan(columns_read(table, terms, asked.where))
    unit = None if table.unit is None else Column(table.unit)
    return BoundedQuery(asked, table.schema, unit, scan, keys, salt, session.dialect, unbounded)


def _spread(found: Found, keys: Keys) -> SecretTotals:
    """Groups that nobody is in have total 0."""
    places = np.array(found.keys[0], dtype=np.int64)
    return SecretTotals(
        keys.rows, tuple(placed(each, places, len(keys.rows)) for each in found.totals)
    )
