"""One SELECT, frozen: rows, groups, named aggregates, the limit of a unit, and what it measures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any, cast

import numpy as np

from leastnoise.ledger.meters import Family
from leastnoise.ledger.records import canonical, digest
from leastnoise.numbers.errors import InvalidInput
from leastnoise.release.estimate import (
    Floats,
    Measured,
    in_rows,
    noise_sizes,
    parts_of,
)
from leastnoise.release.grouping import Key
from leastnoise.release.kinds import Kind
from leastnoise.release.marginal_tables import CellNoise, Together
from leastnoise.release.measurement import Drawn, JointLaw, Law, Limit, Measurement, Part, Shared
from leastnoise.release.postprocess import Outer
from leastnoise.release.quantiles import Histogram
from leastnoise.release.shared_noise import SharedNoise
from leastnoise.tables.dialect import DUCKDB, Fragment
from leastnoise.tables.expressions import columns_of
from leastnoise.tables.groups import MOST, Groups, Unlisted
from leastnoise.tables.relation_sql import relation_sql
from leastnoise.tables.relations import Filtered, Relation
from leastnoise.tables.schema import CsvFiles, Table, Value
from leastnoise.tables.totals import Above, Below, Centred, Present, Rows, Total

OVER_LIMIT = Fraction(3, 100)  # of the price: how many units have more rows than the limit
CLIPPED = Fraction(1, 10)  # of the part of a mean or sum: how many values are outside its range

_CELLS_OF_FOUND_GROUPS = 256  # of a quantile, where nobody knows how many groups there will be
_RESERVED = ("max_contributions", "max_per_group", "groups", "min_units")


@dataclass(frozen=True, eq=False, repr=False)
class Select:
    """One SELECT.

    Attributes:
        relation: its rows.
        unit: the name of the privacy unit.
        keys: what rows are grouped by.
        groups: the known groups, or what is to be found privately.
        aggregates: the answers by name.
        limit: how much one unit may add; None where no unit has more than one row.
        title: what it is called.
        min_units: groups of fewer units are never found.
        outer: which rows are shown, by released values.
        hidden: aggregates that are measured for `outer` alone.
        text: the query in SQL, if it was written so.
        most_cells: how many cells a quantile may have in a group.
        together: the tables that it is one of, if they fit together.
    """

    relation: Relation
    unit: str
    keys: tuple[Key, ...]
    groups: Groups | Unlisted
    aggregates: Mapping[str, Kind]
    limit: Limit | Drawn | None
    title: str
    min_units: int = 1
    outer: Outer = Outer()
    hidden: frozenset[str] = frozenset()
    text: str | None = None
    most_cells: int = MOST
    together: Together | None = None

    def __post_init__(self) -> None:
        names = [*(key.name for key in self.keys), *self.aggregates]
        for name in names:
            if names.count(name) > 1:
                raise InvalidInput(f'Two columns of the answer are called "{name}". Rename one.')
            if name in _RESERVED or not name.strip() or name.startswith(" "):
                raise InvalidInput(f'A column of the answer cannot be called "{name}". Rename it.')
        if isinstance(self.groups, Unlisted):
            object.__setattr__(self, "most_cells", _CELLS_OF_FOUND_GROUPS)
        if not self.aggregates:
            raise InvalidInput("Nothing is asked for. Write .agg(rows=ln.count()).")

    @property
    def known_groups(self) -> int | None:
        """How many groups there are, if that is known."""
        return len(self.groups) if isinstance(self.groups, Groups) else None

    @property
    def asks_for_means_alone(self) -> bool:
        """Whether every answer is a quotient, which a limit lowers neither always nor much."""
        return not any(kind.is_limited or kind.histograms for kind in self.aggregates.values())

    @property
    def shares_draws(self) -> bool:
        """Whether its totals can have noise from one draw: they are of one group, with a known limit."""
        return self.known_groups == 1 and not isinstance(self.limit, Drawn)

    @property
    def count_of_parts(self) -> int:
        """How many parts it has in a proposal."""
        totals = any(kind.totals for kind in self.aggregates.values())
        return totals + sum(map(self.depth, self.histograms))

    def measurements(
        self, family: Family, *, over_limit: bool
    ) -> list[tuple[Measurement, tuple[Fraction, ...]]]:
        """What is measured for all answers, and the part of the price of every total.

        First the totals of rows and units; then the levels of every histogram, each with groups that
        are finer by its cells.
        """
        shares, found = self._shares(over_limit=over_limit), []
        totals = {each: part for each, part in shares.items() if isinstance(each, Total)}
        if family == "laplace" and not self.shares_draws and self.together is None:
            totals = _paired(totals)
        if totals:
            measured = self._measurement(self.groups, tuple(totals), over_limit=over_limit)
            found.append((measured, tuple(totals.values())))
        for histogram in self.histograms:
            depth = self.depth(histogram)
            for level in range(depth):
                finer = _finer(self.groups, histogram, level)
                also = over_limit and not found
                measured = self._measurement(finer, (Rows(histogram.where),), over_limit=also)
                found.append((measured, (shares[histogram] / depth,)))
        return found

    def _measurement(
        self, groups: Groups | Unlisted, totals: tuple[Total, ...], *, over_limit: bool
    ) -> Measurement:
        together = self.together is not None
        return Measurement(self.relation, groups, totals, self.limit, over_limit, together)

    @cached_property
    def histograms(self) -> tuple[Histogram, ...]:
        """Each histogram once."""
        return tuple(dict.fromkeys(h for kind in self.aggregates.values() for h in kind.histograms))

    def depth(self, histogram: Histogram) -> int:
        """How many levels of a histogram are measured: the groups with their cells stay few enough."""
        most = self.most_cells
        if most == MOST and isinstance(self.groups, Groups):
            most = MOST // max(1, len(self.groups))
        return max(1, sum(size <= most for size in histogram.sizes))

    def _shares(self, *, over_limit: bool) -> dict[Total | Histogram, Fraction]:
        """The part of the price of every total and histogram.

        First the count of units over the limit, then a tenth of every mean and sum for the values
        outside its range; what is left goes in equal parts to the distinct totals and histograms.
        """
        rest = 1 - OVER_LIMIT if over_limit else Fraction(1)
        clipped: dict[Total, Fraction] = {}
        for kind in self.aggregates.values():
            if kind.clipped is not None:
                part = CLIPPED * rest / len(self.aggregates)
                clipped[kind.clipped] = clipped.get(kind.clipped, Fraction(0)) + part
        totals = dict.fromkeys(t for kind in self.aggregates.values() for t in kind.totals)
        wanted: list[Total | Histogram] = [*totals, *self.histograms]
        equal = (rest - sum(clipped.values())) / len(wanted)
        found: dict[Total | Histogram, Fraction] = dict.fromkeys(wanted, equal)
        for total, part in clipped.items():
            found[total] = found.get(total, Fraction(0)) + part
        return found

    def as_found(self, measured: Measurement) -> "Select":
        """With the groups that were found and the limit that was drawn."""
        groups = self.groups
        if isinstance(groups, Unlisted):
            assert isinstance(measured.groups, Groups)
            keys = dict.fromkeys(key[: len(self.keys)] for key in measured.groups.keys)
            groups = Groups(groups.by, tuple(keys))
        return replace(self, groups=groups, limit=measured.limit)

    @cached_property
    def sql(self) -> str:
        """The query in SQL, for people to tell queries apart."""
        if self.text is not None:
            return self.text
        keys = [_named(str(key.by) if key.labels is None else f"bins({key.name})", key.name)
                for key in self.keys]  # fmt: skip
        columns = ", ".join(
            [
                *keys,
                *(
                    _named(kind.sql.replace("{unit}", self.unit), name)
                    for name, kind in self.aggregates.items()
                ),
            ]
        )
        text = f"SELECT {columns} FROM {self._source}"
        if self._conditions:
            text += f" WHERE {' AND '.join(self._conditions)}"
        return text + (f" GROUP BY {', '.join(key.name for key in self.keys)}" if self.keys else "")

    @cached_property
    def _as_read(self) -> list[Any]:
        """How each table is read: its unit, the form of text, the types of the columns that are used."""
        found: list[Any] = []

        def scan(table: Table, names: list[str]) -> Fragment:
            used = sorted({*names, *([] if table.unit is None else [table.unit])})
            text = table.place if isinstance(table.place, CsvFiles) else None
            form = [table.unit, table.time_zone, text and [text.delimiter, text.decimal]]
            found.append([table.name, *form, [[name, table.schema[name].type] for name in used]])
            return Fragment("")

        totals = [total for kind in self.aggregates.values() for total in kind.totals]
        cells = [each for h in self.histograms for each in (h.where, h.value) if each is not None]
        read = [*self.groups.by, *cells, *(each for total in totals for each in total.expressions)]
        names = [column.name for each in read for column in columns_of(each)]
        relation_sql(self.relation, names, scan, DUCKDB)
        return found

    @cached_property
    def identity(self) -> dict[str, Any]:
        """What makes two queries one and the same; never data."""
        limit = None if self.limit is None else "auto"
        if isinstance(self.limit, Limit):
            limit = [self.limit.rows, self.limit.per_group]  # type: ignore[assignment]
        lists = self.groups.keys if isinstance(self.groups, Groups) else self.groups.known
        groups = digest(canonical([None if each is None else [*map(repr, each)] for each in lists]))
        return {
            "sql": self.sql,
            "by": [str(each) for each in self.groups.by],
            "unit": self.unit,
            "groups": groups,
            "read": digest(canonical([*self._as_read, *(k.sql for k in self.aggregates.values())])),
            "min_units": self.min_units,
            "limit": limit,
        } | ({} if self.together is None else {"tables": [*map(list, self.together.tables)]})

    def __repr__(self) -> str:
        return self.sql

    @property
    def _source(self) -> str:
        return ", ".join(table.name for table in self.relation.tables)

    @property
    def _conditions(self) -> list[str]:
        found, relation = list[str](), self.relation
        while isinstance(relation, Filtered):
            found.append(str(relation.condition))
            relation = relation.source
        return found[::-1]


def _named(text: str, name: str) -> str:
    return text if text == name else f"{text} AS {name}"


def _finer(groups: Groups | Unlisted, histogram: Histogram, level: int) -> Groups | Unlisted:
    """Every group by the cells of a level."""
    by, codes = (*groups.by, histogram.code(level)), tuple(range(histogram.sizes[level]))
    if isinstance(groups, Unlisted):
        return Unlisted(by, (*groups.known, codes))
    keys: list[tuple[Value, ...]] = [(*key, code) for key, code in product(groups.keys, codes)]
    return Groups(by, tuple(keys))


def _paired(shares: Mapping[Total, Fraction]) -> dict[Total, Fraction]:
    """Rows and sum of a value as `Above` and `Below`, which cost as much as one of them."""
    found = dict(shares)
    for total, share in shares.items():
        present = Present(total.where, total.value) if type(total) is Centred else None
        if present is not None and present in found:
            assert type(total) is Centred
            ends = (total.where, total.value, total.lower, total.upper)
            both = found.pop(present) + share
            del found[total]
            found |= {Above(*ends): both, Below(*ends): both}
    return found


def measured_of(
    select: Select,
    parts: Sequence[Part],
    draws: Sequence[Law],
    family: Family,
    found: Sequence[Mapping[str, Any]],
) -> Measured:
    """Totals with noise of a query's parts, as what answers are computed from."""
    values: dict[Total, Floats] = {}
    sizes: dict[Any, Any] = {}
    cells: dict[Any, list[Floats]] = {}
    shared: SharedNoise | CellNoise | None = None
    groups, at = 0, 0
    if any(kind.totals for kind in select.aggregates.values()):
        totals = parts[0].measurement.totals
        values = {t: in_rows(each) for t, each in zip(totals, found[0]["totals"], strict=True)}
        groups = len(found[0]["totals"][0])
        for kind in select.aggregates.values():
            for total in {*kind.totals} - {*values}:
                pair = (c * values[own] for own, c in parts_of(total, values))
                values[total] = np.sum([*pair], axis=0)
        if select.together is not None:
            shared, at = CellNoise.of(select.together, parts[0], draws), 1
        else:
            sizes = dict(zip(totals, noise_sizes(parts[0], family), strict=True))
            shared, at = _shared(parts[0], draws), 1
    for histogram in select.histograms:
        own = range(at, at + select.depth(histogram))
        groups = len(found[at]["totals"][0]) // histogram.sizes[0]
        cells[histogram] = [in_rows(found[i]["totals"][0]).reshape(groups, -1) for i in own]
        sizes[histogram] = [noise_sizes(parts[i], family)[0] for i in own]
        at += len(own)
    return Measured(family, values, sizes, select.limit is not None, cells, groups, shared)


def _shared(part: Part, draws: Sequence[Law]) -> SharedNoise | None:
    """The noise of those totals that share draws."""
    pairs = zip(part.measurement.totals, part.noise, strict=True)
    numbers = {t: (each.draw, each.place, 0) for t, each in pairs if isinstance(each, Shared)}
    if not numbers:
        return None
    return SharedNoise(cast(tuple[JointLaw, ...], draws), numbers)
