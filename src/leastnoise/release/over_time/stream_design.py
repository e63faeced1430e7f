"""How a budget is divided among the streams of a schedule, and by which integers they measure.

A search: whatever it finds is priced anew by the gate.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from operator import itemgetter

import numpy as np

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.certificates.over_time.integer_stream import SCALE
from leastnoise.certificates.over_time.participation import Participation
from leastnoise.certificates.over_time.spans import Span, running, sums
from leastnoise.certificates.over_time.stream_certificate import StreamCertificate
from leastnoise.errors import UnsupportedQuery
from leastnoise.least_noise.over_time.best_tree import BestTree, best_tree
from leastnoise.least_noise.over_time.running_totals import running_totals, sums_of_steps
from leastnoise.mechanisms.over_time.stream_noise import StreamNoise
from leastnoise.mechanisms.over_time.stream_price import MOST_PARAMETER
from leastnoise.mechanisms.over_time.tree_noise import TreeNoise
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.release.ask.schedule import Schedule
from leastnoise.release.ask.table import Table
from leastnoise.release.over_time.scheduled import OverTime
from leastnoise.release.price.gaussian_price import gaussian_prices, shortened_up
from leastnoise.release.step.stream_step import StreamStep, participation

_PARTS = 1 << 20  # of the budget
_WEIGHTS = 1 << 20  # the largest weight of a sum that matters
_MOST_FEWER = 12  # bits of 24: what is left is precise to a thousandth


@dataclass(frozen=True)
class StreamDesign:
    """By which integers all questions measure, and how much noise each of them gets.

    Attributes:
        certificate: the integers, and how near to the least the errors of running totals are.
        parameters: V of each question.
        coarser: by how many bits the integers of each question are coarser, so that noise for sums
            that move far stays drawable.
    """

    certificate: StreamCertificate
    parameters: tuple[Fraction, ...]
    coarser: tuple[int, ...]

    def error(self, questions: Sequence[OverTime]) -> float:
        """The weighed error of running totals."""
        return math.fsum(
            float(question.weight)
            * float(self.certificate.achieved)
            * math.sqrt(float(question.reach.square) / (2 * float(stream.claim.rho)))  # type: ignore[union-attr]
            for question, stream in zip(questions, self.streams(questions), strict=True)
        )

    def streams(self, questions: Sequence[OverTime]) -> tuple[StreamStep, ...]:
        """What is drawn, question after question, each with what it claims to keep."""
        return tuple(
            _stream(question, self.certificate, parameter, bits)
            for question, parameter, bits in zip(
                questions, self.parameters, self.coarser, strict=True
            )
        )


@dataclass(frozen=True)
class TreeDesign:
    """Blocks of which lengths all questions measure, and how much noise each of them gets.

    Attributes:
        branching: how many blocks make one of the next level.
        scales: of each question's noise, level by level.
        allowed: in which steps one unit may be.
        steps: of the schedule.
    """

    branching: tuple[int, ...]
    scales: tuple[tuple[Fraction, ...], ...]
    allowed: Participation
    steps: int

    def streams(self, questions: Sequence[OverTime]) -> tuple[StreamStep, ...]:
        """What is drawn, question after question, each with what it claims to keep."""
        return tuple(self._stream(*each) for each in zip(questions, self.scales, strict=True))

    def _stream(self, question: OverTime, scales: tuple[Fraction, ...]) -> StreamStep:
        noise = TreeNoise(
            steps=self.steps,
            branching=self.branching,
            scales=scales,
            allowed=self.allowed,
            reach=question.reach.total,
            groups=len(question.rows),
        )
        return StreamStep(question.asked, noise, noise.guarantee)


Design = StreamDesign | TreeDesign


def best_design(
    questions: Sequence[OverTime], schedule: Schedule, table: Table, budget: Guarantee
) -> Design:
    """The least noise that a budget allows, as far as it is known: Gaussian, or a tree of Laplace.

    Raises:
        InvalidParameter: a budget of a kind that no stream keeps.
    """
    match budget:
        case PureDP() if budget.epsilon > 0:
            return tree_design(questions, schedule, table, budget.epsilon)[0]
        case ApproxDP() if budget.delta == 0 and budget.epsilon > 0:
            return tree_design(questions, schedule, table, budget.epsilon)[0]
        case ApproxDP() if budget.epsilon > 0:
            tree, error = tree_design(questions, schedule, table, budget.epsilon)
            normal = stream_design(questions, schedule, table, budget)
            return tree if error < normal.error(questions) else normal
        case _:
            return stream_design(questions, schedule, table, budget)


def tree_design(
    questions: Sequence[OverTime], schedule: Schedule, table: Table, epsilon: Fraction
) -> tuple[TreeDesign, float]:
    """Noise on blocks of steps for pure ε, and its weighed error."""
    allowed, (tree, own) = participation(schedule, table), _tree(schedule)
    times = allowed.times(schedule.steps)
    sizes = [float(each.weight) * each.reach.total for each in questions]
    shares = _parts([size**0.5 for size in sizes])
    scales = tuple(
        tuple(
            shortened_up(times * each.reach.total / (epsilon * share * part))
            for part in tree.shares
        )
        for each, share in zip(questions, shares, strict=True)
    )
    pairs = zip(sizes, shares, strict=True)
    error = sum(size * times * own / float(epsilon * share) for size, share in pairs)
    return TreeDesign(tree.branching, scales, allowed, schedule.steps), error


def stream_design(
    questions: Sequence[OverTime], schedule: Schedule, table: Table, budget: Guarantee
) -> StreamDesign:
    """Gaussian noise by the best integers.

    Raises:
        InvalidParameter: a budget of a kind that Gaussian noise does not keep.
    """
    allowed = participation(schedule, table)
    found = _best(schedule.steps, allowed, schedule.matters, asked_spans(schedule))
    price = _price(budget, _numbers(questions, schedule))
    pairs = list(zip(questions, _shares(questions), strict=True))
    bits = [_bits(found, price(each.reach.square << 2 * SCALE, share)) for each, share in pairs]
    squares = [
        each.reach.square * allowed.squared_reach(found.stream.coarser(fewer).matrix)
        for (each, _), fewer in zip(pairs, bits, strict=True)
    ]
    needed = [price(square, share) for square, (_, share) in zip(squares, pairs, strict=True)]
    return StreamDesign(found, tuple(needed), tuple(bits))


def _price(budget: Guarantee, changed: int) -> Callable[[int, Fraction], Fraction]:
    """V for numbers that move so far in squares, at a part of the budget; rounded up."""
    match budget:
        case ZCDP() if budget.rho > 0:
            rho = budget.rho
            return lambda square, share: shortened_up(square / (2 * rho * share))
        case ApproxDP() if budget.delta > 0:
            return gaussian_prices(budget.epsilon, budget.delta, changed)[0].parameter
        case _:
            raise _check.refuse(
                "the budget of a schedule must be PureDP, ApproxDP or ZCDP, above 0",
                repr(budget),
                "Choose one.",
            )


def asked_spans(schedule: Schedule) -> tuple[Span, ...]:
    """The sums of steps that matter, each with a whole weight; none for an objective in words."""
    if isinstance(schedule.matters, str):
        return ()
    sums = [(schedule.sums(length), weight) for length, weight in schedule.matters]
    largest = max(weight / len(spans) for spans, weight in sums)
    return tuple(
        (first, last, max(1, int(_WEIGHTS * weight / len(spans) / largest)))
        for spans, weight in sums
        for first, last in spans
    )


@lru_cache(maxsize=8)
def _best(
    steps: int, allowed: Participation, matters: object, spans: tuple[Span, ...]
) -> StreamCertificate:
    if spans:
        return sums_of_steps(steps, spans, most=allowed.most, apart=allowed.apart)
    return running_totals(
        steps,
        most=allowed.most,
        apart=allowed.apart,
        objective=matters,  # type: ignore[arg-type]
    )


@lru_cache(maxsize=8)
def _tree(schedule: Schedule) -> tuple[BestTree, float]:
    """Blocks that are best for totals, or none at all: what is better, and its error at ε = 1."""
    alone = BestTree((), (Fraction(1),), math.inf)
    pairs = [(each, _tree_error(each, schedule)) for each in (best_tree(schedule.steps), alone)]
    return min(pairs, key=itemgetter(1))


def _tree_error(tree: BestTree, schedule: Schedule) -> float:
    """The error at ε = 1 of what matters."""
    spans = asked_spans(schedule) or running((1,) * schedule.steps)
    if schedule.matters == "last":
        spans = spans[-1:]
    noise = TreeNoise(
        steps=schedule.steps, branching=tree.branching, scales=[1 / each for each in tree.shares]
    )
    weights = np.array([weight for _, _, weight in spans], np.float64)
    squares = (sums(noise.error_rows(), spans) ** 2).sum(axis=1)
    worst = schedule.matters == "worst" and schedule.contributes == 1  # as Gaussian noise is made
    mean = float(weights @ squares / weights.sum())
    return math.sqrt(float(squares.max()) if worst else mean)


def _bits(found: StreamCertificate, parameter: Fraction) -> int:
    """How many bits less keep V within what can be drawn."""
    times = found.allowed.times(found.stream.steps)
    excess = parameter * times**2 / MOST_PARAMETER
    fewer = 0 if excess <= 1 else -(-(math.ceil(excess).bit_length()) // 2)
    if fewer < _MOST_FEWER:
        return fewer
    raise UnsupportedQuery(
        "a schedule's noise must be drawable; a sum moves too far for this budget. Give its grid "
        "fewer bits, cut its values to a smaller range, or spend more."
    )


def _numbers(questions: Sequence[OverTime], schedule: Schedule) -> int:
    """How many numbers are drawn in all steps together."""
    return sum(schedule.steps * len(each.rows) for each in questions)


def _shares(questions: Sequence[OverTime]) -> list[Fraction]:
    """Parts of ρ or μ²: errors go with √(reach/share), whose weighted sum is least like this."""
    sizes = [float(each.weight) * float(each.reach.square) ** 0.5 for each in questions]
    return _parts([size ** (2 / 3) for size in sizes])


def _parts(sizes: Sequence[float]) -> list[Fraction]:
    """Parts in proportion, which add up to 1 at most."""
    parts = [max(1, int(_PARTS * size / sum(sizes))) for size in sizes]
    return [Fraction(part, max(sum(parts), _PARTS)) for part in parts]


def _stream(
    question: OverTime, proof: StreamCertificate, parameter: Fraction, fewer: int
) -> StreamStep:
    noise = StreamNoise(
        stream=proof.stream.coarser(fewer),
        parameter=parameter,
        allowed=proof.allowed,
        reach=question.reach.square,
        groups=len(question.rows),
    )
    return StreamStep(question.asked, noise, noise.guarantee)
