"""Looks for the witness of a certificate of a plan's noise: nothing here need be trusted.

Every chance of a random unit, and all weights of the linear program's dual, prove something. Here they
are chosen so that they prove much.
"""

from collections.abc import Sequence
from dataclasses import astuple
from fractions import Fraction
from itertools import product
from math import sqrt
from typing import Any

from leastnoise.mechanisms.certificate import Certificate
from leastnoise.noise.joint_gaussian import Ball, CentredGaussian
from leastnoise.noise.joint_pure import Box, Diamond
from leastnoise.noise.joint_tables import Law
from leastnoise.noise.vector_laplace import LaplaceNoise
from leastnoise.numbers import ball as balls
from leastnoise.privacy.guarantee import Guarantee, PureDP
from leastnoise.workloads.plan_bound import Reach, root_trace_squared
from leastnoise.workloads.plan_checker import (
    KIND,
    UNBIASED,
    Dual,
    Move,
    bounds,
    rounded,
    verdict,
    weighted,
)

_DIGITS = 8
_FINE = 1 << 10  # chances are multiples of 1/_FINE
_MOST_KINDS = 12  # vectors that differ, for which the best chances are searched
_BITS = 40
_RADIUS = {1: 40, 2: 12, 3: 5}  # how far from 0 the program looks, by the number of numbers
_MOST_MOVE = 2
_NEPERS = 4  # noise that is likely farther out than the program looks is left to Theorem 2


def certificate(
    budget: Guarantee,
    reach: Sequence[Reach],
    weights: Sequence[Fraction],
    groups: Sequence[tuple[Law, Sequence[int]]],
) -> Certificate:
    """The claim about these laws, with a witness."""
    chances, dual = _chances(reach, weights), _dual(budget, reach, weights)
    proved = bounds(budget, reach, weights, chances, dual)
    achieved = Fraction(rounded(weighted(groups, reach, weights), _DIGITS, up=True))
    best = {
        rivals: Fraction(rounded(bound, _DIGITS))
        for rivals, bound in proved.items()
        if rivals == UNBIASED or proved[UNBIASED] < bound <= achieved
    }
    claim: dict[str, Any] = {
        "budget": [type(budget).__name__, *(str(each) for each in vars(budget).values())],
        "reach": [_described(block) for block in reach],
        "importance": [str(weight) for weight in weights],
        "groups": [[_described_law(law), list(places)] for law, places in groups],
        "achieved": str(achieved),
    }
    for rivals, bound in best.items():
        prefix = "" if rivals == UNBIASED else "also "
        told = {"bound": str(bound), "rivals": rivals, "verdict": verdict(achieved, bound)}
        claim |= {prefix + name: value for name, value in told.items()}
    witness = {
        "chances": [str(chance) for chance in chances],
        "bits": _BITS,
        "dual": [
            [list(move), [[list(x), int(y * 2**_BITS)] for x, y in values.items()]]
            for move, values in dual.items()
        ],
    }
    return Certificate(KIND, claim, witness)


def _described(block: Reach) -> list[Any]:
    return [type(block).__name__, *astuple(block)]


def _described_law(law: Law) -> list[Any]:
    if isinstance(law, LaplaceNoise):
        return ["LaplaceNoise", law.scale, _described(law.block)]
    blocks = [_described(block) for block in law.blocks]
    if isinstance(law, CentredGaussian):
        return ["CentredGaussian", str(law.variance), law.common, blocks, list(law.weights)]
    return ["KNormNoise", str(law.rate), blocks, law.counters]


