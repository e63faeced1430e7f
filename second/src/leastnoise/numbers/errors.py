"""Every exception that leastnoise raises on purpose.

LeastNoiseError
├── InvalidInput (also a ValueError)     an argument is wrong; nothing was read or charged
│   ├── UnsupportedSQL                   a statement that no rule covers
│   └── CertificateRejected              a text that is no certificate, or proves nothing
├── BudgetExceeded                       the ledger has less left than the release costs
├── LedgerError                          the ledger cannot be read, written or used so
├── EngineError                          a data engine failed; what it said is not repeated
└── Undecided (also an ArithmeticError)  two numbers too close to compare

A message says what was found and then what to do. It never shows data.

Trusted.
"""

from collections.abc import Iterable
from difflib import get_close_matches


class LeastNoiseError(Exception):
    """The root: catch this to catch everything that leastnoise raises on purpose."""


class InvalidInput(LeastNoiseError, ValueError):
    """An argument is wrong. Nothing was read or charged."""


class UnsupportedSQL(InvalidInput):
    """A statement has a part that no rule covers. Nothing was read or charged."""


class CertificateRejected(InvalidInput):
    """A text is no certificate, or what it claims does not hold."""


class BudgetExceeded(LeastNoiseError):
    """A release costs more than the ledger has left. Nothing was read or charged."""


class LedgerError(LeastNoiseError):
    """A ledger cannot be read, written, trusted, or used for these data."""


class EngineError(LeastNoiseError):
    """A data engine failed. Its own message may quote data, so it is not repeated."""


class Undecided(LeastNoiseError, ArithmeticError):
    """Two numbers agree to more bits than were tried."""


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """A hint with the nearest known name, or nothing.

    >>> did_you_mean("carier", ["carrier", "dest"])
    ' Did you mean "carrier"?'
    """
    by_folded = {each.casefold(): each for each in known}
    found = get_close_matches(str(name).casefold(), by_folded, n=1)
    return f' Did you mean "{by_folded[found[0]]}"?' if found else ""
