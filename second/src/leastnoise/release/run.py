"""One release, from a proposal to stored noisy totals. Read this first.

The order is the promise: the price is proved and charged before any row is read, noise is added
before anything leaves this function, and what was drawn is stored before it is shown. Whoever
calls `run` may be wrong about anything without breaking the promise of the ledger.

Why a release is private: the statement gives integer totals, which one privacy unit moves by at
most the sensitivity that the gate used (`contributions`); integer noise of the law that the gate
used is added to all of them (`draw`); so the gate's price holds (`gate`). The ledger grants only
prices that keep its promise together (`meters`). Everything after that is post-processing.

There are at most three stages: groups are found, limits are drawn, totals are taken. Each depends
on the data through its own statement and noise, and on the stages before it through what they
stored. The gate has proved the price of all stages for whatever the earlier ones give.

Trusted.
"""

import json
from collections.abc import Callable
from typing import Any

from leastnoise.ledger.meters import Family
from leastnoise.ledger.records import Charge, Request, canonical
from leastnoise.ledger.store import Store
from leastnoise.noise.source import Source
from leastnoise.numbers.errors import LeastNoiseError
from leastnoise.release.auto_contributions import draw_level
from leastnoise.release.draw import noisy_totals
from leastnoise.release.gate import admit
from leastnoise.release.group_selection import shown
from leastnoise.release.measurement import LEVELS, Drawn, Law, Part, Proposal
from leastnoise.release.shared_draws import drawn_for, noise_of
from leastnoise.tables.contributions import totals_sql
from leastnoise.tables.dialect import Fragment
from leastnoise.tables.engines.engine import Engine
from leastnoise.tables.groups import Groups, Unlisted
from leastnoise.tables.profile import above_sql, candidates_sql
from leastnoise.tables.schema import Value, as_text, of_text

GROUPS, LIMITS, TOTALS = "groups", "limits", "totals"
"""The stages, by the names under which they are stored."""


def run(
    proposal: Proposal,
    request: Request,
    engine: Engine,
    store: Store,
    source: Source,
    *,
    after: int,
    unfinished: int | None = None,
) -> int | None:
    """The number of the charge, its noisy totals stored; None if the ledger has moved on.

    Args:
        proposal: what to measure, with which noise, at which price.
        request: what was asked for, as the ledger shows it.
        engine: where the rows are.
        store: the ledger.
        source: where the noise comes from.
        after: the last line of the ledger on which the proposal was made.
        unfinished: the number of an earlier charge to finish, at no further cost.
    """
    parts, family = admit(proposal).proposal.parts, proposal.family
    charge = Charge(request, noise_of(proposal), proposal.price)
    for part in parts:
        for each in _statements(part, family, engine):
            engine.prepare(each)
    if unfinished is None:
        number = store.charge(charge, after)
        if number is None:
            return None
    else:
        _refuse_other(store, unfinished, charge)
        store.attempt(unfinished)
        number = unfinished

    def stage(name: str, work: Callable[[], object]) -> Any:
        """What the stage gave: as it was stored, or now."""
        before = store.stored(number, name)
        return json.loads(before or store.put_once(number, name, canonical(work())))

    if any(part.selection for part in parts):
        found = stage(GROUPS, lambda: [_found(part, engine, source) for part in parts])
        parts = with_groups(parts, found)
    if any(part.exponent for part in parts):
        levels = stage(LIMITS, lambda: [_level(part, family, engine, source) for part in parts])
        parts = with_limits(parts, levels, family)
    stage(TOTALS, lambda: _measured(parts, proposal.draws, family, engine, source))
    return number


def _measured(
    parts: tuple[Part, ...], draws: tuple[Law, ...], family: Family, engine: Engine, source: Source
) -> list[object]:
    """The noisy totals of every part."""
    rows = [engine.integers(statement(part, family, engine)) for part in parts]
    drawn = drawn_for(parts, draws, family, source)
    return [
        noisy_totals(part, each, drawn, family, source)
        for part, each in zip(parts, rows, strict=True)
    ]


def with_groups(parts: tuple[Part, ...], found: list[Any]) -> tuple[Part, ...]:
    """The parts with the groups that were found for them, or for their leaders."""
    return tuple(
        part.with_groups(_keys(part.measurement.groups, found[_leader(part, place)]))
        if isinstance(part.measurement.groups, Unlisted)
        else part
        for place, part in enumerate(parts)
    )


def _leader(part: Part, place: int) -> int:
    return place if part.leader is None else part.leader


def _keys(groups: Unlisted, found: list[list[str | None]]) -> list[tuple[Value, ...]]:
    """The keys that a stage stored as text."""
    kinds = [by.type for by in groups.unknown]
    return [tuple(map(of_text, key, kinds)) for key in found]


def with_limits(parts: tuple[Part, ...], levels: list[Any], family: Family) -> tuple[Part, ...]:
    """The parts with the limits that were drawn for them, or for their leaders."""
    return tuple(
        part.at(levels[_leader(part, place)], family)
        if isinstance(part.measurement.limit, Drawn)
        else part
        for place, part in enumerate(parts)
    )


def _found(part: Part, engine: Engine, source: Source) -> list[list[str | None]] | None:
    """The keys of the groups that are shown, as text."""
    if part.selection is None:
        return None
    candidates = engine.candidates(_candidates(part, engine))
    return [[*map(as_text, key)] for key in shown(part.selection, candidates, source)]


def _level(part: Part, family: Family, engine: Engine, source: Source) -> int | None:
    """The level of the limit that is drawn."""
    if part.exponent is None:
        return None
    (over,) = engine.integers(_above(part, family, engine))
    return draw_level(part.exponent, over, source)


def _statements(part: Part, family: Family, engine: Engine) -> list[Fragment]:
    """All statements of a part, as far as they are known before groups are found."""
    statements = []
    if part.selection is not None:
        statements.append(_candidates(part, engine))
    if isinstance(part.measurement.groups, Unlisted):
        part = part.with_groups([])
    if part.exponent is not None:
        statements.append(_above(part, family, engine))
    return [*statements, statement(part, family, engine)]


def _candidates(part: Part, engine: Engine) -> Fragment:
    measurement, selection = part.measurement, part.selection
    assert isinstance(measurement.groups, Unlisted) and selection is not None
    return candidates_sql(
        measurement.relation,
        measurement.groups,
        measurement.totals,
        selection.min_units,
        engine.scan,
        engine.dialect,
    )


def _above(part: Part, family: Family, engine: Engine) -> Fragment:
    measurement = part.measurement
    assert isinstance(measurement.groups, Groups)
    return above_sql(
        measurement.relation,
        measurement.groups,
        measurement.totals,
        measurement.norm(family),
        LEVELS,
        engine.scan,
        engine.dialect,
    )


def statement(part: Part, family: Family, engine: Engine, *, shown: int | None = None) -> Fragment:
    """The statement of a part's totals, or of those of its first groups."""
    measurement, norm = part.measurement, part.measurement.norm(family)
    assert isinstance(measurement.groups, Groups)
    return totals_sql(
        measurement.relation,
        measurement.groups,
        measurement.totals,
        norm,
        measurement.limits(norm),
        engine.scan,
        engine.dialect,
        count_units=measurement.over_limit,
        shown=shown,
    )


def _refuse_other(store: Store, number: int, charge: Charge) -> None:
    """An attempt has the noise and the price that were charged."""
    before = store.entries[number].charge
    if before.noise != charge.noise or not before.price.covers(charge.price):
        raise LeastNoiseError("An unfinished charge was made for other noise. Please report this.")
