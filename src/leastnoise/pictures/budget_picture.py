"""A budget over time, from a ledger."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from leastnoise.accounting.pricing import as_amounts, price
from leastnoise.ledger.account import Account
from leastnoise.ledger.entry import Charge, Entry
from leastnoise.ledger.ledger import Ledger
from leastnoise.ledger.limits import best_price
from leastnoise.pictures.lines import Row, axis
from leastnoise.pictures.names import drawable
from leastnoise.pictures.palette import BLUE, FAINT_INK, PALE, VERMILION
from leastnoise.pictures.picture import Picture, drawn
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.privacy.spoken import said

_TOTAL = "total"
_MOST_BARS, _MOST_LABELS, _BAR = 60, 8, 110  # what a screen has room for


def budget_picture(ledger: Ledger) -> Picture:
    """What was spent when, and on what."""
    rows = _rows(ledger.history(), ledger.accounts)
    spent = _spent(rows)
    charges = f"{len(rows)} charge{'' if len(rows) == 1 else 's'}"
    return drawn(
        _body(rows),
        title=f"Budget of {ledger.dataset}" if ledger.dataset else "Budget",
        subtitle=[f"total: {drawable(said(ledger.total))}", f"spent by {charges}: {spent}"],
        words=f"The budget is {said(ledger.total)}. Spent by {charges}: {spent}.",
    )


def _spent(rows: list[Row]) -> str:
    latest = {row["account"]: row["spent"] for row in rows}
    parts = {name: f"{100 * part:.3g} %" for name, part in latest.items()}
    if set(parts) <= {_TOTAL}:
        return parts.get(_TOTAL, "nothing")
    return ", ".join(f"{part} of {name}" for name, part in parts.items())


def _rows(entries: Iterable[Entry], accounts: Sequence[Account]) -> list[Row]:
    """For each charge, the part of its budget that was gone before and after it."""
    sums = [_Sums(account) for account in accounts]
    rows: list[Row] = []
    for entry in entries:
        if not isinstance(entry.event, Charge):
            continue
        mine = next((each for each in sums if each.account.concerns(entry.event.labels)), sums[0])
        before = mine.share
        mine.add(entry.event)
        envelope = "" if mine.account.name == _TOTAL else f"|{mine.account.name}"
        rows.append(
            {
                "line": entry.number,
                "time": entry.time,
                "place": f"{entry.number}|{entry.time[:10]}{envelope}",
                "account": mine.account.name,
                "purpose": entry.event.purpose,
                "cost": str(entry.event.cost),
                "before": before,
                "spent": mine.share,
            }
        )
    return rows


class _Sums:
    """What one budget has spent, in each way of adding up; the way that has used least counts."""

    def __init__(self, account: Account) -> None:
        self.account = account
        self._spent: dict[Guarantee, list[Fraction]] | None = None  # the first charge settles it

    def add(self, charge: Charge) -> None:
        """Count a charge; a way of adding up that cannot is out of use from then on."""
        if self._spent is None:
            ways = self.account.ways(charge.costs)
            self._spent = {limit: [Fraction(0)] * len(as_amounts(limit)) for limit in ways}
        for limit, spent in list(self._spent.items()):
            cost = best_price(charge.costs, limit)
            if cost is None:
                del self._spent[limit]
                continue
            amounts = price(cost, limit)
            self._spent[limit] = [a + b for a, b in zip(spent, amounts, strict=True)]

    @property
    def share(self) -> float:
        """The part that is gone: of the scarcest number, if a limit has two."""
        if self._spent is None:
            return 0.0
        return min((_part(spent, limit) for limit, spent in self._spent.items()), default=1.0)


def _part(spent: Iterable[Fraction], limit: Guarantee) -> float:
    pairs = zip(spent, as_amounts(limit), strict=True)
    return max((float(part / whole) for part, whole in pairs if whole), default=0.0)


def _body(rows: list[Row]) -> Row:
    y = axis(
        "spent",
        "part of the budget that is spent",
        scale={"domain": [0, max([1.0, *(row["spent"] for row in rows)])]},
        axis={"format": ".0%"},
    )
    limit: Row = {
        "data": {"values": [{"spent": 1}]},
        "mark": {"type": "rule", "color": VERMILION, "strokeWidth": 2, "strokeDash": [7, 3]},
        "encoding": {"y": y},
    }
    if len(rows) > _MOST_BARS:
        return {"width": 560, "height": 280, "layer": [_long(rows, y), limit]}
    width = max(300, _BAR * len(rows)) if len(rows) <= _MOST_LABELS else 620
    return {"width": width, "height": 280, "layer": [*_bars(rows, y, width), limit]}


def _long(rows: list[Row], y: Row) -> Row:
    """Too many charges to tell apart: one rising line."""
    mark = {"type": "area", "interpolate": "step-after", "line": {"color": BLUE}, "color": PALE}
    x = axis("line", "line of the ledger, in order of time", axis={"format": "d"})
    return {"data": {"values": rows}, "mark": mark, "encoding": {"x": x, "y": y}}


def _bars(rows: list[Row], y: Row, width: int) -> list[Row]:
    named = len(rows) <= _MOST_LABELS
    show = {"labelAngle": 0, "labelExpr": "split(datum.label, '|')"} if named else {}
    place = {
        "field": "place" if named else "line",
        "type": "ordinal",
        "sort": None,
        "title": "line of the ledger, and its day",
        "axis": show,
    }
    tips = [{"field": name, "type": "nominal"} for name in ("time", "purpose", "cost")]
    before = {**y, "field": "before"}
    bars: list[Row] = [
        {"mark": {"type": "bar", "color": PALE}, "encoding": {"x": place, "y": before}},
        {"mark": {"type": "bar", "color": BLUE},
         "encoding": {"x": place, "y": before, "y2": {"field": "spent"}, "tooltip": tips}},
    ]  # fmt: skip
    if named and rows:
        text = {"type": "text", "dy": -8, "color": FAINT_INK, "fontSize": 11}
        text["limit"] = width // len(rows)
        bars.append({"mark": text, "encoding": {"x": place, "y": y, "text": {"field": "purpose"}}})
    return [{"data": {"values": rows}, **bar} for bar in bars]
