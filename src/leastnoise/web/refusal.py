"""What the library refuses, in the three parts the page shows: rule, finding, remedy."""

from leastnoise.errors import (
    BackendError,
    BudgetExceeded,
    LeastNoiseError,
    LedgerError,
    Undecided,
    UnsupportedQuery,
)

_KINDS: tuple[tuple[type[LeastNoiseError], str], ...] = (
    (BudgetExceeded, "budget"),
    (LedgerError, "ledger"),
    (BackendError, "data"),
    (UnsupportedQuery, "unsupported"),
    (Undecided, "undecided"),
)


def refusal_parts(refusal: LeastNoiseError) -> dict[str, str]:
    """The kind, rule, finding and remedy of a refusal; what has no such parts is all rule.

    Example:
        >>> from leastnoise._check import refuse
        >>> parts = refusal_parts(refuse("`epsilon` must be positive", "epsilon=-0.5", "Try 1."))
        >>> parts["rule"], parts["finding"], parts["remedy"]
        ('`epsilon` must be positive', 'epsilon=-0.5', 'Try 1.')
    """
    kind = next((name for each, name in _KINDS if isinstance(refusal, each)), "parameter")
    rule, separator, rest = str(refusal).partition("; got ")
    if not separator:
        return {"kind": kind, "rule": str(refusal), "finding": "", "remedy": ""}
    finding, _, remedy = rest.partition(". ")
    return {"kind": kind, "rule": rule, "finding": finding.removesuffix("."), "remedy": remedy}
