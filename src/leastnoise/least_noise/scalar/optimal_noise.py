"""`OptimalNoise`: the mechanism that `optimal` picks for one query, with its reasons."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from html import escape
from numbers import Rational
from typing import SupportsIndex

from numpy.typing import ArrayLike

from leastnoise import _show
from leastnoise._check import Exact
from leastnoise.certificates.certificate import Certificate
from leastnoise.certificates.problem import Problem
from leastnoise.least_noise.scalar.law_choice import Choice, certified
from leastnoise.least_noise.scalar.rivals import Alternative, rivals
from leastnoise.mechanisms.adding.additive_noise import AdditiveNoise, Released
from leastnoise.mechanisms.release import Release
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.guarantee import ApproxDP, PureDP
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.randomness.source import Source


@dataclass(frozen=True, eq=False, repr=False)
class OptimalNoise:
    """One query with the least noise for a stated guarantee and cost; made by `optimal`.

    Attributes:
        mechanism: additive noise on a lattice; it has proved its guarantee.
        problem: what was minimised, over what.
        choice: the law, and why.
    """

    mechanism: AdditiveNoise
    problem: Problem
    choice: Choice

    plot = _show.plot

    @property
    def law(self) -> LatticeLaw:
        """The noise, in steps of the lattice."""
        return self.mechanism.law

    @property
    def guarantee(self) -> PureDP | ApproxDP:
        """The promise about neighbours at distance 1."""
        return self.mechanism.guarantee

    @property
    def why(self) -> str:
        """Why this law."""
        return self.choice.why

    def release(
        self, value: ArrayLike | Rational, source: Source | None = None
    ) -> Release[Released]:
        """The value with noise; an array gets independent noise on each entry."""
        return replace(self.mechanism.release(value, source), mechanism=repr(self))

    def error(self, confidence: Exact) -> Fraction:
        """The bound on |released − true| that holds with at least this probability."""
        return self.mechanism.error(confidence)

    def expected_cost(self) -> Interval:
        """The expected cost, for the value where it is greatest."""
        return self.mechanism.expected_cost()

    def privacy(self, distance: SupportsIndex = 1) -> PrivacyLoss:
        """The price of one release if up to `distance` records change."""
        return self.mechanism.privacy(distance)

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

    def _repr_html_(self) -> str:
        rows = [(repr(self.law), float(self.mechanism.expected_cost()), 1.0)]
        rows += [(repr(rival.law), float(rival.cost), rival.ratio) for rival in self.alternatives()]
        body = "".join(
            f"<tr><td>{escape(name)}</td><td>{cost:.6g}</td><td>{ratio:.4g}</td></tr>"
            for name, cost, ratio in rows
        )
        head = f"<tr><th>noise</th><th>{escape(self.problem.cost.name)}</th><th>ratio</th></tr>"
        return f"<table><caption>{escape(self.why)}</caption>{head}{body}</table>"
