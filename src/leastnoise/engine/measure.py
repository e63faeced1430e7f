"""`measure`: exact totals of bounded contributions, computed where the data are."""

from collections.abc import Callable, Iterable
from typing import SupportsIndex

import numpy as np
from numpy.typing import NDArray

from leastnoise import _check
from leastnoise.engine.answerable import refuse_unanswerable
from leastnoise.engine.backends.opened import opened
from leastnoise.engine.expression import Column, columns_of
from leastnoise.engine.keys import Keys
from leastnoise.engine.measurement import Answer, Measurement, Totals
from leastnoise.engine.one_pass import Pass, fused
from leastnoise.engine.session import Found, Session
from leastnoise.engine.shapes import Shape
from leastnoise.engine.table import Table
from leastnoise.randomness.source import Source, checked_source

_LEAST_MEMORY = 2**26


def measure(
    table: Table,
    measurements: Iterable[Measurement],
    *,
    source: Source | None = None,
    memory: SupportsIndex | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Answer]:
    """The answers, in order: exact, and secret until noise is added.

    Measurements that share groups, condition and bounds take one pass over the data. If a unit has
    more groups than may count, those that count are the same in all measurements that make their
    groups alike; another call chooses anew.

    Args:
        table: where the data are and whose rows they are.
        measurements: what to sum.
        source: randomness, for the choice of groups.
        memory: how many bytes the engine may use before it spills to disk, if it lets itself be
            told; at least 2^26.
        progress: called with the number of passes done and of all passes.

    Raises:
        InvalidParameter: a measurement does not fit the table; nothing was read.
        BackendError: the engine failed; its message is withheld.
    """
    asked = list(measurements)
    for measurement in asked:
        refuse_unanswerable(measurement, table.schema)
    limit = (
        None if memory is None else _check.integer_between(memory, "memory", _LEAST_MEMORY, 2**60)
    )
    salt = checked_source(source).bits(63)
    passes, numbers = fused(asked)
    answers = []
    with opened(table.location, memory=limit) as session:
        for done, each in enumerate(passes):
            answers.append(answer(table, each, salt, session))
            if progress is not None:
                progress(done + 1, len(passes))
    pairs = zip(asked, numbers, strict=True)
    return [passes[n].answer(measurement, answers[n]) for measurement, n in pairs]


def answer(table: Table, asked: Pass, salt: int, session: Session) -> Answer:
    """The answer to one pass."""
    shape = shape_of(table, asked, salt, session)
    totals = len(asked.aggregates)
    if asked.keys is None:
        found = session.fetch(shape.query(), len(asked.by), totals)
        rows = zip(*found.keys, strict=True) if asked.by else [()]
        return Answer(tuple(rows), found.totals)
    return _spread(session.fetch(shape.query(), 1, totals), asked.keys)


def shape_of(table: Table, asked: Pass, salt: int, session: Session) -> Shape:
    """The query's parts; a query can be run once."""
    keys = None if asked.keys is None else session.key_table(asked.keys)
    scan = session.scan(_columns(table, asked))
    unit = None if table.unit is None else Column(table.unit)
    return Shape(asked, table.schema, unit, scan, keys, salt, session.dialect)


def _columns(table: Table, asked: Pass) -> tuple[str, ...]:
    """The columns a pass reads; the first one if it needs none, to count its rows."""
    found = [column.name for column in asked.by]
    found += [a.column.name for a in asked.aggregates if hasattr(a, "column")]
    if asked.where is not None:
        found += [column.name for column in columns_of(asked.where)]
    if table.unit is not None:
        found.append(table.unit)
    return tuple(dict.fromkeys(found)) or table.schema.names[:1]


def _spread(found: Found, keys: Keys) -> Answer:
    """Groups that nobody is in have total 0."""
    places = np.array(found.keys[0], dtype=np.int64)
    return Answer(keys.rows, tuple(_placed(each, places, len(keys.rows)) for each in found.totals))


def _placed(total: Totals, places: NDArray[np.int64], count: int) -> Totals:
    fits = total.dtype == np.int64
    whole: Totals = np.zeros(count, np.int64) if fits else np.zeros(count, np.object_)
    whole[places] = total
    return whole
