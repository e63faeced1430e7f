"""One release, from a proposal to stored noisy totals. Read this first.

The order is the promise: the price is proved and charged before any row is read, noise is added
before anything leaves this function, and what was drawn is stored before it is shown. Whoever
calls `run` may be wrong about anything without breaking the promise of the ledger.

Why a release is private: the statement gives integer totals, which one privacy unit moves by at
most the sensitivity that the gate used (`contributions`); integer noise of the law that the gate
used is added to all of them (`draw`); so the gate's price holds (`gate`). The ledger grants only
prices that keep its promise together (`meters`). Everything after that is post-processing.

Trusted.
"""

from leastnoise.ledger.meters import Family
from leastnoise.ledger.records import Charge, Request
from leastnoise.ledger.store import Store
from leastnoise.noise.source import Source
from leastnoise.numbers.errors import LeastNoiseError
from leastnoise.release.draw import noisy_totals
from leastnoise.release.gate import admit
from leastnoise.release.measurement import NORM, Part, Proposal
from leastnoise.tables.contributions import totals_sql
from leastnoise.tables.dialect import Fragment
from leastnoise.tables.engines.engine import Engine

STAGE = "totals"


def run(
    proposal: Proposal,
    request: Request,
    engine: Engine,
    store: Store,
    source: Source,
    *,
    after: int,
    unfinished: int | None = None,
) -> tuple[int, str] | None:
    """The number of the charge and the stored noisy totals; None if the ledger has moved on.

    Args:
        proposal: what to measure, with which noise, at which price.
        request: what was asked for, as the ledger shows it.
        engine: where the rows are.
        store: the ledger.
        source: where the noise comes from.
        after: the last line of the ledger on which the proposal was made.
        unfinished: the number of an earlier charge to finish, at no further cost.
    """
    admitted = admit(proposal)
    charge = Charge(request, proposal.noise(), proposal.price)
    statements = [_statement(part, proposal.family, engine) for part in proposal.parts]
    for each in statements:
        engine.prepare(each)
    if unfinished is None:
        number = store.charge(charge, after)
        if number is None:
            return None
    else:
        _refuse_other(store, unfinished, charge)
        store.attempt(unfinished)
        number = unfinished
    totals = [engine.integers(each) for each in statements]
    noisy = noisy_totals(admitted, totals, source)
    return number, store.put_once(number, STAGE, noisy)


def _statement(part: Part, family: Family, engine: Engine) -> Fragment:
    measurement, norm = part.measurement, NORM[family]
    return totals_sql(
        measurement.relation,
        measurement.groups,
        measurement.totals,
        norm,
        measurement.limits(norm),
        engine.scan,
        engine.dialect,
        count_units=measurement.over_limit,
    )


def _refuse_other(store: Store, number: int, charge: Charge) -> None:
    """An attempt has the noise and the price that were charged."""
    before = store.entries[number].charge
    if before.noise != charge.noise or not before.price.covers(charge.price):
        raise LeastNoiseError("An unfinished charge was made for other noise. Please report this.")
