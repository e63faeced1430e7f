"""`Ledger`: a budget that is spent once and for ever."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from leastnoise import _check, _show
from leastnoise.accounting.pricing import as_amounts, checked_price
from leastnoise.errors import BudgetExceeded, InvalidParameter
from leastnoise.ledger.account import Account, Balance
from leastnoise.ledger.chain import read, tampered, written
from leastnoise.ledger.entry import Cap, Charge, Entry
from leastnoise.ledger.header import ENVELOPE, Header, now
from leastnoise.ledger.limits import limits
from leastnoise.ledger.mode import Mode, checked_mode, usual_mode
from leastnoise.ledger.postgres_store import PostgresStore
from leastnoise.ledger.sqlite_store import SQLiteStore
from leastnoise.ledger.store import Store, Transaction
from leastnoise.privacy.guarantee import Guarantee

_URLS = ("postgresql://", "postgres://")
_MOST_TEXT = 1000
_MOST_COSTS = 16
Costs = Guarantee | Iterable[Guarantee]


class Ledger:
    r"""What may be spent on one body of data, and what has been.

    Theorem: everything released against one ledger keeps its `total`, whoever asks, in whatever
    order, and however each request answers to earlier results.
    Proof: charges are granted one at a time by the filters of the ledger's mode
    (docs/proofs/filters.md), each is on disk before its noise is drawn, and none is taken back.

    A line is added, never changed; each is bound to all before it by a hash. The budget is exact
    rationals. If a program dies after charging, the charge stands.

    Args:
        place: a path (SQLite), or a URL that begins with postgresql:// (for teams).
        total: the guarantee for everything together. Needed for a new ledger; for an old one it
            must be the same or be left out.
        mode: how charges add up; see `Mode`. By default the total's own numbers do, and for a total
            with ε and δ also ρ, so that many small releases with Gaussian noise cost little and
            few large ones no more than their ε. It is fixed when the ledger is begun.
        envelopes: for mode plan, promises that are fixed up front by name; a charge names its own
            in the label "envelope". Their privacy losses are composed, not added up.
        dataset: a name for the data the budget is about. A ledger that was begun for other data
            refuses.

    Raises:
        LedgerError: the ledger cannot be read, was tampered with, or is for other data.
        InvalidParameter: a new ledger without a total, or an old one with another total or mode.

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
        self,
        place: str | Path,
        *,
        total: Guarantee | None = None,
        mode: Mode | str | None = None,
        envelopes: Mapping[str, Guarantee] | None = None,
        dataset: str = "",
    ) -> None:
        self._store = _store(place)
        self._seen: _Seen
        given = (
            None if total is None else checked_price(total, "total"),
            None if mode is None else checked_mode(mode),
            None if envelopes is None else _envelopes(envelopes),
            _text(dataset, "dataset"),
        )
        self._header = self._store.locked(lambda transaction: self._opened(transaction, *given))

    plot = _show.plot
    _repr_html_ = _show.html

    def __repr__(self) -> str:
        return f"Ledger({self._store!r}, total={self.total!r}, mode={str(self.mode)!r})"

    @property
    def total(self) -> Guarantee:
        """The guarantee for everything together."""
        return self._header.total

    @property
    def accounts(self) -> tuple[Account, ...]:
        """The budget for the total; in a plan, one for each envelope."""
        return self._header.accounts

    @property
    def mode(self) -> Mode:
        """How charges add up."""
        return self._header.mode

    @property
    def dataset(self) -> str:
        """The name of the data the budget is about."""
        return self._header.dataset

    def _opened(
        self,
        transaction: Transaction,
        total: Guarantee | None,
        mode: Mode | None,
        envelopes: Mapping[str, Guarantee] | None,
        dataset: str,
    ) -> Header:
        text = transaction.header()
        if text is None:
            header = Header.new(_needed(total), mode, envelopes, dataset)
            transaction.begin(header.text)
        else:
            header = Header.read(text)
            header.refuse_another(total, mode, envelopes, dataset)
        self._seen = _Seen(header.hash).grown(transaction)
        return header

    def charge(
        self,
        cost: Costs,
        *,
        purpose: str,
        labels: Mapping[str, str] | None = None,
        digest: str = "",
    ) -> Entry:
        """Spend: the charge is durable when this returns, and only then may noise be drawn.

        Args:
            cost: the guarantee of what will be released; or several that all hold, of which the
                one that takes the least is counted.
            purpose: what it is spent on; public.
            labels: whose budgets it counts against, such as {"analyst": "ann"}; public.
            digest: a fingerprint of the plan; public.

        Raises:
            BudgetExceeded: more than the total or one of the caps has left; nothing was charged.
            LedgerError: the ledger cannot be written or was tampered with.
        """
        event = Charge(
            _costs(cost),
            _text(purpose, "purpose"),
            _labels(labels),
            _text(digest, "digest"),
        )
        return self._add(event)

    def require(self, cost: Costs, *, labels: Mapping[str, str] | None = None) -> None:
        """Refuse now what `charge` would refuse; spend nothing.

        Raises:
            BudgetExceeded: more than is left.
        """
        self._refuse_excess(self.history(), Charge(_costs(cost), "", _labels(labels), ""))

    def cap(self, label: str, value: str, limit: Guarantee) -> Entry:
        """Give one analyst, period or project a smaller budget inside the total.

        Earlier charges with that label count. The latest cap for a label holds.

        Raises:
            BudgetExceeded: more was spent already.
            UnsupportedQuery: earlier charges cannot be added up to a limit of this kind.
        """
        checked = checked_price(limit, "limit")
        return self._add(Cap(_text(label, "label"), _text(value, "value"), checked))

    def _add(self, event: Charge | Cap) -> Entry:
        def work(transaction: Transaction) -> _Seen:
            seen = self._seen.grown(transaction)
            self._refuse_excess(list(seen.entries), event)
            entry = Entry(len(seen.entries) + 1, now(), event)
            line = written(entry, seen.hash)
            transaction.append(line)
            return _Seen(line.hash, (*seen.entries, entry))

        self._seen = seen = self._store.locked(work)
        return seen.entries[-1]

    def _refuse_excess(self, entries: list[Entry], event: Charge | Cap) -> None:
        """Refuses a charge that the total or a cap does not allow, and a cap already exceeded."""
        charges = _charges(entries)
        if isinstance(event, Cap):
            self._capped(event).balance(charges)
            return
        self._refuse_no_envelope(event)
        for account in (*self._header.accounts, *map(self._capped, _caps(entries))):
            if account.concerns(event.labels):
                account.request(charges, event.costs)

    def _refuse_no_envelope(self, charge: Charge) -> None:
        if not any(account.concerns(charge.labels) for account in self._header.accounts):
            names = ", ".join(map(repr, self._header.envelopes))
            raise BudgetExceeded(
                f"a charge under a plan must name one of its envelopes in the label "
                f"{ENVELOPE!r}; it does not. There are {names}.",
                requested=charge.cost,
            )

    def _capped(self, cap: Cap) -> Account:
        """A cap adds up as the total does if it is of the same kind, else as its kind does."""
        alike = type(cap.limit) is type(self.total) and self.mode is not Mode.PLAN
        try:
            found = limits(cap.limit, self.mode if alike else usual_mode(cap.limit))
        except InvalidParameter:
            found = limits(cap.limit, usual_mode(cap.limit))
        return Account(((cap.label, cap.value),), cap.limit, found)

    def history(self) -> list[Entry]:
        """Every line, each checked against its hash anew."""
        return list(self._store.locked(lambda t: _Seen(self._header.hash).grown(t)).entries)

    @property
    def balances(self) -> tuple[Balance, ...]:
        """What the total (in a plan: each envelope) and every cap have spent and left."""
        entries = self.history()
        accounts = (*self._header.accounts, *map(self._capped, _caps(entries)))
        charges = _charges(entries)
        return tuple(account.balance(charges) for account in accounts)

    @property
    def spent(self) -> Guarantee:
        """The sum of all charges; in a plan, of those in the envelope that `remaining` tells of.

        If there are two ways of adding up, by ε and by ρ, the first one that is within its limit.
        """
        return self._current.spent[0]

    @property
    def remaining(self) -> Guarantee:
        """What may still be spent; in a plan, what the first envelope not yet empty has left.

        `balances` tells it for every envelope and every way of adding up.
        """
        return self._current.remaining[0]

    @property
    def _current(self) -> Balance:
        own = self.balances[: len(self._header.accounts)]
        return next((each for each in own if any(map(_is_something, each.remaining))), own[-1])

    def remaining_for(self, label: str, value: str) -> Guarantee:
        """What one label's cap or envelope has left; the total's remainder if it has none."""
        for balance in self.balances:
            if balance.name == f"{label} {value}":
                return balance.remaining[0]
        return self.remaining

    @property
    def seal(self) -> str:
        """The hash of the last line. Noted elsewhere, it shows any later change of the past."""
        return self._store.locked(lambda t: _Seen(self._header.hash).grown(t)).hash

    def keep(self, digest: str, content: str) -> None:
        """Store a release, so that the same request can be answered again at no cost.

        What is stored first under a digest stays.
        """
        checked = _content(content)
        self._store.locked(lambda t: t.keep(_text(digest, "digest"), checked))

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


