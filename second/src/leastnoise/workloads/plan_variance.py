r"""The mean square of joint noise, proved: upper ends for certificates.

Given the counters p and q, the noise of a block of `KNormNoise` is a uniform point of C(p, q). Over all
p + q = r, the number of points of all blocks, and the sum of the squares of one of their numbers,
are polynomials in r of degree at most D + 3 (docs/proofs/joint_pure.md, section 3). So sums of
e^(-rate*r) times them have a closed form, by the differences of the polynomial.

Proof page: docs/proofs/plan_bound.md, section 5.
"""

from collections import Counter
from fractions import Fraction
from math import comb

from leastnoise.noise.balls import differences, series
from leastnoise.noise.joint_gaussian import CentredGaussian
from leastnoise.noise.joint_pure import Block, Box, KNormNoise, Simplex
from leastnoise.noise.joint_tables import Law
from leastnoise.noise.laws import RoundedGaussian
from leastnoise.noise.vector_laplace import LaplaceNoise
from leastnoise.numbers import ball as balls


def mean_squares(law: Law) -> list[Fraction]:
    """At least the mean square of the noise of each number, block by block.

    Of Gaussian noise, before the answers are rounded to whole numbers, which adds about 1/12.

    >>> law = KNormNoise(Fraction(1), (Box(0, 1, cells=10, start=6),))
    >>> print(f"{float(mean_squares(law)[0]):.4f}")
    20.3170
    """
    if isinstance(law, LaplaceNoise):
        half = Fraction(1, 2 * law.scale)
        return [balls.upper_end(lambda: 1 / (2 * balls.ball(half).sinh() ** 2))]
    if isinstance(law, CentredGaussian):
        drawn = Fraction(RoundedGaussian(law.variance).moment(2).upper)
        return [drawn * _share(law, place) for place in range(len(law.blocks))]
    return _joint(law)


def _share(law: CentredGaussian, place: int) -> Fraction:
    """The variance of a number, for draws of variance 1."""
    block, weight = law.blocks[place], law.weights[place]
    own = Fraction(1, weight**2) if weight else Fraction(0)
    if not isinstance(block, Box):
        return own
    centre = block.low + block.high
    return (own + (Fraction(centre, law.common) ** 2 if centre else 0)) / 4


def _joint(law: KNormNoise) -> list[Fraction]:
    kinds = Counter(law.blocks)
    points, squares = list[int](), dict[Block, list[int]]({block: [] for block in kinds})
    for r in range(law.cells + 4):
        pairs = [(p, r - p) for p in range(r + 1)] if law.counters == 2 else [(r, 0)]
        every = [law.points(*pair) for pair in pairs]
        points.append(sum(every))
        for block, found in squares.items():
            found.append(
                sum(
                    n // block.points(*pair) * square_sum(block, *pair)
                    for n, pair in zip(every, pairs, strict=True)
                )
            )
    total = differences(points)
    mean = {block: _quotient(found, total, law.rate) for block, found in squares.items()}
    return [mean[block] for block in law.blocks]


def _quotient(values: list[int], total: list[int], rate: Fraction) -> Fraction:
    rises = differences(values)
    return balls.upper_end(lambda: series(rises, rate) / series(total, rate))


def square_sum(block: Block, p: int, q: int) -> int:
    """The sum of the squares of the first number over all points of C(p, q).

    >>> square_sum(Box(0, 1, cells=2), 1, 0)  # 0 or 1, with 0 or 1 beside it
    2
    """
    d = block.cells
    if isinstance(block, Box):
        low = p * block.low - q * block.high - block.start // 2
        side = (p + q) * (block.high - block.low) + block.start + 1
        return int((_to(low + side - 1) - _to(low - 1)) * side ** (d - 1))
    if isinstance(block, Simplex):
        up, down = p * block.total + block.start, q * block.total + block.start
        parts = [
            comb(d, j)
            * comb(up, j)
            * comb(down + d - j, d - j)
            * (j * _gap(up, j)[1] + (d - j) * _fall(down + d - j, d - j))
            for j in range(d + 1)
        ]
    else:
        radius = (p + q) * block.total + block.start
        parts = [comb(d, j) * comb(radius, j) * 2**j * j * _gap(radius, j)[1] for j in range(d + 1)]
    return int(sum(parts) / d)


def _to(n: int) -> int:
    """1 + 4 + ... + n^2, as a polynomial."""
    return n * (n + 1) * (2 * n + 1) // 6


def _gap(reach: int, size: int) -> tuple[Fraction, Fraction]:
    """The mean and the mean square of a gap of a random subset of 1 .. reach."""
    mean = Fraction(reach + 1, size + 1)
    return mean, Fraction(2 * (reach + 2) * (reach + 1), (size + 1) * (size + 2)) - mean


def _fall(reach: int, size: int) -> Fraction:
    """The mean square of 1 less than a gap."""
    mean, square = _gap(reach, size)
    return square - 2 * mean + 1
