"""`measure`: exact totals of bounded contributions, computed where the data are."""

from collections.abc import Callable, Iterable
from itertools import count
from typing import SupportsIndex, TypeVar

import numpy as np

from leastnoise import _check
from leastnoise.errors import BackendError
from leastnoise.randomness.source import Source, checked_source
from leastnoise.release.ask.expression import Column, columns_of
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.table import Table
from leastnoise.release.measure.answerable import refuse_impossible
from leastnoise.release.measure.backends.opened import opened
from leastnoise.release.measure.backends.session import Found, Session
from leastnoise.release.measure.histogram_answers import histogram_answers
from leastnoise.release.measure.one_pass import Pass, found_in, fused, fused_histograms
from leastnoise.release.measure.one_row_units import OneRowUnits
from leastnoise.release.measure.sql.bounded_query import Shape
from leastnoise.release.step.histograms import Histograms
from leastnoise.release.step.measurement import Answer, Measurement, placed

_LEAST_MEMORY = 2**26
_T = TypeVar("_T")


def measure(
    table: Table,
    measurements: Iterable[Measurement | Histograms],
    *,
    source: Source | None = None,
    memory: SupportsIndex | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Answer]:
    """The answers, in order: exact, and secret until noise is added.

    A measurement has one answer; histograms have one for each grouping. Measurements that share
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
            report(answer(table, each, salt, session, unbounded=one_row.under(each.where)))
            for each in passes
        ]
        counted = [
            report(histogram_answers(table, each, session, unbounded=one_row.under(each.where)))
            for each in counts
        ]
        session.refuse_changed()
    rest = iter(numbers)
    answers: list[Answer] = []
    for each in asked:
        if isinstance(each, Histograms):
            places = [found_in(counts, grouping, each) for grouping in each.groupings]
            answers += [counted[number][place] for number, place in places]
        else:
            number = next(rest)
            answers.append(passes[number].answer(each, summed[number]))
    return answers


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


def answer(
    table: Table, asked: Pass, salt: int, session: Session, *, unbounded: bool = False
) -> Answer:
    """The answer to one pass; `unbounded` if no unit has two rows."""
    shape = shape_of(table, asked, salt, session, unbounded=unbounded)
    totals = len(asked.aggregates)
    if asked.keys is None:
        found = session.fetch(shape.query(), len(asked.by), totals)
        rows = zip(*found.keys, strict=True) if asked.by else [()]
        return Answer(tuple(rows), found.totals)
    return _spread(session.fetch(shape.query(), 1, totals), asked.keys)


def shape_of(
    table: Table, asked: Pass, salt: int, session: Session, *, unbounded: bool = False
) -> Shape:
    """The query's parts; a query can be run once."""
    keys = None if asked.keys is None else session.key_table(asked.keys)
    scan = session.scan(_columns(table, asked))
    unit = None if table.unit is None else Column(table.unit)
    return Shape(asked, table.schema, unit, scan, keys, salt, session.dialect, unbounded)


def _columns(table: Table, asked: Pass) -> tuple[str, ...]:
    """The columns a pass reads; the first one if it needs none, to count its rows."""
    terms = [*asked.by, *(each.column for each in asked.aggregates if hasattr(each, "column"))]
    found = [column.name for term in terms for column in term.columns]
    if asked.where is not None:
        found += [column.name for column in columns_of(asked.where)]
    if table.unit is not None:
        found.append(table.unit)
    return tuple(dict.fromkeys(found)) or table.schema.names[:1]


def _spread(found: Found, keys: Keys) -> Answer:
    """Groups that nobody is in have total 0."""
    places = np.array(found.keys[0], dtype=np.int64)
    return Answer(keys.rows, tuple(placed(each, places, len(keys.rows)) for each in found.totals))
