"""How good limits are that are drawn: the law of the limit, coverage and width, on flights.

A row for each grouping and law of noise. Totals are read once for each limit, without noise; limits and
noise are then drawn many times, as a release draws them.
"""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import leastnoise as ln
from benchmarks import Row
from leastnoise.ledger.costs import Asked
from leastnoise.ledger.meters import Family
from leastnoise.noise.source import Source
from leastnoise.release.auto_contributions import draw_level
from leastnoise.release.choose_noise import propose
from leastnoise.release.draw import noisy_totals
from leastnoise.release.estimate import Answers, Measured
from leastnoise.release.group_selection import shown
from leastnoise.release.measurement import LEVELS, NORM, Part
from leastnoise.release.query import Select, measured_of
from leastnoise.tables.contributions import totals_sql
from leastnoise.tables.engines.duckdb import DuckDB
from leastnoise.tables.groups import Groups, Unlisted
from leastnoise.tables.profile import above_sql, candidates_sql
from tests.docs.pages import make_flights

GROUPINGS = (("carrier",), ("month",), ("dest",), ("carrier", "month"), ("origin",))
FAMILIES: tuple[Family, ...] = ("laplace", "gaussian")


@dataclass
class Trial:
    """Many releases of one count by groups, with a limit that is drawn.

    Attributes:
        select: the query.
        part: what it measures, with its noise.
        family: the law of the noise.
        truth: the number of rows of every group.
    """

    select: Select
    part: Part
    family: Family
    truth: np.ndarray
    _rows: dict[int, list[tuple[int, ...]]] = field(default_factory=dict)

    @cached_property
    def over(self) -> tuple[int, ...]:
        """How many units are above each limit."""
        measured = self.part.measurement
        assert isinstance(measured.groups, Groups)
        with DuckDB(measured.relation.tables) as engine:
            found = engine.integers(
                above_sql(measured.relation, measured.groups, measured.totals, NORM[self.family],
                          LEVELS, engine.scan, engine.dialect)
            )  # fmt: skip
        return tuple(found[0])

    @property
    def law(self) -> dict[int, float]:
        """The chance of every limit, by the limit rounded down; those of at least 0.003."""
        exponent = float(self.part.exponent or 0)
        weights = [np.exp(-exponent * over) * 8.0**-i for i, over in enumerate(self.over)]
        chances = np.array(weights) / sum(weights)
        return {int(2 ** (i / 2)): float(p) for i, p in enumerate(chances) if p >= 0.003}

    def exact(self, part: Part, level: int) -> list[tuple[int, ...]]:
        """The totals at a limit, without noise."""
        if level not in self._rows:
            measured, norm = part.measurement, NORM[self.family]
            assert isinstance(measured.groups, Groups)
            with DuckDB(measured.relation.tables) as engine:
                self._rows[level] = engine.integers(
                    totals_sql(measured.relation, measured.groups, measured.totals, norm,
                               measured.limits(norm), engine.scan, engine.dialect)
                )  # fmt: skip
        return self._rows[level]

    def once(self, source: Source) -> Answers:
        """One release."""
        return self._drawn(source)[0]

    def _drawn(self, source: Source) -> tuple[Answers, Measured, Any]:
        level = draw_level(self.part.exponent or Fraction(0), self.over, source)
        part = self.part.at(level, self.family)
        found = [noisy_totals(part, self.exact(part, level), (), self.family, source)]
        select = replace(self.select, limit=part.measurement.limit)
        measured = measured_of(select, [part], (), self.family, found)
        estimate: Any = select.aggregates["flights"].estimate
        return estimate.answers(measured, 0.95), measured, estimate

    def run(self, releases: int, source: Source) -> tuple[float, float, float]:
        """Root mean squared error, coverage of the raw counts, mean half-width before the cut at 0."""
        errors, held, widths = [], [], []
        for _ in range(releases):
            answers, measured, estimate = self._drawn(source)
            errors.append(answers.value - self.truth)
            held.append((answers.low <= self.truth) & (self.truth <= answers.high))
            ends = [float(measured.quantile(estimate.floats, risk)) for risk in (0.04, 0.01)]
            widths.append(sum(ends) / 2)
        return (
            float(np.sqrt(np.mean(np.square(errors)))),
            float(np.mean(held)),
            float(np.mean(widths)),
        )


def proposed(query: Select, family: Family, ledger: ln.Ledger) -> Part:
    """The part of a release at epsilon 1."""
    meters = ledger.store.meters
    return propose([query], Asked.of(meters, 1, None), family, meters).parts[0]


def trial(flights: ln.Data, by: Sequence[str], family: Family, ledger: ln.Ledger) -> Trial:
    """Of a grouping."""
    counts = counted(flights, by)
    query = flights.group_by(*by, groups=[*counts]).agg(flights=ln.count())
    truth = np.array([float(count) for count in counts.values()])
    return Trial(query, proposed(query, family, ledger), family, truth)


def counted(flights: ln.Data, by: Sequence[str]) -> Mapping[Any, int]:
    """The true counts of all groups; a benchmark may know them."""
    import duckdb

    (table,) = flights.relation.tables
    place: Any = table.place
    columns = ", ".join(by)
    found = duckdb.sql(
        f"SELECT {columns}, COUNT(*) FROM '{place.paths[0]}' GROUP BY ALL ORDER BY ALL"
    ).fetchall()
    return {
        key if len(key) > 1 else key[0]: count for *each, count in found for key in [tuple(each)]
    }


def destinations_shown(flights: ln.Data, ledger: ln.Ledger, releases: int) -> list[int]:
    """How many destinations are found privately; half of the price is spent on finding them."""
    query = flights.group_by("dest", groups="auto").agg(flights=ln.count())
    part, source = proposed(query, "gaussian", ledger), Source()
    measured, selection = part.measurement, part.selection
    assert selection is not None and isinstance(measured.groups, Unlisted)
    with DuckDB(measured.relation.tables) as engine:
        candidates = engine.candidates(
            candidates_sql(measured.relation, measured.groups, measured.totals,
                           selection.min_units, engine.scan, engine.dialect)
        )  # fmt: skip
    return [len(shown(selection, candidates, source)) for _ in range(releases)]


def rows(size: int, releases: int = 200) -> Iterator[Row]:  # noqa: ARG001
    """For each grouping: how often the raw counts are held, and how wide intervals are."""
    with tempfile.TemporaryDirectory() as folder:
        make_flights(Path(folder, "flights.parquet"))
        flights = ln.read(str(Path(folder, "flights.parquet")), privacy_unit={"plane": "tailnum"})
        ledger = ln.Ledger.create(Path(folder, "l"), privacy_unit="plane", epsilon=6, delta="1e-6")
        for by in GROUPINGS:
            for family in FAMILIES:
                each = trial(flights, by, family, ledger)
                rmse, held, half = each.run(releases, Source())
                limits = ", ".join(f"{limit}: {chance:.3f}" for limit, chance in each.law.items())
                what = f"raw counts held by 95 % intervals: flights by {', '.join(by)}, {family}"
                note = f"half-width {half:,.0f}; error {rmse:,.0f}; law of the limit {limits}"
                yield Row(what, held, least=0.93, unit="", note=note)
        found = destinations_shown(flights, ledger, releases)
        note = f"of 104, from {min(found)} to {max(found)}"
        yield Row("destinations shown, half of the price spent on finding them",
                  float(np.mean(found)), least=60, unit="on average", note=note)  # fmt: skip
