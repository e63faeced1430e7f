"""`measure`: exact totals of bounded contributions, computed where the data are."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import partial
from itertools import count
from typing import SupportsIndex, TypeVar

import numpy as np

from leastnoise import _check
from leastnoise.errors import BackendError
from leastnoise.randomness.source import Source, checked_source
from leastnoise.release.ask.bounds import ONE_ROW
from leastnoise.release.ask.expression import Column
from leastnoise.release.ask.table import Table
from leastnoise.release.measure.answerable import refuse_impossible
from leastnoise.release.measure.backends.duckdb import DuckDBSession
from leastnoise.release.measure.backends.duckdb_memory import OWN_LIMIT, OutOfMemory
from leastnoise.release.measure.backends.opened import Opener, opened
from leastnoise.release.measure.backends.prepared import prepared_for
from leastnoise.release.measure.backends.session import Found, Session
from leastnoise.release.measure.by_ranges import found_by_ranges
from leastnoise.release.measure.by_words import UnitSpan, found_by_words
from leastnoise.release.measure.carried_keys import carried, told
from leastnoise.release.measure.few_rows import FEW, alike, found_for_each, joint
from leastnoise.release.measure.one_pass import Pass, RowLimit, fused, sought
from leastnoise.release.measure.one_row_units import OneRowUnits
from leastnoise.release.measure.repeated_pairs import rarely_repeat
from leastnoise.release.measure.spread_pass import SpreadPass, fused_spreads
from leastnoise.release.measure.sql.bounded_query import BoundedQuery
from leastnoise.release.measure.sql.cells import Cells
from leastnoise.release.measure.sql.fragment import Fragment, fill, names
from leastnoise.release.measure.sql.kept_rows import KeptRows
from leastnoise.release.measure.sql.packed_rows import can_be_packed
from leastnoise.release.measure.sql.spread_query import SpreadQuery
from leastnoise.release.measure.sql.sql_term import key_kind
from leastnoise.release.measure.sql.turn_rows import turn_rows
from leastnoise.release.measure.sql.unit_words import UnitWords
from leastnoise.release.step.aggregate import CountRows
from leastnoise.release.step.asked import Asked
from leastnoise.release.step.histograms import Grouping
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.secret_totals import SecretTotals, placed
from leastnoise.release.step.unit_spread import UnitSpread
from leastnoise.release.step.unowned_rows import UnownedRows

_LEAST_MEMORY = 2**26
_T = TypeVar("_T")


def measure(  # noqa: PLR0913 - each is a fact of its own
    table: Table,
    measurements: Iterable[Asked],
    *,
    source: Source | None = None,
    memory: SupportsIndex | None = None,
    progress: Callable[[int, int], None] | None = None,
    begins: Callable[[Sequence[int]], None] | None = None,
    opener: Opener = opened,
) -> list[SecretTotals]:
    """The exact totals, in order: secret until noise is added.

    A measurement has one result, and so has a spread; histograms have one for each grouping.
    Measurements that share groups and bounds take one pass over the data, and so do histograms that
    share a condition and a bound, and spreads of one measurement if each unit is one part. Where
    groups must be found or chosen, or a clip weighs them, each condition takes a pass of its own.
    If a unit has more groups than may count, those that count are the same in all measurements and
    spreads that make their groups alike; another call chooses anew.

    Args:
        table: where the data are and whose rows they are.
        measurements: what to sum or count.
        source: randomness, for the choice of groups.
        memory: how many bytes the engine may use before it spills to disk, if it lets itself be
            told; at least 2^26. The usual limit if None.
        progress: called with the number of passes done and of all passes.
        begins: called before each pass, with the places of the measurements that it is for.
        opener: what opens the data; audits leave rows out.

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
    salt, told = checked_source(source).bits(63), (progress, begins or _unheard)
    try:
        return _measured(table, asked, salt, told, partial(opener, table.location, memory=limit))
    except OutOfMemory:  # all of it anew, so that nothing of the two readings comes together
        large = partial(opener, table.location, memory=OWN_LIMIT)
        return _measured(table, asked, salt, told, large)


