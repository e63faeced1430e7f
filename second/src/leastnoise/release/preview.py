"""What a release would give and cost, without reading a row or spending anything."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import log2

from leastnoise.ledger.costs import Asked, cost_of, price_of
from leastnoise.ledger.meters import Family, Meters
from leastnoise.numbers.errors import InvalidInput, did_you_mean
from leastnoise.numbers.exact import positive, written
from leastnoise.privacy.guarantee import ZCDP
from leastnoise.release.auto_contributions import draw_price
from leastnoise.release.choose_noise import Choice, propose
from leastnoise.release.estimate import Linear
from leastnoise.release.forecast import margin, mechanisms
from leastnoise.release.group_selection import selection_price
from leastnoise.release.kinds import Kind
from leastnoise.release.measurement import Drawn, Limit, Part, Proposal, Shared
from leastnoise.release.notes import typical_units
from leastnoise.release.quantiles import Quantile
from leastnoise.release.query import Select
from leastnoise.report.html import Notebook
from leastnoise.report.numbers import last_digit, percent, rounded, share_with_margin
from leastnoise.report.text import text_of
from leastnoise.report.view import Cell, View
from leastnoise.tables.groups import Unlisted
from leastnoise.tables.totals import Centred

_ROWS = (10_000, 100_000)  # in a group, where nobody says how many to expect
_LIMITS = (10, 100, 1_000)  # that may be drawn
_CURRENCY: dict[Family, str] = {"laplace": "epsilon", "gaussian": "squared_mu"}
_SMALLER = 0.8  # of a margin, from which another law is mentioned


@dataclass(frozen=True, eq=False, repr=False)
class Preview(Notebook):
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
        at, select = self._starts[name], self.selects[name]
        parts = [
            _at(part, limit, proposed.family)
            for part in proposed.parts[at : at + select.count_of_parts]
        ]
        return margin(select, parts, proposed.draws, proposed.family, column, rows)

    @cached_property
    def _starts(self) -> dict[str, int]:
        """For every query the number of its first part."""
        counts = [select.count_of_parts for select in self.selects.values()]
        return dict(zip(self.selects, accumulate(counts, initial=0), strict=False))

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
        texts = [self._texts(name, column, kind, rows) for rows in sizes]
        if not self._is_drawn:
            for rows, (text, *_) in zip(sizes, texts, strict=True):
                ending = f"  in {rows:,} rows" if len(sizes) > 1 else ""
                yield Cell(shown), Cell(what), Cell(text + ending)
                shown = what = ""
            return
        what += ", points" if kind.style == "share" else ""
        what += ", % of rows" if isinstance(kind.estimate, Quantile) else ""
        if len(sizes) == 1:
            yield (Cell(shown), Cell(what), *map(Cell, texts[0]))
            return
        yield (Cell(shown), Cell(what), *[Cell("")] * len(_LIMITS))
        for rows, line in zip(sizes, texts, strict=True):
            yield (Cell(""), Cell(f"  in {rows:,} rows"), *map(Cell, line))

    def _texts(self, name: str, column: str, kind: Kind, rows: float) -> list[str]:
        """The margins of a column, by the limit if one is drawn."""
        limits = _LIMITS if isinstance(self.selects[name].limit, Drawn) else (0,)
        widths = [self._margin(self.choice.proposal, name, column, rows, n) for n in limits]
        texts = [margin_text(kind, width) for width in widths]
        if self._is_drawn:  # perhaps beside a limit that was typed
            texts = [text.removesuffix(" points").removesuffix(" % of rows") for text in texts]
            texts *= len(_LIMITS) // len(texts)
        return texts

    def _notes(self) -> Iterator[str]:
        for name, select in self.selects.items():
            part = self.choice.proposal.parts[self._starts[name]]
            if part.selection is not None:
                nearly, half = (typical_units(part.selection, chance) for chance in (0.95, 0.5))
                yield (
                    f"Counting each {select.unit} once, a group of {nearly} is listed in 95 % of "
                    f"releases, one of {half} in half."
                )
        yield from self._made_of()
        yield from self._other_law()

    def _made_of(self) -> Iterator[str]:
        """What makes the margins as wide as they are, where a limit is drawn."""
        if not self._is_drawn:
            return
        proposed = self.choice.proposal
        limits = [draw_price(part.exponent) for part in proposed.parts if part.exponent]
        currency = "rho" if self._in_rho else _CURRENCY[proposed.family]
        whole, pieces = getattr(proposed.price, currency), []
        if found := [selection_price(p.selection) for p in proposed.parts if p.selection]:
            part = sum(getattr(each, currency) for each in found) / whole
            pieces.append(f"{percent(part)} finds the groups")
        part = sum(getattr(each, currency) for each in limits) / whole
        pieces.append(f"{percent(part)} chooses the limit")
        totals = sum(len(part.measurement.totals) for part in proposed.parts)
        rest = "one total takes the rest" if totals == 1 else f"{totals} totals share the rest"
        ranges = [f"{column} ({written(total.lower)} to {written(total.upper)})"
                  for _, column, kind in self._columns() for total in kind.totals
                  if isinstance(total, Centred)][:1]  # fmt: skip
        yield f"Of the price {', '.join(pieces)}; {rest}." + "".join(
            f" Margins grow with the width of a range, as of {each}." for each in ranges
        )
        unit = next(iter(self.selects.values())).unit
        yield (
            f"Smaller margins: set max_contributions if you know the most rows of one {unit}, ask for "
            f"fewer columns, or raise {'rho' if self._in_rho else 'epsilon'}."
        )

    @property
    def _in_rho(self) -> bool:
        return isinstance(self.meters.total.guarantee, ZCDP)

    def _other_law(self) -> Iterator[str]:
        """The other law, for the first column for which it is a fifth better; only if it fits."""
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
        rows, limit = self.expected_rows or _ROWS[0], _LIMITS[1]
        widths = (
            (column, kind, self._margin(there, name, column, rows, limit),
             self._margin(own, name, column, rows, limit))
            for name, column, kind in self._columns()
        )  # fmt: skip
        better = next((each for each in widths if each[2] < _SMALLER * each[3]), None)
        if better is None:
            return
        column, kind, width, _ = better
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
    """The part with about this limit, if its limit is drawn: noise in proportion to the limit."""
    if not isinstance(part.measurement.limit, Drawn):
        return part
    if part.measurement.in_common:
        return replace(part, measurement=replace(part.measurement, limit=Limit(round(limit))))
    level = round(2 * log2(limit))
    found, power = part.at(level, family), 2 if family == "gaussian" else 1
    factor = (limit / 2 ** (level / 2)) ** power
    noise = (
        size if total.counts_units or isinstance(size, Shared) else max(1, round(size * factor))
        for total, size in zip(part.measurement.totals, found.noise, strict=True)
    )
    return replace(found, noise=tuple(noise))


def margin_text(kind: Kind, width: float) -> str:
    """A margin alone, with what it is measured in."""
    if kind.style == "share":
        return f"± {share_with_margin(0, width)[1]} points"
    if isinstance(kind.estimate, Quantile):
        return f"± {share_with_margin(0, width)[1]} % of rows"
    unit = f" {kind.measured_in}" if kind.measured_in else ""
    return f"± {rounded(width, last_digit(width))}{unit}"


def least_epsilon(margin_at: Callable[[float], float], margin: float) -> float:
    """About the least epsilon at which a margin is at most that."""
    margin = float(positive(margin, "margin"))
    low, high = 0.0, 1e-6
    if margin_at(high) <= margin:
        return high
    while margin_at(high) > margin:
        low, high = high, 2 * high
        if high > 1e6:
            raise InvalidInput(f"No epsilon of this ledger gives a margin of {margin}.")
    while high > 1.005 * low:
        middle = (low + high) / 2
        low, high = (low, middle) if margin_at(middle) <= margin else (middle, high)
    return float(f"{high:.3g}")
