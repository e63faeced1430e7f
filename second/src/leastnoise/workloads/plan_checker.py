r"""Checks certificates of "noise of a plan": every number of the claim is computed anew.

A claim names a budget, how far one unit moves each vector (`reach`), what the variance of each number
counts (`importance`), and the laws of all draws with the vectors that share them. It says what the
weighted sum of all variances is (`achieved`), and what nobody undercuts (`bound`) among the `rivals`;
a second bound may be about fewer rivals ("also").

The witness has a chance for each vector, for Theorem 2 of `plan_bound`, and perhaps weights y_v(x):

Theorem 3. Let V hold all moves of one unit and their opposites. Under epsilon-DP, for all y >= 0, the
least over whole x of the weighted sum of x_i^2 + the sum over v in V of y_v(x) - e^epsilon*y_v(x - v)
is not undercut by noise of whole numbers; nor, less a quarter of all weights, by any mechanism that
answers without bias, at the table where its variances are greatest.

Nothing here imports what makes certificates. Proof page: docs/proofs/plan_bound.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import ROUND_CEILING
from fractions import Fraction
from itertools import product
from typing import Any

from leastnoise.mechanisms.certificate import Certificate, checks, number
from leastnoise.noise.joint_gaussian import Ball, CentredGaussian
from leastnoise.noise.joint_pure import Box, Diamond, KNormNoise, Simplex
from leastnoise.noise.joint_tables import Law
from leastnoise.noise.vector_laplace import LaplaceNoise
from leastnoise.numbers import ball as balls
from leastnoise.numbers.errors import CertificateRejected
from leastnoise.numbers.exact import written
from leastnoise.privacy.conversion import rho_of_pure, squared_mu, squared_mu_of_pure
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.workloads.plan_bound import Reach, gaussian_price, price, root_trace_squared
from leastnoise.workloads.plan_variance import mean_squares

KIND = "noise of a plan"
UNBIASED = (
    "all mechanisms that answer without bias, each at the table where its variance is greatest"
)
GAUSSIAN = "all Gaussian noise, of any covariance"
ADDITIVE = "all noise of whole numbers that does not depend on the data"

Move = tuple[int, ...]
Dual = Mapping[Move, Mapping[Move, Fraction]]

_NEAR = 1 + Fraction(1, 10**6)
_MOST_BUDGET, _MOST_VECTORS, _MOST_SIZE, _MOST_PLACES = 512, 2000, 1 << 62, 1 << 16


def lattice_bound(
    reach: Sequence[Reach], weights: Sequence[Fraction], epsilon: Fraction, dual: Dual
) -> Fraction:
    """What no noise of whole numbers undercuts: the least of Theorem 3. Beyond all y it only grows."""
    limits = [box for box in reach if isinstance(box, Box) for _ in range(box.cells)]
    each = [weight for box, weight in zip(reach, weights, strict=True) for _ in range(box.cells)]
    _require(len(limits) == len(each), "the reach")
    growth = balls.upper_end(lambda: balls.ball(epsilon).exp())
    slack: dict[Move, Fraction] = {}
    for move, values in dual.items():
        sides = [[low <= sign * a <= high for a, low, high in _within(move, limits)]
                 for sign in (1, -1)]  # fmt: skip
        _require(any(map(all, sides)) and min(values.values()) >= 0, "the weights of a move")
        for x, y in values.items():
            there = tuple(a + b for a, b in zip(x, move, strict=True))
            slack[x] = slack.get(x, Fraction(0)) + y
            slack[there] = slack.get(there, Fraction(0)) - growth * y
    widest = max((abs(a) for x in slack for a in x), default=0)
    _require((2 * widest + 1) ** len(each) <= _MOST_PLACES, "the extent of the weights")
    places = product(range(-widest, widest + 1), repeat=len(each))
    inside = (
        sum(w * a * a for w, a in zip(each, x, strict=True)) + slack.get(x, Fraction(0))
        for x in places
    )
    return min(*inside, min(each) * (widest + 1) ** 2)


def _within(move: Move, limits: list[Box]) -> Iterator[tuple[int, int, int]]:
    return ((a, box.low, box.high) for a, box in zip(move, limits, strict=True))


def bounds(
    budget: Guarantee,
    reach: Sequence[Reach],
    weights: Sequence[Fraction],
    chances: Sequence[Fraction],
    dual: Dual,
) -> dict[str, Fraction]:
    """What no rival undercuts, by the words for the rivals."""
    trace = root_trace_squared(reach, weights, chances)
    found = {UNBIASED: trace / price(budget)}
    gaussian = gaussian_price(budget)
    if gaussian:
        found[GAUSSIAN] = trace / gaussian
    if dual:
        _require(isinstance(budget, PureDP), "the kind of budget")
        assert isinstance(budget, PureDP)
        least = lattice_bound(reach, weights, budget.epsilon, dual)
        every = sum((w * box.cells for w, box in zip(weights, reach, strict=True)), Fraction(0))
        found |= {UNBIASED: max(found[UNBIASED], least - every / 4), ADDITIVE: least}
    return found


def keeps(budget: Guarantee, priced: Sequence[tuple[Law, Sequence[Reach]]]) -> bool:
    """Whether laws for vectors of this reach keep a budget together."""
    epsilon = square = Fraction(0)
    for law, reach in priced:
        if isinstance(law, CentredGaussian):
            square += law.squared_mu(reach)
        else:
            epsilon += law.epsilon([each for each in reach if not isinstance(each, Ball)])
    match budget:
        case PureDP():
            return not square and epsilon <= budget.epsilon
        case ApproxDP() if not square:
            return epsilon <= budget.epsilon
        case ApproxDP():
            return not epsilon and square <= squared_mu(budget.epsilon, budget.delta)
        case ZCDP():
            return rho_of_pure(epsilon) + square / 2 <= budget.rho
        case GDP():
            return squared_mu_of_pure(epsilon) + square <= budget.mu**2


def verdict(achieved: Fraction, bound: Fraction) -> str:
    """How good that is, in words."""
    if achieved <= bound * _NEAR:
        return "least possible (ratio 1)"
    if bound <= 0:
        return "nothing is known"
    return f"at most {rounded(achieved / bound, 4, up=True)} times the least"


def rounded(value: Fraction, digits: int, *, up: bool = False) -> str:
    """A positive number with so many digits, in decimals."""
    shift = digits - len(str(value.__floor__())) if value >= 1 else digits + 1
    unit = Fraction(10) ** -shift
    return written((value / unit).__ceil__() * unit if up else value // unit * unit, ROUND_CEILING)


# The parts of a claim


def _whole(value: Any) -> int:
    _require(type(value) is int and abs(value) <= _MOST_SIZE, "a whole number")
    return int(value)


def _block(described: Sequence[Any]) -> Reach:
    name, *fields = described
    kinds: dict[str, type[Reach]] = {each.__name__: each for each in (Box, Simplex, Diamond, Ball)}
    limit = _MOST_SIZE**2 if name == "Ball" else _MOST_SIZE
    _require(all(type(each) is int and abs(each) <= limit for each in fields), "a vector")
    return kinds[name](*fields)


def _law(described: Sequence[Any]) -> Law:
    match described:
        case ["KNormNoise", rate, blocks, counters]:
            shared: Any = tuple(map(_block, blocks))
            return KNormNoise(number(rate), shared, _whole(counters))
        case ["LaplaceNoise", scale, block]:
            own: Any = _block(block)
            return LaplaceNoise(_whole(scale), own)
        case ["CentredGaussian", variance, common, blocks, weights]:
            centres: Any = tuple(map(_block, blocks))
            shares = tuple(map(_whole, weights))
            return CentredGaussian(int(number(variance)), _whole(common), centres, shares)
    raise CertificateRejected("The law of a group is not known.")


def _budget(described: Sequence[Any]) -> Guarantee:
    name, *fields = described
    kinds = {"PureDP": PureDP, "ApproxDP": ApproxDP, "ZCDP": ZCDP, "GDP": GDP}
    names = {
        "PureDP": ["epsilon"],
        "ApproxDP": ["epsilon", "delta"],
        "ZCDP": ["rho"],
        "GDP": ["mu"],
    }
    values = [number(each) for each in fields]
    _require(0 < values[0] <= _MOST_BUDGET, "the budget")
    found: Guarantee = kinds[name](**dict(zip(names[name], values, strict=True)))
    return found


def _dual(rows: Sequence[Any], bits: int) -> Dual:
    unit = Fraction(1, 1 << bits)
    return {
        tuple(map(_whole, move)): {tuple(map(_whole, x)): _whole(y) * unit for x, y in values}
        for move, values in rows
    }


@checks(KIND)
def check(certificate: Certificate) -> str:
    """What is proved, in a sentence."""
    claim, witness = certificate.claim, certificate.witness
    parts = {"budget", "reach", "importance", "groups", "achieved", "bound", "rivals", "verdict"}
    also = {"also bound", "also rivals", "also verdict"}
    _require(set(claim) in (parts, parts | also), "the parts of the claim")
    budget, weights = _budget(claim["budget"]), [number(each) for each in claim["importance"]]
    reach = [_block(each) for each in claim["reach"]]
    _require(len(reach) <= _MOST_VECTORS and len(weights) == len(reach), "the number of vectors")
    groups = [(_law(law), [_whole(each) for each in places]) for law, places in claim["groups"]]
    places = sorted(place for _, each in groups for place in each)
    _require(places == [*range(len(reach))], "the vectors of the groups")
    _require(min(weights) > 0, "the importance")
    priced = [(law, [reach[place] for place in places]) for law, places in groups]
    _require(keeps(budget, priced), "the price of the laws")
    achieved = number(claim["achieved"])
    _require(_is_close(weighted(groups, reach, weights), achieved), "the variance of the laws")
    _require(
        set(witness) == {"chances", "bits", "dual"} and 0 <= _whole(witness["bits"]) <= 256, ""
    )
    dual = _dual(witness["dual"], witness["bits"])
    _require(all(dual.values()), "the weights")
    proved = bounds(budget, reach, weights, [number(each) for each in witness["chances"]], dual)
    told = []
    for prefix in ("", "also ") if len(claim) > len(parts) else ("",):
        rivals, bound = claim[prefix + "rivals"], number(claim[prefix + "bound"])
        _require(rivals in proved and (rivals == UNBIASED) == (prefix == ""), "the rivals")
        _require(_is_close(bound, proved[rivals]) and bound <= achieved, "the bound")
        _require(claim[prefix + "verdict"] == verdict(achieved, bound), "the verdict")
        told.append(f"at least {written(bound)} for {rivals}: {claim[prefix + 'verdict']}")
    return (
        f"The weighted variances add up to at most {written(achieved)}, and "
        + "; to ".join(told)
        + "."
    )


def weighted(
    groups: Sequence[tuple[Law, Sequence[int]]], reach: Sequence[Reach], weights: Sequence[Fraction]
) -> Fraction:
    """The weighted sum of all variances, rounded up."""
    return sum(
        (
            square * weights[place] * reach[place].cells
            for law, places in groups
            for place, square in zip(places, mean_squares(law), strict=True)
        ),
        Fraction(0),
    )


def _is_close(less: Fraction, more: Fraction) -> bool:
    return less <= more <= less * _NEAR


def _require(holds: bool, part: str) -> None:
    if not holds:
        raise CertificateRejected(f"This certificate proves nothing: {part} is wrong.")
