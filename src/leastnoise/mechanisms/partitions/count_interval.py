"""Intervals for counts that were shown: they hold given that the group is shown."""

from fractions import Fraction

import numpy as np

from leastnoise.mechanisms.partitions.keep_table import KeepTable
from leastnoise.mechanisms.secret_counts import Counts

Ends = tuple[Counts, Counts]


def count_ends(table: KeepTable, above: Counts, risk: Fraction) -> Ends:
    r"""The least and greatest count for which a number is not too high, and not too low.

    Theorem: a group of n units that is shown is k or more above the least number with chance
    π(n−k)/π(n). Both ends miss n with a chance of at most `risk` each, given that it is shown.
    Proof: k or more above means W ≤ n − k, and shown means W ≤ n. The lower end passes n from some
    k on, the least of which, k₀, has π(n−k₀)/π(n) ≤ risk: that is the chance of all of them. The
    upper end in the same way; π is log-concave, so that π(n−k)/π(n) never falls with n.

    Args:
        table: P(W ≤ n).
        above: k, how far each number is above the least one that is ever shown.
        risk: what each end may miss.
    """
    last = 2 * table.surely  # beyond, groups are always shown: all moves by 1
    places = np.minimum(above, last)
    ends = (
        np.array(each, np.int64) for each in (_lower(table, last, risk), _upper(table, last, risk))
    )
    lower, upper = (each[places] + (above - places) for each in ends)
    return lower, upper


def _lower(table: KeepTable, last: int, risk: Fraction) -> list[int]:
    """For each k the least n with π(n−k)/π(n) above the risk: it never falls with k."""
    ends, n = [], 1
    for k in range(last + 1):
        while _at(table, n - k) * risk.denominator <= _at(table, n) * risk.numerator:
            n += 1
        ends.append(n)
    return ends


def _upper(table: KeepTable, last: int, risk: Fraction) -> list[int]:
    """For each k the greatest n with 1 − π(n−k−1)/π(n) above the risk."""
    ends, n = [], 1
    for k in range(last + 1):
        while _is_low(table, n + 1, k, risk):
            n += 1
        ends.append(n)
    return ends


def _is_low(table: KeepTable, n: int, k: int, risk: Fraction) -> bool:
    whole = _at(table, n)
    return (whole - _at(table, n - k - 1)) * risk.denominator > whole * risk.numerator


def _at(table: KeepTable, n: int) -> int:
    """The chance of a group of n units, in multiples of 2**−bits."""
    return table.chances[min(max(n, 0), table.surely)]
