r"""Checks certificates of "least noise": every number of the claim is computed anew.

A claim names a problem (cost, sensitivity, epsilon, delta, dimension, norm), a law that keeps the
promise, what it costs at most (`achieved`), and what no rival undercuts (`bound`). Rivals are all
laws of noise on the same lattice that keep the promise and do not depend on the data. The witness
names the proof of the bound:

- "staircase": delta is 0, and some width of the staircase is best: docs/proofs/staircase.md.
- "half-lines": a few events that every rival must respect: docs/proofs/linear_program.md, section 6.
- "dual": a feasible point of the dual linear program over all rivals: docs/proofs/linear_program.md.
- "none": nothing is claimed to be impossible.

What a claim says in words is compared with the words that follow from its numbers. Nothing here
imports what makes certificates.
"""

from collections.abc import Mapping
from contextlib import suppress
from fractions import Fraction
from typing import Any

from leastnoise.mechanisms.certificate import Certificate, checks, number
from leastnoise.noise.balls import NormStaircase, differences, series
from leastnoise.noise.distribution import Distribution
from leastnoise.noise.laws import DiscreteLaplace, Staircase, TableLaw, TruncatedLaplace, Uniform
from leastnoise.numbers import ball as balls
from leastnoise.numbers.cost import ABSOLUTE, Cost, Moment, TailProbability
from leastnoise.numbers.errors import CertificateRejected, InvalidInput
from leastnoise.numbers.exact import written
from leastnoise.numbers.interval import Interval
from leastnoise.optima.dual import MOST_WORK, Dual, Problem, Row, dual_bound, leaks
from leastnoise.optima.half_lines import half_lines, straddling

KIND = "least noise"
SLACK = Fraction(1, 2**40)  # by how much the claimed numbers may be looser than the computed ones
_LEAST = Fraction(1, 10**6)  # a ratio so close to 1 is called least

_MOST_EPSILON = 512
_MOST_DIMENSION = 128
_MOST_SIZE = 2**62
_MOST_TIES = 32
_MOST_SPLITS = 1 << 13  # divided by the dimension, which slows each down


def rivals(problem: Problem) -> str:
    """Which noise the bound is about, in words."""
    where = "whole numbers" if problem.dimension == 1 else f"vectors of {problem.dimension} numbers"
    return f"all noise on {where} that keeps the promise and does not depend on the data"


def verdict(achieved: Fraction, bound: Fraction) -> str:
    """How good that is, in words."""
    if achieved <= bound * (1 + _LEAST):
        return "least possible (ratio 1)"
    if not bound:
        return "not known to be least"
    ratio = achieved / bound
    if ratio > 10**6:
        return "not known to be least"
    shown = f"{float(ratio):.4g}" if ratio > 1 + 1000 * _LEAST else f"{float(ratio):.7g}"
    return f"not known to be least (at most {shown} times the least)"


# The problem and the law of a claim


def problem_of(claim: Mapping[str, Any]) -> Problem:
    """The problem that a claim names."""
    sizes = [_whole(claim[name]) for name in ("sensitivity", "dimension")]
    epsilon, delta, norm = number(claim["epsilon"]), number(claim["delta"]), claim["norm"]
    _require(1 <= sizes[0] <= _MOST_SIZE and 1 <= sizes[1] <= _MOST_DIMENSION, "the problem")
    _require(
        0 <= epsilon <= _MOST_EPSILON and 0 <= delta < 1 and epsilon + delta > 0, "the promise"
    )
    _require(norm in ("l1", "linf"), "the norm")
    return Problem(sizes[0], epsilon, delta, _cost(claim["cost"]), sizes[1], norm)


def _cost(described: Mapping[str, Any]) -> Cost:
    (name, value), = described.items()  # fmt: skip
    if name == "tail":
        return TailProbability(number(value))
    _require(name == "moment", "the cost")
    return Moment(_whole(value))


def _whole(value: Any) -> int:
    _require(type(value) is int, "a whole number")
    return int(value)


