"""Budgets as sums on one line: total − spent − now = left, in numbers that do add up as shown."""

import math
from collections.abc import Iterable
from fractions import Fraction

from leastnoise._dataclass import dataclass
from leastnoise.accounting.pricing import as_amounts
from leastnoise.ledger.account import Balance
from leastnoise.people.digits import MINUS, decimal, said_number
from leastnoise.privacy.guarantee import GDP, RDP, ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.privacy.spoken import said

_LETTERS = {PureDP: "ε", ApproxDP: "εδ", ZCDP: "ρδ", RDP: "ε", GDP: "μ"}
_OWN_DIGITS = 3  # of the least number in a sum,
_ALL_DIGITS = 6  # unless the greatest would get more than these
_FULL, _EMPTY = "▓", "░"


@dataclass(frozen=True)
class BudgetSum:
    """One number of a budget, added up.

    Attributes:
        letter: ε, δ, ρ; μ² as squares add up.
        total: what there was.
        spent: before now.
        now: what is asked for.
        held: what is set aside for another way of adding up.
    """

    letter: str
    total: Fraction
    spent: Fraction
    now: Fraction = Fraction(0)
    held: Fraction = Fraction(0)

    def words(self, now: str = "") -> str:
        """The sum: prices rounded up, so that what is left is rounded down.

        Args:
            now: what to call what is asked for now; nothing is asked for if it is empty.

        Example:
            >>> third = Fraction(1, 3)
            >>> BudgetSum("ε", Fraction(3), Fraction(0), Fraction(1)).words("for this plan")
            '3 total − 0 spent − 1 for this plan = 2 left'
            >>> BudgetSum("ε", Fraction(1), third).words()
            '1 total − 0.334 spent = 0.666 left'
        """
        step, total, prices, left = self._rounded(now)
        told = [f"{_times(each, step)} {name}" for name, each in prices.items()]
        return f" {MINUS} ".join([f"{_times(total, step)} total", *told]) + (
            f" = {_times(left, step)} left"
        )

    def _rounded(self, now: str) -> tuple[Fraction, int, dict[str, int], int]:
        """A step, and in steps: the total, the prices by name, and what is left."""
        parts = {"spent": self.spent, **({now: self.now} if now else {})}
        parts |= {"held back": self.held} if self.held else {}
        step = self._step(parts.values())
        total = math.floor(self.total / step)
        prices = {name: math.ceil(each / step) for name, each in parts.items()}
        return step, total, prices, max(total - sum(prices.values()), 0)

    def _step(self, prices: Iterable[Fraction]) -> Fraction:
        """A power of ten that all numbers are told in."""
        sizes = [decimal(each).adjusted() for each in (self.total, *prices) if each]
        if not sizes:
            return Fraction(1)
        place = max(min(sizes) - _OWN_DIGITS + 1, max(sizes) - _ALL_DIGITS + 1)
        return Fraction(10) ** place

    def bar(self, width: int = 30) -> str:
        """What is gone after this, as a bar: full if the words say that 0 is left, else not.

        Example:
            >>> BudgetSum("ε", Fraction(3), Fraction(1)).bar(9)
            '▓▓▓░░░░░░'
        """
        if not self.total:
            return _EMPTY * width
        part = min((self.spent + self.now + self.held) / self.total, Fraction(1))
        *_, left = self._rounded("now" if self.now else "")
        full = min(math.floor(width * part), width - 1) if left else width
        full = max(full, 1) if part else 0
        return _FULL * full + _EMPTY * (width - full)


def _times(count: int, step: Fraction) -> str:
    return said_number(count * step, digits=_ALL_DIGITS + 1)


def budget_sums(balance: Balance, before: Balance | None = None) -> tuple[BudgetSum, ...]:
    """The sums of a budget, by the first of its ways of adding up.

    Args:
        balance: what it has left, after what is asked for now if something is.
        before: what it had left before that.

    Example:
        >>> ten = ApproxDP(epsilon=1, delta="1e-8"), ApproxDP(epsilon=2, delta="4e-8")
        >>> found = Balance("total", ApproxDP(epsilon=3, delta="1e-7"), ten[:1], ten[1:])
        >>> for each in budget_sums(found):
        ...     print(each.letter, each.words())
        ε 3 total − 1 spent = 2 left
        δ 10⁻⁷ total − 10⁻⁸ spent − 5·10⁻⁸ held back = 4·10⁻⁸ left
    """
    spent, left = balance.spent[0], balance.remaining[0]
    gone, rest = as_amounts(spent), as_amounts(left)
    earlier = gone if before is None else _same_kind(before, spent)
    found = []
    for place, letter in enumerate(_LETTERS[type(spent)]):
        limit = gone[place] + rest[place]
        total = _promised_delta(balance.promise, limit) if letter == "δ" else limit
        if total:
            now, name = gone[place] - earlier[place], "μ²" if letter == "μ" else letter
            found.append(BudgetSum(name, total, earlier[place], now, total - limit))
    return tuple(found)


def _same_kind(before: Balance, spent: Guarantee) -> tuple[Fraction, ...]:
    for each in before.spent:
        if type(each) is type(spent):
            return as_amounts(each)
    return (Fraction(0),) * len(as_amounts(spent))


def _promised_delta(promise: Guarantee, limit: Fraction) -> Fraction:
    return promise.delta if isinstance(promise, ApproxDP) else limit


def held_words(balance: Balance) -> tuple[str, ...]:
    """What δ is held back for, and what the other ways of adding up have left.

    Example:
        >>> ways = ApproxDP(epsilon=1, delta="1e-8"), ZCDP(rho="0.0165")
        >>> left = ApproxDP(epsilon=2, delta="4e-8"), ZCDP(rho="0.128")
        >>> held_words(Balance("total", ApproxDP(epsilon=3, delta="1e-7"), ways, left))
        ('The δ held back lets small releases be counted by ρ: ρ = 0.0165 spent, ρ = 0.128 left.',)
    """
    if not any(each.held for each in budget_sums(balance)):
        return ()
    if isinstance(balance.spent[0], ZCDP):
        return (f"δ is held back to turn ρ into the promise, {said(balance.promise)}.",)
    others = [
        f"{_rho(spent)} spent, {_rho(left)} left"
        for spent, left in zip(balance.spent[1:], balance.remaining[1:], strict=True)
    ]
    if others:
        return (f"The δ held back lets small releases be counted by ρ: {'; '.join(others)}.",)
    return ("The δ held back is for many small releases; beside one this large it stays unused.",)


def _rho(guarantee: Guarantee) -> str:
    return said(ZCDP(rho=guarantee.rho)) if isinstance(guarantee, ZCDP) else said(guarantee)
