"""`Ledger`: a budget that is spent once and for ever."""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from leastnoise import _check, _show
from leastnoise._check import Exact
from leastnoise.accounting.pricing import checked_price
from leastnoise.errors import LedgerError
from leastnoise.ledger.account import Account, Balance
from leastnoise.ledger.allowance import Allowance
from leastnoise.ledger.arguments import (
    Costs,
    checked_content,
    checked_costs,
    checked_envelopes,
    checked_labels,
    checked_text,
    needed_total,
)
from leastnoise.ledger.entry import Cap, Charge, Entry, Kept
from leastnoise.ledger.header import Header
from leastnoise.ledger.mode import Mode, checked_mode
from leastnoise.ledger.place import store_of
from leastnoise.ledger.scope import Scope
from leastnoise.ledger.seen import Seen
from leastnoise.ledger.split import Split, checked_split
from leastnoise.ledger.store import Transaction, missing
from leastnoise.privacy.guarantee import Guarantee


class Ledger:
    r"""What may be spent on one body of data, and what has been.

    Theorem: everything released against one ledger keeps its `total`, whoever asks, in whatever
    order, and however each request answers to earlier results.
    Proof: charges are granted one at a time by the filters of the ledger's mode
    (docs/proofs/filters.md), all of them promises about the same unit and neighbours; each is on
    disk before its noise is drawn, and none is taken back.

    A line is added, never changed; each is bound to all before it by a hash. The budget is exact
    rationals. If a program dies after charging, the charge stands.

    Args:
        place: a path (SQLite), or a URL that begins with postgresql:// (for teams).
        total: the guarantee for everything together. Needed for a new ledger; for an old one it
            must be the same or be left out.
        mode: how charges add up; see `Mode`. By default the total's own numbers do, and for a total
            with ε and δ also ρ and μ², so that many small releases with Gaussian noise cost little
            and few large ones no more than their ε. It is fixed when the ledger is begun.
        envelopes: for mode plan, promises that are fixed up front by name; a charge names its own
            in the label "envelope". Their privacy losses are composed, not added up.
        split: for mode mixed, the shares of δ for ε and δ, ρ, the δ of releases by ρ, and μ²: see
            `Split`. Left out, the first charge settles it.
        dataset: a name for the data the budget is about. A ledger that was begun for other data
            refuses, and so does a release of a table with another name or none.
        unit: the column that says whose row it is, or "row". If the ledger is begun without it,
            the first release says it. Promises about other units are refused: they do not add up.
        neighbours: "add_remove" or "replace"; as with `unit`.
        begin: begin a new ledger. It is a step that is taken once: where there is a ledger
            already, it is refused, and where there is none, everything else is.
        seal: the hash of a line, noted earlier; a ledger whose past has no such line refuses.

    Raises:
        LedgerMissing: there is no ledger, and `begin` was not asked for.
        LedgerError: the ledger cannot be read, was tampered with, or is for other data.
        InvalidParameter: a new ledger without a total, or an old one with another total or mode.

    Example:
        >>> import tempfile, leastnoise as ln
        >>> from leastnoise.ledger import Ledger
        >>> place = Path(tempfile.mkdtemp()) / "budget.db"
        >>> ledger = Ledger(place, total=ln.ZCDP(rho=1), begin=True)
        >>> ledger.charge(ln.ZCDP(rho="0.25"), purpose="first table").number
        1
        >>> Ledger(place).remaining
        ZCDP(rho='0.75')
    """

    def __init__(  # noqa: PLR0913 - each is a choice of its own
        self,
        place: str | Path,
        *,
        total: Guarantee | None = None,
        mode: Mode | str | None = None,
        envelopes: Mapping[str, Guarantee] | None = None,
        split: Split | Mapping[str, Exact] | None = None,
        dataset: str = "",
        unit: str = "",
        neighbours: str = "",
        begin: bool = False,
        seal: str = "",
    ) -> None:
        self._store = store_of(place)
        scope = Scope.checked(dataset, unit, neighbours)
        promises = (
            None if total is None else checked_price(total, "total"),
            None if mode is None else checked_mode(mode),
            checked_envelopes(envelopes),
        )
        if begin:
            _refuse_seal(seal)
            division = checked_split(split)
            new = Header.new(needed_total(promises[0]), *promises[1:], scope, division)
            self._seen = self._store.locked(lambda t: _begun(t, new), begin=True)
        else:
            _refuse_split(split)
            self._seen = self._store.locked(self._opened)
            self._header.refuse_another(*promises)
            self._seen.scope.refuse_contrary(scope)
            self._refuse_no_seal(seal)

    plot = _show.plot
    _repr_html_ = _show.html

    def __repr__(self) -> str:
        return f"Ledger({self._store!r}, total={self.total!r}, mode={str(self.mode)!r})"

    def _opened(self, transaction: Transaction) -> Seen:
        text = transaction.header()
        if text is None:
            raise missing(self.name)
        return Seen.begun(Header.read(text)).grown(transaction)

    def _refuse_no_seal(self, seal: str) -> None:
        if seal and seal not in self._seen.hashes:
            raise LedgerError(
                "a ledger's past must hold the seal that was noted; this one does not. It was "
                "replaced or shortened, or is another ledger: restore the one the seal is from."
            )

    @property
    def _header(self) -> Header:
        return self._seen.header

    @property
    def name(self) -> str:
        """What to call it in public: a file's name, or a server's and a database's."""
        return self._store.name

    @property
    def id(self) -> str:
        """What tells it from every other ledger: the hash of its header."""
        return self._header.hash

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
    def about(self) -> Scope:
        """Which data, unit and neighbours the promises are about, as far as anybody has said."""
        return self._seen.scope

    @property
    def dataset(self) -> str:
        """The name of the data the budget is about."""
        return self.about.dataset

    def charge(  # noqa: PLR0913 - each is a part of the line
        self,
        cost: Costs,
        *,
        purpose: str,
        labels: Mapping[str, str] | None = None,
        digest: str = "",
        dataset: str = "",
        unit: str = "",
        neighbours: str = "",
    ) -> Entry:
        """Spend: the charge is durable when this returns, and only then may noise be drawn.

        Args:
            cost: the guarantee of what will be released; or several that all hold, of which the
                one that takes the least is counted.
            purpose: what it is spent on; public.
            labels: whose budgets it counts against, such as {"analyst": "ann"}; public.
            digest: a fingerprint of the plan; public.
            dataset: the name of the data.
            unit: the column that says whose row it is, or "row".
            neighbours: "add_remove" or "replace". Whoever says nothing of these three answers for
                it that they are the ledger's; plans say all of them.

        Raises:
            BudgetExceeded: more than the total or one of the caps has left; nothing was charged.
            LedgerError: the ledger cannot be written, was tampered with, or is about other data,
                another unit or other neighbours.
        """
        about = Scope.checked(dataset, unit, neighbours)
        words = checked_text(purpose, "purpose"), checked_labels(labels)
        return self._add(Charge(checked_costs(cost), *words, checked_text(digest, "digest"), about))

    def require(
        self,
        cost: Costs,
        *,
        labels: Mapping[str, str] | None = None,
        dataset: str = "",
        unit: str = "",
        neighbours: str = "",
    ) -> None:
        """Refuse now what `charge` would refuse; spend nothing.

        Raises:
            BudgetExceeded: more than is left.
            LedgerError: the ledger is about something else.
        """
        about = Scope.checked(dataset, unit, neighbours)
        asked = Charge(checked_costs(cost), "", checked_labels(labels), "", about)
        _refuse(self._looked(), asked)

    def cap(self, label: str, value: str, limit: Guarantee) -> Entry:
        """Give one analyst, period or project a smaller budget inside the total.

        Earlier charges with that label count. The latest cap for a label holds.

        Raises:
            BudgetExceeded: more was spent already.
            UnsupportedQuery: earlier charges cannot be added up to a limit of this kind.
        """
        checked = checked_price(limit, "limit")
        return self._add(Cap(checked_text(label, "label"), checked_text(value, "value"), checked))

    def _add(self, event: Charge | Cap) -> Entry:
        def work(transaction: Transaction) -> Seen:
            seen = self._seen.grown(transaction)
            _refuse(seen, event)
            return seen.appended(transaction, event)

        return self._remember(self._store.locked(work)).entries[-1]

    def _remember(self, seen: Seen) -> Seen:
        """What threads that share this object have seen, the longest of it stays known."""
        if len(seen.hashes) >= len(self._seen.hashes):
            self._seen = seen
        return seen

    def _looked(self) -> Seen:
        """Every line anew; a past that shrank or changed under this object is refused."""
        return self._remember(self._store.locked(self._seen.reread))

    def history(self) -> list[Entry]:
        """Every line, each checked against its hash anew."""
        return list(self._looked().entries)

    @property
    def balances(self) -> tuple[Balance, ...]:
        """What the total (in a plan: each envelope) and every cap have spent and left."""
        return self._allowance.balances

    @property
    def _allowance(self) -> Allowance:
        return _allowance(self._looked())

    @property
    def limit(self) -> Guarantee:
        """What `spent` and `remaining` add up to: of several ways, the first within its limit."""
        return self._allowance.current.limits[0]

    @property
    def spent(self) -> Guarantee:
        """The sum of all charges; in a plan, of those in the envelope that `remaining` tells of.

        If there are several ways of adding up, the first one that is within its limit.
        """
        return self._allowance.current.spent[0]

    @property
    def remaining(self) -> Guarantee:
        """What may still be spent; in a plan, what the first envelope not yet empty has left.

        `balances` tells it for every envelope and every way of adding up.
        """
        return self._allowance.current.remaining[0]

    def remaining_for(self, label: str, value: str) -> Guarantee:
        """What one label's cap or envelope has left; the total's remainder if it has none."""
        found = self._allowance
        for balance in found.balances:
            if balance.name == f"{label} {value}":
                return balance.remaining[0]
        return found.current.remaining[0]

    @property
    def seal(self) -> str:
        """The hash of the last line. Noted elsewhere, it shows any later change of the past."""
        return self._looked().hashes[-1]

    def contains(self, seal: str) -> bool:
        """Whether a seal that was noted earlier is in the chain: then nothing before it changed."""
        return seal in self._looked().hashes

    def keep(self, digest: str, content: str) -> None:
        """Store a release, so that the same request can be answered again at no cost.

        What is stored first under a digest stays. A line with the hash of the content is added.

        Raises:
            LedgerError: the ledger cannot be written, or something was stored past its lines.
        """
        name, checked = checked_text(digest, "digest"), checked_content(content)

        def work(transaction: Transaction) -> Seen:
            seen = self._seen.grown(transaction)
            if _served(seen, transaction, name) is not None:
                return seen
            transaction.keep(name, checked)
            return seen.appended(transaction, Kept(name, _sha256(checked)))

        self._remember(self._store.locked(work))

    def begin_schedule(  # noqa: PLR0913 - each is a part of the line
        self,
        cost: Costs,
        *,
        name: str,
        content: str,
        purpose: str,
        labels: Mapping[str, str] | None = None,
        dataset: str = "",
        unit: str = "",
        neighbours: str = "",
    ) -> str:
        """Spend once for all steps to come, and store what they are drawn by: both, or neither.

        The charge's digest is the hash of what is stored, so that each belongs to the other. Where
        something is stored under the name already, nothing is spent, and that is returned.

        Args:
            cost: what all steps together keep; see `charge`.
            name: under which it is found again.
            content: what the steps are drawn by; public.
            purpose: what it is spent on; public.
            labels: whose budgets it counts against.
            dataset: the name of the data.
            unit: the column that says whose row it is, or "row".
            neighbours: "add_remove" or "replace".

        Raises:
            BudgetExceeded: more than is left; nothing was charged or stored.
            LedgerError: see `charge`.
        """
        title, checked = checked_text(name, "name"), checked_content(content)
        about = Scope.checked(dataset, unit, neighbours)
        words = checked_text(purpose, "purpose"), checked_labels(labels)
        event = Charge(checked_costs(cost), *words, _sha256(checked), about)

        def work(transaction: Transaction) -> tuple[Seen, str]:
            seen = self._seen.grown(transaction)
            found = _served(seen, transaction, title)
            if found is not None:
                return seen, found
            _refuse(seen, event)
            transaction.keep(title, checked)
            charged = seen.appended(transaction, event)
            return charged.appended(transaction, Kept(title, event.digest)), checked

        seen, held = self._store.locked(work)
        self._remember(seen)
        return held

    def charge_for(self, content: str) -> Entry | None:
        """The line that paid for what is stored, if one did."""
        digest = _sha256(content)
        for entry in self._looked().entries:
            if isinstance(entry.event, Charge) and entry.event.digest == digest:
                return entry
        return None

    def kept_all(self, names: Iterable[str]) -> list[str]:
        """What is stored under the first of these names, up to the first that is not there.

        Raises:
            LedgerError: what is stored is not what the ledger's lines say.
        """
        wanted = [checked_text(name, "name") for name in names]

        def work(transaction: Transaction) -> tuple[Seen, list[str]]:
            seen = self._seen.reread(transaction)
            found = []
            for name in wanted:
                content = _served(seen, transaction, name)
                if content is None:
                    break
                found.append(content)
            return seen, found

        seen, contents = self._store.locked(work)
        self._remember(seen)
        return contents

    def kept(self, digest: str) -> str | None:
        """A stored release, if there is one.

        Raises:
            LedgerError: what is stored is not what the ledger's lines say.
        """
        name = checked_text(digest, "digest")

        def work(transaction: Transaction) -> tuple[Seen, str | None]:
            seen = self._seen.reread(transaction)
            return seen, _served(seen, transaction, name)

        seen, content = self._store.locked(work)
        self._remember(seen)
        return content


