"""What is promised about one privacy unit: four kinds of guarantee, as exact frozen values.

Neighbours are two tables that differ by one privacy unit, added or removed.

Trusted.
"""

from dataclasses import dataclass
from decimal import ROUND_CEILING
from fractions import Fraction

from leastnoise.numbers.exact import Checked, Exact, non_negative, probability, written


class _Shown:
    def __repr__(self) -> str:
        parts = (f"{name}={written(value, ROUND_CEILING)}" for name, value in vars(self).items())
        return f"{type(self).__name__}({', '.join(parts)})"


@dataclass(frozen=True, kw_only=True, repr=False)
class PureDP(_Shown):
    """epsilon-DP: no output is more than e^epsilon times as likely with the unit as without."""

    epsilon: Checked[Exact, Fraction] = Checked(non_negative)


@dataclass(frozen=True, kw_only=True, repr=False)
class ApproxDP(_Shown):
    """(epsilon, delta)-DP: P(S) <= e^epsilon Q(S) + delta for every set S of outputs.

    >>> ApproxDP(epsilon=1, delta=1e-6)
    ApproxDP(epsilon=1, delta=1e-06)
    """

    epsilon: Checked[Exact, Fraction] = Checked(non_negative)
    delta: Checked[Exact, Fraction] = Checked(probability, default=0)


@dataclass(frozen=True, kw_only=True, repr=False)
class ZCDP(_Shown):
    """rho-zCDP: the Renyi divergence of every order a > 1 is at most rho * a."""

    rho: Checked[Exact, Fraction] = Checked(non_negative)


@dataclass(frozen=True, kw_only=True, repr=False)
class GDP(_Shown):
    """mu-GDP: the unit is as hard to see as a shift of a standard normal by mu."""

    mu: Checked[Exact, Fraction] = Checked(non_negative)


Guarantee = PureDP | ApproxDP | ZCDP | GDP
