"""Everything this library raises on purpose.

LeastNoiseError
├── InvalidParameter (also a ValueError)      an argument breaks a rule
├── UnsupportedQuery (also a ValueError)      a fair question this object cannot answer
├── BudgetExceeded                            a request costs more than is left
├── NotAdmitted                               a release would keep less than is promised
├── LedgerError                               a ledger cannot be read, written or trusted
│   └── LedgerMissing                         there is none yet, or it is gone
├── BackendError                              a data engine failed; what may quote data is withheld
├── CertificateRejected (also a ValueError)   a text is not a certificate, or proves nothing
└── Undecided (also an ArithmeticError)       a comparison no affordable precision settled

Messages read rule, finding, remedy. They show parameters, which are public, and never data.
"""


class LeastNoiseError(Exception):
    """The root of the tree: catch this to catch everything the library raises on purpose."""


class InvalidParameter(LeastNoiseError, ValueError):
    """An argument breaks a rule; nothing was computed, drawn or spent."""


class UnsupportedQuery(LeastNoiseError, ValueError):
    """A well-formed question that this object has no sound way to answer."""


class BudgetExceeded(LeastNoiseError):
    """A request costs more than is left; nothing was drawn or spent.

    Attributes:
        requested: the guarantee asked for.
        remaining: the guarantee that would still be granted.
    """

    def __init__(self, message: str, *, requested: object = None, remaining: object = None) -> None:
        super().__init__(message)
        self.requested = requested
        self.remaining = remaining


class NotAdmitted(LeastNoiseError):
    """The gate could not prove that a release keeps its promise; nothing was charged or drawn."""


class LedgerError(LeastNoiseError):
    """A ledger cannot be reached, was tampered with, or belongs to something else.

    Nothing was drawn. If the failure came while a charge was being written, the charge may stand:
    budget is never given back on doubt.
    """


class LedgerMissing(LedgerError):
    """There is no ledger: it is yet to be begun, or it was and is gone. Nothing was begun."""


class BackendError(LeastNoiseError):
    """A data engine failed. What it said is withheld, save of plan and schema before any row."""


class CertificateRejected(LeastNoiseError, ValueError):
    """What was offered as a certificate cannot be read as one."""


class Undecided(LeastNoiseError, ArithmeticError):
    """Two numbers stayed indistinguishable at the highest precision tried."""
