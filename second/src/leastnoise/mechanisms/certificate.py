"""`Certificate`: a claim with its witness as a text that a stranger can check.

A claim says what holds ("this noise has mean cost at most c, and no noise that keeps the same
promise has less than l"). A witness is what the proof needs (a law, a dual solution). Whoever makes
certificates lives in one module, whoever checks them in another, and a checker imports no maker: it
computes every number of the claim anew.

The text is canonical JSON: one text for one certificate, numbers as strings.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from leastnoise.numbers.errors import CertificateRejected, InvalidInput
from leastnoise.numbers.exact import exact, written

FORMAT = "leastnoise certificate 2"
_LONGEST = 1 << 26  # characters of a text that is read
_DAMAGED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What reading a text that somebody changed can raise."""

Check = Callable[["Certificate"], str]
"""Checks a certificate: what it proves, in a sentence. Raises `CertificateRejected`."""

CHECKERS: dict[str, Check] = {}
"""For each kind of certificate its checker; the modules that check register theirs here."""


def checks(kind: str) -> Callable[[Check], Check]:
    """Registers a checker."""

    def register(check: Check) -> Check:
        CHECKERS[kind] = check
        return check

    return register


@dataclass(frozen=True)
class Certificate:
    """A claim and its witness. Print it to see the claim, `check()` it to believe it.

    Attributes:
        kind: which claim it is; says who checks it.
        claim: what is claimed, by name. Numbers are exact fractions as text: "1/3".
        witness: what the proof needs.
    """

    kind: str
    claim: Mapping[str, Any]
    witness: Mapping[str, Any]

    def check(self) -> str:
        """What is proved, in a sentence. Everything is computed anew.

        Raises:
            CertificateRejected: a part of the claim does not hold; it is named.
        """
        checker = CHECKERS.get(self.kind)
        if checker is None:
            raise CertificateRejected(f"Nobody can check certificates of kind {self.kind!r:.60}.")
        try:
            return checker(self)
        except CertificateRejected:
            raise
        except _DAMAGED:
            what = f"This is no certificate of the kind {self.kind!r:.60}"
            raise CertificateRejected(f"{what}: parts are missing or damaged.") from None

    def to_json(self) -> str:
        """The certificate as text."""
        body = {"format": FORMAT, "kind": self.kind, "claim": self.claim, "witness": self.witness}
        return json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> "Certificate":
        """A certificate from its text; only the one canonical text is taken."""
        try:
            body = json.loads(text[:_LONGEST], parse_float=_no_float, parse_constant=_no_float)
            found = cls(body["kind"], body["claim"], body["witness"])
            parts = (found.kind, str), (found.claim, dict), (found.witness, dict)
            good = all(isinstance(part, kind) for part, kind in parts)
            good &= body["format"] == FORMAT and found.to_json() == text.strip()
        except _DAMAGED:
            good = False
        if not good:
            raise CertificateRejected("This text is no certificate, or it was changed.")
        return found

    def __repr__(self) -> str:
        if "statement" in self.claim:  # the claim in words, which a checker compares
            return str(self.claim["statement"])
        shown = "\n".join(f"  {name}: {_short(value)}" for name, value in self.claim.items())
        return f"Certificate of {self.kind}\n{shown}"


def _short(value: Any) -> Any:
    """A long fraction as a decimal; the rest as it is."""
    try:
        return written(number(value)) if isinstance(value, str) else value
    except (InvalidInput, ValueError):
        return value


def _no_float(text: str) -> Any:
    raise ValueError(text)


def number(text: Any) -> Fraction:
    """A number of a claim or witness: a whole number, or a fraction as text."""
    if isinstance(text, bool) or not isinstance(text, int | str):
        raise ValueError("a number of a certificate is a whole number or text")
    if isinstance(text, int):
        return Fraction(text)
    found = exact(text)
    if str(found) != text:
        raise ValueError("a number of a certificate has one spelling")
    return found