def _measured(
    table: Table,
    asked: Sequence[Asked],
    salt: int,
    told: tuple[Callable[[int, int], None] | None, Callable[[Sequence[int]], None]],
    opens: Callable[[], AbstractContextManager[Session]],
) -> list[SecretTotals]:
    """Everything in one session, from beginning to end."""
    progress, begin = told
    apart = UnitSpread | UnownedRows
    pairs = [(place, e) for place, each in enumerate(asked) if not isinstance(each, apart)
             for e in sought(each)]  # fmt: skip
    owners, wanted = [place for place, _ in pairs], [each for _, each in pairs]
    passes, numbers = fused(wanted, by_unit=table.unit is not None)
    spreads = fused_spreads(each for each in asked if isinstance(each, UnitSpread))
    unowned = any(isinstance(each, UnownedRows) for each in asked)
    places = _places(asked)
    report = _reporter(progress, len(passes) + len(spreads) + unowned)
    with opens() as session, ExitStack() as held:
        _refuse_other_columns(table, session)
        one_row = OneRowUnits(table, session)
        span = UnitSpan(table, session, one_row, held)
        together = _found_together(table, passes, salt, session)
        found: list[list[SecretTotals]] = []
        weights: dict[Asked, SecretTotals] = {}
        for number, one in enumerate(passes):
            begin([place for place, own in zip(owners, numbers, strict=True) if own == number])
            if number in together:
                found.append(report(together[number]))
                continue
            query = pass_query(table, one, salt, session, unbounded=one_row.in_pass(one))
            own = [spread for spread in spreads if spread.is_of(one)]
            sorted_out = _found_by_words(span.words(query), own, session)
            if sorted_out is not None:
                totals, hats = sorted_out
                found.append(report(totals))
                for spread, each in zip(own, hats, strict=True):
                    begin(places(spread))
                    weights |= report(each)
                    spreads.remove(spread)
                continue
            query = replace(query, gathered=rarely_repeat(query, session))
            with made_once(query, spreads, table, session) as (ready, beside):
                found.append(report(answered(ready, table, session)))
                for spread in beside:
                    begin(places(spread))
                    weights |= report(spread_of(spread, ready, session))
                    spreads.remove(spread)
        if unowned:
            begin([place for place, each in enumerate(asked) if isinstance(each, UnownedRows)])
            weights[UnownedRows()] = report(_unowned(table, salt, session))
        for spread in spreads:
            begin(places(spread))
            alone = one_row.in_pass(spread.bounded)
            query = pass_query(table, spread.bounded, salt, session, unbounded=alone)
            weights |= report(spread_of(spread, query, session))
        session.refuse_changed()
    parts = zip(wanted, numbers, strict=True)
    others = (passes[number].part(each, found[number]) for each, number in parts)
    return [
        weights[each] if isinstance(each, apart) else next(others)
        for each in asked
        for _ in range(each.results)
    ]


def _places(asked: Sequence[Asked]) -> Callable[[SpreadPass], list[int]]:
    """Which of what is asked a pass for spreads answers."""
    places: defaultdict[UnitSpread, list[int]] = defaultdict(list)
    for place, each in enumerate(asked):
        if isinstance(each, UnitSpread):
            places[each].append(place)
    return lambda spread: sorted(place for each in spread.spreads for place in places[each])


def _refuse_other_columns(table: Table, session: Session) -> None:
    """Checks that the data still have the columns that the measurements were made for."""
    if session.schema() != table.schema:
        raise BackendError(
            "the data must have the columns they had when they were read; they have others now, "
            "and nothing was charged. Read the table again."
        )


def _unheard(_: Sequence[int]) -> None:
    """Nobody wants to know what a pass is for."""


def _reporter(progress: Callable[[int, int], None] | None, of: int) -> Callable[[_T], _T]:
    """Passes on what it is given and tells that one more pass is done."""
    done = count(1)

    def report(result: _T) -> _T:
        if progress is not None:
            progress(next(done), of)
        return result

    return report


def _found_together(
    table: Table, passes: Sequence[Pass], salt: int, session: Session
) -> dict[int, list[SecretTotals]]:
    """By their numbers, what passes find that are answered together."""
    found: dict[int, list[SecretTotals]] = {}
    for numbers in alike(passes, table, session):
        assert isinstance(session, DuckDBSession)
        own = [passes[number] for number in numbers]
        marked = pass_query(table, joint(own), salt, session)
        rows = session.fetch(fill("SELECT COUNT(*) AS t0 FROM {}", marked.scan), 0, 1).totals[0][0]
        one = pass_query(table, own[0], salt, session)
        parts = None
        if rows <= FEW:
            with suppress(MemoryError):
                parts = found_for_each(own, marked, one, session)
        if parts is not None:  # else each has a statement of its own
            for number, each in zip(numbers, parts, strict=True):
                found[number] = [_own_totals(g, each, one.cells) for g in passes[number].groupings]
    return found


def pass_totals(
    table: Table, asked: Pass, salt: int, session: Session, *, unbounded: bool = False
) -> list[SecretTotals]:
    """What one pass finds, grouping after grouping; `unbounded` if no unit has two rows."""
    query = pass_query(table, asked, salt, session, unbounded=unbounded)
    return answered(query, table, session)


def answered(query: BoundedQuery, table: Table, session: Session) -> list[SecretTotals]:
    """What a query finds, grouping after grouping."""
    prepared, asked, found = prepared_for(table, session), query.asked, None
    if prepared is not None and can_be_packed(query):
        with suppress(MemoryError):  # which would say how many rows there are
            found = found_by_ranges(query, prepared)
    if found is None:
        found = session.fetch(query.query(), len(query.cells.keys), len(asked.totals))
    return [_own_totals(each, found, query.cells) for each in asked.groupings]