def law_of(problem: Problem, described: Mapping[str, Any]) -> Distribution:
    """The law that a claim names, which must keep the promise by a theorem, or by computation."""
    size, epsilon, delta = problem.sensitivity, problem.epsilon, problem.delta
    name, rest = described["name"], {k: v for k, v in described.items() if k != "name"}
    single = problem.dimension == 1
    law: Distribution | None = None
    match name, sorted(rest):
        case "DiscreteLaplace", [] if single and epsilon:
            law = DiscreteLaplace(epsilon / size)
        case "Staircase", ["width"] if single and epsilon:
            law = Staircase(size, epsilon, _whole(rest["width"]))
        case "NormStaircase", ["width"] if epsilon:
            width = _whole(rest["width"])
            law = NormStaircase(problem.dimension, size, epsilon, width, problem.norm)
        case "NormLaplace", [] if epsilon:
            law = NormStaircase(problem.dimension, 1, epsilon / size, 1, problem.norm)
        case "TruncatedLaplace", [] if epsilon and delta:
            law = TruncatedLaplace(size, epsilon, delta)
        case "Uniform", [] if delta:
            law = Uniform(size, delta)
        case "TableLaw", ["weights"] if single:
            law = _table(problem, [_whole(each) for each in rest["weights"]])
    if law is None:
        raise CertificateRejected("The law of the claim is not known to keep the promise.")
    if not single and law.dimension == 1:  # the same noise on every number
        fits = law.support is not None and law.support[1] >= size
        _require(problem.norm == "l1" and fits, "independent noise")
    return law


def _table(problem: Problem, weights: list[int]) -> TableLaw:
    """The symmetric law with these weights at 0, 1, 2, ...; every shift is tried."""
    work = len(weights) * min(problem.sensitivity, len(weights))
    _require(bool(weights) and min(weights) >= 0 and weights[-1] > 0, "a weight")
    _require(work <= MOST_WORK, "the size of the table")
    _require(max(leaks(problem, weights)) <= problem.delta, "the promise of the table")
    return TableLaw({k: weights[abs(k)] for k in range(1 - len(weights), len(weights))})


def expected(problem: Problem, law: Distribution) -> Interval:
    """The mean cost of a law; of independent noise in l1, for whole moments up to 2."""
    if problem.dimension == 1 or law.dimension > 1:
        return law.expected(problem.cost)
    count, first = problem.dimension, law.moment(1)
    if problem.cost == ABSOLUTE:
        return Interval(count * first.lower, count * first.upper)
    if problem.cost != Moment(2):
        raise InvalidInput("Independent noise on a vector is priced for moments 1 and 2.")
    second, pairs = law.moment(2), count * (count - 1)
    return Interval(
        count * second.lower + pairs * first.lower**2, count * second.upper + pairs * first.upper**2
    )


# Bounds


def staircase_bound(problem: Problem, width: int) -> Fraction:
    """What no staircase, and so no noise with delta 0, undercuts; sharp if this width is the best."""
    _require(not problem.delta, "the proof, which is for delta 0,")
    if problem.dimension == 1:
        return _beside(problem, width)
    return _least_width(problem)


def _beside(problem: Problem, width: int) -> Fraction:
    """For one number the cost first falls and then rises with the width (staircase.md, section 3).

    So a width on either side that costs no less bounds all beyond it. Ties are stepped over.
    """

    def cost(other: int) -> Interval:
        return Staircase(problem.sensitivity, problem.epsilon, other).expected(problem.cost)

    own, least = cost(width), [Fraction(cost(width).lower)]
    for step in (-1, 1):
        for near in range(width + step, width + step * (_MOST_TIES + 1), step):
            if not 1 <= near <= problem.sensitivity:
                break
            least.append(Fraction(cost(near).lower))
            if least[-1] >= own.upper:
                break
        else:
            least.append(Fraction(problem.price(0).lower))
    return min(least)


def _least_width(problem: Problem) -> Fraction:
    """For vectors all widths are searched: the cost of width w is N(w)/D(w), and both rise with w.

    So widths from u to v cost at least N(u)/D(v). The cheapest interval is halved until it is short.
    """
    known: dict[int, tuple[Interval, Interval]] = {}

    def parts(width: int) -> tuple[Interval, Interval]:
        if width not in known:
            known[width] = _layers(problem, width)
        return known[width]

    def below(low: int, high: int) -> Fraction:
        return Fraction(parts(low)[0].lower) / Fraction(parts(high)[1].upper)

    open_, splits = [(below(1, problem.sensitivity), 1, problem.sensitivity)], 0
    while True:
        least, low, high = min(open_)
        above = Fraction(parts(high)[0].upper) / Fraction(parts(high)[1].lower)
        if (
            low == high
            or above <= least * (1 + _LEAST / 8)
            or splits >= _MOST_SPLITS // problem.dimension
        ):
            return least
        middle, splits = (low + high) // 2, splits + 1
        open_.remove((least, low, high))
        open_ += [(below(low, middle), low, middle), (below(middle + 1, high), middle + 1, high)]


