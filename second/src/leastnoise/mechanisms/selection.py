"""Choosing one good candidate, or several, by noisy races: exponential mechanism, permute and flip.

Every candidate has a utility, a whole number that one privacy unit moves by at most the sensitivity.
Both mechanisms look at gaps to the best utility alone, and flip for each candidate a coin that shows
heads with probability e^(-rate * gap): rate = epsilon / (2 * sensitivity), or twice that if utilities
are monotone, which means that one unit moves all of them up or all of them down. Counts of units are,
where a unit is added or removed, but not where one is replaced.

Proof page: docs/proofs/selection.md.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

import numpy as np
from flint import acb, arb

from leastnoise.mechanisms.mechanism import Mechanism, whole_numbers
from leastnoise.noise.source import Source
from leastnoise.noise.stairs import uniform_array
from leastnoise.noise.uniform import Draws, geometric, uniform_below
from leastnoise.numbers import ball as balls
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import Checked, Exact, inside, positive, truth_value, whole
from leastnoise.numbers.interval import Interval
from leastnoise.numbers.inverse import least_integer
from leastnoise.privacy.guarantee import ZCDP, PureDP
from leastnoise.privacy.loss import PrivacyLoss

_PROPOSALS = 64  # at once


@dataclass(frozen=True, kw_only=True, repr=False)
class Selection(Mechanism[Sequence[int], tuple[int, ...]]):
    """What both mechanisms have in common. Several candidates are chosen one after another.

    Attributes:
        candidates: how many there are; public.
        epsilon: of one choice.
        sensitivity: how far one privacy unit moves a utility.
        monotone: whether one unit moves all utilities up, or all of them down.
        count: how many candidates are chosen. All choices together cost count * epsilon.
    """

    candidates: Checked[int, int] = Checked(whole)
    epsilon: Checked[Exact, Fraction] = Checked(positive)
    sensitivity: Checked[int, int] = Checked(whole, default=1)
    monotone: Checked[bool, bool] = Checked(truth_value, default=False)
    count: Checked[int, int] = Checked(whole, default=1)

    def __post_init__(self) -> None:
        if self.count > self.candidates:
            raise InvalidInput(f"count is {self.count}. Give at most {self.candidates}.")

    @property
    def rate(self) -> Fraction:
        """A coin shows heads with probability e^(-rate * gap)."""
        return self.epsilon / (self.sensitivity * (1 if self.monotone else 2))

    @property
    def guarantee(self) -> PureDP:
        """The pure price of all choices."""
        return PureDP(epsilon=self.count * self.epsilon)

    @property
    @abstractmethod
    def concentrated(self) -> ZCDP:
        """The zCDP of all choices, for adding up with others."""

    @abstractmethod
    def _pick(self, gaps: Draws, source: Source) -> int: ...

    @abstractmethod
    def _missed(self, heads: arb) -> arb:
        """The chance to miss the one best candidate, if all others show heads with this chance."""

    @abstractmethod
    def expected_error(self, utilities: Sequence[int]) -> Interval:
        """The mean gap of one choice, for public or made-up utilities."""

    def _gaps(self, utilities: Sequence[int] | Draws) -> Draws:
        """From the best utility to each."""
        row = whole_numbers(utilities, Fraction(1), "The row of utilities")
        if row.shape != (self.candidates,):
            raise InvalidInput(f"Give a row of {self.candidates} utilities, one per candidate.")
        return np.asarray(row.max() - row)

    def _answer(self, value: Sequence[int] | Draws, source: Source) -> tuple[int, ...]:
        gaps, left, chosen = self._gaps(value), np.arange(self.candidates), list[int]()
        for _ in range(self.count):
            rest = gaps[left]
            place = self._pick(rest - rest.min(), source)
            chosen.append(int(left[place]))
            left = np.delete(left, place)
        return tuple(chosen)

    def error(self, *, level: Exact = "0.95") -> int:
        """A gap that one choice stays below with this chance, whatever the utilities are.

        The worst is that all but one fall short by the same gap.
        """
        risk = 1 - inside(level, "level")

        def is_rare(gap: int) -> bool:
            return balls.sign(lambda: self._missed(self._head(gap)) - balls.ball(risk)) <= 0

        return least_integer(is_rare, 1) if self.candidates > 1 else 1

    def _head(self, gap: int) -> arb:
        return (-balls.ball(self.rate * gap)).exp()

    def _heads(self, utilities: Sequence[int]) -> list[tuple[int, arb]]:
        return [(gap, self._head(gap)) for gap in self._gaps(utilities)]


@dataclass(frozen=True, kw_only=True, repr=False)
class ExponentialMechanism(Selection):
    """For many choices that are priced together: a chance proportional to e^(-rate * gap).

    A candidate is proposed uniformly until one shows heads (McSherry and Talwar 2007). Losses lie in
    a range of epsilon (Durfee and Rogers 2019), so many choices together cost less than epsilon each.

    >>> exponential_mechanism(candidates=3, epsilon=1).release([0, 900, 5]).value
    (1,)
    """

    @property
    def concentrated(self) -> ZCDP:
        """epsilon^2 / 8 for each choice (Cesar and Rogers 2021)."""
        return ZCDP(rho=self.count * Fraction(self.epsilon) ** 2 / 8)

    def privacy(self, distance: int = 1) -> PrivacyLoss:
        """An upper bound: that of the worst mechanism with the same pure epsilon."""
        one = PrivacyLoss.worst_case(epsilon=self.epsilon * whole(distance, "distance"), delta=0)
        return one.self_compose(self.count)

    def _pick(self, gaps: Draws, source: Source) -> int:
        while True:
            proposed = uniform_array(gaps.size, _PROPOSALS, source)
            heads = np.flatnonzero(geometric(self.rate, _PROPOSALS, source) >= gaps[proposed])
            if heads.size:
                return int(proposed[heads[0]])

    def _missed(self, heads: arb) -> arb:
        others = (self.candidates - 1) * heads
        return others / (1 + others)

    def expected_error(self, utilities: Sequence[int]) -> Interval:
        """The mean gap of one choice, for public or made-up utilities.

        >>> one = ExponentialMechanism(candidates=4, epsilon=1, sensitivity=1)
        >>> round(float(one.expected_error([10, 9, 9, 0])), 4)
        0.5768
        """

        def error() -> arb:
            heads = self._heads(utilities)
            return sum((gap * p for gap, p in heads), arb(0)) / sum((p for _, p in heads), arb(0))

        return balls.enclosure(error)


@dataclass(frozen=True, kw_only=True, repr=False)
class PermuteAndFlip(Selection):
    """For a single choice: uniformly one of all candidates that show heads.

    Its gap is never more likely to be large than that of the exponential mechanism (McKenna and Sheldon
    2020). It is the greatest utility plus one-sided geometric noise: its loss is at most that of Laplace
    noise.

    >>> choice = permute_and_flip(candidates=3, epsilon=1)
    >>> choice, choice.release([0, 900, 5]).value, choice.error()
    (PermuteAndFlip(candidates=3, epsilon=1), (1,), 6)
    """

    @property
    def concentrated(self) -> ZCDP:
        """epsilon - 1 + e^-epsilon for each choice: the mean loss of Laplace noise, rounded up."""
        epsilon = Fraction(self.epsilon)
        one = balls.upper_end(lambda: balls.ball(epsilon) - 1 + (-balls.ball(epsilon)).exp())
        return ZCDP(rho=self.count * one)

    def privacy(self, distance: int = 1) -> PrivacyLoss:
        """That of Laplace noise of the same epsilon."""
        one = PrivacyLoss.laplace(epsilon=self.epsilon * whole(distance, "distance"))
        return one.self_compose(self.count)

    def _pick(self, gaps: Draws, source: Source) -> int:
        heads = np.flatnonzero(geometric(self.rate, gaps.size, source) >= gaps)
        return int(heads[uniform_below(heads.size, source)])

    def _missed(self, heads: arb) -> arb:
        n = self.candidates
        return 1 - (1 - (1 - heads) ** n) / (n * heads)

    def expected_error(self, utilities: Sequence[int]) -> Interval:
        """The mean gap of one choice, for public or made-up utilities.

        It is the integral over s in 0 .. 1 of prod(1 - p + p*s) * sum of gap * p / (1 - p + p*s).

        >>> one = PermuteAndFlip(candidates=4, epsilon=1, sensitivity=1)
        >>> round(float(one.expected_error([10, 9, 9, 0])), 4)
        0.5051
        """

        def error() -> arb:
            heads = self._heads(utilities)

            def density(s: acb, _: bool) -> acb:
                tails = [1 - p + p * s for _, p in heads]
                pairs = zip(heads, tails, strict=True)
                slope = sum((gap * p / t for (gap, p), t in pairs if gap), acb(0))
                return prod(tails, start=acb(1)) * slope

            return acb.integral(density, 0, 1).real

        return balls.enclosure(error, bits=40)


exponential_mechanism, permute_and_flip = ExponentialMechanism, PermuteAndFlip
