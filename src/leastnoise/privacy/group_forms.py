"""The forms of group privacy found in the literature, side by side."""

from typing import SupportsIndex

from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.errors import UnsupportedQuery
from leastnoise.numeric.exponential import ExponentialRatio, ExponentialSum
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.real import rational_real
from leastnoise.privacy.curves.curve import price_text
from leastnoise.privacy.group import checked, group_privacy, rising_steps


@dataclass(frozen=True)
class GroupForm:
    """One published value of δ′ at kε for groups of k."""

    formula: str
    value: Interval
    is_theorem: bool
    remark: str

    @property
    def bound(self) -> Interval:
        """The value, if it is one that can be relied on."""
        if self.is_theorem:
            return self.value
        raise UnsupportedQuery(
            f"a bound must be a theorem; got {self.formula}, which is too small for some "
            "mechanisms. Use group_privacy."
        )

    def __str__(self) -> str:
        mark = " " if self.is_theorem else "✗"
        return f"{mark} {price_text(self.value):<12} {self.formula:<28} {self.remark}".rstrip()


@dataclass(frozen=True)
class GroupForms:
    """A table of `GroupForm`."""

    rows: tuple[GroupForm, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.rows))


def group_forms(*, epsilon: Exact, delta: Exact, size: SupportsIndex) -> GroupForms:
    r"""Every published δ′ for groups of k under (ε, δ)-DP, at kε, the wrong one marked.

    Theorem: sharp ≤ (e^(kε)−1)/(e^ε−1)·δ ≤ k·e^((k−1)ε)·δ ≤ k·e^(kε)·δ, for all ε, δ and k.
    Proof: (e^(kε)−1)/(e^ε−1) is the sum of e^(jε) over 0 ≤ j < k; the last term is the largest.

    Example:
        >>> print(group_forms(epsilon="0.1", delta="1e-3", size=10))
          0.0163380    sharp
          0.0163380    (e^kε − 1)/(e^ε − 1)·δ       attained
          0.0245961    k·e^(k−1)ε·δ                 lecture notes on approximate DP
          0.0271829    k·e^kε·δ                     lecture notes on privacy basics
        ✗ 0.00271829   e^kε·δ                       often quoted, but not a theorem
    """
    loss, leak, people = checked(epsilon, delta, size)

    def times(factor: ExponentialSum) -> Interval:
        return ExponentialRatio(factor * leak, ExponentialSum.of(1)).interval()

    whole, last = ExponentialSum.exp(people * loss), ExponentialSum.exp((people - 1) * loss)
    total = ExponentialRatio((whole - 1) * leak, ExponentialSum.exp(loss) - 1)
    closed = total.interval() if loss else rational_real(people * leak).interval()
    met = not (loss and leak) or people <= rising_steps(loss, leak)
    return GroupForms(
        (
            GroupForm("sharp", group_privacy(epsilon=loss, delta=leak, size=people), True, ""),
            GroupForm(
                "(e^kε − 1)/(e^ε − 1)·δ", closed, True, "attained" if met else "not attained"
            ),
            GroupForm(
                "k·e^(k−1)ε·δ", times(last * people), True, "lecture notes on approximate DP"
            ),
            GroupForm("k·e^kε·δ", times(whole * people), True, "lecture notes on privacy basics"),
            GroupForm("e^kε·δ", times(whole), False, "often quoted, but not a theorem"),
        )
    )
