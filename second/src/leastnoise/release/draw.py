"""Noise for measured totals: drawn exactly, and added as integers.

Trusted.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from leastnoise.ledger.meters import Family
from leastnoise.noise.gaussian import rounded_gaussian
from leastnoise.noise.laplace import discrete_laplace
from leastnoise.noise.source import Source
from leastnoise.numbers.errors import EngineError
from leastnoise.release.measurement import Law, Part, Shared
from leastnoise.tables.contributions import FULL, PART
from leastnoise.tables.groups import Groups
from leastnoise.workloads.marginal_noise import TableLaw

Drawn = Sequence[tuple[Law, tuple[list[int], ...]]]
"""Every draw that totals share: its law, and for each of its numbers the noise."""


def noisy_totals(
    part: Part, rows: Iterable[tuple[int, ...]], drawn: Drawn, family: Family, source: Source
) -> dict[str, list[int] | list[list[int]]]:
    """The totals of a statement with noise.

    Every group of the list gets noise on every total, whether it has rows or not, and so do both
    counts of units. Of a table that has noise in common with others there are, in place of a total,
    the numbers that are measured of it.

    Args:
        part: what was measured, and with which noise.
        rows: (code, total, total, ...) of the groups that have rows.
        drawn: the noise that totals share.
        family: the law of the noise.
        source: where the noise comes from.
    """
    measurement = part.measurement
    assert isinstance(measurement.groups, Groups)
    exact = {code: totals for code, *totals in rows}
    groups = range(len(measurement.groups))
    if not exact.keys() <= {*groups, FULL, PART}:
        raise EngineError("A statement gives groups that were not asked for.")

    def noisy(codes: Iterable[int], place: int, size: int | Shared) -> list[int]:
        totals = [exact[code][place] if code in exact else 0 for code in codes]
        if isinstance(size, Shared):
            law, noise = drawn[size.draw]
            measured = law.measured(size.place, totals) if isinstance(law, TableLaw) else totals
            return [a + b for a, b in zip(measured, noise[size.place], strict=True)]
        return _with_noise(totals, size, family, source)

    units = noisy((FULL, PART), 0, part.over_limit_noise or 0) if measurement.over_limit else []
    totals = [noisy(groups, place, size) for place, size in enumerate(part.noise)]
    return {"totals": totals, "units": units}


def _with_noise(exact: Sequence[int], size: int, family: Family, source: Source) -> list[int]:
    draw = rounded_gaussian if family == "gaussian" else discrete_laplace
    noise = draw(Fraction(size), len(exact), source)
    return [total + int(each) for total, each in zip(exact, noise, strict=True)]
