"""What an answer is: numbers with intervals, by group and column, and how they are shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cached_property
from typing import Any

import numpy as np

from leastnoise.ledger.meters import Family, Price
from leastnoise.numbers.errors import InvalidInput, did_you_mean
from leastnoise.numbers.exact import Exact, inside
from leastnoise.privacy.conversion import convert
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.release import export
from leastnoise.release.estimate import Answers
from leastnoise.release.forecast import mechanisms
from leastnoise.release.marginal_tables import rounded
from leastnoise.release.measurement import Law, Part
from leastnoise.release.notes import Note
from leastnoise.release.postprocess import Outer
from leastnoise.release.query import Select, measured_of
from leastnoise.report.html import Notebook
from leastnoise.report.numbers import percent, share_with_margin, with_margin
from leastnoise.report.text import text_of
from leastnoise.report.view import Cell, View
from leastnoise.tables.groups import Groups
from leastnoise.tables.schema import Value

LEVEL = 0.95


@dataclass(frozen=True, repr=False)
class Answer:
    """One released number.

    Attributes:
        value: the estimate.
        low: the lower end of the interval around it.
        high: the upper end.
        standard_error: of the value.
    """

    value: float
    low: float
    high: float
    standard_error: float

    def __repr__(self) -> str:
        return f"Answer({', '.join(f'{name}={each:.12g}' for name, each in vars(self).items())})"


@dataclass(frozen=True)
class Terms:
    """On what terms an answer was given.

    Attributes:
        ledger: the name of the ledger.
        number: of the charge in the ledger.
        asked: what was asked for: "epsilon 2".
        price: what was charged.
        cost: the part of the ledger that this is.
        left: the part that is left.
        reason: why the noise has its law.
        in_rho: whether the ledger counts in rho.
        head: the hash of the line of the charge, which all later lines are bound to.
    """

    ledger: str
    number: int
    asked: str
    price: Price
    cost: float
    left: float
    reason: str
    in_rho: bool
    head: str

    @property
    def with_groups(self) -> ApproxDP:
        """(epsilon, delta)-DP of a release that found groups: delta twice that of the groups."""
        if self.in_rho:
            both = convert(ZCDP(rho=self.price.rho), ApproxDP, delta=self.price.delta)
        else:
            mu = float(self.price.squared_mu) ** 0.5 * (1 + 1e-15)
            both = convert(GDP(mu=mu), ApproxDP, delta=self.price.delta)
        assert isinstance(both, ApproxDP)
        return ApproxDP(epsilon=both.epsilon, delta=2 * self.price.delta)

    @property
    def guarantee(self) -> Guarantee:
        """What the release alone promises about one privacy unit."""
        if self.in_rho and not self.price.delta:
            return ZCDP(rho=self.price.rho)
        if self.price.delta:  # of groups, beside Gaussian noise
            return self.with_groups
        if self.price.epsilon is not None:
            return PureDP(epsilon=self.price.epsilon)
        return GDP(mu=float(self.price.squared_mu) ** 0.5 * (1 + 1e-15))

    @property
    def sentence(self) -> str:
        """The price in words."""
        return f"Cost: {self.asked} = {percent(self.cost)} of {self.ledger}, {percent(self.left)} left."


@dataclass(frozen=True, eq=False, repr=False)
class Result(Notebook):
    """The answer of one query. Print it, index it, or turn it into a frame.

    `result["UA", "flights"]` is one `Answer`; without groups `result["flights"]`.

    Attributes:
        select: the query.
        parts: what was measured, with which noise.
        draws: the laws of draws that totals share.
        family: the law of the noise.
        found: the noisy totals of every part, as they are stored.
        terms: price and ledger.
        notes: what needs attention.
        level: of the intervals.
    """

    select: Select
    parts: tuple[Part, ...]
    draws: tuple[Law, ...]
    family: Family
    found: Sequence[Mapping[str, Any]]
    terms: Terms
    notes: tuple[Note, ...]
    level: float = LEVEL

    @cached_property
    def answers(self) -> dict[str, Answers]:
        """The answers of the groups that are shown, by column."""
        return {
            name: found.of_rows(self._order)
            for name, found in self._all.items()
            if name not in self.select.hidden
        }

    @cached_property
    def _all(self) -> dict[str, Answers]:
        measured = measured_of(self.select, self.parts, self.draws, self.family, self.found)
        aggregates, together = self.select.aggregates, self.select.together
        found = {
            name: kind.estimate.answers(measured, self.level) for name, kind in aggregates.items()
        }
        if together is None:
            return {name: each.rounded() for name, each in found.items()}
        names = [key.name for key in self.select.keys]
        return {n: rounded(together, names, self.draws[0], each) for n, each in found.items()}

    @cached_property
    def _order(self) -> list[int]:
        """The numbers of the groups that are shown, in order; of found ones, the largest first."""
        outer, columns = self.select.outer, dict[str, Sequence[object]]()
        for place, key in enumerate(self.select.keys):
            columns[key.name] = [values[place] for values in self._groups]
        columns |= {name: found.value.tolist() for name, found in self._all.items()}
        if self.parts[0].selection is not None and not outer.order:
            outer = replace(outer, order=((next(iter(self._all)), True),))
        count = len(self._groups)
        return [*range(count)] if outer == Outer() else outer.rows(columns, count)

    @property
    def _groups(self) -> tuple[tuple[Value, ...], ...]:
        assert isinstance(self.select.groups, Groups)
        return self.select.groups.keys

    @cached_property
    def keys(self) -> list[tuple[Value, ...]]:
        """The keys of the groups that are shown, in order."""
        return [
            tuple(
                key.shown(value)
                for key, value in zip(self.select.keys, self._groups[at], strict=True)
            )
            for at in self._order
        ]

    @cached_property
    def _places(self) -> dict[tuple[Value, ...], int]:
        return {key: place for place, key in enumerate(self.keys)}

    def __getitem__(self, place: Any) -> Answer:
        *key, column = place if isinstance(place, tuple) else (place,)
        if not isinstance(column, str) or column not in self.answers:
            hint = did_you_mean(str(column), self.answers)
            raise InvalidInput(
                f'The answer has no column "{column}".{hint} Columns: {", ".join(self.answers)}.'
            )
        if len(key) != len(self.select.keys):
            names = [f"<{each.name}>" for each in self.select.keys]
            raise InvalidInput(f"Write result[{', '.join([*names, repr(column)])}].")
        try:
            at = self._places[tuple(key)]
        except (KeyError, TypeError):  # a list, say, is no key
            shown = ", ".join(map(str, key))
            known = ", ".join(", ".join(map(str, each)) for each in self.keys[:5])
            more = f", and {len(self.keys) - 5} more" if len(self.keys) > 5 else ""
            raise InvalidInput(f"There is no group {shown}. Groups: {known}{more}.") from None
        found = self.answers[column]
        ends = (found.value, found.low, found.high, found.standard_error)
        return Answer(*(float(each[at]) for each in ends))

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One dict for each group: keys, then value, low, high and standard error of each column."""
        columns = export.columns_of(self)
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def intervals(self, level: Exact) -> "Result":
        """The same answer with intervals at another level, such as 0.9."""
        return replace(self, level=float(inside(level, "level")))

    @property
    def guarantee(self) -> Guarantee:
        """What this release alone promises about one privacy unit."""
        return self.terms.guarantee

    @property
    def mechanisms(self) -> list[dict[str, object]]:
        """Every measurement as data: law, scale, sensitivity, norm, price and total."""
        return mechanisms(self.parts, self.draws, self.family)

    def to_pandas(self) -> Any:
        """A pandas frame: the keys, and for each column value, low, high and se."""
        return export.to_pandas(self)

    def to_polars(self) -> Any:
        """The same as a Polars frame."""
        return export.to_polars(self)

    def to_arrow(self) -> Any:
        """The same as an Arrow table."""
        return export.to_arrow(self)

    def to_csv(self, path: str, *, integers: bool = False) -> None:
        """Writes the same as CSV, counts perhaps rounded to whole numbers."""
        export.to_csv(self, path, integers=integers)

    def to_parquet(self, path: str) -> None:
        """Writes the same as Parquet."""
        export.to_parquet(self, path)

    def to_json(self) -> str:
        """The answer with everything that is known of it, as JSON."""
        return export.to_json(self)

    def view(self) -> View:
        """The answer as a table."""
        header = (
            f"{self.select.title}, with {100 * self.level:g} % margins",
            f"Each {self.select.unit} is protected. {self.terms.sentence}",
        )
        cells = {name: self._cells(name) for name in self.answers}
        if self.select.keys:
            names = tuple(key.name for key in self.select.keys)
            heads: tuple[str, ...] = (*names, *cells)
            rows = [
                (
                    *(Cell(key_text(value)) for value in key),
                    *(column[at] for column in cells.values()),
                )
                for at, key in enumerate(self.keys)
            ]
            marks = [any(self._is_imprecise(name, at) for name in cells) for at in range(len(rows))]
        else:  # one row of answers is turned
            heads = ("", "")
            shown = {name: column[0] for name, column in cells.items() if column}
            rows = [(Cell(name), cell) for name, cell in shown.items()]
            marks = [self._is_imprecise(name, 0) for name in shown]
        if any(marks):
            heads = (*heads, "")
            rows = [
                (*row, Cell("imprecise" if mark else ""))
                for row, mark in zip(rows, marks, strict=True)
            ]
        notes = tuple(note.text for note in self.notes)
        return View(header, heads, tuple(rows), notes, left=max(1, len(self.select.keys)))

    def _cells(self, name: str) -> list[Cell]:
        kind, found = self.select.aggregates[name], self.answers[name]
        write = share_with_margin if kind.style == "share" else with_margin
        unit = f" {kind.measured_in}" if kind.measured_in else ""
        margins = np.maximum(found.value - found.low, found.high - found.value)
        ends = np.stack([found.low, found.value, found.high])
        finite = np.where(np.isfinite(ends), ends, 0)
        low, high = min(0, finite.min(initial=0)), finite.max(initial=0)
        bars = np.clip((ends - low) / ((high - low) or 1), 0, 1).T.tolist()
        cells = []
        for at, (value, margin) in enumerate(zip(found.value, margins, strict=True)):
            if self._is_unknown(name, at):
                cells.append(Cell("unknown"))
                continue
            shown, width = write(float(value), float(margin))
            cells.append(Cell(shown, width + unit, tuple(bars[at])))
        return cells

    def _is_unknown(self, name: str, at: int) -> bool:
        """Whether the interval holds everything that is possible."""
        found, ends = self.answers[name], self._ends(name)
        if ends is None:
            return bool(np.isinf(found.high[at]) or np.isinf(found.low[at]))
        return bool(found.low[at] <= ends[0] and found.high[at] >= ends[1])

    def _ends(self, name: str) -> tuple[float, float] | None:
        """The least and the greatest answer, if they are known."""
        estimate = self.select.aggregates[name].estimate
        low, high = (getattr(estimate, end, None) for end in ("low", "high"))
        return None if low is None or high is None else (float(low), float(high))

    def _is_imprecise(self, name: str, at: int) -> bool:
        """A relative standard error above 25 %, or a margin above a quarter of the range."""
        if self._is_unknown(name, at):
            return False
        found, ends = self.answers[name], self._ends(name)
        if ends is None:
            return bool(found.standard_error[at] > abs(found.value[at]) / 4)
        return bool(found.high[at] - found.low[at] > (ends[1] - ends[0]) / 2)

    def __repr__(self) -> str:
        return text_of(self.view())


def key_text(value: Value) -> str:
    """A group's key as text."""
    match value:
        case None:
            return "(missing)"
        case bool():
            return "yes" if value else "no"
        case datetime():
            return value.isoformat(" ")
        case date():
            return value.isoformat()
        case _:
            return str(value)
