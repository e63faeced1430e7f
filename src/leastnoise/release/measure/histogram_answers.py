"""Histograms of a table, each with its cells in order."""

import numpy as np
from numpy.typing import NDArray

from leastnoise.release.ask.expression import Column, columns_of
from leastnoise.release.ask.table import Table
from leastnoise.release.measure.backends.session import Found, Session
from leastnoise.release.measure.sql.histogram_query import HistogramShape
from leastnoise.release.step.histograms import Grouping, Histograms
from leastnoise.release.step.measurement import Answer, placed


def histogram_answers(
    table: Table, asked: Histograms, session: Session, *, unbounded: bool = False
) -> list[Answer]:
    """The answers to one pass, one for each grouping; `unbounded` if no unit has two rows."""
    shape = histogram_shape(table, asked, session, unbounded=unbounded)
    found = session.fetch(shape.query(), 2 + len(shape.shown), 1)
    masks = np.array(found.keys[0], dtype=np.int64)
    return [
        _answer(each, found, np.flatnonzero(masks == shape.mask(each)), shape)
        for each in asked.groupings
    ]


def histogram_shape(
    table: Table, asked: Histograms, session: Session, *, unbounded: bool = False
) -> HistogramShape:
    """The query's parts; a query can be run once."""
    columns = _columns(table, asked)
    weighed = table.unit is not None and not unbounded
    return HistogramShape(
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


def _columns(table: Table, asked: Histograms) -> tuple[str, ...]:
    """The columns a pass reads; the first one if it needs none, to count its rows."""
    keys = [each for grouping in asked.groupings for each in grouping.by]
    found = [column.name for each in keys for column in each.columns]
    if asked.where is not None:
        found += [column.name for column in columns_of(asked.where)]
    if table.unit is not None:
        found.append(table.unit)
    return tuple(dict.fromkeys(found)) or table.schema.names[:1]


def _answer(
    grouping: Grouping, found: Found, own: NDArray[np.intp], shape: HistogramShape
) -> Answer:
    counts = found.totals[0][own]
    if grouping.cells is None:
        places = [2 + shape.shown.index(shape.expressions.index(each)) for each in grouping.by]
        rows = zip(*([found.keys[place][i] for i in own] for place in places), strict=True)
        return Answer(tuple(rows), (counts,))
    numbers = np.array([found.keys[1][i] for i in own], dtype=np.int64)
    whole = placed(counts, numbers, grouping.cells)
    return Answer(((),) if grouping.keys is None else grouping.keys.rows, (whole,))
