"""`CountsSampler`: exact draws of noise for counts, in integers."""

from functools import cached_property
from math import floor, isqrt

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.noise.shapes.shape import Draws
from leastnoise.noise.vectors.counts_layers import CountsLayers
from leastnoise.numeric import ball as balls
from leastnoise.numeric.inverse import least_integer
from leastnoise.randomness.bernoulli import bernoulli_rational
from leastnoise.randomness.block_sampler import BlockSampler
from leastnoise.randomness.source import Source
from leastnoise.randomness.uniform_rows import uniform_rows

_LARGEST = 1 << 62


@dataclass(frozen=True)
class CountsSampler:
    r"""Draws x with the weights of `CountsLayers`.

    Theorem: draw r with weight b**r·(r+1)·side(r)**k, q uniform on 0..r, and x uniform in
    box(r − q, q): it has the law without end. Drawn again while p(x) + q(x) > L, and with chance
    1 − edge where it is L, it has the law that is cut.
    Proof: each (r, q, x) has a probability proportional to b**r, and x lies in box(p, q) exactly if
    p ≥ p(x), q ≥ q(x), which adds up to b**(p(x) + q(x))/(1 − b)². The second draws are rejection.

    Args:
        layers: the law.
    """

    layers: CountsLayers

    def _weight(self, layer: int) -> arb:
        return self.layers.power(layer) * self.layers.boxes(layer)

    @cached_property
    def _layer_sampler(self) -> BlockSampler:
        def falls_after(layer: int) -> bool:
            return balls.sign(lambda: self._weight(layer) - self._weight(layer + 1)) > 0

        spread = floor(isqrt(self.layers.counts + 2) / self.layers.rate)
        mode = least_integer(falls_after, 0)
        return BlockSampler(self._weight, mode=mode, spread=spread, least=0)

    def sample(self, count: int, source: Source) -> Draws:
        """`count` independent draws, as the rows of an array."""
        drawn = self._uncut(count, source)
        again = np.flatnonzero(self._refused(drawn, source))
        while again.size:
            fresh = self._uncut(again.size, source)
            drawn[again] = fresh
            again = again[self._refused(fresh, source)]
        return drawn

    def _uncut(self, count: int, source: Source) -> Draws:
        radii = self._layer_sampler.sample(count, source)
        period, start = self.layers.period, self.layers.start
        if self.layers.side(int(radii.max(initial=0))) > _LARGEST:
            radii = radii.astype(np.object_)
        lower = uniform_rows(radii + 1, 1, source)[:, 0] * period + start // 2
        return uniform_rows(radii * period + start + 1, self.layers.counts, source) - lower[:, None]

    def _refused(self, drawn: Draws, source: Source) -> NDArray[np.bool_]:
        """Which rows lie beyond the radius, or at it and are told by a coin to go."""
        last = self.layers.radius
        if last is None:
            return np.zeros(len(drawn), dtype=np.bool_)
        above = np.maximum(drawn.max(axis=1) - (self.layers.start + 1) // 2, 0)
        below = np.maximum(-drawn.min(axis=1) - self.layers.start // 2, 0)
        layer = above + below
        kept = bernoulli_rational(self.layers.edge, len(drawn), source)
        return np.asarray((layer > last) | ((layer == last) & ~kept))