def _chances(reach: Sequence[Reach], weights: Sequence[Fraction]) -> list[Fraction]:
    """How likely a random unit moves each vector, so that Theorem 2 proves much.

    Boxes begin at 1/2 + sqrt(theta)/2, theta their part of the weighted squares: the best if there
    were only boxes. Then each kind of vector is improved in turn.
    """
    kinds = list(dict.fromkeys(zip(reach, weights, strict=True)))
    sizes = [sqrt(w * block.cells) * _step(block) for block, w in zip(reach, weights, strict=True)]
    whole = sqrt(sum(size**2 for size in sizes)) or 1.0
    chance = {
        (block, weight): _fine((1 + sqrt(weight * block.cells) * _step(block) / whole) / 2)
        if isinstance(block, Box) and block.low >= 0
        else Fraction(1, 2 if isinstance(block, Box) else 1)
        for block, weight in kinds
    }

    def proved() -> Fraction:
        each = [chance[kind] for kind in zip(reach, weights, strict=True)]
        return root_trace_squared(reach, weights, each)

    steps = [Fraction(1, n) for n in (8, 32, 128)] if len(kinds) <= _MOST_KINDS else []
    best = proved()
    for step in steps:
        for kind in kinds:
            if isinstance(kind[0], Diamond | Ball):
                continue
            for way in (step, -step):
                while 0 <= chance[kind] + way <= 1:
                    chance[kind] += way
                    now = proved()
                    if now <= best:
                        chance[kind] -= way
                        break
                    best = now
    return [chance[kind] for kind in zip(reach, weights, strict=True)]


def _step(block: Reach) -> float:
    return block.high - block.low if isinstance(block, Box) else 0.0


def _fine(value: float) -> Fraction:
    return Fraction(int(value * _FINE), _FINE)


def _dual(budget: Guarantee, reach: Sequence[Reach], weights: Sequence[Fraction]) -> Dual:
    """y_v(x) of Theorem 3, from a linear program over all noise near 0; empty where it is too wide."""
    boxes = [block for block in reach if isinstance(block, Box)]
    limits = [(box.low, box.high) for box in boxes for _ in range(box.cells)]
    count, most = len(limits), max((max(-a, b) for a, b in limits), default=0)
    small = len(boxes) == len(reach) and count in _RADIUS and 0 < most <= _MOST_MOVE
    if not (small and isinstance(budget, PureDP)):
        return {}
    if _NEPERS * most > _RADIUS[count] * budget.epsilon:
        return {}
    every = product(*(range(low, high + 1) for low, high in limits))
    moves = {tuple(sign * a for a in move) for move in every for sign in (1, -1) if any(move)}
    each = [w for box, w in zip(boxes, weights, strict=True) for _ in range(box.cells)]
    return _solved(sorted(moves), each, budget.epsilon, _RADIUS[count])


def _solved(moves: list[Move], weights: list[Fraction], epsilon: Fraction, radius: int) -> Dual:
    """Multipliers of P(x) <= e^epsilon * P(x + v), for the least weighted sum of E x_i^2."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    side = range(-radius, radius + 1)
    place = {x: i for i, x in enumerate(product(side, repeat=len(weights)))}
    rows = [(v, x, place[x], place[y]) for v in moves for x in place
            if (y := tuple(a + b for a, b in zip(x, v, strict=True))) in place]  # fmt: skip
    growth = float(balls.upper_end(lambda: balls.ball(epsilon).exp()))
    values = [entry for _ in rows for entry in (1.0, -growth)]
    columns = [entry for _, _, here, there in rows for entry in (here, there)]
    lines = [line for line in range(len(rows)) for _ in (0, 1)]
    matrix = coo_array((values, (lines, columns)), shape=(len(rows), len(place)))
    found = linprog(
        [float(sum(w * a * a for w, a in zip(weights, x, strict=True))) for x in place],
        A_ub=matrix.tocsr(), b_ub=[0.0] * len(rows), A_eq=[[1.0] * len(place)], b_eq=[1.0],
        method="highs",
    )  # fmt: skip
    if found.x is None:
        return {}
    dual: dict[Move, dict[Move, Fraction]] = {}
    for (v, x, _, _), slope in zip(rows, found.ineqlin.marginals.tolist(), strict=True):
        if weight := int(-slope * 2**_BITS):
            dual.setdefault(v, {})[x] = Fraction(max(weight, 0), 2**_BITS)
    return dual
