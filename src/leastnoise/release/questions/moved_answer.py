"""How far noise moves answers that are computed from several sums."""

from collections.abc import Hashable
from typing import Protocol

import numpy as np

from leastnoise._dataclass import dataclass
from leastnoise.release.draw.noisy_numbers import Floats

Factors = tuple[float, ...]
"""What each noise is multiplied by."""
_SURE = 5.0  # a divisor of fewer deviations than this may be next to 0
_LEAST = 1e-9
EVEN = 1 / 3
"""The variance of values spread evenly over −1..1."""


class Case(Hashable, Protocol):
    """A table that might be, as far as errors depend on it."""

    def __hash__(self) -> int:
        """Equal cases have equal errors, which are found once."""

    def errors(self, noise: Floats, rows: float) -> Floats:
        """How far off the answer is for each point of the noise; nan if that is not known."""


@dataclass(frozen=True)
class Moved:
    r"""A quotient of sums over n rows, less a product of two such: means, variances, covariances.

    Theorem: with noise Z the answer is off by first·Z/N − (left·Z)·(right·Z)/N², where
    N = rate·n + bottom·Z is the noisy divisor. Proof: docs/proofs/forecasts.md, sections 1 and 2.

    Attributes:
        first: of the numerator.
        bottom: of the divisor.
        left: of one factor of the product; () if there is none.
        right: of the other.
        rate: what one row adds to the divisor.
        most: no answer is farther off than this, as answers are cut to what is possible.
    """

    first: Factors
    bottom: Factors
    left: Factors = ()
    right: Factors = ()
    rate: float = 1.0
    most: float = np.inf

    def moves(self, noise: Floats, rows: float) -> Floats:
        """The errors with their signs."""
        shaken = noise @ np.asarray(self.bottom)
        if np.isinf(self.most) and self.rate * rows <= _SURE * np.std(shaken):
            return np.full(len(noise), np.nan)
        divisor = self.rate * rows + shaken
        safe = np.maximum(divisor, _LEAST)
        moved = noise @ np.asarray(self.first) / safe
        if self.left:
            moved -= (noise @ np.asarray(self.left)) * (noise @ np.asarray(self.right)) / safe**2
        return np.where(divisor > _LEAST, np.clip(moved, -self.most, self.most), self.most)

    def errors(self, noise: Floats, rows: float) -> Floats:
        """Their sizes."""
        return np.abs(self.moves(noise, rows))


def moved_covariance(one: float, other: float, covariance: float) -> Moved:
    """For places y and w in −1..1 with these means and covariance.

    The sums are n, Σ y, Σ w and Σ y·w.
    """
    return Moved(
        first=(one * other - covariance, -other, -one, 1.0),
        bottom=(1.0, 0.0, 0.0, 0.0),
        left=(-one, 1.0, 0.0, 0.0),
        right=(-other, 0.0, 1.0, 0.0),
        most=2.0,
    )


@dataclass(frozen=True)
class MovedRoot:
    """The root of such an answer, which is not negative.

    Attributes:
        square: what the root is taken of.
        truth: the square of the true answer.
    """

    square: Moved
    truth: float

    def errors(self, noise: Floats, rows: float) -> Floats:
        """How far the root moves."""
        moved = np.maximum(self.truth + self.square.moves(noise, rows), 0)
        return np.asarray(np.abs(np.sqrt(moved) - np.sqrt(self.truth)))


@dataclass(frozen=True)
class MovedCorrelation:
    """A covariance over the root of two variances, between −1 and 1.

    `of_even` makes one.

    Attributes:
        parts: the covariance and both variances.
        truth: what these are in truth.
    """

    parts: tuple[Moved, Moved, Moved]
    truth: tuple[float, float, float]

    @classmethod
    def of_even(cls, correlation: float) -> "MovedCorrelation":
        """Of places y and w spread evenly over −1..1: the means are 0, the variances 1/3.

        The sums are n, Σ y, Σ w, Σ y·w, Σ (y² − 1/2) and Σ (w² − 1/2).
        """
        rest, together = 0.5 - EVEN, correlation * EVEN
        n, y, w = ((*(0.0,) * i, 1.0, *(0.0,) * (5 - i)) for i in range(3))
        parts = (
            Moved((-together, 0.0, 0.0, 1.0, 0.0, 0.0), n, y, w, most=2.0),
            Moved((rest, 0.0, 0.0, 0.0, 1.0, 0.0), n, y, y, most=1.0),
            Moved((rest, 0.0, 0.0, 0.0, 0.0, 1.0), n, w, w, most=1.0),
        )
        return cls(parts, (together, EVEN, EVEN))

    def errors(self, noise: Floats, rows: float) -> Floats:
        """How far the quotient moves; where a variance seems to be 0, it is said to be 0."""
        pairs = zip(self.parts, self.truth, strict=True)
        both, one, other = (true + part.moves(noise, rows) for part, true in pairs)
        root = np.sqrt(np.clip(one, 0, 1) * np.clip(other, 0, 1))
        found = np.clip(both / np.where(root > 0, root, np.inf), -1, 1)
        return np.asarray(np.abs(found - self.truth[0] / np.sqrt(self.truth[1] * self.truth[2])))
