r"""What the noise of a whole plan really tells about one pair of neighbouring tables.

From outside: the exact answers of two tables are compared cell by cell, and the losses of the
noise on the cells that differ are composed. No sensitivity, no bound and no share of a budget is
looked at; what the gate proves for all tables is seen here on some.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from itertools import product
from typing import Any

from leastnoise.mechanisms.adding.cell_noise import CellNoise
from leastnoise.mechanisms.partitions.counted_partitions import CountedPartitions
from leastnoise.mechanisms.partitions.partition_selection import PartitionSelection
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.release.step.secret_totals import SecretTotals
from leastnoise.release.step.step import Step

_ORDERS = ("1.5", 2, 4, 8, 16)
"""At which Rényi orders ρ is looked at."""


def leak_of_pair(
    steps: Sequence[Step],
    one: Sequence[tuple[SecretTotals, ...]],
    other: Sequence[tuple[SecretTotals, ...]],
    budget: Guarantee,
) -> Interval | None:
    """How much of the budget's δ (of its ρ, for zCDP) the pair takes; None if nothing is known.

    Noise in cells and choices of private groups are looked at; what is drawn by other mechanisms
    is left out, and leaving something out can only make the leak smaller: the lower end is a fact.

    Args:
        steps: what is drawn.
        one: the exact answers of one table, to each step.
        other: those of its neighbour.
        budget: what is promised.
    """
    parts = [
        part
        for step, mine, others in zip(steps, one, other, strict=True)
        for part in _losses(step, mine, others)
    ]
    if not parts:
        return None
    loss = reduce(PrivacyLoss.compose, parts)
    match budget:
        case PureDP() | ApproxDP():
            return loss.delta(budget.epsilon)
        case ZCDP(delta=0):
            found = [(loss.renyi(order), Fraction(order)) for order in _ORDERS]
            ends = [(each.lower / order, each.upper / order) for each, order in found]
            return Interval(max(low for low, _ in ends), max(high for _, high in ends))
        case _:
            return None


def allowed(budget: Guarantee) -> Fraction:
    """What the leak may be."""
    match budget:
        case PureDP():
            return Fraction(0)
        case ApproxDP():
            return budget.delta
        case ZCDP():
            return budget.rho
        case _:
            return Fraction(1)


def _losses(
    step: Step, one: tuple[SecretTotals, ...], other: tuple[SecretTotals, ...]
) -> list[PrivacyLoss]:
    mechanism = step.mechanism
    pairs = [pair for mine, its in zip(one, other, strict=True) for pair in _changed(mine, its)]
    if isinstance(mechanism, CellNoise) and step.among is None:
        shifts = sorted(Counter(abs(a - b) for a, b in pairs).items())
        return [_shifted(mechanism.law, shift).self_compose(count) for shift, count in shifts]
    if isinstance(mechanism, PartitionSelection):
        return [
            _coin(mechanism.keep_probability(a), mechanism.keep_probability(b)) for a, b in pairs
        ]
    if isinstance(mechanism, CountedPartitions):
        laws = ((mechanism.shown_law(a), mechanism.shown_law(b)) for a, b in pairs)
        return [PrivacyLoss.of_laws(*both) for both in laws]
    return []


def _changed(one: SecretTotals, other: SecretTotals) -> list[tuple[int, int]]:
    """The numbers of the cells that differ; a cell that is missing has 0."""
    totals = range(len(one.totals))
    mine, its = ([named_cells(answer, total) for total in totals] for answer in (one, other))
    pairs = [
        (a.get(name, 0), b.get(name, 0))
        for a, b in zip(mine, its, strict=True)
        for name in {*a, *b}
    ]
    return [(a, b) for a, b in pairs if a != b]


def named_cells(answer: SecretTotals, total: int) -> dict[Any, int]:
    """The numbers of one total by name: the group's key and the place inside it."""
    numbers = answer.totals[total].tolist()
    inner = len(numbers) // max(1, len(answer.rows))
    names = product(answer.rows, range(inner))
    return {name: int(number) for name, number in zip(names, numbers, strict=False)}


def _shifted(law: LatticeLaw, shift: int) -> PrivacyLoss:
    """The loss at this very shift; a table without symmetry is compared value by value."""
    if law.shape.symmetric_unimodal or law.support is None:
        return law.privacy(shift)
    low, high = law.support
    chances = {place: law.pmf(place).lower for place in range(low, high + 1)}
    moved = {place + shift: chance for place, chance in chances.items()}
    return PrivacyLoss.of_laws(chances, moved)


def _coin(one: Fraction, other: Fraction) -> PrivacyLoss:
    laws = [{"shown": each, "hidden": 1 - each} for each in (one, other)]
    return PrivacyLoss.of_laws(*laws)
