"""`Ledger`: the budget for everything that is ever released about the same privacy units."""

import json
import os
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

from leastnoise.ledger.costs import (
    Asked,
    cap_sentences,
    history,
    most_laplace_beside,
    most_that_fits,
    releases_left,
)
from leastnoise.ledger.meters import Meters, Total
from leastnoise.ledger.records import Cap, Header, canonical
from leastnoise.ledger.sqlite import SQLite
from leastnoise.ledger.store import Entry, Store
from leastnoise.numbers.errors import InvalidInput, LedgerError
from leastnoise.numbers.exact import Exact, exact, non_negative, positive, probability, written
from leastnoise.privacy.guarantee import ZCDP, ApproxDP
from leastnoise.report.html import Notebook
from leastnoise.report.numbers import percent, rounded_down
from leastnoise.report.text import text_of
from leastnoise.report.view import Cell, View

ROW = "row"
"""The privacy unit of a table in which every row is a unit of its own."""

ANSWER = "answer"
"""The stage of a charge that holds what was shown."""

_LARGE_DELTA = Fraction(1, 10**5)


class Ledger(Notebook):
    """A budget on disk. Open one with `Ledger(path)`, or make one with `Ledger.create`.

    A ledger is for one privacy unit. Two ledgers about the same people add up: keep one.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = _path(path)
        if not self.path.exists():
            raise LedgerError(
                f"There is no ledger {self.path}. If there was one, restore it: a new one would "
                "forget what was spent.\n  To make one:  ln.Ledger.create("
                f'"{self.path}", privacy_unit="patient", epsilon=6, delta=1e-7)'
            )
        self.store: Store = SQLite(self.path)

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        *,
        privacy_unit: str | None = None,
        epsilon: Exact | None = None,
        delta: Exact | None = None,
        rho: Exact | None = None,
    ) -> "Ledger":
        """Makes a ledger; opens it if it exists with the same unit and totals.

        Args:
            path: the file. Keep it on a disk that lasts: a lost ledger forgets what was released.
            privacy_unit: who is protected, in the singular: "patient".
            epsilon: for everything that will ever be released: 1 to 6, less is stricter.
            delta: beside epsilon; well below 1 / people, or 0 for Laplace noise only.
            rho: in place of epsilon, a total in zero-concentrated DP; delta is then for groups
                found privately alone.
        """
        place, unit = _path(path), _unit(privacy_unit)
        total = _total(unit, epsilon, delta, rho)
        header = Header(unit, total, datetime.now(UTC).isoformat(timespec="seconds"))
        if not place.exists():
            folder = place.absolute().parent
            if not folder.is_dir():
                raise InvalidInput(f"There is no folder {folder}. Make it first.")
            SQLite.create(place, header)
        ledger = cls(place)
        known = ledger.store.header
        if known.unit != header.unit:
            raise LedgerError(
                f"{place.name} exists and is about each {known.unit}, not each {header.unit}. Use "
                "another file for another privacy unit."
            )
        if known.total != total:
            raise LedgerError(
                f"{place.name} exists with {_amounts(known.total)}; a total cannot be changed. Open "
                f'it:  ln.Ledger("{place}"). Deleting it does not undo what was released: budgets '
                f"about the same {known.unit} add up."
            )
        return ledger

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.path.name

    @property
    def privacy_unit(self) -> str:
        """Who is protected."""
        return self.store.header.unit

    @property
    def guarantee(self) -> ApproxDP | ZCDP:
        """What is promised for everything that was and will be released."""
        return self.store.header.total.guarantee

    @property
    def entries(self) -> "Entries":
        """What was charged, by number: when, who, what, price and state."""
        self.store.refresh()
        return Entries(self.store)

    @property
    def remaining(self) -> "Remaining":
        """What is left, rounded down."""
        self.store.refresh()
        return Remaining.of(self.store.meters)

    @property
    def unfinished(self) -> list[int]:
        """Releases that were charged and have no stored answer. The same release finishes one."""
        return [number for number, entry in self.entries.items() if not entry.finished]

    def view(self) -> View:
        """The charges as a table, and what is left."""
        self.store.refresh()
        unit, total = self.privacy_unit, self.store.header.total
        entries = list(self.store.entries.values())
        rows = []
        for entry, (cost, meters) in zip(
            entries, history(total, (entry.price for entry in entries)), strict=True
        ):
            shown = entry.charge.request.shown
            when = datetime.fromisoformat(entry.time).astimezone().strftime("%Y-%m-%d %H:%M")
            what = str(shown["title"]) + ("" if entry.stored else " (unfinished)")
            who, amount = str(shown["analyst"] or "-"), str(shown["amount"])
            spent = percent(meters.spent)
            texts = (str(entry.number), when, who, what, amount, percent(cost), spent)
            rows.append(tuple(map(Cell, texts)))
        currency = "rho" if isinstance(total.guarantee, ZCDP) else "epsilon"
        return View(
            (f"{self.name}: each {unit} is protected by {_amounts(total)} for everything",),
            ("#", "when", "who", "what", currency, "cost", "spent") if rows else (),
            tuple(rows),
            (self._left(self.store.meters), *cap_sentences(self.store)),
            left=4,
        )

    def _left(self, meters: Meters) -> str:
        left, guarantee = Remaining.of(meters), self.guarantee
        if isinstance(guarantee, ApproxDP) and not guarantee.delta:
            return f"Left: epsilon {left.epsilon:g} of {written(guarantee.epsilon)}."
        currency = "rho" if isinstance(guarantee, ZCDP) else "epsilon"
        share = percent(1 - meters.spent)
        if not left.epsilon:
            return f"Left: {share}."
        if currency == "rho" or left.epsilon <= 1:
            return f"Left: {share}. Enough for one release at {currency} {left.epsilon:g}."
        count = releases_left(meters, Fraction(1))
        return (
            f"Left: {share}. Enough for {count:,} more releases at epsilon 1, or for one at "
            f"{left.epsilon:g}.\n"
            "(Epsilons do not simply add up: a small release costs less than its share.)"
        )

    def __repr__(self) -> str:
        return text_of(self.view())

    def cap(self, analyst: str, *, epsilon: Exact | None = None, rho: Exact | None = None) -> None:
        """Limits what releases with `analyst=` this name may spend together; a later cap replaces it.

        Args:
            analyst: the name.
            epsilon: at most; on a ledger in rho, `rho=` in its place.
            rho: see epsilon.
        """
        asked = Asked.of(self.store.meters, epsilon, rho)
        self.store.cap(Cap(analyst_name(analyst), asked.amount))

    def verify(self) -> None:
        """Reads the whole file anew: the chain, the prices and the stored answers.

        Raises:
            LedgerError: something was changed, is missing, or does not add up.
        """
        SQLite(self.path).verify()


@dataclass(frozen=True)
class Remaining:
    """What a ledger has left, rounded down.

    Attributes:
        percent: of the whole.
        epsilon: of the largest Gaussian release that fits (rho of a ledger in rho).
        laplace_epsilon: of the largest Laplace release that fits and leaves room for Gaussian ones;
            of the largest at all on a ledger that takes Laplace noise only.
    """

    percent: int
    epsilon: float
    laplace_epsilon: float

    @classmethod
    def of(cls, meters: Meters) -> "Remaining":
        """By the meters of a ledger."""
        gaussian, laplace = (float(rounded_down(most_that_fits(meters, family)))
                             for family in ("gaussian", "laplace"))  # fmt: skip
        beside = float(rounded_down(most_laplace_beside(meters)))
        left = int(100 * (1 - meters.spent))
        return cls(left, gaussian or laplace, beside if gaussian else laplace)


@dataclass(frozen=True, repr=False)
class StoredAnswer:
    """An answer as it was first shown, kept beside its noisy totals. Print it."""

    views: tuple[View, ...]

    def text(self) -> str:
        """As the text that is stored."""
        return canonical([
            vars(view) | {"rows": [[[c.value, c.margin] for c in row] for row in view.rows]}
            for view in self.views
        ])  # fmt: skip

    @classmethod
    def read(cls, text: str) -> "StoredAnswer":
        """From the text that is stored."""
        return cls(tuple(map(_view, json.loads(text))))

    def __repr__(self) -> str:
        return "\n\n".join(map(text_of, self.views))


def _view(body: Mapping[str, Any]) -> View:
    rows = tuple(tuple(Cell(*cell) for cell in row) for row in body["rows"])
    header, columns, notes = (tuple(body[name]) for name in ("header", "columns", "notes"))
    return View(header, columns, rows, notes, body["left"])


@dataclass(frozen=True)
class LedgerEntry:
    """A charge, as `Ledger.entries` shows it.

    Attributes:
        number: 1 for the first charge.
        time: when it was charged.
        analyst: who asked, if that was said.
        title: what was asked.
        sql: the query.
        amount: the epsilon (or rho) that was asked for.
        finished: whether its answer is stored.
    """

    number: int
    time: datetime
    analyst: str | None
    title: str
    sql: tuple[str, ...]
    amount: str
    finished: bool
    _store: Store = field(repr=False)

    @classmethod
    def of(cls, entry: Entry, store: Store) -> "LedgerEntry":
        """From a line of the store."""
        shown = entry.charge.request.shown
        return cls(
            entry.number,
            datetime.fromisoformat(entry.time),
            shown["analyst"],
            str(shown["title"]),
            tuple(shown["sql"]),
            str(shown["amount"]),
            bool(entry.stored),
            store,
        )

    @property
    def result(self) -> StoredAnswer:
        """The answer as it was first shown."""
        text = self._store.stored(self.number, ANSWER)
        if text is None:
            raise LedgerError(
                f"Release {self.number} has no stored answer. Run the same release again."
            )
        return StoredAnswer.read(text)


class Entries(Mapping[int, LedgerEntry]):
    """The charges of a ledger by number."""

    def __init__(self, store: Store) -> None:
        self._entries, self._store = dict(store.entries), store

    def __getitem__(self, number: int) -> LedgerEntry:
        if number not in self._entries:
            known = ", ".join(map(str, list(self._entries)[-10:])) or "none"
            raise InvalidInput(f"The ledger has no release {number}. Releases: {known}.")
        return LedgerEntry.of(self._entries[number], self._store)

    def __iter__(self) -> Iterator[int]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return "\n".join(
            f"{entry.number}: {entry.title}, {entry.amount}" for entry in self.values()
        )


def _path(path: Any) -> Path:
    try:
        text = os.fspath(path)
    except TypeError:
        raise InvalidInput(f"A ledger is a file, and this is a {type(path).__name__}.") from None
    if not isinstance(text, str) or not text.strip() or "\0" in text:
        raise InvalidInput("A ledger needs the name of a file.")
    if text.startswith((":", "file:")) or "://" in text:
        raise InvalidInput(
            f"{text.partition('://')[0]!r} is no file that lasts. A budget that is forgotten is "
            "spent again without end."
        )
    return Path(text)


def analyst_name(name: Any) -> str:
    """The name under which an analyst's releases are found."""
    if not isinstance(name, str) or not name.strip() or not name.isprintable() or len(name) > 60:
        raise InvalidInput('analyst is a name: analyst="ann".')
    return name


