"""What a release would give and cost, without reading a row or spending anything."""

from dataclasses import dataclass

from leastnoise.ledger.costs import Asked, cost_of, price_of
from leastnoise.ledger.meters import Family, Meters
from leastnoise.privacy.guarantee import ZCDP
from leastnoise.release.choose_noise import Choice, proposal
from leastnoise.release.estimate import Linear
from leastnoise.release.forecast import margin, mechanisms
from leastnoise.release.kinds import Kind
from leastnoise.release.measurement import Proposal
from leastnoise.release.query import Select
from leastnoise.report.numbers import last_digit, percent, rounded, share_with_margin
from leastnoise.report.text import text_of
from leastnoise.report.view import Cell, View

_ROWS = (10_000, 100_000)  # in a group, where nobody says how many to expect
_SMALLER = 0.8  # of a margin, from which another law is mentioned


@dataclass(frozen=True, eq=False)
class Preview:
    """The margins to expect and the cost. Print it.

    Attributes:
        select: the query.
        choice: what would be proposed.
        asked: what it would be asked to cost.
        meters: what the ledger has spent.
        ledger: its name.
        expected_rows: how many rows a group is expected to have.
    """

    select: Select
    choice: Choice
    asked: Asked
    meters: Meters
    ledger: str
    expected_rows: int | None = None

    @property
    def cost(self) -> float:
        """The part of the ledger that the release would cost."""
        return float(cost_of(self.meters, self.choice.proposal.price))

    def margin(self, column: str, rows: float = _ROWS[0]) -> float:
        """The margin to expect of a column, in a group of so many rows."""
        return _margin(self.select, self.choice.proposal, column, rows)

    @property
    def mechanisms(self) -> list[dict[str, object]]:
        """Every measurement as data, as it would be."""
        return mechanisms(self.choice.proposal.parts, self.choice.proposal.family)

    def view(self) -> View:
        """The margins as a table."""
        header = [
            "Preview: no data read, nothing spent.",
            f"{self.select.title} at {self.asked} would cost {percent(self.cost)} of {self.ledger} "
            f"({percent(1 - self.meters.spent)} left).",
        ]
        if not self.meters.fits(self.choice.proposal.price):
            header.append("It does not fit any more.")
        per_group = " per group" if self.select.keys else ""
        if self.expected_rows is not None:
            head = f"95 % margin, in {f'{self.expected_rows:,}'} rows"
        else:
            head = f"95 % margin to expect,{per_group}" if per_group else "95 % margin to expect"
        rows = [
            row for name, kind in self.select.aggregates.items() for row in self._rows(name, kind)
        ]
        columns = ("column", "what it is", head)
        return View(tuple(header), columns, tuple(rows), tuple(self._notes()), left=3)

    def _rows(self, name: str, kind: Kind) -> list[tuple[Cell, ...]]:
        if isinstance(kind.estimate, Linear) or self.expected_rows is not None:
            text = margin_text(kind, self.margin(name, self.expected_rows or 1))
            return [(Cell(name), Cell(kind.what), Cell(text))]
        found: list[tuple[Cell, ...]] = []
        for place, rows in enumerate(_ROWS):
            text = f"{margin_text(kind, self.margin(name, rows))}  in {rows:,} rows"
            first = (Cell(name), Cell(kind.what)) if not place else (Cell(""), Cell(""))
            found.append((*first, Cell(text)))
        return found

    def _notes(self) -> list[str]:
        """Another law, where it is a fifth better; only if it fits."""
        own = self.choice.proposal
        other: Family = "laplace" if own.family == "gaussian" else "gaussian"
        guarantee = self.meters.total.guarantee
        if isinstance(guarantee, ZCDP) or not guarantee.delta:
            return []
        price = price_of(self.asked, other, self.meters)
        if not self.meters.fits(price):
            return []
        alternative = proposal([self.select], other, price)
        for name, kind in self.select.aggregates.items():
            rows = self.expected_rows or _ROWS[0]
            here, there = (_margin(self.select, each, name, rows) for each in (own, alternative))
            if there < _SMALLER * here:
                cost = percent(cost_of(self.meters, price))
                closes = not self.meters.after(price).b_holds
                end = ", and the ledger would take only Laplace noise afterwards" if closes else ""
                text = margin_text(kind, there)
                return [f'noise="{other}": {text} for {name}, at {cost} of the ledger{end}. '
                        "Details: .mechanisms"]  # fmt: skip
        return []

    def __repr__(self) -> str:
        return text_of(self.view())


def _margin(select: Select, proposed: Proposal, column: str, rows: float) -> float:
    return margin(select.aggregates[column], proposed.parts[0], proposed.family, rows)


def margin_text(kind: Kind, width: float) -> str:
    """A margin alone, with what it is measured in."""
    if kind.style == "share":
        return f"± {share_with_margin(0, width)[1]} points"
    unit = f" {kind.measured_in}" if kind.measured_in else ""
    return f"± {rounded(width, last_digit(width))}{unit}"
