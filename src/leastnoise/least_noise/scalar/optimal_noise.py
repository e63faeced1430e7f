"""`OptimalNoise`: the mechanism that `optimal` picks for one query, with its reasons."""

from dataclasses import replace
from functools import cached_property
from numbers import Rational

from numpy.typing import ArrayLike

from leastnoise import _show
from leastnoise._dataclass import dataclass
from leastnoise.certificates.certificate import Certificate
from leastnoise.certificates.problem import Problem
from leastnoise.least_noise.chosen_noise import ChosenNoise
from leastnoise.least_noise.scalar.law_choice import Choice, certified
from leastnoise.least_noise.scalar.rivals import Alternative, rivals
from leastnoise.mechanisms.adding.additive_noise import AdditiveNoise, Released
from leastnoise.mechanisms.release import Release
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.randomness.source import Source


@dataclass(frozen=True, eq=False, repr=False)
class OptimalNoise(ChosenNoise[AdditiveNoise]):
    """One query with the least noise for a stated guarantee and cost; made by `optimal`.

    Attributes:
        mechanism: additive noise on a lattice; it has proved its guarantee.
        problem: what was minimised, over what.
        choice: the law, and why.
    """

    problem: Problem
    choice: Choice

    plot = _show.plot
    _repr_html_ = _show.html

    @property
    def law(self) -> LatticeLaw:
        """The noise, in steps of the lattice."""
        return self.mechanism.law

    @property
    def why(self) -> str:
        """Why this law."""
        return self.choice.why

    def release(
        self, value: ArrayLike | Rational, source: Source | None = None
    ) -> Release[Released]:
        """The value with noise; an array gets independent noise on each entry."""
        return replace(self.mechanism.release(value, source), mechanism=repr(self))

    @cached_property
    def _certificate(self) -> Certificate:
        return certified(self.problem, self.choice)

    def certificate(self) -> Certificate:
        """The proof of how near to optimal the noise is, for anyone to check.

        Rounding a real-valued query to the lattice moves it by up to half a step more; that is
        part of `error` and `expected_cost`, not of the noise the certificate is about.

        Raises:
            UnsupportedQuery: nothing proves how good this choice is.
        """
        return self._certificate

    @cached_property
    def _alternatives(self) -> tuple[Alternative, ...]:
        return rivals(self.problem, self.law)

    def alternatives(self) -> tuple[Alternative, ...]:
        """Other laws that keep the same promise, with their costs, the cheapest first."""
        return self._alternatives

    def __repr__(self) -> str:
        cost = float(self.mechanism.expected_cost())
        return (
            f"OptimalNoise({self.problem.cost.name} = {cost:.6g}, {self.guarantee!r}, "
            f"sensitivity={self.mechanism.sensitivity}: {self.law!r})"
        )