def _unit(name: Any) -> str:
    if not isinstance(name, str) or not name.strip() or not name.isprintable() or len(name) > 60:
        raise InvalidInput('privacy_unit is a word in the singular: privacy_unit="patient".')
    if name.startswith(("a ", "an ", "each ", "the ")):
        raise InvalidInput(f'privacy_unit is "{name}". Leave out "{name.split()[0]}".')
    return name


def _total(unit: str, epsilon: Exact | None, delta: Exact | None, rho: Exact | None) -> Total:
    if (epsilon is None) is (rho is None):
        raise InvalidInput("Give either epsilon= (with delta=) or rho=.")
    if rho is not None:
        return Total.of_rho(positive(rho, "rho"), probability(delta or 0, "delta"))
    if delta is None:
        raise InvalidInput(
            "delta is missing, and it cannot be changed later. Well below 1 / people is usual: "
            'delta=1e-7. delta=0: Laplace noise only, no groups="auto".'
        )
    total = Total.of(positive(epsilon or 0, "epsilon"), non_negative(delta, "delta"))
    if probability(delta, "delta") > _LARGE_DELTA:
        if exact(delta) == 1:
            raise InvalidInput("delta 1 promises nothing. Give one well below 1 / people: 1e-7.")
        warnings.warn(
            f"delta {written(exact(delta))} allows a full leak of one {unit} in "
            f"{int(1 / exact(delta)):,}. Well below 1 / people is usual: 1e-7.",
            UserWarning,
            stacklevel=3,
        )
    return total


def _amounts(total: Total) -> str:
    guarantee, groups = total.guarantee, total.delta_of_groups
    if isinstance(guarantee, ZCDP):
        return f"rho {written(guarantee.rho)}" + (f", delta {_small(groups)}" if groups else "")
    return f"epsilon {written(guarantee.epsilon)}, delta {_small(guarantee.delta)}"


def _small(delta: Fraction) -> str:
    return written(delta).replace("e-0", "e-")
