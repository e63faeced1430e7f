"""What a release would give and cost, without reading a row or spending anything."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import log2

from leastnoise.ledger.costs import Asked, cost_of, price_of
from leastnoise.ledger.meters import Family, Meters
from leastnoise.numbers.errors import InvalidInput, did_you_mean
from leastnoise.privacy.guarantee import ZCDP
from leastnoise.release.choose_noise import Choice, propose
from leastnoise.release.estimate import Linear
from leastnoise.release.forecast import margin, mechanisms
from leastnoise.release.kinds import Kind
from leastnoise.release.measurement import Drawn, Part, Proposal
from leastnoise.release.notes import typical_units
from leastnoise.release.query import Select
from leastnoise.report.numbers import last_digit, percent, rounded, share_with_margin
from leastnoise.report.text import text_of
from leastnoise.report.view import Cell, View
from leastnoise.tables.groups import Unlisted

_ROWS = (10_000, 100_000)  # in a group, where nobody says how many to expect
_LIMITS = (10, 100, 1_000)  # that may be drawn
_SMALLER = 0.8  # of a margin, from which another law is mentioned


@dataclass(frozen=True, eq=False)
class Preview:
    """The margins to expect and the cost. Print it.

    Attributes:
        selects: the queries by name.
        weights: what each gets of the budget beside the others.
        title: what the release is called.
        choice: what would be proposed.
        asked: what it would be asked to cost.
        meters: what the ledger has spent.
        ledger: its name.
        expected_rows: how many rows a group is expected to have.
    """

    selects: Mapping[str, Select]
    weights: tuple[Fraction, ...]
    title: str
    choice: Choice
    asked: Asked
    meters: Meters
    ledger: str
    expected_rows: int | None = None

    @property
    def cost(self) -> float:
        """The part of the ledger that the release would cost."""
        return float(cost_of(self.meters, self.choice.proposal.price))

    def margin(self, column: str, rows: float = _ROWS[0], *, limit: float = _LIMITS[1]) -> float:
        """The margin to expect of a column, in a group of so many rows.

        Args:
            column: its name; in a plan with the query's name: "by_city.visits".
            rows: how many rows the group has.
            limit: which limit is drawn, where it is drawn.
        """
        name, own = self._find(column)
        return self._margin(self.choice.proposal, name, own, rows, limit)

    @property
    def mechanisms(self) -> list[dict[str, object]]:
        """Every measurement as data, as it would be."""
        proposed = self.choice.proposal
        return mechanisms(proposed.parts, proposed.draws, proposed.family)

    def _find(self, column: str) -> tuple[str, str]:
        names = {f"{name}.{own}": (name, own) for name, own, _ in self._columns()}
        names |= {own: (name, own) for name, own, _ in self._columns()}
        if column not in names:
            hint = did_you_mean(column, names)
            raise InvalidInput(f'The answer has no column "{column}".{hint}')
        return names[column]

    def _columns(self) -> Iterator[tuple[str, str, Kind]]:
        for name, select in self.selects.items():
            for own, kind in select.aggregates.items():
                yield name, own, kind

    def _margin(
        self, proposed: Proposal, name: str, column: str, rows: float, limit: float
    ) -> float:
        at = 0
        for other, select in self.selects.items():
            count = select.count_of_parts
            if other == name:
                parts = [
                    _at(part, limit, proposed.family) for part in proposed.parts[at : at + count]
                ]
                return margin(select, parts, proposed.draws, proposed.family, column, rows)
            at += count
        raise KeyError(name)

    @cached_property
    def _is_drawn(self) -> bool:
        return any(isinstance(select.limit, Drawn) for select in self.selects.values())

    def view(self) -> View:
        """The margins as a table."""
        header = [
            "Preview: no data read, nothing spent.",
            f"{self.title} at {self.asked} would cost {percent(self.cost)} of {self.ledger} "
            f"({percent(1 - self.meters.spent)} left).",
        ]
        if not self.meters.fits(self.choice.proposal.price):
            header.append("It does not fit any more.")
        heads = self._heads()
        rows = [
            row for name, column, kind in self._columns() for row in self._rows(name, column, kind)
        ]
        if self._is_drawn:
            header += ["", self._caption]
        columns = ("column", "what it is", *heads)
        return View(
            tuple(header),
            columns,
            tuple(rows),
            tuple(self._notes()),
            left=2 if self._is_drawn else 3,
        )

    @property
    def _caption(self) -> str:
        of = "" if self.expected_rows is None else f" in a group of {self.expected_rows:,} rows"
        return f"95 % margins to expect{of}, by the limit that is chosen:"

    def _heads(self) -> tuple[str, ...]:
        if self._is_drawn:
            return tuple(f"{limit:,}" for limit in _LIMITS)
        if self.expected_rows is not None:
            return (f"95 % margin, in {self.expected_rows:,} rows",)
        grouped = any(select.keys for select in self.selects.values())
        return ("95 % margin to expect, per group" if grouped else "95 % margin to expect",)

    def _rows(self, name: str, column: str, kind: Kind) -> Iterator[tuple[Cell, ...]]:
        shown = column if len(self.selects) == 1 else f"{name}.{column}"
        hidden = column in self.selects[name].hidden
        what = kind.what + (" (for the order or HAVING)" if hidden else "")
        sizes: tuple[int, ...] = _ROWS if self.expected_rows is None else (self.expected_rows,)
        if isinstance(kind.estimate, Linear):
            sizes = sizes[:1]
        limits = _LIMITS if isinstance(self.selects[name].limit, Drawn) else (0,)
        for place, rows in enumerate(sizes):
            widths = [self._margin(self.choice.proposal, name, column, rows, n) for n in limits]
            texts = [margin_text(kind, width) for width in widths]
            if len(texts) < len(self._heads()):  # a typed limit beside one that is drawn
                texts *= len(self._heads())
            ending = f"in {rows:,} rows" if len(sizes) > 1 else ""
            if self._is_drawn:
                about = what if not ending else f"{what}, {ending}"
            else:
                about, texts = what, [f"{text}  {ending}".rstrip() for text in texts]
            first = (shown, about) if not place else ("", about if self._is_drawn else "")
            yield (*map(Cell, first), *map(Cell, texts))

    def _notes(self) -> Iterator[str]:
        for select, part in zip(self.selects.values(), self._leaders(), strict=True):
            if part.selection is not None:
                nearly, half = (typical_units(part.selection, chance) for chance in (0.95, 0.5))
                yield (
                    f"Counting each {select.unit} once, a group of {nearly} is listed in 95 % of "
                    f"releases, one of {half} in half."
                )
        yield from self._other_law()

    def _leaders(self) -> list[Part]:
        found, at = [], 0
        parts = self.choice.proposal.parts
        for select in self.selects.values():
            found.append(parts[at])
            at += select.count_of_parts
        return found

    def _other_law(self) -> Iterator[str]:
        """Another law, where it is a fifth better for the first column; only if it fits."""
        own = self.choice.proposal
        other: Family = "laplace" if own.family == "gaussian" else "gaussian"
        guarantee = self.meters.total.guarantee
        finds = any(isinstance(select.groups, Unlisted) for select in self.selects.values())
        if isinstance(guarantee, ZCDP) or not guarantee.delta or finds:
            return
        price = price_of(self.asked, other, self.meters)
        if not self.meters.fits(price):
            return
        there = propose([*self.selects.values()], self.asked, other, self.meters, self.weights)
        name, column, kind = next(self._columns())
        rows, limit = self.expected_rows or _ROWS[0], _LIMITS[1]
        width = self._margin(there, name, column, rows, limit)
        if width < _SMALLER * self._margin(own, name, column, rows, limit):
            cost = percent(cost_of(self.meters, price))
            closes = not self.meters.after(price).b_holds
            end = ", and it would accept only Laplace noise afterwards" if closes else ""
            at = f" at limit {limit}" if self._is_drawn else ""
            yield (
                f'noise="{other}": {margin_text(kind, width)} for {column}{at}, but {cost} of the '
                f"ledger{end}. Details: .mechanisms"
            )

    def __repr__(self) -> str:
        return text_of(self.view())


def _at(part: Part, limit: float, family: Family) -> Part:
    """The part with a limit that may be drawn."""
    if not isinstance(part.measurement.limit, Drawn):
        return part
    return part.at(round(2 * log2(limit)), family)


def margin_text(kind: Kind, width: float) -> str:
    """A margin alone, with what it is measured in."""
    if kind.style == "share":
        return f"± {share_with_margin(0, width)[1]} points"
    unit = f" {kind.measured_in}" if kind.measured_in else ""
    return f"± {rounded(width, last_digit(width))}{unit}"
