"""The greatest rule as a noise: one number of units W that a group needs, for choice and count."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import ceil

from leastnoise.mechanisms.partitions.keep_step import ApproximateStep, GaussianStep
from leastnoise.mechanisms.partitions.keep_table import KeepTable, climb
from leastnoise.noise.laws.table_law import TableLaw

CountStep = ApproximateStep | GaussianStep
"""The steps whose rule is a noise: those of a trade-off function."""

_BITS = 128  # beyond twice those of δ
_HAIR = Fraction(1, 1 << 40)
"""The part of the leak that pays for rounding: far more than all roundings of a table together."""


@lru_cache(maxsize=64)
def count_table(step: CountStep) -> KeepTable:
    """P(W ≤ n) for n = 0, 1, 2, …: the greatest rule of the step, its leak less by a hair.

    One coin keeps the step's promise whichever way its chance is rounded down. The whole of W does
    so only if no ratio of its chances is rounded the wrong way; the hair is what that may cost.
    """
    bits = _BITS + 2 * ceil(1 / step.delta).bit_length()
    return KeepTable(tuple(climb(replace(step, delta=step.delta * (1 - _HAIR)), bits)), bits)


def needed_weights(table: KeepTable) -> Sequence[int]:
    """P(W = n) for n = 1, 2, … in multiples of 2**−bits."""
    return [after - before for before, after in pairwise(table.chances)]


@lru_cache(maxsize=64)
def count_noise(step: CountStep) -> TableLaw:
    """The law of τ − W, τ the median of W: what is added to a count that is shown."""
    table = count_table(step)
    middle = table.least(Fraction(1, 2))
    weights = enumerate(needed_weights(table), 1)
    return TableLaw({middle - needed: weight for needed, weight in weights})
