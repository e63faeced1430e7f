"""How a budget is divided among the streams of a schedule, and by which integers they measure.

A search: whatever it finds is priced anew by the gate.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from leastnoise import _check
from leastnoise.certificates.over_time.integer_stream import SCALE
from leastnoise.certificates.over_time.stream_certificate import StreamCertificate
from leastnoise.errors import UnsupportedQuery
from leastnoise.least_noise.over_time.running_totals import running_totals
from leastnoise.mechanisms.over_time.stream_noise import MOST_PARAMETER, StreamNoise
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.release.ask.schedule import Schedule
from leastnoise.release.ask.table import Table
from leastnoise.release.over_time.scheduled import OverTime
from leastnoise.release.price.gaussian_price import gaussian_prices, shortened_up
from leastnoise.release.step.stream_step import StreamStep, participation

_PARTS = 1 << 20  # of the budget
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

    def streams(self, questions: Sequence[OverTime]) -> tuple[StreamStep, ...]:
        """What is drawn, question after question, each with what it claims to keep."""
        return tuple(
            _stream(question, self.certificate, parameter, bits)
            for question, parameter, bits in zip(
                questions, self.parameters, self.coarser, strict=True
            )
        )


def stream_design(
    questions: Sequence[OverTime], schedule: Schedule, table: Table, budget: Guarantee
) -> StreamDesign:
    """The least noise that a budget allows, as far as it is known.

    Raises:
        UnsupportedQuery: a budget of a kind that no stream keeps.
    """
    allowed = participation(schedule, table)
    found = _best(schedule.steps, allowed.most, allowed.apart)
    price = _price(budget, _numbers(questions, schedule))
    pairs = list(zip(questions, _shares(questions), strict=True))
    bits = [_bits(found, price(each.reach << 2 * SCALE, share)) for each, share in pairs]
    squares = [
        each.reach * allowed.squared_reach(found.stream.coarser(fewer).matrix)
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
        case PureDP() | ApproxDP():
            raise UnsupportedQuery(
                "a schedule with Gaussian noise needs ρ, or ε and δ; the budget has ε alone. Add "
                "delta='1e-6', say, to the budget."
            )
        case _:
            raise _check.refuse(
                "the budget of a schedule must be ZCDP or ApproxDP", repr(budget), "Choose one."
            )


@lru_cache(maxsize=8)
def _best(steps: int, most: int, apart: int) -> StreamCertificate:
    return running_totals(steps, most=most, apart=apart)


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
    sizes = [float(each.weight) * float(each.reach) ** 0.5 for each in questions]
    whole = sum(size ** (2 / 3) for size in sizes)
    parts = [max(1, int(_PARTS * size ** (2 / 3) / whole)) for size in sizes]
    return [Fraction(part, max(sum(parts), _PARTS)) for part in parts]


def _stream(
    question: OverTime, proof: StreamCertificate, parameter: Fraction, fewer: int
) -> StreamStep:
    noise = StreamNoise(
        stream=proof.stream.coarser(fewer),
        parameter=parameter,
        allowed=proof.allowed,
        reach=question.reach,
        groups=len(question.rows),
    )
    return StreamStep(question.asked, noise, noise.guarantee)
