"""`MultilinearReach`: quantiles of combinations of noises, known at knots and linear between."""

from collections.abc import Callable
from itertools import product

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.release.draw.noisy_numbers import Floats
from leastnoise.release.questions.noise_together import NoiseTogether
from leastnoise.release.questions.ratio_ends import Factors


@dataclass(frozen=True, eq=False)
class MultilinearReach:
    r"""Sizes at equally spaced knots of −1..1 in each of some variables, and between them.

    What lies between is a convex combination of the knots around, with the same combination of
    their places: for a convex function it lies above (docs/proofs/intervals.md, section 2).

    Attributes:
        sizes: at each knot, an axis for each variable.
    """

    sizes: Floats

    @classmethod
    def of(
        cls,
        noise: NoiseTogether,
        factors: Callable[..., Factors],
        shape: tuple[int, ...],
        risk: float,
    ) -> "MultilinearReach":
        """Of the combinations with these factors, which are linear in each variable.

        Args:
            noise: of the numbers that are combined.
            factors: from the variables to what each noise is multiplied by.
            shape: how many knots each variable has.
            risk: the chance of noise beyond the sizes.
        """
        knots = product(*(np.linspace(-1.0, 1.0, count).tolist() for count in shape))
        sizes = noise.quantiles(np.array([factors(*each) for each in knots]), risk)
        return cls(sizes.reshape(shape))

    def __call__(self, *places: Floats) -> Floats:
        """At each place; those outside of −1..1 count as its ends."""
        pairs = [_knot(each, count) for each, count in zip(places, self.sizes.shape, strict=True)]
        found = np.zeros(np.broadcast(*places).shape)
        for corner in product((0, 1), repeat=len(pairs)):
            share: Floats | float = 1.0
            for (_, way), upper in zip(pairs, corner, strict=True):
                share = share * (way if upper else 1 - way)
            at = tuple(below + upper for (below, _), upper in zip(pairs, corner, strict=True))
            found += share * self.sizes[at]
        return found


def _knot(place: Floats, count: int) -> tuple[NDArray[np.intp], Floats]:
    """The knot below each number, and how far the number is on the way to the next."""
    scaled = (np.clip(place, -1, 1) + 1) / 2 * (count - 1)
    below = np.clip(np.floor(scaled), 0, count - 2).astype(np.intp)
    return below, scaled - below
