"""`Header`: a ledger's first line: what it promises, about which data, and how it adds up."""

import json
from collections.abc import Mapping
from dataclasses import field
from datetime import UTC, datetime
from typing import Any

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.errors import LedgerError
from leastnoise.ledger.account import Account
from leastnoise.ledger.chain import canonical, linked
from leastnoise.ledger.guarantee_text import guarantee_from_text, guarantee_text
from leastnoise.ledger.limits import limits, other_splits, refuse_envelopes, split_limits
from leastnoise.ledger.mode import Mode, plain_mode, usual_mode
from leastnoise.ledger.scope import Scope
from leastnoise.ledger.split import Split
from leastnoise.privacy.guarantee import ApproxDP, Guarantee
from leastnoise.randomness.source import default_source

_FIRST_FORMAT = "leastnoise ledger, version 1"  # without a mode: the total's own numbers add up
_SECOND_FORMAT = "leastnoise ledger, version 2"  # without unit and neighbours
_THIRD_FORMAT = "leastnoise ledger, version 3"  # one division of δ, whatever is charged first
_FORMAT = "leastnoise ledger, version 4"
_BITS = 128  # no two ledgers share them by accident
ENVELOPE = "envelope"
"""The label by which a charge names its envelope."""


@dataclass(frozen=True)
class Header:
    """What is fixed for ever when a ledger is begun.

    Attributes:
        total: the guarantee for everything together.
        mode: how charges add up.
        accounts: one for the total; in a plan, one for each envelope.
        scope: which data, unit and neighbours the promises are about, as far as that was said.
        text: as it is written.
        follows: whether the division of a cap's δ may follow its first charge.
    """

    total: Guarantee
    mode: Mode
    accounts: tuple[Account, ...]
    scope: Scope
    text: str = field(repr=False)
    follows: bool = True

    @classmethod
    def new(
        cls,
        total: Guarantee,
        mode: Mode | None,
        envelopes: Mapping[str, Guarantee] | None,
        scope: Scope,
        split: Split | None = None,
    ) -> "Header":
        """The header of a new ledger.

        Raises:
            InvalidParameter: the mode does not fit the total or the split, or envelopes exceed it.
        """
        chosen = (usual_mode(total) if envelopes is None else Mode.PLAN) if mode is None else mode
        accounts = _accounts(total, chosen, envelopes)
        if split is not None:
            accounts = (_divided(total, chosen, split),)
        body = {
            "format": _FORMAT,
            "total": guarantee_text(total),
            "mode": str(chosen),
            "accounts": [_account_text(account) for account in accounts],
            "dataset": "",
            **scope.said,
            "begun": now(),
            # Two ledgers are never the same one, however alike their promises are.
            "id": f"{default_source().bits(_BITS):032x}",
        }
        return cls(total, chosen, accounts, scope, canonical(body))

    @classmethod
    def read(cls, text: str) -> "Header":
        """The header of a ledger that was begun before.

        Raises:
            LedgerError: not a header, or one of a later version.
        """
        try:
            body = json.loads(text)
            total, scope = guarantee_from_text(body["total"]), _scope(body)
            if body["format"] in {_SECOND_FORMAT, _THIRD_FORMAT, _FORMAT}:
                accounts = tuple(_account(each) for each in body["accounts"])
                mode, follows = Mode(body["mode"]), body["format"] == _FORMAT
                return cls(total, mode, accounts, scope, text, follows)
            if body["format"] == _FIRST_FORMAT:
                plain = (Account((), total, (total,)),)
                return cls(total, plain_mode(total), plain, scope, text, follows=False)
        except (KeyError, ValueError, TypeError, RecursionError):
            pass
        raise LedgerError(
            "a ledger must begin with a header of this version or an earlier one; this file does "
            "not. Is it another database, or written by a later version of leastnoise?"
        )

    @property
    def hash(self) -> str:
        """What the first line's hash is bound to."""
        return linked("", self.text)

    @property
    def envelopes(self) -> dict[str, Guarantee]:
        """The envelopes of a plan; none in other modes."""
        return {value: each.promise for each in self.accounts for _, value in each.labels}

    def refuse_another(
        self, total: Guarantee | None, mode: Mode | None, envelopes: Mapping[str, Guarantee] | None
    ) -> None:
        """Refuses to go on with other promises than those the ledger was begun with."""
        given = {"total": total, "mode": mode, "envelopes": envelopes and dict(envelopes)}
        begun = {"total": self.total, "mode": self.mode, "envelopes": self.envelopes}
        for name, value in given.items():
            if value is not None and value != begun[name]:
                raise _check.refuse(
                    f"`{name}` must be what the ledger was begun with",
                    f"{_shown(value)} for a ledger with {_shown(begun[name])}",
                    "Leave it out, or begin another ledger for other data.",
                )


def now() -> str:
    """The time, as lines have it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _shown(value: object) -> str:
    return str(value) if isinstance(value, Mode) else repr(value)


def _accounts(
    total: Guarantee, mode: Mode, envelopes: Mapping[str, Guarantee] | None
) -> tuple[Account, ...]:
    if (envelopes is None) == (mode is Mode.PLAN):
        raise _check.refuse(
            "`envelopes` must be given for mode plan, and for no other",
            f"mode {mode} with{'out' if envelopes is None else ''} envelopes",
            "A plan fixes its envelopes up front: envelopes={'spring': ApproxDP(…), …}.",
        )
    if envelopes is None:
        return (_following((), total, mode),)
    refuse_envelopes(envelopes, total)
    return tuple(
        _following(((ENVELOPE, name),), promise, usual_mode(promise))
        for name, promise in envelopes.items()
    )


def _following(labels: tuple[tuple[str, str], ...], promise: Guarantee, mode: Mode) -> Account:
    """An account whose division of δ, if it has one, follows its first charge."""
    return Account(labels, promise, limits(promise, mode), other_splits(promise, mode))


def _divided(total: Guarantee, mode: Mode, split: Split) -> Account:
    if mode is Mode.MIXED and isinstance(total, ApproxDP):
        return Account((), total, split_limits(total, split))
    raise _check.refuse(
        "`split` must go with mode mixed",
        f"mode {mode}",
        "Other modes add up in one way, or in envelopes: leave it out.",
    )


def _scope(body: Mapping[str, Any]) -> Scope:
    return Scope.checked(body["dataset"], body.get("unit", ""), body.get("neighbours", ""))


def _account_text(account: Account) -> dict[str, Any]:
    return {
        "labels": [list(pair) for pair in account.labels],
        "promise": guarantee_text(account.promise),
        "limits": [guarantee_text(limit) for limit in account.limits],
        "others": [[guarantee_text(limit) for limit in limits] for limits in account.others],
    }


def _account(text: Mapping[str, Any]) -> Account:
    labels = tuple((str(label), str(value)) for label, value in text["labels"])
    found = tuple(guarantee_from_text(each) for each in text["limits"])
    others = tuple(tuple(map(guarantee_from_text, each)) for each in text.get("others", []))
    return Account(labels, guarantee_from_text(text["promise"]), found, others)
