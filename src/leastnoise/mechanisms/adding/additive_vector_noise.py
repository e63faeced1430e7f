"""`AdditiveVectorNoise`: a vector, quantised to a lattice, plus noise drawn exactly from a law."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.mechanisms.adding.lattice import Lattice
from leastnoise.mechanisms.release import Release
from leastnoise.noise.laws import identity
from leastnoise.noise.shapes.shape import Draws
from leastnoise.noise.vectors.expected_norm_cost import expected_norm_cost
from leastnoise.noise.vectors.norm import Norm
from leastnoise.noise.vectors.vector_law import VectorLaw
from leastnoise.numeric.cost import Cost, CostLike, checked_cost
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.guarantee import ApproxDP, PureDP
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.verification import Verification
from leastnoise.randomness.source import Source

ReleasedVector = Draws | NDArray[np.float64]


@dataclass(frozen=True, init=False, repr=False)
class AdditiveVectorNoise:
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
        >>> from leastnoise.noise import NormStaircase
        >>> law = NormStaircase(dimension=3, sensitivity=2, epsilon=4, width=1, norm="l1")
        >>> promise = PureDP(epsilon=4)
        >>> mechanism = AdditiveVectorNoise(law, sensitivity=2, guarantee=promise)
        >>> mechanism.release([5, 0, 7]).value.shape, mechanism.error("0.9")
        ((3,), Fraction(2, 1))
    """

    law: VectorLaw
    sensitivity: Fraction
    guarantee: PureDP | ApproxDP
    granularity: Fraction
    cost: Cost

    def __init__(
        self,
        law: VectorLaw,
        *,
        sensitivity: Exact,
        guarantee: PureDP | ApproxDP,
        granularity: Exact = 1,
        cost: CostLike = "absolute",
    ) -> None:
        object.__setattr__(self, "law", _vector_law(law))
        object.__setattr__(self, "sensitivity", _check.positive(sensitivity, "sensitivity"))
        object.__setattr__(self, "guarantee", guarantee)
        object.__setattr__(self, "granularity", _check.positive(granularity, "granularity"))
        object.__setattr__(self, "cost", checked_cost(cost))
        if not self.verification.holds:
            raise _check.refuse(
                "`law` must keep the guarantee at this sensitivity", str(self.verification),
                "Give more noise, or promise less.",
            )  # fmt: skip

    @property
    def parameters(self) -> dict[str, Any]:
        """The constructor's parameters by name, with their exact values."""
        return identity.parameters(self)

    def __repr__(self) -> str:
        return identity.description(self)

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return self.law.dimension

    @property
    def norm(self) -> Norm:
        """In which the sensitivity and the error are measured."""
        return self.law.norm

    @property
    def lattice(self) -> Lattice:
        """Where the query's values are put before noise is added."""
        return Lattice(self.granularity)

    @property
    def steps(self) -> int:
        """The integer sensitivity: how many steps apart neighbours can be, in the norm."""
        return vector_steps(self.sensitivity, self.granularity, self.dimension, self.norm)

    @cached_property
    def verification(self) -> Verification:
        """The law's own proof of the guarantee."""
        return self.law.verify(
            sensitivity=self.steps, epsilon=self.guarantee.epsilon, delta=self._delta
        )

    @property
    def _delta(self) -> Fraction:
        return self.guarantee.delta if isinstance(self.guarantee, ApproxDP) else Fraction(0)

    def release(self, value: ArrayLike, source: Source | None = None) -> Release[ReleasedVector]:
        """The vector with noise. Of an array of shape (…, d) every row is a vector of its own.

        Each row is a release of its own: together they cost as many releases as one person can
        touch.

        Raises:
            InvalidParameter: not an array of numbers with d columns; what was found is not said.
        """
        places = self._places(value)
        noise = self.law.sample(places.shape[:-1], source=source)
        noisy = self.lattice.values(self.lattice.shifted(places, noise))
        return Release(noisy, self.guarantee, repr(self))

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

    def privacy(self, distance: SupportsIndex = 1) -> PrivacyLoss:
        """The price of one release if up to `distance` records change, Δ at most by each."""
        changed = _check.integer_between(distance, "distance", 1)
        apart = self.sensitivity * changed
        try:
            return self.law.privacy(
                vector_steps(apart, self.granularity, self.dimension, self.norm)
            )
        except UnsupportedQuery:  # no closed form: what the law has proved is all that is known
            worst = _worst_case(self.guarantee.epsilon, self._delta)
            return worst if changed == 1 else worst.for_group(changed)

    def certificate(self) -> None:
        """None: a law chosen by hand comes with no claim to be best."""
        return

    @property
    def rounding(self) -> Fraction:
        """The most that quantisation moves a vector, in the norm; 0 for whole numbers."""
        if self.granularity == 1:
            return Fraction(0)
        return self.granularity / 2 * (self.dimension if self.norm == "l1" else 1)

    def error(self, confidence: Exact) -> Fraction:
        """The bound on ‖released − true‖ that holds with at least this probability."""
        return self.law.quantile(confidence) * self.granularity + self.rounding

    def expected_cost(self) -> Interval:
        r"""E c(‖released − true‖), for the value where it is greatest.

        The noise alone gives the lower end; if values are rounded to the lattice, the upper end
        has the norm of the noise increased by all that rounding may add.
        """
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
        "less",
        "Give the granularity to which real values shall be rounded.",
    )


def _vector_law(law: object) -> VectorLaw:
    if isinstance(law, VectorLaw):
        return law
    raise _check.refuse(
        "`law` must be a law of vectors",
        f"a {type(law).__name__}",
        "For one number, or the same noise on independent numbers, use AdditiveNoise.",
    )


def _whole_numbers(value: ArrayLike) -> NDArray[np.int64]:
    """Entries that are integers by type: real values need another sensitivity."""
    refusal = _check.refuse(
        "`value` must hold integers below 2^62 at granularity 1",
        "something else (not shown: it is data)",
        "Give integers, or build the mechanism with the granularity to round real values to.",
    )
    try:
        array = np.asarray(value)
        if array.dtype.kind == "O":
            flat = [_check.integer(entry, "value") for entry in array.ravel().tolist()]
            array = np.array(flat, dtype=np.int64).reshape(array.shape)
    except Exception:  # whatever a foreign object raises may quote the data it holds
        raise refusal from None
    if isinstance(value, np.ma.MaskedArray) or array.dtype.kind not in "iu":
        raise refusal
    try:
        return Lattice(1).places(array)
    except InvalidParameter:
        raise refusal from None


def _worst_case(epsilon: Fraction, delta: Fraction) -> PrivacyLoss:
    """The loss that dominates every (ε, δ)-DP mechanism, ε = 0 included."""
    if epsilon:
        return PrivacyLoss.worst_case(epsilon=epsilon, delta=delta)
    return PrivacyLoss.of_laws(
        {"common": 1 - delta, "here": delta}, {"common": 1 - delta, "there": delta}
    )
