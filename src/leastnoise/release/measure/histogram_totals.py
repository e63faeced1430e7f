"""Histograms of a table, each with its cells in order."""

import numpy as np
from numpy.typing import NDArray

from leastnoise.release.ask.expression import Column
from leastnoise.release.ask.table import Table
from leastnoise.release.measure.backends.session import Found, Session
from leastnoise.release.measure.one_pass import columns_read
from leastnoise.release.measure.sql.histogram_query import HistogramQuery
from leastnoise.release.step.histograms import Grouping, Histograms
from leastnoise.release.step.secret_totals import SecretTotals, placed


def histogram_totals(
    table: Table, asked: Histograms, session: Session, *, unbounded: bool = False
) -> list[SecretTotals]:
    """What one pass finds, grouping after grouping; `unbounded` if no unit has two rows."""
    query = histogram_query(table, asked, session, unbounded=unbounded)
    found = session.fetch(query.query(), 2 + len(query.shown), 1)
    masks = np.array(found.keys[0], dtype=np.int64)
    return [
        _own_totals(each, found, np.flatnonzero(masks == query.mask(each)), query)
        for each in asked.groupings
    ]


def histogram_query(
    table: Table, asked: Histograms, session: Session, *, unbounded: bool = False
) -> HistogramQuery:
    """The query's parts; a query can be run once."""
    keys = [each for grouping in asked.groupings for each in grouping.by]
    columns = columns_read(table, keys, asked.where)
    weighed = table.unit is not None and not unbounded
    return HistogramQuery(
        asked=asked,
        schema=table.schema,
        unit=None if table.unit is None else Column(table.unit),
        scan=session.scan(columns),
        again=session.scan(columns) if weighed and session.rereads else None,
        key_tables=tuple(
            None if each.keys is None else session.key_table(each.keys) for each in asked.groupings
        ),
        dialect=session.dialect,
        unbounded=unbounded,
    )


def _own_totals(
    grouping: Grouping, found: Found, own: NDArray[np.intp], asked: HistogramQuery
) -> SecretTotals:
    counts = found.totals[0][own]
    if grouping.cells is None:
        places = [2 + asked.shown.index(asked.expressions.index(each)) for each in grouping.by]
        rows = zip(*([found.keys[place][i] for i in own] for place in places), strict=True)
        return SecretTotals(tuple(rows), (counts,))
    numbers = np.array([found.keys[1][i] for i in own], dtype=np.int64)
    whole = placed(counts, numbers, grouping.cells)
    return SecretTotals(((),) if grouping.keys is None else grouping.keys.rows, (whole,))
