"""Answers to one plan drawn again and again, for tests of how they spread: nothing is charged."""

from collections.abc import Iterator

from leastnoise.ledger.entry import Charge, Entry
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.randomness.source import Source, checked_source
from leastnoise.release import gate
from leastnoise.release.draw.answered import answered, measured
from leastnoise.release.draw.drawn import drawn
from leastnoise.release.plan import Plan
from leastnoise.release.result.released_table import ReleasedTable

_LINE = Entry(1, "", Charge((), "", {}, ""))


def drawn_again(
    asked: Plan, budget: Guarantee, times: int, source: Source | None = None
) -> Iterator[list[ReleasedTable]]:
    """All tables, as often as said, from one measurement."""
    priced, source = asked._priced(budget), checked_source(source)
    admitted = priced.admitted(budget)
    secrets = measured(admitted, source)
    for _ in range(times):
        paid = gate.Paid(admitted.steps, _LINE, gate._SEAL)
        yield list(answered(priced, drawn(paid, secrets, source)))
