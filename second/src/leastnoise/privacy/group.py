"""Group privacy: what a guarantee for one unit says about several units at once."""

from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from leastnoise.numbers.ball import ball, enclosure
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import whole
from leastnoise.numbers.interval import Interval
from leastnoise.privacy.curve import MOST_PEOPLE
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, Guarantee, PureDP


@dataclass(frozen=True)
class GroupForm:
    """One published delta for groups, at size*epsilon."""

    formula: str
    delta: Interval
    remark: str


@dataclass(frozen=True)
class GroupForms:
    """Published forms side by side; printing shows a table."""

    rows: tuple[GroupForm, ...]

    def __repr__(self) -> str:
        return "\n".join(
            f"  {row.formula:<28}{float(row.delta):>11.3e}   {row.remark}".rstrip()
            for row in self.rows
        )


@dataclass(frozen=True, kw_only=True, repr=False)
class GroupApproxDP(ApproxDP):
    """(epsilon, delta)-DP for a group, with the published forms of its delta beside it."""

    forms: GroupForms

    def __repr__(self) -> str:
        return f"ApproxDP(epsilon={float(self.epsilon):.4g}, delta={float(self.delta):.4g})"


def group_privacy(guarantee: Guarantee, *, size: int) -> Guarantee:
    r"""The least guarantee for groups of `size` units, of the same kind.

    PureDP and GDP: size times it. ZCDP: size^2 times it (Bun and Steinke 2016, Proposition 1.9).
    ApproxDP: (size*epsilon, delta') with delta' the size-fold iterate at 0 of
    p -> min(1, e^epsilon*p + delta, 1 - e^-epsilon*(1 - delta - p)), which some mechanism attains.
    Proof page: docs/proofs/composition.md, section 3.

    >>> found = group_privacy(ApproxDP(epsilon=1, delta="1e-6"), size=5)
    >>> found
    ApproxDP(epsilon=5, delta=8.579e-05)
    >>> found.forms
      sharp                         8.579e-05
      (e^kε − 1)/(e^ε − 1)·δ        8.579e-05   attained
      k·e^(k−1)ε·δ                  2.730e-04   valid, looser (lecture notes on approximate DP)
      k·e^kε·δ                      7.421e-04   valid, loosest (lecture 2)
      e^kε·δ                        1.484e-04   often quoted; not a theorem
    """
    people = whole(size, "size", most=MOST_PEOPLE)
    match guarantee:
        case PureDP():
            return PureDP(epsilon=people * guarantee.epsilon)
        case GDP():
            return GDP(mu=people * guarantee.mu)
        case ZCDP():
            return ZCDP(rho=people**2 * guarantee.rho)
        case ApproxDP():
            return _approx(guarantee.epsilon, guarantee.delta, people)
        case _:
            raise InvalidInput(
                f"The guarantee is of the type {type(guarantee).__name__}. "
                "Give PureDP, ApproxDP, ZCDP or GDP."
            )


def sharp_delta(epsilon: Fraction, delta: Fraction, size: int) -> Interval:
    """The least delta' at size*epsilon."""
    if not epsilon:
        return Interval.exactly(min(size * delta, Fraction(1)))
    if not delta:
        return Interval.exactly(0)

    def compute() -> arb:
        found, factor, lost = arb(0), ball(epsilon).exp(), ball(delta)
        for _ in range(size):
            high = 1 - (1 - lost - found) / factor
            found = (factor * found + lost).min(high).min(arb(1))
        return found

    return enclosure(compute)


def _approx(epsilon: Fraction, delta: Fraction, size: int) -> ApproxDP:
    sharp = sharp_delta(epsilon, delta, size)
    total = size * epsilon

    def times(factor: int, exponent: Fraction) -> Interval:
        return enclosure(lambda: factor * ball(delta) * ball(exponent).exp())

    closed = (
        enclosure(lambda: ball(delta) * ball(total).expm1() / ball(epsilon).expm1())
        if epsilon
        else Interval.exactly(size * delta)
    )
    met = "attained" if closed.lower <= sharp.upper else "valid, not attained"
    rows = (
        GroupForm("sharp", sharp, ""),
        GroupForm("(e^kε − 1)/(e^ε − 1)·δ", closed, met),
        GroupForm(
            "k·e^(k−1)ε·δ",
            times(size, total - epsilon),
            "valid, looser (lecture notes on approximate DP)",
        ),
        GroupForm("k·e^kε·δ", times(size, total), "valid, loosest (lecture 2)"),
        GroupForm("e^kε·δ", times(1, total), "often quoted; not a theorem"),
    )
    upper = Fraction(sharp.upper)
    return GroupApproxDP(epsilon=total, delta=min(upper, Fraction(1)), forms=GroupForms(rows))