def _begun(transaction: Transaction, header: Header) -> Seen:
    if transaction.header() is not None:
        raise _check.refuse(
            "a ledger is begun once", "a place that has one", "Leave `begin` out to go on with it."
        )
    transaction.begin(header.text)
    return Seen.begun(header).grown(transaction)


def _refuse_split(split: object) -> None:
    if split is not None:
        raise _check.refuse(
            "`split` is for a new ledger", "one that was begun before", "Leave it out to go on."
        )


def _refuse_seal(seal: str) -> None:
    if seal:
        raise _check.refuse(
            "a new ledger has no past",
            "a seal of one that had",
            "Restore that ledger; or leave out `seal` if these are other data.",
        )


def _refuse(seen: Seen, event: Charge | Cap) -> None:
    """Refuses what is about something else, or more than is left."""
    if isinstance(event, Charge):
        seen.scope.refuse_other(event.about)
    _allowance(seen).refuse_excess(event)


def _allowance(seen: Seen) -> Allowance:
    return Allowance(seen.header, seen.entries)


def _served(seen: Seen, transaction: Transaction, name: str) -> str | None:
    """A stored release, if it is the one that a line tells of."""
    line, content = seen.stored(name), transaction.kept(name)
    if line is None and content is None:
        return None
    if line is not None and content is not None and line.sha256 == _sha256(content):
        return content
    raise LedgerError(
        "a stored release must be what a line of the ledger says; this one is not. It was changed, "
        "removed or put there by another hand, or stored by an earlier version: restore a "
        "backup, or release anew without `store`."
    )


def _sha256(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()


def refuse_no_ledger(ledger: object) -> None:
    """Checks that there is a ledger to charge."""
    if not isinstance(ledger, Ledger):
        raise _check.refuse(
            "`ledger` must be a Ledger",
            f"a {type(ledger).__name__}",
            "Write Ledger('budget.db', total=…, begin=True): every release is charged somewhere.",
        )
