"""The lines of a ledger: what each kind says, as canonical JSON in a chain of hashes.

Header: the privacy unit, the neighbours, the totals, the time. Then, one below the other: charges
(what a release is, its noise and its price), attempts to finish one, the digests of stored totals,
and caps. hash(n) = SHA-256(hash(n - 1), line n), so that no line can be changed, removed or put
elsewhere without changing all later hashes. A line never holds data.

Trusted.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from leastnoise.ledger.meters import Price, Total
from leastnoise.numbers.errors import LedgerError
from leastnoise.privacy.guarantee import ZCDP

FORMAT = 2
MOST_ATTEMPTS = 3

# What reading a text raises that nobody here wrote.
_STRANGE = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


def canonical(value: object) -> str:
    """One text for one value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def digest(text: str, before: str = "") -> str:
    """The hash of a text after another hash."""
    return hashlib.sha256(f"{before}\n{text}".encode()).hexdigest()


def broken(number: int) -> LedgerError:
    """The refusal to work with a chain that was changed."""
    return LedgerError(
        f"Line {number} of the ledger does not follow from the lines before it: the file was "
        "changed or damaged. Restore a backup, and count everything since then as spent."
    )


@dataclass(frozen=True)
class Header:
    """What a ledger is for. It never changes.

    Attributes:
        unit: the name of the privacy unit.
        total: what is promised for everything.
        time: when the ledger was created.
    """

    unit: str
    total: Total
    time: str

    def text(self) -> str:
        """The header as a line."""
        promise = self.total.guarantee
        amounts = (
            {"rho": str(promise.rho)}
            if isinstance(promise, ZCDP)
            else {"epsilon": str(promise.epsilon), "delta": str(promise.delta)}
        )
        body = {
            "format": FORMAT,
            "unit": self.unit,
            "neighbours": "one unit added or removed",
            "delta_of_groups": str(self.total.delta_of_groups),
            "time": self.time,
        }
        return canonical(body | amounts)

    @classmethod
    def read(cls, text: str) -> "Header":
        """The header of a line."""
        try:
            body = json.loads(text)
            if body["format"] != FORMAT:
                raise LedgerError("This ledger was written by another version of leastnoise.")
            if "rho" in body:
                total = Total.of_rho(Fraction(body["rho"]), Fraction(body["delta_of_groups"]))
            else:
                total = Total.of(Fraction(body["epsilon"]), Fraction(body["delta"]))
            return cls(str(body["unit"]), total, str(body["time"]))
        except _STRANGE:
            raise LedgerError("This is not a ledger, or its first line was damaged.") from None


@dataclass(frozen=True)
class Request:
    """What somebody asked to be released.

    Attributes:
        identity: what the release is: query, amount, data_version. Equal ones are one release.
        shown: what `Ledger.entries` shows: title, SQL, amount, analyst.
        source: the fingerprint of the files; None if there is none.
    """

    identity: Mapping[str, Any]
    shown: Mapping[str, Any]
    source: Any = None


@dataclass(frozen=True)
class Charge:
    """What a release was charged for, written before any table is read.

    Attributes:
        request: what was asked for.
        noise: the family of noise and its size for every total.
        price: what it costs.
    """

    request: Request
    noise: Mapping[str, Any]
    price: Price

    def body(self) -> dict[str, Any]:
        """The charge as JSON."""
        amounts = vars(self.price).items()
        price = {name: None if each is None else str(each) for name, each in amounts}
        return {"kind": "charge", "noise": self.noise, "price": price} | vars(self.request)

    @classmethod
    def read(cls, body: Mapping[str, Any]) -> "Charge":
        """The charge of a line."""
        request = Request(body["identity"], body["shown"], body["source"])
        return cls(request, body["noise"], _price(**body["price"]))


@lru_cache  # a ledger of nightly releases has few prices
def _price(epsilon: str | None, squared_mu: str, rho: str, delta: str) -> Price:
    pure = None if epsilon is None else Fraction(epsilon)
    return Price(pure, Fraction(squared_mu), Fraction(rho), Fraction(delta))


@dataclass(frozen=True)
class Attempt:
    """One try to finish a charge whose answer was not stored, or one of its stages, if it is named."""

    charge: int
    stage: str = ""

    def body(self) -> dict[str, Any]:
        """The attempt as JSON."""
        stage = {"stage": self.stage} if self.stage else {}
        return {"kind": "attempt", "charge": self.charge} | stage


@dataclass(frozen=True)
class Stored:
    """That the noisy totals of a stage were stored, and the digest of their text."""

    charge: int
    stage: str
    content: str

    def body(self) -> dict[str, Any]:
        """The line as JSON."""
        return {
            "kind": "stored",
            "charge": self.charge,
            "stage": self.stage,
            "digest": self.content,
        }


@dataclass(frozen=True)
class Cap:
    """How much one analyst may spend, epsilon or rho: a rule of the house."""

    analyst: str
    amount: Fraction

    def body(self) -> dict[str, Any]:
        """The cap as JSON."""
        return {"kind": "cap", "analyst": self.analyst, "amount": str(self.amount)}


Record = Charge | Attempt | Stored | Cap


class Line(NamedTuple):
    """One line of the chain."""

    number: int
    text: str
    hash: str

    @classmethod
    def write(cls, record: Record, number: int, time: str, before: str) -> "Line":
        """A record as the next line."""
        text = canonical(record.body() | {"number": number, "time": time})
        return cls(number, text, digest(text, before))

    def read(self, before: str) -> tuple[Record, str]:
        """The record and the time of a line, checked against the hash before it."""
        if digest(self.text, before) != self.hash:
            raise broken(self.number)
        try:
            body = json.loads(self.text)
            if body["number"] != self.number:
                raise broken(self.number)
            match body["kind"]:
                case "charge":
                    record: Record = Charge.read(body)
                case "attempt":
                    record = Attempt(int(body["charge"]), str(body.get("stage", "")))
                case "stored":
                    record = Stored(int(body["charge"]), body["stage"], body["digest"])
                case "cap":
                    record = Cap(str(body["analyst"]), Fraction(body["amount"]))
                case _:
                    raise broken(self.number)
            return record, str(body["time"])
        except _STRANGE:
            raise broken(self.number) from None

    def charge(self) -> Charge:
        """The charge of a line that was checked."""
        return Charge.read(json.loads(self.text))

    def is_for(self, request: Request) -> bool:
        """Whether it is a charge for this release: equal values have one canonical text."""
        return self.text.startswith(f'{{"identity":{canonical(request.identity)},')
