"""Noise for measured totals: drawn exactly, and added as integers.

Trusted.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from leastnoise.ledger.meters import Family
from leastnoise.ledger.records import canonical
from leastnoise.noise.gaussian import rounded_gaussian
from leastnoise.noise.laplace import discrete_laplace
from leastnoise.noise.source import Source
from leastnoise.numbers.errors import EngineError
from leastnoise.release.gate import Admitted
from leastnoise.release.measurement import Part
from leastnoise.tables.contributions import FULL, PART


def noisy_totals(
    admitted: Admitted, found: Sequence[Iterable[tuple[int, ...]]], source: Source
) -> str:
    """The totals of the statements with noise, as the text that is stored.

    Every group of a list gets noise on every total, whether it has rows or not, and so do both
    counts of units.

    Args:
        admitted: what was measured, and with which noise.
        found: for each part (code, total, total, ...) of the groups that have rows.
        source: where the noise comes from.
    """
    family, parts = admitted.proposal.family, admitted.proposal.parts
    return canonical(
        [_part(part, rows, family, source) for part, rows in zip(parts, found, strict=True)]
    )


def _part(
    part: Part, rows: Iterable[tuple[int, ...]], family: Family, source: Source
) -> dict[str, list[int] | list[list[int]]]:
    measurement = part.measurement
    exact = {code: totals for code, *totals in rows}
    groups = range(len(measurement.groups))
    if not exact.keys() <= {*groups, FULL, PART}:
        raise EngineError("A statement gives groups that were not asked for.")

    def noisy(codes: Iterable[int], place: int, size: int) -> list[int]:
        totals = [exact[code][place] if code in exact else 0 for code in codes]
        return _with_noise(totals, size, family, source)

    units = noisy((FULL, PART), 0, part.over_limit_noise or 0) if measurement.over_limit else []
    totals = [noisy(groups, place, size) for place, size in enumerate(part.noise)]
    return {"totals": totals, "units": units}


def _with_noise(exact: list[int], size: int, family: Family, source: Source) -> list[int]:
    draw = rounded_gaussian if family == "gaussian" else discrete_laplace
    noise = draw(Fraction(size), len(exact), source)
    return [total + int(each) for total, each in zip(exact, noise, strict=True)]
