"""Sets that grow alike in opposite directions, for joint noise with one counter."""

from collections import Counter
from collections.abc import Iterable

import numpy as np
from flint import arb

from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.joint.growth import Floats
from leastnoise.mechanisms.joint.joint_part import Integers
from leastnoise.mechanisms.joint.simplex_set import SimplexSet, log_sum, running_sums
from leastnoise.randomness.source import Source

_FITS = 1 << 62


@dataclass(frozen=True)
class Differences:
    r"""{x in Z^d : positive cells add up to at most r, negative ones to at least −r}.

    r = counter·total + start. The number of points is log-concave in r: its generating function is
    Σ C(d, k)²·z^k over (1 − z)^(d+1), and the numerator has only real roots.
    """

    cells: int
    total: int
    start: int

    @property
    def _simplex(self) -> SimplexSet:
        return SimplexSet(self.cells, self.total, self.start)

    def points(self, counter: int) -> arb:
        """A ball around the number of points."""
        return self._simplex.points(counter, counter)

    def log_points(self, counters: Floats) -> Floats:
        """Its logarithm, roughly."""
        return self._simplex.log_points(counters, counters)

    def supports(self, counters: Floats) -> tuple[Floats, Floats]:
        """r, and the chances that j cells of a uniform point are positive."""
        one, other = self._simplex.log_terms(counters, counters)
        return counters * float(self.total) + float(self.start), _chances(one + other)

    def uniform(self, counter: int, source: Source) -> Integers:
        """A uniform point."""
        return self._simplex.uniform(counter, counter, source)


@dataclass(frozen=True)
class DiamondSet:
    r"""{x in Z^d : Σ|xⱼ| ≤ r}, r = counter·total + start.

    The number of points is log-concave in r: its generating function is
    (1 + z)^d/(1 − z)^(d+1).
    """

    cells: int
    total: int
    start: int

    def points(self, counter: int) -> arb:
        """A ball around the number of points."""
        from leastnoise.noise.vectors.cross_polytope import CrossPolytope  # noqa: PLC0415 - only drawing needs it

        return CrossPolytope(self.cells).points(counter * self.total + self.start)

    def _log_terms(self, counters: Floats) -> Floats:
        """Logarithms of C(d, j)·C(r, j)·2^j."""
        j = np.arange(self.cells, dtype=np.float64)
        left = (counters * float(self.total) + float(self.start))[:, np.newaxis] - j
        with np.errstate(divide="ignore"):
            return running_sums(
                np.log(np.maximum(left, 0)) + np.log(2 * (self.cells - j) / (j + 1) ** 2)
            )

    def log_points(self, counters: Floats) -> Floats:
        """Its logarithm, roughly."""
        return log_sum(self._log_terms(counters))

    def supports(self, counters: Floats) -> tuple[Floats, Floats]:
        """r, and the chances that j cells of a uniform point are not 0."""
        reaches = counters * float(self.total) + float(self.start)
        return reaches, _chances(self._log_terms(counters))

    def uniform(self, counter: int, source: Source) -> Integers:
        """A uniform point."""
        from leastnoise.noise.vectors.cross_polytope import CrossPolytope  # noqa: PLC0415 - only drawing needs it

        radius = counter * self.total + self.start
        radii: Integers = np.array([radius], dtype=np.object_)
        if radius < _FITS:
            radii = radii.astype(np.int64)
        drawn: Integers = CrossPolytope(self.cells).uniform(radii, source)[0]
        return drawn


@dataclass(frozen=True)
class Repeated:
    """The product of equal sets."""

    each: Differences | DiamondSet
    count: int

    @classmethod
    def all(cls, sets: Iterable[Differences | DiamondSet]) -> "list[Repeated]":
        """Equal sets counted together."""
        return [cls(each, count) for each, count in Counter(sets).items()]

    def points(self, counter: int) -> arb:
        """A power."""
        return self.each.points(counter) ** self.count

    def log_points(self, counters: Floats) -> Floats:
        """A multiple."""
        return self.count * self.each.log_points(counters)


def _chances(logs: Floats) -> Floats:
    weights: Floats = np.exp(logs - logs.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return weights