def _needed(total: Guarantee | None) -> Guarantee:
    if total is not None:
        return total
    raise _check.refuse(
        "`total` must be given for a new ledger",
        "none",
        "Write Ledger(path, total=ApproxDP(epsilon=3, delta='1e-7')).",
    )


def _charges(entries: Iterable[Entry]) -> list[Charge]:
    return [entry.event for entry in entries if isinstance(entry.event, Charge)]


def _is_something(guarantee: Guarantee) -> bool:
    return any(as_amounts(guarantee))


def _costs(cost: Costs) -> tuple[Guarantee, ...]:
    if not isinstance(cost, list | tuple | set | frozenset):
        return (checked_price(cost, "cost"),)  # type: ignore[arg-type]
    found = tuple(dict.fromkeys(checked_price(each, "cost") for each in cost))
    if 1 <= len(found) <= _MOST_COSTS:
        return found
    raise _check.refuse(
        f"`cost` must be a guarantee, or 1 to {_MOST_COSTS} that all hold",
        f"{len(found)}",
        "Name what the release keeps.",
    )


def _envelopes(envelopes: Mapping[str, Guarantee]) -> dict[str, Guarantee]:
    if not isinstance(envelopes, Mapping):
        raise _check.refuse(
            "`envelopes` must be names and guarantees",
            f"a {type(envelopes).__name__}",
            "Give a dict: {'spring': ApproxDP(…), 'autumn': ApproxDP(…)}.",
        )
    return {
        _text(name, "an envelope's name"): checked_price(promise, "an envelope")
        for name, promise in envelopes.items()
    }


def _content(content: str) -> str:
    """Text that every store can hold: no NUL, no half of a surrogate pair."""
    known: object = content
    if isinstance(known, str) and "\x00" not in known:
        try:
            known.encode()
        except UnicodeEncodeError:
            pass
        else:
            return content
    raise _check.refuse(
        "`content` must be Unicode text without NUL", "something else", "Give a release as JSON."
    )


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
