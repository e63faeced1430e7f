"""`Ledger`: a budget that is spent once and for ever."""

from collections.abc import Mapping
from pathlib import Path

from leastnoise import _check, _show
from leastnoise._check import Exact
from leastnoise.accounting.pricing import checked_price
from leastnoise.errors import LedgerError
from leastnoise.ledger.arguments import checked_envelopes, needed_total
from leastnoise.ledger.header import Header
from leastnoise.ledger.mode import Mode, checked_mode
from leastnoise.ledger.place import store_of
from leastnoise.ledger.scope import Scope
from leastnoise.ledger.seen import Seen
from leastnoise.ledger.split import Split, checked_split
from leastnoise.ledger.store import Transaction, missing
from leastnoise.ledger.stored_releases import StoredReleases
from leastnoise.privacy.guarantee import Guarantee


class Ledger(StoredReleases):
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
            self.about.refuse_contrary(scope)
            self._refuse_no_seal(seal)

    plot = _show.plot
    _repr_html_ = _show.html

    def __repr__(self) -> str:
        return f"Ledger({self._store!r}, total={self.total!r}, mode={str(self.mode)!r})"

    def _opened(self, transaction: Transaction) -> Seen:
        text = transaction.header()
        if text is None:
            raise missing(self.name)
        return Seen.opened(Header.read(text), transaction)

    def _refuse_no_seal(self, seal: str) -> None:
        if seal and not self.contains(seal):
            raise LedgerError(
                "a ledger's past must hold the seal that was noted; this one does not. It was "
                "replaced or shortened, or is another ledger: restore the one the seal is from."
            )


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


def refuse_no_ledger(ledger: object) -> None:
    """Checks that there is a ledger to charge."""
    if not isinstance(ledger, Ledger):
        raise _check.refuse(
            "`ledger` must be a Ledger",
            f"a {type(ledger).__name__}",
            "Write Ledger('budget.db', total=…, begin=True): every release is charged somewhere.",
        )
