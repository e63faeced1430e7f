"""How a broken mechanism is shown to be broken: exactly where its law is known, else by samples.

Each kind of evidence takes the broken thing and answers with a `Finding`. Exact evidence is a
proof. Sampled evidence is the auditor's, wrong with probability 10^-6 at most.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from leastnoise._check import Exact
from leastnoise.auditing import audit
from leastnoise.mechanisms.thresholds.threshold_transcripts import ThresholdMachine, greatest_loss
from leastnoise.noise import DiscreteLaplace
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.numeric import Interval
from leastnoise.privacy.loss import PrivacyLoss

FALSE_ALARM = Fraction(1, 10**6)


@dataclass(frozen=True)
class Finding:
    """Whether the promise was seen broken, and what was seen."""

    flagged: bool
    seen: str


class Evidence(Protocol):
    """One way to look at a broken thing."""

    @property
    def budget(self) -> int:
        """How many samples it may draw; 0 if it is exact."""

    @property
    def claim(self) -> str:
        """What the broken thing promises."""

    def of(self, broken: Any) -> Finding:
        """What is seen."""


def promise(epsilon: Exact, delta: Exact) -> str:
    return f"ε = {epsilon}" + (f", δ = {delta}" if Fraction(str(delta)) else "")


@dataclass(frozen=True)
class Sampled:
    """The black-box auditor, on a function of the data and of how many releases are wanted."""

    neighbours: tuple[Any, Any]
    epsilon: Exact = 1
    delta: Exact = 0
    samples: int = 20_000
    vectorised: bool = True

    @property
    def budget(self) -> int:
        return self.samples

    @property
    def claim(self) -> str:
        return promise(self.epsilon, self.delta)

    def of(self, broken: Callable[..., Any]) -> Finding:
        found = audit(
            broken,
            neighbours=self.neighbours,
            epsilon=self.epsilon,
            delta=self.delta,
            samples=self.samples,
            confidence=1 - FALSE_ALARM,
            vectorised=self.vectorised,
        )
        return Finding(found.violated, f"ε ≥ {float(found.epsilon_lower):.3g}")


@dataclass(frozen=True)
class Enumerated:
    """The chances of all outputs, as exact fractions, of a function of the data."""

    neighbours: tuple[Any, Any]
    epsilon: Exact = 1
    delta: Exact = 0
    budget: int = 0

    @property
    def claim(self) -> str:
        return promise(self.epsilon, self.delta)

    def of(self, broken: Callable[[Any], Mapping[Any, Fraction]]) -> Finding:
        one, other = (broken(data) for data in self.neighbours)
        assert sum(one.values()) == sum(other.values()) == 1
        return _leaks(PrivacyLoss.of_laws(one, other), self.epsilon, self.delta)


@dataclass(frozen=True)
class Priced:
    """A privacy loss that was promised to be smaller."""

    epsilon: Exact
    delta: Exact = 0
    budget: int = 0

    @property
    def claim(self) -> str:
        return promise(self.epsilon, self.delta)

    def of(self, broken: Callable[[], PrivacyLoss]) -> Finding:
        return _leaks(broken(), self.epsilon, self.delta)


def _leaks(loss: PrivacyLoss, epsilon: Exact, delta: Exact) -> Finding:
    leak = loss.delta(epsilon)
    return Finding(leak.lower > Fraction(str(delta)), f"δ({epsilon}) ≥ {float(leak.lower):.3g}")


class Divergent(Protocol):
    """Anything that knows its Rényi divergences: a privacy loss, or two laws."""

    def renyi(self, order: Any) -> Interval:
        """The divergence of an order."""


@dataclass(frozen=True)
class Diverging:
    """Rényi divergence of an order, beyond ξ + ρ·order (zero-concentrated privacy)."""

    rho: Exact
    order: int
    xi: Exact = 0
    budget: int = 0

    @property
    def claim(self) -> str:
        return f"ρ = {self.rho}" + (f", ξ = {self.xi}" if self.xi else "")

    def of(self, broken: Callable[[], Divergent]) -> Finding:
        divergence = broken().renyi(self.order)
        bound = Fraction(str(self.xi)) + Fraction(str(self.rho)) * self.order
        seen = f"D = {float(divergence.lower):.3g} > {float(bound):.3g} at order {self.order}"
        return Finding(divergence.lower > bound, seen)


@dataclass(frozen=True)
class Verified:
    """A law on the integers, by its own verifier at every shift."""

    epsilon: Exact = 1
    delta: Exact = 0
    sensitivity: int = 1
    budget: int = 0

    @property
    def claim(self) -> str:
        return promise(self.epsilon, self.delta)

    def of(self, broken: Callable[[], LatticeLaw]) -> Finding:
        proof = broken().verify(
            sensitivity=self.sensitivity, epsilon=self.epsilon, delta=self.delta
        )
        return Finding(not proof, f"δ = {float(proof.attained.lower):.3g} at shift {proof.shift}")


@dataclass(frozen=True)
class Measured:
    """A query whose neighbours lie farther apart than was claimed, by a law made for the claim."""

    neighbours: tuple[Any, Any]
    sensitivity: int = 1
    epsilon: Exact = 1
    budget: int = 0

    @property
    def claim(self) -> str:
        return f"sensitivity {self.sensitivity}, {promise(self.epsilon, 0)}"

    def of(self, broken: Callable[[Any], float]) -> Finding:
        one, other = (Fraction(broken(data)) for data in self.neighbours)
        distance = -(-abs(one - other) // 1)
        if distance == 0:
            return Finding(False, "distance 0")
        law = DiscreteLaplace(scale=Fraction(self.sensitivity) / Fraction(str(self.epsilon)))
        proof = law.verify(sensitivity=distance, epsilon=self.epsilon)
        return Finding(not proof, f"distance {float(abs(one - other)):.10g}")


@dataclass(frozen=True)
class Transcribed:
    """A sparse vector, by the exact chances of all its transcripts."""

    neighbours: tuple[list[int], list[int]]
    epsilon: Exact = 1
    budget: int = 0

    @property
    def claim(self) -> str:
        return promise(self.epsilon, 0)

    def of(self, broken: ThresholdMachine) -> Finding:
        loss = greatest_loss(broken, *self.neighbours)
        return Finding(loss.lower > Fraction(str(self.epsilon)), f"ε ≥ {float(loss.lower):.3g}")


def generator() -> np.random.Generator:
    """Randomness for the broken ones; nothing here is a secret."""
    return np.random.default_rng(list(os.urandom(16)))  # in CI, the same for the same test