@contextmanager
def made_once(
    query: BoundedQuery, spreads: Iterable[SpreadPass], table: Table, session: Session
) -> Iterator[tuple[BoundedQuery, list[SpreadPass]]]:
    """The query, of pairs made already, and those of the spreads that can be taken of the same.

    Where the engine holds nothing, or no spread is of these pairs: the query itself, and none.
    """
    own = [spread for spread in spreads if query.is_bounded and spread.is_of(query.asked)]
    if not own or (prepared_for(table, session) is not None and can_be_packed(query)):
        yield query, []
        return
    with session.held(query.holdable(names("k", len(query.cells.keys)))) as made:
        yield replace(query, made=made), [] if made is None else own


def _found_by_words(
    words: UnitWords | None, spreads: Sequence[SpreadPass], session: Session
) -> tuple[list[SecretTotals], list[dict[Asked, SecretTotals]]] | None:
    """What a pass finds, grouping after grouping, and what each of the spreads of its pairs.

    None if it has no words, or more than can be held: then it is to be asked by a statement.
    """
    if words is None:
        return None
    assert isinstance(session, DuckDBSession)
    try:
        found, beside = found_by_words(words, spreads, session)
    except MemoryError:  # which would say how many rows there are
        return None
    query = words.query
    hats: list[dict[Asked, SecretTotals]] = [
        {each: spread.part(each, own) for each in spread.spreads}
        for spread, own in zip(spreads, beside, strict=True)
    ]
    return [_own_totals(each, found, query.cells) for each in query.asked.groupings], hats


def _unowned(table: Table, salt: int, session: Session) -> SecretTotals:
    """The rows without a unit, and no others, whatever was asked: no bound holds for them."""
    if table.unit is None:
        return SecretTotals(((),), (np.zeros(1, np.int64),))
    missing = Measurement((CountRows(),), ONE_ROW, where=Column(table.unit).is_null())
    (one,), _ = fused(sought(missing), by_unit=False)
    return pass_totals(replace(table, unit=None, unit_name=""), one, salt, session)[0]


def spread_of(
    asked: SpreadPass, bounded: BoundedQuery, session: Session
) -> dict[Asked, SecretTotals]:
    """What one query finds of each spread."""
    spreads = tuple(asked.spreads)
    query = SpreadQuery(spreads, bounded).query()
    found = session.fetch(query, len(spreads), 1 + len(spreads))
    return {each: asked.part(each, found) for each in spreads}


def pass_query(
    table: Table, asked: Pass, salt: int, session: Session, *, unbounded: bool = False
) -> BoundedQuery:
    """The query's parts; a query can be run once."""
    columns, groupings, unit = asked.columns_read(table), tuple(asked.groupings), table.unit
    keys = [
        None if each.keys is None else session.key_table(carried(each.keys)) for each in groupings
    ]
    weighs = isinstance(asked.bounds, RowLimit) and unit is not None and not unbounded
    prepared = prepared_for(table, session)
    known = weighs and prepared is not None and set(asked.conditions) == {None}
    rows = KeptRows(
        table.schema,
        session.dialect,
        None if unit is None else Column(unit),
        tuple(asked.conditions),
        asked.expressions,
        tuple(dict.fromkeys(each.place for _, each in asked.summed)),
        {e for each in groupings if each.is_private for e in each.by},
        () if prepared is None else prepared.beside,
    )
    return BoundedQuery(
        asked=asked,
        rows=rows,
        cells=Cells(groupings, tuple(keys), rows),
        scan=_counting(session.scan(columns), table, asked, session),
        # Weighed rows are of no schedule.
        again=session.scan(columns) if weighs and session.rereads and not known else None,
        salt=salt,
        unbounded=unbounded,
        rows_known=known,
    )


def _counting(scan: Fragment, table: Table, asked: Pass, session: Session) -> Fragment:
    """The rows of steps in which their units count, if there are steps."""
    if asked.turns is None:
        return scan
    return turn_rows(scan, asked.turns, table.unit, table.schema, session.dialect)


def _own_totals(grouping: Grouping, found: Found, cells: Cells) -> SecretTotals:
    """Public cells have a total each, 0 where nobody is; of private ones only those found."""
    keys, totals = [found.keys[place] for place in cells.places(grouping)], found.totals
    if not cells.one:
        own = np.flatnonzero(np.array(found.keys[0], np.int64) == cells.mask(grouping))
        keys = [[column[i] for i in own] for column in keys]
        totals = tuple(total[own] for total in totals)
    if grouping.cells is None:
        kinds = (key_kind(each, cells.rows.schema) for each in grouping.by)
        shown = (told(list(column), kind) for column, kind in zip(keys, kinds, strict=True))
        return SecretTotals(tuple(zip(*shown, strict=True)), totals)
    places = np.asarray(keys[0] if keys else [0], dtype=np.int64)
    whole = tuple(placed(each, places, grouping.cells) for each in totals)
    return SecretTotals(((),) if grouping.keys is None else grouping.keys.listed, whole)
