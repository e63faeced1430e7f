r"""Checks certificates of "noise of a plan": every number of the claim is computed anew.

A claim names a budget, how far one unit moves each vector (`reach`), what the variance of each number
counts (`importance`), and the laws of all draws with the vectors that share them. It says what the
weighted variances add up to (`achieved`), and what kinds of rivals do not undercut (`bounds`). The
witness has the chances of Theorem 2 of `plan_bound`, and weights of Theorem 3 in units of 2^-40.

Variance. Given the counters p and q, the noise of a block of `KNormNoise` is a uniform point of
C(p, q). Over all p + q = r, the number of points of all blocks, and the sum of the squares of one of
their numbers, are polynomials in r (docs/proofs/joint_pure.md, section 3). So sums of e^(-rate*r)
times them have a closed form, by the differences of the polynomial.

Nothing here imports what makes certificates. Proof page: docs/proofs/plan_bound.md.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import fields
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import cache, lru_cache
from itertools import accumulate
from math import comb
from typing import Any

from leastnoise.mechanisms.certificate import Certificate, checks, number
from leastnoise.noise.balls import differences, series
from leastnoise.noise.joint_gaussian import Ball, CentredGaussian
from leastnoise.noise.joint_pure import Block, Box, Diamond, KNormNoise, Simplex
from leastnoise.noise.joint_tables import Law
from leastnoise.noise.laws import DiscreteLaplace, RoundedGaussian
from leastnoise.noise.vector_laplace import LaplaceNoise
from leastnoise.numbers import ball as balls
from leastnoise.numbers.errors import CertificateRejected
from leastnoise.numbers.exact import written
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.workloads.plan_bound import Dual, Reach, amounts, bounds

KIND = "noise of a plan"
UNIT = Fraction(1, 2**40)
RIVALS = {
    "unbiased": "No unbiased mechanism has less than {} at its worst table",
    "Gaussian": "No Gaussian noise, of any covariance, has less than {}",
    "additive": "No noise of whole numbers with mean 0, the same for all data, has less than {}",
}

_GIVEN = ("budget", "reach", "importance", "groups")
_BLOCKS, _LAWS = (Box, Simplex, Diamond, Ball), (KNormNoise, LaplaceNoise, CentredGaussian)
_BUDGETS = (PureDP, ApproxDP, ZCDP, GDP)
_KINDS: dict[str, type[Any]] = {each.__name__: each for each in (*_BLOCKS, *_LAWS, *_BUDGETS)}
_NEAR = 1 + Fraction(1, 10**6)


def encoded(value: Any) -> Any:
    """A block, a law or a budget, or a list of them, for the text of a certificate."""
    if isinstance(value, int | Fraction):
        return value if isinstance(value, int) else str(value)
    if isinstance(value, Sequence):
        return [encoded(each) for each in value]
    return [type(value).__name__, *(encoded(getattr(value, each.name)) for each in fields(value))]


def decoded(text: Any) -> Any:
    """What `encoded` was given."""
    if not isinstance(text, list):
        found = number(text)
        _require(max(abs(found.numerator), found.denominator) <= 2**4096, "a number")
        return found if isinstance(text, str) else text
    if text and isinstance(text[0], str) and text[0] in _KINDS:
        kind = _KINDS[text[0]]
        names = [each.name for each in fields(kind)]
        return kind(**dict(zip(names, map(decoded, text[1:]), strict=True)))
    return tuple(map(decoded, text))


def keeps(budget: Guarantee, priced: Sequence[tuple[Law, Sequence[Reach]]]) -> bool:
    """Whether laws for vectors of this reach keep a budget together."""
    epsilon = square = Fraction(0)
    for law, reach in priced:
        if isinstance(law, CentredGaussian):
            square += law.squared_mu(reach)
        else:
            epsilon += law.epsilon([each for each in reach if not isinstance(each, Ball)])
    most = amounts(budget)
    return (epsilon <= most[0] and not square) or (square <= most[1] and not epsilon)


@lru_cache(maxsize=16)
def mean_squares(law: Law) -> list[Fraction]:
    """At least the mean square of the noise of each number, block by block.

    Of Gaussian noise, before the answers are rounded to whole numbers.

    >>> law = KNormNoise(Fraction(1), (Box(0, 1, cells=10, start=6),))
    >>> print(f"{float(mean_squares(law)[0]):.4f}")
    20.3173
    """
    if isinstance(law, LaplaceNoise):
        return [Fraction(DiscreteLaplace(Fraction(1, law.scale)).moment(2).upper)]
    if isinstance(law, CentredGaussian):
        drawn = Fraction(RoundedGaussian(law.variance).moment(2).upper)
        parts = zip(law.blocks, law.weights, strict=True)
        return [drawn * _share(law.common, block, weight) for block, weight in parts]
    points, squares = list[int](), {block: list[int]() for block in Counter(law.blocks)}
    by_sum = not any(
        isinstance(block, Simplex) for block in squares
    )  # points depend on p + q alone
    for r in range(law.cells + 4):
        pairs = [(p, r - p) for p in range(r + 1)] if law.counters == 2 else [(r, 0)]
        whole = law.points(r, 0)
        every = [(pair, whole if by_sum else law.points(*pair)) for pair in pairs]
        points.append(sum(n for _, n in every))
        for block, found in squares.items():
            sums = (n // block.points(*pair) * square_sum(block, *pair) for pair, n in every)
            found.append(sum(sums))
    total, rate = differences(points), law.rate
    rises = {block: differences(found) for block, found in squares.items()}

    @cache
    def mean(block: Block) -> Fraction:
        return balls.upper_end(lambda: series(rises[block], rate) / series(total, rate))

    return [mean(block) for block in law.blocks]


def _share(common: int, block: Box | Ball, weight: int) -> Fraction:
    """The variance of a number, for draws of variance 1."""
    own = Fraction(1, weight**2) if weight else Fraction(0)
    if isinstance(block, Ball):
        return own
    return (own + Fraction(block.low + block.high, common or 1) ** 2) / 4


def square_sum(block: Block, p: int, q: int) -> int:
    """The sum of the squares of the first number over all points of C(p, q).

    >>> square_sum(Box(0, 1, cells=2), 1, 0)  # 0 or 1, with 0 or 1 beside it
    2
    """
    d = block.cells
    if isinstance(block, Box):
        low = p * block.low - q * block.high - block.start // 2
        n = (p + q) * (block.high - block.low) + block.start + 1
        squares = n * low**2 + low * n * (n - 1) + n * (n - 1) * (2 * n - 1) // 6
        return int(squares * n ** (d - 1))
    up = p * block.total + block.start + (q * block.total if isinstance(block, Diamond) else 0)
    plain, once, twice = (_choose(up + i, d + 2) for i in range(3))
    # The first number and j others are above 0; of a diamond, they are not 0.
    above = [comb(d - 1, j) * (2 * twice[j + 3] - once[j + 2]) for j in range(d)]
    if isinstance(block, Diamond):
        return sum(each * 2 ** (j + 1) for j, each in enumerate(above))
    falls = [abs(each) for each in _choose(-q * block.total - block.start - 1, d + 2)]
    below = [2 * falls[m + 2] - 3 * falls[m + 1] + falls[m] for m in range(d + 1)]
    parts = (
        above[j] * falls[d - j - 1] + comb(d - 1, j) * plain[j] * below[d - j] for j in range(d)
    )
    return sum(parts)


def _choose(n: int, most: int) -> list[int]:
    """C(n, 0), C(n, 1), ..., C(n, most)."""
    return [*accumulate(range(most), lambda found, k: found * (n - k) // (k + 1), initial=1)]


def claim_of(
    budget: Guarantee,
    reach: Sequence[Reach],
    weights: Sequence[Fraction],
    groups: Sequence[tuple[Law, Sequence[int]]],
    chances: Sequence[Fraction],
    dual: Dual,
) -> dict[str, Any]:
    """The claim about these laws: what these chances and weights prove of the rivals."""
    places = [place for _, each in groups for place in each]
    _require(sorted(places) == [*range(len(reach))] and len(weights) == len(reach), "a vector")
    priced = [(law, [reach[place] for place in each]) for law, each in groups]
    _require(keeps(budget, priced), "the price of the laws")
    pairs = (zip(each, mean_squares(law), strict=True) for law, each in groups)
    squares = {place: square for group in pairs for place, square in group}
    sums = (w * reach[i].cells * squares[i] for i, w in enumerate(weights))
    achieved = _rounded(sum(sums, Fraction(0)), 9, 1)
    proved = bounds(budget, reach, weights, chances, dual)
    least = proved["unbiased"]
    gaussian = [law for law, _ in groups if isinstance(law, CentredGaussian)]
    note = ", before answers are rounded to whole numbers" if gaussian else ""
    lines = [f"Weighted variances add up to at most {_text(achieved, 1)}{note}."]
    kept = dict[str, str]()
    for rivals, words in RIVALS.items():
        bound = _rounded(proved.get(rivals, Fraction(0)), 9, -1)
        if rivals == "unbiased" or least < bound <= achieved:
            ratio = achieved / bound
            shown = _text(ratio, 1) if ratio > _NEAR else "1, the least possible"
            kept[rivals] = str(bound)
            lines.append(f"{words.format(_text(bound, -1))}: ratio {shown}.")
    claim = dict(zip(_GIVEN, encoded([budget, reach, weights, groups]), strict=True))
    return claim | {"achieved": str(achieved), "bounds": kept, "statement": "\n".join(lines)}


def _text(value: Fraction, side: int) -> str:
    return written(_rounded(value, 4, side))


def _rounded(value: Fraction, digits: int, side: int) -> Fraction:
    context = Context(prec=digits, rounding=ROUND_CEILING if side > 0 else ROUND_FLOOR)
    return Fraction(context.divide(Decimal(value.numerator), Decimal(value.denominator)))


@checks(KIND)
def check(certificate: Certificate) -> str:
    """What is proved, in words."""
    budget, reach, weights, groups = (decoded(certificate.claim[name]) for name in _GIVEN)
    chances, dual = (decoded(certificate.witness[name]) for name in ("chances", "dual"))
    kinds = [(_BUDGETS, [budget]), (_BLOCKS, reach), (_LAWS, [law for law, _ in groups])]
    _require(all(isinstance(each, kind) for kind, found in kinds for each in found), "a part")
    points = [point for move, values in dual for point in (move, *(x for x, _ in values))]
    _require(all(type(a) is int for point in points for a in point), "a weight")
    weighted = {move: {x: y * UNIT for x, y in values} for move, values in dual}
    claim = claim_of(budget, reach, weights, groups, chances, weighted)
    _require(claim == certificate.claim and len(certificate.witness) == 2, "a part of the claim")
    return str(claim["statement"])


def _require(holds: bool, part: str) -> None:
    if not holds:
        raise CertificateRejected(f"This certificate proves nothing: {part} is wrong.")
