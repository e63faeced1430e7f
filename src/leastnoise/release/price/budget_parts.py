"""Ways to divide a budget into a part for choosing bounds and the rest; all fixed in advance."""

from collections.abc import Callable, Iterator
from fractions import Fraction

from leastnoise.accounting.discrete_gaussian_vector_calibration import greatest_rho
from leastnoise.errors import UnsupportedQuery
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.release.gate import Parts

_FOR_THRESHOLDS = Fraction(1, 2)  # of δ; the rest pays for Gaussian noise
_HAIR = 1 - Fraction(1, 2**30)  # the gate looks for the best order itself, and may miss it

Share = Callable[[bool], Fraction]
"""The part that chooses: of ρ for Gaussian noise, else of ε."""


def budget_parts(budget: Guarantee, share: Share, *, private: bool) -> Iterator[Parts]:
    """The ways that the gate can prove.

    Args:
        budget: what both parts together must keep.
        share: the first part.
        private: whether private groups need a part of δ.

    Raises:
        UnsupportedQuery: a budget of a kind that cannot be divided here.
    """
    match budget:
        case PureDP():
            yield _pure(budget.epsilon, Fraction(0), share(False))
        case ZCDP():
            yield _concentrated(budget.rho, budget.delta, share(True))
        case ApproxDP():
            if budget.epsilon:
                yield _pure(budget.epsilon, budget.delta, share(False))
            leak = budget.delta * _FOR_THRESHOLDS if private else Fraction(0)
            if budget.delta:
                rho = greatest_rho(budget.epsilon, budget.delta - leak) * _HAIR
                yield from [_concentrated(rho, leak, share(True))] if rho > 0 else []
        case _:
            raise UnsupportedQuery(
                f"a plan's budget must be PureDP, ApproxDP or ZCDP; got {budget!r}. "
                "Convert it first: see leastnoise.theory."
            )


def _pure(epsilon: Fraction, delta: Fraction, share: Fraction) -> Parts:
    left = (1 - share) * epsilon
    rest = ApproxDP(epsilon=left, delta=delta) if delta else PureDP(epsilon=left)
    return Parts(PureDP(epsilon=share * epsilon), rest)


def _concentrated(rho: Fraction, delta: Fraction, share: Fraction) -> Parts:
    return Parts(ZCDP(rho=share * rho), ZCDP(rho=(1 - share) * rho, delta=delta))
