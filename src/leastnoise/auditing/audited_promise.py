"""`AuditedPromise`: the promise an audit puts to the test, and how sure it wants to be."""

from fractions import Fraction

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass


@dataclass(frozen=True)
class AuditedPromise:
    """(ε, δ)-DP for a pair of neighbours, both ways round, and the risk of a false alarm."""

    epsilon: Fraction
    delta: Fraction
    risk: Fraction


def audited_promise(epsilon: Exact | None, delta: Exact, confidence: Exact) -> AuditedPromise:
    """The promise in exact numbers."""
    if epsilon is None:
        raise _check.refuse(
            "`epsilon` must be given to audit from outside",
            "epsilon=None",
            "Say which promise to test: epsilon=1, delta=1e-6.",
        )
    sure = _check.confidence(confidence)
    return AuditedPromise(_check.non_negative(epsilon, "epsilon"), _check.delta(delta), 1 - sure)
