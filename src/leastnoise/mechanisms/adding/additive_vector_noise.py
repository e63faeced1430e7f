"""`AdditiveVectorNoise`: a vector, quantised to a lattice, plus noise drawn exactly from a law."""

from fractions import Fraction
from math import ceil, floor

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leastnoise import _check
from leastnoise.mechanisms.adding.additive_mechanism import AdditiveMechanism, Answers
from leastnoise.mechanisms.adding.lattice import Lattice
from leastnoise.mechanisms.release import Release
from leastnoise.mechanisms.secret_array import NOT_SHOWN, secret_array
from leastnoise.noise.vectors.expected_norm_cost import expected_norm_cost
from leastnoise.noise.vectors.norm import Norm
from leastnoise.noise.vectors.vector_law import VectorLaw
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.guarantee import exact_text
from leastnoise.randomness.source import Source


class AdditiveVectorNoise(AdditiveMechanism[VectorLaw]):
    r"""step·(⌊x/step + 1/2⌋ + X) for a vector x, X drawn from a law on integer vectors.

    Theorem: let the query's values on neighbours differ by at most Δ in the law's norm. If the
    values are whole numbers (granularity 1) and the law is (ε, δ)-DP at the integer sensitivity
    ⌊Δ⌋, the release is (ε, δ)-DP. If they are real and rounded to multiples of a step, it is if
    the law is so at ⌈Δ/step⌉ in ℓ∞, and at ⌈Δ/step⌉ + d − 1 in ℓ1; no smaller integer will do.
    The law is made to prove this when the mechanism is built; one that cannot is refused.
    Proof: docs/proofs/optimal_vectors.md, section 4.

    Args:
        law: the noise, on integer vectors; it says in which norm Δ and errors are measured.
        sensitivity: Δ > 0, the most the query changes between neighbours.
        guarantee: the (ε, δ) or ε to prove.
        granularity: 1 for a query whose values are whole numbers, which `release` then insists on;
            any other step for real values, which are rounded to its multiples.
        cost: what `expected_cost` is asked for, a function of the norm of the error.

    Raises:
        InvalidParameter: the law does not keep the guarantee at this sensitivity.

    Example:
        >>> from leastnoise import PureDP
        >>> from leastnoise.noise import NormStaircase
        >>> law = NormStaircase(dimension=3, sensitivity=2, epsilon=4, width=1, norm="l1")
        >>> promise = PureDP(epsilon=4)
        >>> mechanism = AdditiveVectorNoise(law, sensitivity=2, guarantee=promise)
        >>> mechanism.release([5, 0, 7]).value.shape, mechanism.error("0.9")
        ((3,), Fraction(2, 1))
    """

    def _refuse_law(self) -> None:
        remedy = "For one number, or the same noise on independent numbers, use AdditiveNoise."
        _check.kind(self.law, VectorLaw, "`law` must be a law of vectors", remedy)

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return self.law.dimension

    @property
    def norm(self) -> Norm:
        """In which the sensitivity and the error are measured."""
        return self.law.norm

    def _steps(self, changed: int) -> int:
        apart = self.sensitivity * changed
        return vector_steps(apart, self.granularity, self.dimension, self.norm)

    def release(self, value: ArrayLike, source: Source | None = None) -> Release[Answers]:
        """The vector with noise. Of an array of shape (…, d) every row is a vector of its own.

        Each row is a release of its own: together they cost as many releases as one person can
        touch.

        Raises:
            InvalidParameter: not an array of numbers with d columns; what was found is not said.
        """
        places = self._places(value)
        return self._released(places, self.law.sample(places.shape[:-1], source=source))

    def _places(self, value: ArrayLike) -> NDArray[np.int64]:
        whole = self.granularity == 1
        places = _whole_numbers(value) if whole else self.lattice.places(value)
        if places.ndim and places.shape[-1] == self.dimension:
            return places
        raise _check.refuse(
            f"`value` must have {self.dimension} entries along its last axis",
            "another shape",
            "Give a vector, or an array with one vector per row.",
        )

    @property
    def rounding(self) -> Fraction:
        """The most that quantisation moves a vector, in the norm; 0 for whole numbers."""
        if self.granularity == 1:
            return Fraction(0)
        return self.granularity / 2 * (self.dimension if self.norm == "l1" else 1)

    def expected_cost(self) -> Interval:
        r"""E c(‖released − true‖), for the value where it is greatest."""
        return expected_norm_cost(self.law, self.cost, self.granularity, self.rounding)


def vector_steps(sensitivity: Fraction, step: Fraction, dimension: int, norm: Norm) -> int:
    r"""How many steps apart the places of two vectors within a distance Δ can be.

    Theorem: whole numbers (step 1) differ by a whole number, at most ⌊Δ⌋. Real vectors, each entry
    rounded to ⌊x/step + 1/2⌋, differ by at most ⌈Δ/step⌉ in ℓ∞ and ⌈Δ/step⌉ + d − 1 in ℓ1.
    All are attained.
    Proof: docs/proofs/optimal_vectors.md, section 4.

    Raises:
        InvalidParameter: whole numbers that cannot differ need no noise.

    Example:
        >>> [vector_steps(Fraction(5, 2), Fraction(1, 4), 3, norm) for norm in ("l1", "linf")]
        [12, 10]
    """
    if step != 1:
        return ceil(sensitivity / step) + (dimension - 1 if norm == "l1" else 0)
    if sensitivity >= 1:
        return floor(sensitivity)
    raise _check.refuse(
        "`sensitivity` must be at least 1 for whole numbers",
        f"sensitivity={exact_text(sensitivity)}",
        "Give the granularity to which real values shall be rounded.",
    )


def _whole_numbers(value: ArrayLike) -> NDArray[np.int64]:
    """Entries that are integers by type: real values need another sensitivity."""
    refusal = _check.refuse(
        "`value` must hold integers below 2^62 at granularity 1",
        NOT_SHOWN,
        "Give integers, or build the mechanism with the granularity to round real values to.",
    )
    array = secret_array(value, refusal)
    try:
        if array.dtype.kind == "O":
            flat = [_check.integer(entry, "value") for entry in array.ravel().tolist()]
            array = np.array(flat, dtype=np.int64).reshape(array.shape)
        if array.dtype.kind in "iu":
            return Lattice(1).places(array)
    except Exception:  # whatever a foreign object raises may quote the data it holds
        raise refusal from None
    raise refusal
