"""`Ledger`: a budget that is spent once and for ever."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from leastnoise import _check
from leastnoise.accounting.filters import PrivacyFilter
from leastnoise.accounting.pricing import checked_price, price
from leastnoise.errors import LedgerError
from leastnoise.ledger.chain import canonical, linked, read, tampered, written
from leastnoise.ledger.entry import Cap, Charge, Entry
from leastnoise.ledger.guarantee_text import guarantee_from_text, guarantee_text
from leastnoise.ledger.postgres_store import PostgresStore
from leastnoise.ledger.sqlite_store import SQLiteStore
from leastnoise.ledger.store import Store, Transaction
from leastnoise.privacy.guarantee import Guarantee

_FORMAT = "leastnoise ledger, version 1"
_URLS = ("postgresql://", "postgres://")
_MOST_TEXT = 1000


class Ledger:
    r"""What may be spent on one body of data, and what has been.

    Theorem: everything released against one ledger keeps its `total`, whoever asks, in whatever
    order, and however each request answers to earlier results.
    Proof: charges are granted one at a time by the filter of the total's kind
    (docs/proofs/filters.md), each is on disk before its noise is drawn, and none is taken back.

    A line is added, never changed; each is bound to all before it by a hash. The budget is exact
    rationals. If a program dies after charging, the charge stands.

    Args:
        place: a path (SQLite), or a URL that begins with postgresql:// (for teams).
        total: the guarantee for everything together. Needed for a new ledger; for an old one it
            must be the same or be left out.
        dataset: a name for the data the budget is about. A ledger that was begun for other data
            refuses.

    Raises:
        LedgerError: the ledger cannot be read, was tampered with, or is for other data.
        InvalidParameter: a new ledger without a total, or an old one with another total.

    Example:
        >>> import tempfile, leastnoise as ln
        >>> from leastnoise.ledger import Ledger
        >>> place = Path(tempfile.mkdtemp()) / "budget.db"
        >>> ledger = Ledger(place, total=ln.ZCDP(rho=1))
        >>> ledger.charge(ln.ZCDP(rho="0.25"), purpose="first table").number
        1
        >>> Ledger(place).remaining
        ZCDP(rho='0.75')
    """

    def __init__(
        self, place: str | Path, *, total: Guarantee | None = None, dataset: str = ""
    ) -> None:
        self._store = _store(place)
        self._total = None if total is None else checked_price(total, "total")
        self._dataset = _text(dataset, "dataset")
        self._header = self._store.locked(self._opened)

    def __repr__(self) -> str:
        return f"Ledger({self._store!r}, total={self.total!r})"

    @property
    def total(self) -> Guarantee:
        """The guarantee for everything together."""
        return self._header.total

    @property
    def dataset(self) -> str:
        """The name of the data the budget is about."""
        return self._header.dataset

    def _opened(self, transaction: Transaction) -> "_Header":
        text = transaction.header()
        header = self._begun(transaction) if text is None else _Header.read(text)
        self._refuse_another(header)
        self._seen = _Seen(header.hash).grown(transaction)
        return header

    def _begun(self, transaction: Transaction) -> "_Header":
        if self._total is None:
            raise _check.refuse(
                "`total` must be given for a new ledger",
                "none",
                "Write Ledger(path, total=ApproxDP(epsilon=3, delta='1e-7')).",
            )
        header = _Header.new(self._total, self._dataset)
        transaction.begin(header.text)
        return header

    def _refuse_another(self, header: "_Header") -> None:
        if self._total is not None and self._total != header.total:
            raise _check.refuse(
                "`total` must be what the ledger was begun with",
                f"{self._total!r} for a ledger with {header.total!r}",
                "Leave it out, or begin another ledger for other data.",
            )
        if self._dataset and self._dataset != header.dataset:
            raise LedgerError(
                f"a ledger is for one body of data; this one is for {header.dataset!r}, and "
                f"{self._dataset!r} was named. Use the ledger of your data."
            )

    def charge(
        self,
        cost: Guarantee,
        *,
        purpose: str,
        labels: Mapping[str, str] | None = None,
        digest: str = "",
    ) -> Entry:
        """Spend: the charge is durable when this returns, and only then may noise be drawn.

        Args:
            cost: the guarantee of what will be released.
            purpose: what it is spent on; public.
            labels: whose budgets it counts against, such as {"analyst": "ann"}; public.
            digest: a fingerprint of the plan; public.

        Raises:
            BudgetExceeded: more than the total or one of the caps has left; nothing was charged.
            LedgerError: the ledger cannot be written or was tampered with.
        """
        event = Charge(
            checked_price(cost, "cost"),
            _text(purpose, "purpose"),
            _labels(labels),
            _text(digest, "digest"),
        )
        return self._add(event)

    def require(self, cost: Guarantee, *, labels: Mapping[str, str] | None = None) -> None:
        """Refuse now what `charge` would refuse; spend nothing.

        Raises:
            BudgetExceeded: more than is left.
        """
        event = Charge(checked_price(cost, "cost"), "", _labels(labels), "")
        self._refuse_excess(self.history(), event)

    def cap(self, label: str, value: str, limit: Guarantee) -> Entry:
        """Give one analyst, period or project a smaller budget inside the total.

        Earlier charges with that label count. The latest cap for a label holds.
        """
        checked = checked_price(limit, "limit")
        price(checked, self.total)  # a limit of another kind could not be added up
        return self._add(Cap(_text(label, "label"), _text(value, "value"), checked))

    def _add(self, event: Charge | Cap) -> Entry:
        def work(transaction: Transaction) -> _Seen:
            seen = self._seen.grown(transaction)
            self._refuse_excess(list(seen.entries), event)
            entry = Entry(len(seen.entries) + 1, _now(), event)
            line = written(entry, seen.hash)
            transaction.append(line)
            return _Seen(line.hash, (*seen.entries, entry))

        self._seen = seen = self._store.locked(work)
        return seen.entries[-1]

    def _refuse_excess(self, entries: list[Entry], event: Charge | Cap) -> None:
        """Refuses a charge that the total or a cap does not allow, and a cap already exceeded."""
        if isinstance(event, Cap):
            self._filter(entries, event.limit, {event.label: event.value})
            return
        self._filter(entries, self.total, {}).request(event.cost)
        for cap in _caps(entries):
            if event.labels.get(cap.label) == cap.value:
                chosen = {cap.label: cap.value}
                self._filter(entries, cap.limit, chosen).request(event.cost)

    def _filter(
        self, entries: list[Entry], limit: Guarantee, chosen: Mapping[str, str]
    ) -> PrivacyFilter:
        budget = PrivacyFilter(limit)
        costs = [
            entry.event.cost
            for entry in entries
            if isinstance(entry.event, Charge) and chosen.items() <= entry.event.labels.items()
        ]
        return budget.after(costs)

    def history(self) -> list[Entry]:
        """Every line, each checked against its hash anew."""
        return list(self._store.locked(lambda t: _Seen(self._header.hash).grown(t)).entries)

    @property
    def spent(self) -> Guarantee:
        """The sum of all charges."""
        return self._filter(self.history(), self.total, {}).spent

    @property
    def remaining(self) -> Guarantee:
        """What may still be spent."""
        return self._filter(self.history(), self.total, {}).remaining

    def remaining_for(self, label: str, value: str) -> Guarantee:
        """What one label's cap has left; the total's remainder if it has no cap."""
        entries = self.history()
        for cap in _caps(entries):
            if (cap.label, cap.value) == (label, value):
                return self._filter(entries, cap.limit, {label: value}).remaining
        return self._filter(entries, self.total, {}).remaining

    @property
    def seal(self) -> str:
        """The hash of the last line. Noted elsewhere, it shows any later change of the past."""
        return self._store.locked(lambda t: _Seen(self._header.hash).grown(t)).hash

    def keep(self, digest: str, content: str) -> None:
        """Store a release, so that the same request can be answered again at no cost."""
        self._store.locked(lambda t: t.keep(_text(digest, "digest"), content))

    def kept(self, digest: str) -> str | None:
        """A stored release, if there is one."""
        return self._store.locked(lambda t: t.kept(_text(digest, "digest")))


@dataclass(frozen=True)
class _Seen:
    """The lines that were read and checked so far, and the hash they end with."""

    hash: str
    entries: tuple[Entry, ...] = ()

    def grown(self, transaction: Transaction) -> "_Seen":
        """With the lines that were added since; the last one known must still be there."""
        known = len(self.entries)
        lines = transaction.lines(max(known - 1, 0))
        if known:
            if not lines or lines[0].hash != self.hash:
                raise tampered(known)
            lines = lines[1:]
        new = read(lines, self.hash, known)
        return _Seen(lines[-1].hash if lines else self.hash, (*self.entries, *new))


@dataclass(frozen=True)
class _Header:
    total: Guarantee
    dataset: str
    text: str

    @classmethod
    def new(cls, total: Guarantee, dataset: str) -> "_Header":
        body = {
            "format": _FORMAT,
            "total": guarantee_text(total),
            "dataset": dataset,
            "begun": _now(),
        }
        return cls(total, dataset, canonical(body))

    @classmethod
    def read(cls, text: str) -> "_Header":
        try:
            body = json.loads(text)
            if body["format"] == _FORMAT:
                return cls(guarantee_from_text(body["total"]), str(body["dataset"]), text)
        except (KeyError, ValueError, TypeError):
            pass
        raise LedgerError(
            "a ledger must begin with a header of this version; this file does not. "
            "Is it another database?"
        )

    @property
    def hash(self) -> str:
        return linked("", self.text)


def _store(place: str | Path) -> Store:
    if isinstance(place, str) and place.startswith(_URLS):
        return PostgresStore(place)
    try:
        if "\0" in str(place):
            raise TypeError
        return SQLiteStore(Path(place))
    except TypeError:
        raise _check.refuse(
            "`place` must be a path or a postgresql:// URL",
            f"a {type(place).__name__}",
            "Write Ledger('budget.db', total=…).",
        ) from None


def _caps(entries: list[Entry]) -> list[Cap]:
    """The cap that holds for each label: the latest."""
    found = {
        (entry.event.label, entry.event.value): entry.event
        for entry in entries
        if isinstance(entry.event, Cap)
    }
    return list(found.values())


def _labels(labels: Mapping[str, str] | None) -> dict[str, str]:
    given = {} if labels is None else labels
    if not isinstance(given, Mapping):
        raise _check.refuse(
            "`labels` must be names and values", f"a {type(labels).__name__}", "Give a dict."
        )
    return {_text(k, "a label"): _text(v, "a label's value") for k, v in given.items()}


def _text(value: str, name: str) -> str:
    known: object = value
    if isinstance(known, str) and len(known) <= _MOST_TEXT and known.isprintable():
        return value
    raise _check.refuse(
        f"`{name}` must be printable text of at most {_MOST_TEXT} characters",
        "something else",
        "It is public: a few words.",
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