def _layers(problem: Problem, width: int) -> tuple[Interval, Interval]:
    """N and D: the sums of b^j times the cost over ball j, and times its points, b = e^-epsilon."""
    size = problem.sensitivity
    law = NormStaircase(problem.dimension, size, problem.epsilon, width, problem.norm)
    mean = law.expected(problem.cost)
    rises = differences([law.points(width - 1 + j * size) for j in range(law.dimension + 1)])
    total = balls.enclosure(lambda: series(rises, problem.epsilon))
    return Interval(mean.lower * total.lower, mean.upper * total.upper), total


def half_line_bound(problem: Problem) -> Fraction:
    """From half-lines along the axes: c(|X_1|) alone, and in l1 all numbers by (E|X|)^p <= E|X|^p.

    At sensitivity 1 the canonical law is stochastically smallest; at sensitivity D every number has
    at least D times its mean: docs/proofs/truncation.md, section 3.
    """
    _require(problem.delta > 0, "the proof, which is for delta above 0,")
    size, epsilon, delta, cost = problem.sensitivity, problem.epsilon, problem.delta, problem.cost
    canonical = TruncatedLaplace(1, epsilon, delta) if epsilon else Uniform(1, delta)
    one = canonical.expected(cost).lower if size == 1 else _half_lines(problem, cost)
    single = Fraction(one)
    if isinstance(cost, Moment) and cost.order.denominator == 1:
        mean = size * Fraction(canonical.moment(1).lower)
        count = problem.dimension if problem.norm == "l1" else 1
        if size > 1:
            mean = max(mean, _half_lines(problem, ABSOLUTE))
        return max(single, (count * mean) ** int(cost.order))
    return single


def _half_lines(problem: Problem, cost: Cost) -> Fraction:
    """The greater of two bounds; 0 if both are too much work."""
    greatest = Fraction(0)
    for bound in (straddling, half_lines):
        with suppress(InvalidInput):
            found = bound(problem.sensitivity, problem.epsilon, problem.delta, cost)
            greatest = max(greatest, Fraction(found.lower))
    return greatest


def dual_of(witness: Mapping[str, Any]) -> Dual:
    """The dual point of a witness."""
    rows = tuple(
        Row(_whole(shift), _whole(first), tuple(map(_whole, values)), _whole(beyond))
        for shift, first, values, beyond in witness["rows"]
    )
    return Dual(number(witness["level"]), _whole(witness["bits"]), rows)


# The check


@checks(KIND)
def check(certificate: Certificate) -> str:
    """What is proved, in a sentence."""
    claim, witness = certificate.claim, certificate.witness
    parts = {"cost", "sensitivity", "dimension", "norm", "epsilon", "delta", "law", "achieved",
             "bound", "rivals", "verdict"}  # fmt: skip
    _require(set(claim) == parts, "the list of parts")
    problem = problem_of(claim)
    law = law_of(problem, claim["law"])
    achieved, bound = number(claim["achieved"]), number(claim["bound"])
    _require(_is_close(Fraction(expected(problem, law).upper), achieved), "the cost of the law")
    _require(_is_close(bound, _bound(problem, claim["law"], witness)), "the bound")
    _require(bound <= achieved, "the bound")  # or this module contradicts itself
    _require(claim["rivals"] == rivals(problem), "what is said of rivals")
    _require(claim["verdict"] == verdict(achieved, bound), "the verdict")
    return (
        f"{problem.cost.name} is at most {written(achieved)}, and at least {written(bound)} for "
        f"{rivals(problem)}: {claim['verdict']}."
    )


def _bound(problem: Problem, law: Mapping[str, Any], witness: Mapping[str, Any]) -> Fraction:
    match witness["method"], sorted(witness):
        case "staircase", ["method"]:
            return staircase_bound(problem, _whole(law["width"]) if "width" in law else 1)
        case "half-lines", ["method"]:
            return half_line_bound(problem)
        case "dual", ["bits", "level", "method", "rows"]:
            _require(problem.dimension == 1, "the proof, which is for one number,")
            found = dual_bound(problem, dual_of(witness))
            _require(found is not None, "the dual point")
            return Fraction(found or 0)
        case "none", ["method"]:
            return Fraction(0)
    raise CertificateRejected("The witness names no proof.")


def _is_close(true: Fraction, looser: Fraction) -> bool:
    """Whether true <= looser <= true * (1 + SLACK)."""
    return true <= looser <= true * (1 + SLACK)


def _require(holds: bool, part: str) -> None:
    if not holds:
        raise CertificateRejected(f"This certificate proves nothing: {part} is wrong.")
