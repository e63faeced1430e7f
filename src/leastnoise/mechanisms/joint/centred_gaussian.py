"""`CentredGaussian`: Gaussian noise that all numbers of a plan share in part."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leastnoise import _check
from leastnoise._frozen import Checked, Number, Whole, checked, frozen
from leastnoise.mechanisms.joint.checked_parts import limited_parts
from leastnoise.mechanisms.joint.joint_part import Integers
from leastnoise.mechanisms.joint.joint_release import noisy_rows
from leastnoise.mechanisms.joint.lever import Lever, measured_numbers
from leastnoise.mechanisms.joint.part import Diamond, Everyone, Part, Simplex
from leastnoise.mechanisms.joint.precision import Precision
from leastnoise.mechanisms.joint.rounded_sum import RoundedSum
from leastnoise.mechanisms.joint.squared_reach import greatest_distance, squared_reach
from leastnoise.mechanisms.release import Release
from leastnoise.noise.laws.identity import Rebuilt
from leastnoise.noise.shapes.lattice_gaussians import LatticeGaussians
from leastnoise.noise.shapes.shape import Draws
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.guarantee import ZCDP
from leastnoise.randomness.source import Source, checked_source

if TYPE_CHECKING:
    from leastnoise.privacy.loss import PrivacyLoss

SMOOTHING = 64

_parameter = _check.limited(
    _check.positive,
    lambda parameter: 2**24 <= parameter <= 2**80,
    "lie in [2**24, 2**80]",
    "Measure with larger integers, or with smaller ones.",
)


def _parts(parts: Sequence[Part], name: str) -> tuple[Part, ...]:
    given = limited_parts(parts, name)
    if all(_is_sound(part) for part in given):
        return given
    raise _check.refuse(
        f"`{name}` must be boxes, simplices with total ≥ 1, or Everyone",
        _check.shown(given),
        "Write for example [Box(0, 1), Simplex(cells=5, total=1), Everyone()].",
    )


def _is_sound(part: Part) -> bool:
    return part.total >= 1 if isinstance(part, Simplex) else not isinstance(part, Diamond)


@frozen(kw_only=True, repr=False)
class CentredGaussian(Rebuilt):
    r"""Noise for several questions about the same units: what no unit can do need not be hidden.

    A unit moves every count up by 1 or not at all. Around half the number of units it moves each by
    1/2 up or down, which a quarter of the noise hides. The number of units is measured once, for
    all.

    Law: with independent discrete Gaussians Z of parameter V and n′ = steps·(number of units), the
    numbers common·n′ + Z₀ and those of each part's `Precision` are measured, and every count, sum
    and total is computed from them by least squares and rounded to the nearest integer, where a
    fair coin decides ties.
    n′ cancels in all but Everyone's number. So this is noise to add, and n′ is never read.

    Theorem: let S = `squared_reach`. For all tables and neighbours by adding or removing one unit,
    whose contributions the parts allow, the release is ρ-zCDP with ρ = S/(2V); and for every ε
    δ(ε) ≤ (1−κ)·G(S/(V−s), ε) + κ with s = 64, κ = m·2^(3−14s), m the number of measured numbers
    and G(μ², ε) the δ of N(0, 1) against N(μ, 1). The noise is symmetric, so it is unbiased.
    Proof: docs/proofs/joint_gaussian.md.

    Args:
        parts: what one unit may add to each part.
        precisions: the integers of each part, in the same order; those of Everyone are not used.
        common: the integer that n′ is measured with; 0 only if no part has a centre.
        steps: what one unit adds to n′, at least 1.
        parameter: V.

    Raises:
        InvalidParameter: a part or an integer is not as it must be.

    References: Lebeda2025, for equal counts; XiaoHeZhangKifer2023, for residuals.

    Example:
        >>> from leastnoise.mechanisms.joint.part import Box
        >>> ten = CentredGaussian(
        ...     parts=[Box(0, 1, cells=9)],
        ...     precisions=[Precision(own=10**6, centre=1, scale=2)],
        ...     common=1732051,
        ...     steps=1,
        ...     parameter=10**12,
        ... )
        >>> round(float(ten.guarantee.rho), 4)  # 9 + 3 coordinates' worth
        6.0
        >>> round(float(ten.cell(0).moment(2)), 4)  # independent noise of that price: 0.75
        0.4147
    """

    parts: Checked[Sequence[Part], tuple[Part, ...]] = checked(_parts)
    precisions: Checked[Sequence[Precision], tuple[Precision, ...]] = checked(
        lambda value, _: tuple(value)
    )
    common: Whole = checked(_check.whole(0))
    steps: Whole = checked(_check.whole(1))
    parameter: Number = checked(_parameter)

    def __post_init__(self) -> None:
        fit = len(self.parts) == len(self.precisions) and all(map(self._fits, *self._pairs))
        if not fit:
            raise _check.refuse(
                "every part must have its precision, with a residual for simplices alone, and a "
                "centre or Everyone only with common ≥ 1",
                _check.shown(self.precisions),
                "Write Precision(own=…, centre=…, scale=…, residual=…) for each part.",
            )

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Of hundreds of parts: found once, whatever is looked up by them."""
        return hash((self._pairs, self.common, self.steps, self.parameter))

    @property
    def _pairs(self) -> tuple[tuple[Part, ...], tuple[Precision, ...]]:
        return self.parts, self.precisions

    def _fits(self, part: Part, fine: Precision) -> bool:
        if type(fine) is not Precision:  # whose integers may change after they were priced
            return False
        if isinstance(part, Everyone):
            return self.common > 0
        spread = isinstance(part, Simplex) and part.cells > 1
        return (fine.residual > 0) == spread and (self.common > 0 or fine.centre == 0)

    @cached_property
    def squared_reach(self) -> int:
        """S."""
        return squared_reach(*self._pairs, self.common, self.steps)

    @cached_property
    def coordinates(self) -> int:
        """m: how many numbers are measured."""
        return 1 + sum(measured_numbers(part) for part in self.parts)

    @property
    def guarantee(self) -> ZCDP:
        """ρ = S/(2V)."""
        return ZCDP(rho=self.squared_reach / (2 * self.parameter))

    @cached_property
    def gaussians(self) -> LatticeGaussians:
        """The law of the Z."""
        return LatticeGaussians(self.parameter, SMOOTHING, self.coordinates)

    def privacy(self, distance: SupportsIndex = 1) -> "PrivacyLoss":
        """The price of the measured numbers if up to `distance` units are added or removed."""
        most = Fraction(self.squared_reach)
        apart = greatest_distance(*self._pairs, self.common)
        return self.gaussians.loss(most, most if apart is None else min(most, apart), distance)

    def make_ready(self) -> None:
        """Makes the tables that noise is drawn from."""
        self.gaussians.law.sample(0)

    def draw(self, source: Source) -> tuple[Integers, ...]:
        """One draw of all noise: for each part as many integers as it has cells."""
        measured = self.gaussians.law.sample(self.coordinates, source)
        coins = source.bytes(sum(part.cells for part in self.parts)) & np.uint8(1)
        return self.noise_of(measured, coins)

    def noise_of(self, measured: Draws, coins: NDArray[np.uint8]) -> tuple[Integers, ...]:
        """What the noise of the measured numbers does to each part; coins decide ties.

        If a unit's contribution shifts the measured numbers, it shifts these by what it adds to
        each number, with the same coins: that is the proof of privacy.
        """
        drawn = measured.astype(object)  # products of three such integers may need 128 bits
        first, noise, place, coin = int(drawn[0]), [], 1, 0
        for part, fine in zip(*self._pairs, strict=True):
            end, last = place + measured_numbers(part), coin + part.cells
            lever = Lever(part, fine, self.common, self.steps)
            noise.append(lever.noise(first, drawn[place:end], coins[coin:last]))
            place, coin = end, last
        return tuple(noise)

    def cell(self, place: int) -> RoundedSum:
        """The noise of one number of a part; all numbers of a part have the same."""
        return self._cells[self.parts[place], self.precisions[place]]

    @cached_property
    def _cells(self) -> dict[tuple[Part, Precision], RoundedSum]:
        """Equal parts that are measured equally have one law."""
        return {pair: self._cell(*pair) for pair in set(zip(*self._pairs, strict=True))}

    def _cell(self, part: Part, fine: Precision) -> RoundedSum:
        lever = Lever(part, fine, self.common, self.steps)
        return RoundedSum(self.gaussians, lever.squares)

    def release(
        self, value: Sequence[ArrayLike], source: Source | None = None
    ) -> Release[tuple[Integers, ...]]:
        """All rows with noise, one row of integers for each part.

        Raises:
            InvalidParameter: not that many rows, or a row does not fit; what was found is not said.
        """
        rows = noisy_rows(value, self.parts, lambda: self.draw(checked_source(source)))
        return Release(rows, self.guarantee, repr(self))

    def certificate(self) -> None:
        """None; `gaussian_plan_bound` bounds all Gaussian noise."""
        return

    def expected_cost(self) -> Interval:
        """E|noise| of the number that gets the most."""
        means = [self.cell(place).moment(1) for place in range(len(self.parts))]
        return max(means, key=lambda mean: mean.upper)
